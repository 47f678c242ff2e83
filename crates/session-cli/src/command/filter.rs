//! Filters and sessions as typed.

use crate::args::{FilterArgs, WorkFilterArgs};
use anyhow::{Result, bail};
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use session_core::SessionReference;
use session_display::format_unknown_project;
use session_query::{known_agent, read_project};
use session_search::{
    FilterClause, FilterCondition, ResolvedSession, SearchFilter, resolve_session_id,
};
use session_store::SessionRow;

/// Reads a filter.
///
/// # Errors
/// When a time or an id cannot be read, or there is no such agent.
pub fn parse_filter(args: &FilterArgs, sessions: &[SessionRow]) -> Result<SearchFilter> {
    let number = |id: &String| find_session(sessions, id).map(|session| session.id);
    Ok(SearchFilter {
        clauses: parse_clauses(args)?,
        only: args.session.iter().map(number).collect::<Result<_>>()?,
        exclude: args
            .exclude_session
            .iter()
            .map(number)
            .collect::<Result<_>>()?,
        subagents: args.subagents,
    })
}

/// Returns the ids of the sessions that a filter names.
pub fn named_sessions(args: &FilterArgs) -> Vec<String> {
    [args.session.as_slice(), &args.exclude_session].concat()
}

/// Parses each option to a clause of one condition. An empty value, as of an unset variable, filters nothing.
fn parse_clauses(args: &FilterArgs) -> Result<Vec<FilterClause>> {
    let time = args.time.parse_range(Zoned::now)?;
    let agent = non_empty(&args.source).map(known_agent).transpose()?;
    let project = non_empty(&args.project).map(read_project);
    let conditions = [
        project.map(FilterCondition::Project),
        agent.map(FilterCondition::Agent),
        time.since_ms.map(FilterCondition::SinceMs),
        time.until_ms.map(FilterCondition::UntilMs),
        non_empty(&args.branch).map(|name| FilterCondition::Branch(name.to_owned())),
        non_empty(&args.file).map(|part| FilterCondition::File(part.to_owned())),
    ];
    let conditions = conditions.into_iter().flatten();
    Ok(conditions.map(FilterClause::new).collect())
}

fn non_empty(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

/// Returns a test for the sessions of a project and an agent as typed; without these all pass.
///
/// # Errors
/// When there is no such agent.
pub fn session_test(args: &WorkFilterArgs) -> Result<impl Fn(&SessionRow) -> bool> {
    let project = non_empty(&args.project).map(read_project);
    let agent = non_empty(&args.source).map(known_agent).transpose()?;
    Ok(move |row: &SessionRow| {
        project.as_ref().is_none_or(|project| project.matches(row))
            && agent.as_ref().is_none_or(|agent| row.source == *agent)
    })
}

/// Returns the branch that is asked for; an empty name means all.
pub fn wanted_branch(args: &WorkFilterArgs) -> Option<&str> {
    non_empty(&args.branch)
}

/// Returns true where the agent or the branch is asked for.
pub fn names_agent_or_branch(args: &WorkFilterArgs) -> bool {
    non_empty(&args.source)
        .or(non_empty(&args.branch))
        .is_some()
}

/// Returns the day of a time in milliseconds since 1970, in the time zone of another.
pub fn day_in_zone_of(time_ms: i64, zoned: &Zoned) -> Option<Date> {
    let time = Timestamp::from_millisecond(time_ms).ok()?;
    Some(time.to_zoned(zoned.time_zone().clone()).date())
}

/// Formats that no session is of a project as typed; `None` where one is, or none is named.
pub fn format_unknown_project_named(
    wanted: Option<&str>,
    sessions: &[SessionRow],
) -> Option<String> {
    let project = read_project(non_empty_project(wanted)?);
    let clause = FilterClause::new(FilterCondition::Project(project));
    format_unknown_project(&[clause], sessions)
}

/// Returns the project that is asked for; an empty name means all.
pub fn non_empty_project(wanted: Option<&str>) -> Option<&str> {
    wanted.filter(|name| !name.is_empty())
}

/// Finds the one session that an id names, or an id with turns, as hits are printed.
///
/// # Errors
/// When there is none, or several: the candidates are in the message.
pub fn find_session(sessions: &[SessionRow], id: &str) -> Result<SessionRow> {
    let id = SessionReference::strip_turns(id);
    match resolve_session_id(sessions, id) {
        ResolvedSession::One(session) => Ok(*session),
        ResolvedSession::None if id.is_empty() => {
            bail!("the id of a session is missing\nhint: `session-search search QUERY` prints ids")
        }
        ResolvedSession::None if is_number(id) => {
            bail!("no session has the number {id}\nhint: `session-search search QUERY` prints ids")
        }
        ResolvedSession::None => {
            bail!("no session begins with `{id}`\nhint: `session-search search QUERY` prints ids")
        }
        ResolvedSession::Many(found) => bail!(session_output::format_candidates(id, &found)),
    }
}

/// Returns true for the index's own number of a session, as `#12`.
fn is_number(id: &str) -> bool {
    let digits = id.strip_prefix('#').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
