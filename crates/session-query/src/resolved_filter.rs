//! The filter of a query without the sessions that run it.

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
