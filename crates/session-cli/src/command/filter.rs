//! Filters and sessions as typed.

use crate::args::{FilterArgs, WorkFilterArgs};
use anyhow::{Result, bail};
use jiff::Zoned;
use session_core::SessionReference;
use session_query::{known_agent, read_project};
use session_search::{
    FilterClause, FilterCondition, ResolvedSession, SearchFilter, resolve_session_id,
};
use session_store::SessionRow;

/// Reads a filter.
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
    let time = args.work.time.parse_range(Zoned::now)?;
    let branch = non_empty(&args.work.branch).map(str::to_owned);
    let file = non_empty(&args.file).map(str::to_owned);
    let conditions = [
        time.since_ms.map(FilterCondition::SinceMs),
        time.until_ms.map(FilterCondition::UntilMs),
        branch.map(FilterCondition::Branch),
        file.map(FilterCondition::File),
    ];
    let mut clauses = parse_session_clauses(&args.work)?;
    clauses.extend(conditions.into_iter().flatten().map(FilterClause::new));
    Ok(clauses)
}

/// Parses the project and the agent to clauses.
fn parse_session_clauses(args: &WorkFilterArgs) -> Result<Vec<FilterClause>> {
    let agent = non_empty(&args.source).map(known_agent).transpose()?;
    let agent = agent.map(|agent| FilterClause::new(FilterCondition::Agent(agent)));
    let project = non_empty(&args.project).map(project_clause);
    Ok(project.into_iter().chain(agent).collect())
}

/// Parses a project as typed to a clause.
pub fn project_clause(typed: &str) -> FilterClause {
    FilterClause::new(FilterCondition::Project(read_project(typed)))
}

/// Returns a filter for the sessions of the project and the agent, of people and of subagents.
pub fn parse_root_filter(args: &WorkFilterArgs) -> Result<SearchFilter> {
    Ok(SearchFilter {
        clauses: parse_session_clauses(args)?,
        subagents: true,
        ..SearchFilter::default()
    })
}

/// Returns the value of an option, unless it is empty.
pub fn non_empty(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

/// Finds the one session that an id names, or an id with turns, as hits are printed.
/// The error of an ambiguous id names the candidates.
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
