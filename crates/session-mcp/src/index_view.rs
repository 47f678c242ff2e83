//! One state of the index, as the tools ask it.

use crate::answer::{FencedText, format_call};
use crate::call_error::CallError;
use session_agents::CallingProcess;
use session_core::TurnAddress;
use session_display::{Note, SessionIds, format_unmet_clause_and_others};
use session_query::{
    ResolvedFilter, SearchEngine, SessionIdError, Snapshot, find_session, find_unmet_clause,
};
use session_search::{FilterClause, FilterCondition, ProjectPattern, SearchFilter, UnmetClause};
use session_store::SessionRow;
use std::time::SystemTime;

/// Most ids that an error names.
const MAX_NAMED: usize = 10;
/// Said where a project begins with the mark of a filter that leaves out.
const NEGATION_NOTE: &str = "; `-project:NAME` in `query` or `pattern` leaves one out";

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

/// The filter of a call, with the sessions that are left out because the client is in them.
pub(crate) struct CallScope<'a> {
    pub(crate) filter: SearchFilter,
    pub(crate) callers: Vec<&'a SessionRow>,
}

/// The reason for which nothing meets a filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnmetNote {
    /// The filter that was typed, and that nothing meets it.
    pub(crate) note: String,
    /// Others that are there in its place: sessions chose the names of projects and branches.
    pub(crate) hint: FencedText,
}

impl<'a> IndexView<'a> {
    /// Returns all sessions.
    pub(crate) fn sessions(&self) -> &'a [SessionRow] {
        &self.snapshot.sessions
    }

    /// Returns true if something of the histories could not be read.
    pub(crate) fn has_problems(&self) -> bool {
        let problems = self.snapshot.index.problems();
        problems.is_ok_and(|problems| !problems.is_empty())
    }

    /// Returns the beginning of an id that names one session.
    pub(crate) fn short_id(&self, session: &SessionRow) -> String {
        self.ids.short_id(session)
    }

    /// Returns the address by which a call names a turn.
    pub(crate) fn turn_address(&self, session: &SessionRow, turn: u32) -> TurnAddress {
        TurnAddress::new(self.short_id(session), turn)
    }

    /// Finds the session whose id begins so.
    ///
    /// # Errors
    /// When there is none, or several.
    pub(crate) fn find_session(&self, id: &str) -> Result<SessionRow, CallError> {
        Ok(find_session(self.sessions(), id).map_err(|error| self.note_id_error(id, &error))?)
    }

    /// Notes that an id names no session, or several. A hint of the command line would name a command.
    fn note_id_error(&self, id: &str, error: &SessionIdError) -> Note {
        Note::new(error.to_string()).with_hint(match error {
            SessionIdError::Ambiguous { found, .. } => {
                let named = found.iter().take(MAX_NAMED);
                let ids: Vec<String> = named.map(|session| self.short_id(session)).collect();
                format!("one of {}", ids.join(", "))
            }
            SessionIdError::NoSuchTurn { .. } => error.hint().to_owned(),
            _ if id.starts_with("mem-") => {
                format!(
                    "it is a memory's: {}",
                    format_call("recall", &[("query", id.into())])
                )
            }
            _ => "search answers with ids".to_owned(),
        })
    }

    /// Resolves the filter of a call. The session that the client is in has the words of the query in it: it is to be left
    /// out, unless a session is named.
    ///
    /// # Errors
    /// As [`Self::find_session`].
    pub(crate) fn resolve_scope(&self, filter: &CallFilter) -> Result<CallScope<'a>, CallError> {
        let session = filter.session.as_deref();
        let only = session.map(|id| self.find_session(id));
        let only = only.transpose()?;
        let callers = match only {
            Some(_) => Vec::new(),
            None => self.find_callers(),
        };
        let filter = SearchFilter {
            clauses: filter.clauses.clone(),
            only_sessions: only.map(|session| session.id).into_iter().collect(),
            ..SearchFilter::default()
        };
        Ok(CallScope { filter, callers })
    }

    /// Notes the sessions that are left out.
    pub(crate) fn format_caller_notes(&self, callers: &[&SessionRow]) -> Vec<String> {
        let ids = callers.iter().map(|session| self.short_id(session));
        ids.map(|id| format!("this session, {id}, is left out; name it by `session` to search it"))
            .collect()
    }

    /// Resolves the filter of a call that asks about work that was done.
    ///
    /// # Errors
    /// As [`Self::find_session`], and when the session has no such turn.
    pub(crate) fn resolve_work_scope(
        &self,
        filter: &CallFilter,
    ) -> Result<CallScope<'a>, CallError> {
        let session = filter.session.as_deref();
        let CallScope { filter, callers } = self.resolve_scope(filter)?;
        let resolved = ResolvedFilter::for_work(filter, session, &callers, self.sessions());
        let resolved =
            resolved.map_err(|error| self.note_id_error(session.unwrap_or_default(), &error))?;
        Ok(CallScope {
            filter: resolved.search_filter,
            callers,
        })
    }

    /// Finds a filter that no session or turn meets by itself: where nothing was found, it is the reason.
    pub(crate) fn find_unmet_clause(&self, clauses: &[FilterClause]) -> Option<UnmetClause> {
        let Snapshot { index, sessions } = self.snapshot;
        find_unmet_clause(index, sessions, clauses)
    }

    /// Formats that no session is of a project, or that no turn meets another filter by itself.
    pub(crate) fn format_unmet_clause(&self, unmet: &UnmetClause) -> Option<UnmetNote> {
        let mut found = format_unmet_clause_and_others(unmet, self.sessions())?;
        let conditions = unmet.clause.conditions.as_slice();
        let is_project = matches!(conditions, [FilterCondition::Project(_)]);
        let names_others = is_project || !unmet.names.is_empty();
        if names_negated_project(&unmet.clause) {
            found.text.push_str(NEGATION_NOTE);
        }
        Some(match names_others {
            true => UnmetNote {
                hint: FencedText::new(&found.hints.join("\n")),
                note: found.text,
            },
            false => UnmetNote {
                note: found.to_string(),
                ..UnmetNote::default()
            },
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

/// Returns true for a project that was typed with the `-` of a filter that leaves out.
fn names_negated_project(clause: &FilterClause) -> bool {
    clause.conditions.iter().any(|condition| {
        matches!(condition, FilterCondition::Project(ProjectPattern::Part(name)) if name.starts_with('-'))
    })
}
