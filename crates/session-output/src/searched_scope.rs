//! The scope of a search that found nothing.

use session_display::plural;
use session_search::Filter;
use session_store::SessionRow;

/// The sessions that were searched, and how they were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchedScope {
    /// Sessions that the filters let through.
    pub sessions: usize,
    /// True where filters were given.
    pub is_filtered: bool,
    /// True where the filters judge single turns.
    pub filters_turns: bool,
}

impl SearchedScope {
    /// Counts the sessions that a filter lets through.
    pub fn new(filter: &Filter, all: &[SessionRow]) -> Self {
        Self {
            sessions: all.iter().filter(|row| filter.passes_session(row)).count(),
            is_filtered: !filter.clauses.is_empty(),
            filters_turns: filter.by_turn(),
        }
    }

    /// Formats that nothing was found, as `nothing` words it, with a hint where filters were given.
    pub fn format_nothing(&self, nothing: &str) -> String {
        let hint = match self.is_filtered {
            true => "\nhint: the filters may be too narrow",
            false => "",
        };
        if self.sessions == 0 && self.is_filtered {
            return "the filters leave no session\nhint: leave one of them out".to_owned();
        }
        let count = plural(self.sessions, "session");
        match self.filters_turns {
            true => format!("{nothing} in what the filters leave of {count}{hint}"),
            false => format!("{nothing} in {count}{hint}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::{Condition, FilterClause};

    fn session(ended_ms: i64) -> SessionRow {
        SessionRow {
            source: "claude".into(),
            ended_ms: Some(ended_ms),
            ..SessionRow::default()
        }
    }

    fn format(conditions: Vec<Condition>) -> String {
        let filter = Filter {
            clauses: conditions.into_iter().map(FilterClause::new).collect(),
            ..Filter::default()
        };
        let all = [session(1), session(5)];
        SearchedScope::new(&filter, &all).format_nothing("no turn ran that")
    }

    #[test]
    fn filters_that_were_given_are_told_of() {
        assert_eq!(format(Vec::new()), "no turn ran that in 2 sessions");
        assert_eq!(
            format(vec![Condition::Agent("claude".into())]),
            "no turn ran that in 2 sessions\nhint: the filters may be too narrow"
        );
        assert_eq!(
            format(vec![Condition::SinceMs(3)]),
            "no turn ran that in what the filters leave of 1 session\nhint: the filters may be too narrow"
        );
        assert_eq!(
            format(vec![Condition::Agent("codex".into())]),
            "the filters leave no session\nhint: leave one of them out"
        );
    }
}
