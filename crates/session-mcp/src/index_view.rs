//! One state of the index, as the tools ask it.

use crate::call_error::CallError;
use crate::turn_window::TurnWindow;
use anyhow::anyhow;
use jiff::Zoned;
use session_agents::CallingProcess;
use session_core::SessionReference;
use session_display::{SessionIds, format_unknown_project_and_others, format_unmet_filter};
use session_query::{
    FilterField, SearchEngine, Snapshot, TypedCondition, TypedQuery, find_unmet_clause,
};
use session_search::{FilterClause, ResolvedSession, SearchFilter, resolve_session_id};
use session_store::{SessionRow, with_subagents};
use std::time::SystemTime;

/// Most ids that an error names.
const MAX_NAMED: usize = 10;

/// A snapshot of the index with what answers from it.
#[derive(Clone, Copy)]
pub(crate) struct IndexView<'a> {
    pub(crate) engine: &'a SearchEngine,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) ids: &'a SessionIds<'a>,
    /// The name that the client gave itself.
    pub(crate) client: Option<&'a str>,
}

/// The sessions and turns that a call lets through.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallFilter {
    /// Conditions that were typed or given as arguments.
    pub(crate) clauses: Vec<FilterClause>,
    /// The beginning of a session's id, or the address of a turn of it as hits have it.
    pub(crate) session: Option<String>,
}

/// A filter with the sessions that it leaves out because the client is in them.
pub(crate) struct ResolvedFilter<'a> {
    pub(crate) filter: SearchFilter,
    pub(crate) callers: Vec<&'a SessionRow>,
}

/// Resolves the arguments `project` and `since`.
///
/// # Errors
/// When the time cannot be parsed.
pub(crate) fn parse_argument_clauses(
    project: Option<&str>,
    since: Option<&str>,
) -> Result<Vec<FilterClause>, CallError> {
    let condition = |field, value: Option<&str>| {
        value.map(|value| TypedCondition {
            field,
            negated: false,
            value: value.to_owned(),
        })
    };
    let given = [
        condition(FilterField::Project, project),
        condition(FilterField::Since, since),
    ];
    let typed = TypedQuery {
        conditions: given.into_iter().flatten().collect(),
        ..TypedQuery::default()
    };
    Ok(typed.clauses(Zoned::now)?)
}

impl<'a> IndexView<'a> {
    /// Returns all sessions.
    pub(crate) fn sessions(&self) -> &'a [SessionRow] {
        &self.snapshot.sessions
    }

    /// Returns the beginning of an id that names one session.
    pub(crate) fn short_id(&self, session: &SessionRow) -> String {
        self.ids.short_id(session)
    }

    /// Finds the session whose id begins so.
    ///
    /// # Errors
    /// When there is none, or several.
    pub(crate) fn find_session(&self, id: &str) -> Result<SessionRow, CallError> {
        match resolve_session_id(self.sessions(), id.trim()) {
            ResolvedSession::One(session) => Ok(*session),
            ResolvedSession::None => {
                Err(anyhow!("no session begins with `{id}`\nhint: search answers with ids").into())
            }
            ResolvedSession::Many(found) => {
                let ids = found
                    .iter()
                    .take(MAX_NAMED)
                    .map(|session| self.short_id(session));
                let ids = ids.collect::<Vec<_>>().join(", ");
                let count = found.len();
                Err(anyhow!("`{id}` begins {count} session ids\nhint: one of {ids}").into())
            }
        }
    }

    /// Resolves a filter. The session that the client is in has the words of the query in it: it is left
    /// out, unless a session is named.
    ///
    /// # Errors
    /// As [`Self::find_session`].
    pub(crate) fn resolve_filter(
        &self,
        filter: &CallFilter,
    ) -> Result<ResolvedFilter<'a>, CallError> {
        let session = filter.session.as_deref();
        let only = session.map(|id| self.find_session(strip_turns(id)));
        let only = only.transpose()?;
        let callers = match only {
            Some(_) => Vec::new(),
            None => self.find_callers(),
        };
        let roots = callers.iter().map(|row| row.id).collect();
        let exclude = with_subagents(&roots, self.sessions());
        let filter = SearchFilter {
            clauses: filter.clauses.clone(),
            only: only.map(|session| session.id).into_iter().collect(),
            exclude: exclude.into_iter().collect(),
            ..SearchFilter::default()
        };
        Ok(ResolvedFilter { filter, callers })
    }

    /// Notes the sessions that are left out.
    pub(crate) fn format_caller_notes(&self, callers: &[&SessionRow]) -> Vec<String> {
        let ids = callers.iter().map(|session| self.short_id(session));
        ids.map(|id| format!("this session, {id}, is left out; name it by `session` to search it"))
            .collect()
    }

    /// Notes a filter that no session or turn meets by itself, where nothing was found.
    pub(crate) fn format_unmet_filter_note(
        &self,
        clauses: &[FilterClause],
        is_found: bool,
    ) -> Option<String> {
        if is_found {
            return None;
        }
        let Snapshot { index, sessions } = self.snapshot;
        // Why nothing was found is no reason to fail.
        let unmet = || find_unmet_clause(index, sessions, clauses).ok().flatten();
        format_unknown_project_and_others(clauses, sessions).or_else(|| {
            unmet().and_then(|unmet| format_unmet_filter(&unmet.clause, &unmet.branches))
        })
    }

    fn find_callers(&self) -> Vec<&'a SessionRow> {
        let process = CallingProcess {
            env: &self.engine.home().env,
            directory: &std::env::current_dir().unwrap_or_default(),
            is_interactive: false,
            client: self.client,
            now: SystemTime::now(),
        };
        process.find_sessions(self.sessions())
    }
}

/// Returns the id of `ID:7`, `ID:5-9` and of what else names a session, and any other text as it is.
fn strip_turns(id: &str) -> &str {
    let reference = SessionReference::parse(id);
    let is_range = |turns: &str| turns.trim().is_empty() || turns.parse::<TurnWindow>().is_ok();
    match reference.turns {
        Some(turns) if !is_range(turns) => id,
        _ => reference.id,
    }
}
