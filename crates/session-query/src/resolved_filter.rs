//! The filter of a query without the sessions that run it.

use crate::session_argument::{SessionIdError, find_turn_clause};
use session_search::SearchFilter;
use session_store::{SessionRow, with_subagents};

/// A filter that excludes the calling sessions and their subagents: they hold the words of the query.
#[derive(Debug, Clone, Default)]
pub struct ResolvedFilter {
    /// The sessions and turns that are let through.
    pub search_filter: SearchFilter,
    /// Uids of the calling sessions.
    pub excluded_callers: Vec<String>,
    /// Whether a calling session passes the filter otherwise.
    pub excludes_matching_caller: bool,
}

impl ResolvedFilter {
    /// Excludes `callers`, of all sessions, from what a filter lets through.
    pub fn new(filter: SearchFilter, callers: &[&SessionRow], all: &[SessionRow]) -> Self {
        let excludes_matching_caller = callers.iter().any(|row| filter.passes_session(row));
        let roots = callers.iter().map(|row| row.id).collect();
        let mut search_filter = filter;
        let excluded = with_subagents(&roots, all);
        search_filter.excluded_sessions.extend(excluded);
        Self {
            search_filter,
            excluded_callers: callers.iter().map(|row| row.uid.clone()).collect(),
            excludes_matching_caller,
        }
    }

    /// Makes the filter of a question about work that was done. What subagents did was done, too; what `callers` did is
    /// no find. If the `session` of the filter is named with turns, these alone pass.
    ///
    /// # Errors
    /// When `session` names no session or several, or no turn of it.
    pub fn for_work(
        filter: SearchFilter,
        session: Option<&str>,
        callers: &[&SessionRow],
        all: &[SessionRow],
    ) -> Result<Self, SessionIdError> {
        let mut filter = filter.with_subagents_of_named(all);
        if let Some(session) = session {
            filter.clauses.extend(find_turn_clause(all, session)?);
        }
        Ok(Self::new(filter, callers, all))
    }

    /// Counts the sessions of which turns may pass.
    pub fn count_sessions(&self, all: &[SessionRow]) -> usize {
        let passing = all
            .iter()
            .filter(|row| self.search_filter.passes_session(row));
        passing.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::{FilterClause, FilterCondition};
    use session_store::SessionId;

    fn session(id: i64, parent: Option<&str>) -> SessionRow {
        SessionRow {
            id: SessionId::new(id),
            uid: format!("session-{id}"),
            parent: parent.map(Into::into),
            ..SessionRow::default()
        }
    }

    #[test]
    fn callers_are_excluded_with_their_subagents() {
        let all = [
            session(1, None),
            session(2, Some("session-1")),
            session(3, None),
        ];
        let filter = SearchFilter {
            includes_subagents: true,
            ..SearchFilter::default()
        };
        let resolved = ResolvedFilter::new(filter, &[&all[0]], &all);
        assert_eq!(resolved.excluded_callers, ["session-1"]);
        assert!(resolved.excludes_matching_caller);
        assert_eq!(resolved.count_sessions(&all), 1);
    }

    #[test]
    fn a_filter_of_work_includes_subagents_and_the_named_turns_alone() {
        let all = [
            session(1, None),
            session(2, Some("session-1")),
            SessionRow {
                turns: 3,
                ..session(3, None)
            },
            session(4, Some("session-3")),
        ];
        let resolve = |filter, session| ResolvedFilter::for_work(filter, session, &[&all[0]], &all);
        let everything = resolve(SearchFilter::default(), None).unwrap();
        assert_eq!(everything.count_sessions(&all), 2);
        assert_eq!(everything.search_filter.clauses, []);
        let named = SearchFilter {
            only_sessions: vec![all[2].id],
            ..SearchFilter::default()
        };
        let turns = resolve(named.clone(), Some("session-3:1")).unwrap();
        let condition = FilterCondition::Turns {
            session: all[2].id,
            turns: 1..=1,
        };
        assert_eq!(turns.search_filter.clauses, [FilterClause::new(condition)]);
        assert_eq!(turns.search_filter.only_sessions.len(), 2);
        let error = resolve(named, Some("session-3:7")).unwrap_err();
        assert!(matches!(error, SessionIdError::NoSuchTurn { .. }));
    }

    /// A caller that the user excluded would stay out, whether callers are included or not.
    #[test]
    fn a_caller_that_is_excluded_anyway_is_no_match() {
        let all = [session(1, None), session(2, None)];
        let filter = SearchFilter {
            excluded_sessions: vec![all[0].id],
            ..SearchFilter::default()
        };
        let resolved = ResolvedFilter::new(filter, &[&all[0]], &all);
        assert!(!resolved.excludes_matching_caller);
    }
}
