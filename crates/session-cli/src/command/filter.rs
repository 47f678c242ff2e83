//! Filters and sessions as typed.

use crate::args::FilterArgs;
use anyhow::{Result, bail};
use jiff::Zoned;
use session_core::parse_turn_range;
use session_query::{known_agent, read_project};
use session_search::{Condition, Filter, FilterClause, Resolved, resolve};
use session_store::SessionRow;

/// Reads a filter.
///
/// # Errors
/// When a time or an id cannot be read, or there is no such agent.
pub fn read(args: &FilterArgs, all: &[SessionRow]) -> Result<Filter> {
    let number = |id: &String| find_session(all, id).map(|session| session.id);
    Ok(Filter {
        clauses: clauses(args)?,
        only: args.session.iter().map(number).collect::<Result<_>>()?,
        exclude: args
            .exclude_session
            .iter()
            .map(number)
            .collect::<Result<_>>()?,
        subagents: args.subagents,
    })
}

/// Each option is a clause of one condition. An empty value, as of an unset variable, filters nothing.
fn clauses(args: &FilterArgs) -> Result<Vec<FilterClause>> {
    let time = args.time.range(Zoned::now)?;
    let agent = non_empty(&args.source).map(known_agent).transpose()?;
    let project = non_empty(&args.project).map(read_project);
    let conditions = [
        project.map(Condition::Project),
        agent.map(Condition::Agent),
        time.since_ms.map(Condition::SinceMs),
        time.until_ms.map(Condition::UntilMs),
        non_empty(&args.branch).map(|name| Condition::Branch(name.to_owned())),
        non_empty(&args.file).map(|part| Condition::File(part.to_owned())),
    ];
    let conditions = conditions.into_iter().flatten();
    Ok(conditions.map(FilterClause::new).collect())
}

fn non_empty(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

/// Tells the sessions of a project as typed; without one all are.
pub fn matches_project(wanted: Option<&str>) -> impl Fn(&SessionRow) -> bool {
    let wanted = wanted.map(read_project);
    move |row| wanted.as_ref().is_none_or(|project| project.matches(row))
}

/// Returns the project that is asked for; an empty name means all.
pub fn named_project(wanted: Option<&str>) -> Option<&str> {
    wanted.filter(|name| !name.is_empty())
}

/// The one session that an id names, or an id with turns, as hits are printed.
///
/// # Errors
/// When there is none, or several: the candidates are in the message.
pub fn find_session(all: &[SessionRow], id: &str) -> Result<SessionRow> {
    let id = without_turns(id);
    match resolve(all, id) {
        Resolved::One(session) => Ok(*session),
        Resolved::None if id.is_empty() => {
            bail!("the id of a session is missing\nhint: `session-search search QUERY` prints ids")
        }
        Resolved::None => {
            bail!("no session begins with `{id}`\nhint: `session-search search QUERY` prints ids")
        }
        Resolved::Many(found) => bail!(session_output::format_candidates(id, &found)),
    }
}

/// Returns the id of `ID:7` and `ID:5-9`.
fn without_turns(id: &str) -> &str {
    match id.rsplit_once(':') {
        Some((session, turns)) if parse_turn_range(turns).is_some() => session,
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::without_turns;

    #[test]
    fn turns_are_no_part_of_an_id() {
        for (typed, id) in [
            ("a1b2c3d4:8", "a1b2c3d4"),
            ("a1b2c3d4:5-9", "a1b2c3d4"),
            ("a1b2c3d4", "a1b2c3d4"),
            ("a1b2c3d4:", "a1b2c3d4:"),
            ("a1b2c3d4:x", "a1b2c3d4:x"),
            (":5", ""),
        ] {
            assert_eq!(without_turns(typed), id, "{typed}");
        }
    }
}
