//! Filters and sessions as typed.

use crate::args::{FilterArgs, WorkFilterArgs};
use anyhow::Result;
use jiff::Zoned;
use session_core::SessionReference;
use session_display::now_without_zone_name;
use session_query::{FilterField, TypedCondition, TypedQuery, find_session, parse_project};
use session_search::{FilterClause, FilterCondition, SearchFilter};
use session_store::SessionRow;

/// Reads a filter.
pub fn parse_filter(args: &FilterArgs, sessions: &[SessionRow]) -> Result<SearchFilter> {
    let number = |id: &String| -> Result<_> { Ok(find_session(sessions, id)?.id) };
    Ok(SearchFilter {
        clauses: parse_clauses(args, now_without_zone_name)?,
        only_sessions: args.session.iter().map(number).collect::<Result<_>>()?,
        excluded_sessions: args
            .exclude_session
            .iter()
            .map(number)
            .collect::<Result<_>>()?,
        includes_subagents: args.subagents,
    })
}

/// Returns the ids of the sessions that a filter names.
pub fn named_sessions(args: &FilterArgs) -> Vec<String> {
    [args.session.as_slice(), &args.exclude_session].concat()
}

/// Notes each `--exclude-session` that names turns: all of its session is left out.
pub fn note_excluded_turns(args: &FilterArgs) -> impl Iterator<Item = String> {
    let ids = args.exclude_session.iter();
    ids.filter_map(|id| format_ignored_turns("--exclude-session", id, "left out"))
}

/// Notes a `--session` that names turns, for a command that searches all of the session.
pub fn note_searched_turns(args: &FilterArgs) -> Option<String> {
    format_ignored_turns("--session", args.session.as_ref()?, "searched")
}

/// Says that turns behind the id of a session do not count: all of it is `treated`, as a participle.
fn format_ignored_turns(option: &str, typed: &str, treated: &str) -> Option<String> {
    let SessionReference { id, turns } = SessionReference::parse(typed);
    turns.filter(|turns| !turns.trim().is_empty())?;
    Some(format!(
        "`{option}` takes no turn; all of {id} is {treated}"
    ))
}

/// Parses each option to a clause of one condition. An empty value, as of an unset variable, filters nothing.
fn parse_clauses(args: &FilterArgs, now: fn() -> Zoned) -> Result<Vec<FilterClause>> {
    let time = args.work.time.parse_range(now)?;
    let times = [
        time.since_ms.map(FilterCondition::since),
        time.until_ms.map(FilterCondition::until),
    ];
    let work = &args.work;
    let mut clauses = resolve_options(&[
        (FilterField::Project, &work.project),
        (FilterField::Agent, &work.source),
        (FilterField::Branch, &work.branch),
        (FilterField::File, &args.file),
    ])?;
    clauses.extend(times.into_iter().flatten().map(FilterClause::new));
    Ok(clauses)
}

/// Resolves options as the filters that are typed in a query.
fn resolve_options(options: &[(FilterField, &Option<String>)]) -> Result<Vec<FilterClause>> {
    let conditions = options.iter().filter_map(|(field, value)| {
        let value = non_empty(value)?;
        Some(TypedCondition::new(*field, value))
    });
    Ok(TypedQuery::from_conditions(conditions).clauses(now_without_zone_name)?)
}

/// Parses a project as typed to a clause.
pub fn project_clause(typed: &str) -> FilterClause {
    FilterClause::new(FilterCondition::Project(parse_project(typed)))
}

/// Returns a filter for the sessions of the project and the agent, of people and of subagents.
pub fn parse_root_filter(args: &WorkFilterArgs) -> Result<SearchFilter> {
    Ok(SearchFilter {
        clauses: resolve_options(&[
            (FilterField::Project, &args.project),
            (FilterField::Agent, &args.source),
        ])?,
        includes_subagents: true,
        ..SearchFilter::default()
    })
}

/// Returns the value of an option, unless it is empty.
pub fn non_empty(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Command};
    use clap::Parser;
    use session_search::ProjectPattern;
    use session_store::SessionId;

    fn parse_arguments(options: &[&str]) -> FilterArgs {
        let typed = [&["session-search", "search", "kettle"], options].concat();
        match Arguments::try_parse_from(typed).unwrap().command {
            Some(Command::Search(args)) => args.filter,
            _ => panic!("{options:?} are of no search"),
        }
    }

    fn milliseconds(time: &str) -> i64 {
        time.parse::<jiff::Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn each_option_is_a_condition() {
        use FilterCondition::{Agent, Branch, File, Project};
        let now = || "2026-03-30T12:00:00+00:00[UTC]".parse().unwrap();
        let check = |options: &[&str], expected: &[FilterCondition]| {
            let clauses = parse_clauses(&parse_arguments(options), now).unwrap();
            let expected: Vec<_> = expected.iter().cloned().map(FilterClause::new).collect();
            assert_eq!(clauses, expected, "{options:?}");
        };
        let since = |time| FilterCondition::since(milliseconds(time));
        let until = |time| FilterCondition::until(milliseconds(time));
        let project = Project(ProjectPattern::Part("kitchen".into()));
        check(&[], &[]);
        check(&["--project", "kitchen"], std::slice::from_ref(&project));
        check(&["--source", "claude"], &[Agent("claude".into())]);
        check(&["--branch", "steam"], &[Branch("steam".into())]);
        check(&["--file", "probe.rs"], &[File("probe.rs".into())]);
        let (midnight, next) = ("2026-03-30T00:00:00Z", "2026-03-31T00:00:00Z");
        check(&["--today"], &[since(midnight), until(next)]);
        let yesterday = [since("2026-03-29T00:00:00Z"), until(midnight)];
        check(&["--yesterday"], &yesterday);
        check(&["--days", "1"], &[since(midnight)]);
        check(&["--days", "2"], &[since("2026-03-29T00:00:00Z")]);
        check(&["--since", "5d"], &[since("2026-03-25T12:00:00Z")]);
        check(&["--until", "2026-03-29"], &[until(midnight)]);
        check(&["--when", "..2026-03-29"], &[until(midnight)]);
        check(&["--when", "today"], &[since(midnight), until(next)]);
        let all = [
            "--until",
            "2026-03-29",
            "--project",
            "kitchen",
            "--days",
            "9",
        ];
        let days = since("2026-03-22T00:00:00Z");
        check(&all, &[project, days, until(midnight)]);
    }

    #[test]
    fn sessions_are_found_by_the_beginning_of_their_ids() {
        let session = |number, uid: &str| SessionRow {
            id: SessionId::new(number),
            uid: uid.to_owned(),
            ..SessionRow::default()
        };
        let sessions = [session(1, "a1000000-1"), session(2, "b1000000-1")];
        let options = ["--session", "a1", "--exclude-session=b1:3", "--subagents"];
        let filter = parse_filter(&parse_arguments(&options), &sessions).unwrap();
        let expected = SearchFilter {
            clauses: Vec::new(),
            only_sessions: vec![SessionId::new(1)],
            excluded_sessions: vec![SessionId::new(2)],
            includes_subagents: true,
        };
        assert_eq!(filter, expected);
    }
}
