//! The filter of a question, and the sessions that ask it.

use session_search::SearchFilter;
use session_store::{SessionRow, with_subagents};

/// A filter that leaves out the sessions from which it is asked, and their subagents: they hold the words of the question.
#[derive(Debug, Clone, Default)]
pub struct ResolvedFilter {
    /// The sessions and turns that are let through.
    pub filter: SearchFilter,
    /// Agents' ids of the sessions that ask.
    pub left_out: Vec<String>,
    /// True where one of them passes the filter, but for being one.
    pub leaves_out_match: bool,
}

impl ResolvedFilter {
    /// Leaves `callers`, of all sessions, out of what a filter lets through.
    pub fn new(mut filter: SearchFilter, callers: &[&SessionRow], all: &[SessionRow]) -> Self {
        let leaves_out_match = callers.iter().any(|row| filter.passes_session(row));
        let roots = callers.iter().map(|row| row.id).collect();
        filter.exclude.extend(with_subagents(&roots, all));
        Self {
            filter,
            left_out: callers.iter().map(|row| row.uid.clone()).collect(),
            leaves_out_match,
        }
    }

    /// Counts the sessions of which turns may pass.
    pub fn count_sessions(&self, all: &[SessionRow]) -> usize {
        let passing = all.iter().filter(|row| self.filter.passes_session(row));
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
    fn callers_are_left_out_with_their_subagents() {
        let all = [
            session(1, None),
            session(2, Some("session-1")),
            session(3, None),
        ];
        let filter = SearchFilter {
            subagents: true,
            ..SearchFilter::default()
        };
        let resolved = ResolvedFilter::new(filter, &[&all[0]], &all);
        assert_eq!(resolved.left_out, ["session-1"]);
        assert!(resolved.leaves_out_match);
        assert_eq!(resolved.count_sessions(&all), 1);
    }

    /// A caller that the user excluded would stay out, whether callers are included or not.
    #[test]
    fn a_caller_that_is_excluded_anyway_is_no_match() {
        let all = [session(1, None), session(2, None)];
        let filter = SearchFilter {
            exclude: vec![all[0].id],
            ..SearchFilter::default()
        };
        let resolved = ResolvedFilter::new(filter, &[&all[0]], &all);
        assert!(!resolved.leaves_out_match);
    }
}
