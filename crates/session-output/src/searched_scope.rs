//! The scope of a search that found nothing.

use session_display::pluralize;
use session_search::SearchFilter;
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
    /// True where a session that asks passes the filters and is left out.
    pub leaves_out_match: bool,
}

impl SearchedScope {
    /// Counts the sessions that a filter lets through. `left_out` are the ids of those that ask, which it excludes.
    pub fn new(filter: &SearchFilter, all: &[SessionRow], left_out: &[String]) -> Self {
        let with_callers = SearchFilter {
            exclude: Default::default(),
            ..filter.clone()
        };
        let mut callers = all.iter().filter(|row| left_out.contains(&row.uid));
        Self {
            leaves_out_match: callers.any(|row| with_callers.passes_session(row)),
            sessions: all.iter().filter(|row| filter.passes_session(row)).count(),
            is_filtered: !filter.clauses.is_empty(),
            filters_turns: filter.filters_turns(),
        }
    }

    /// Formats that nothing was found, as `nothing` words it, with a hint where filters were given.
    pub fn format_nothing(&self, nothing: &str) -> String {
        let hint = match self.is_filtered {
            true => "\nhint: the filters may be too narrow",
            false => "",
        };
        if self.sessions == 0 && self.is_filtered && self.leaves_out_match {
            return "the session that this is asked from alone passes the filters, and is left out\n\
                hint: --include-current finds it, too"
                .to_owned();
        }
        if self.sessions == 0 && self.is_filtered {
            return "no session passes all the filters\nhint: remove one of them".to_owned();
        }
        let count = pluralize(self.sessions, "session");
        match self.filters_turns {
            true => format!("{nothing} in the turns of {count} that pass the filters{hint}"),
            false => format!("{nothing} in {count}{hint}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::{FilterClause, FilterCondition};
    use session_store::SessionId;

    fn session(ended_ms: i64) -> SessionRow {
        SessionRow {
            source: "claude".into(),
            ended_ms: Some(ended_ms),
            ..SessionRow::default()
        }
    }

    fn format(conditions: Vec<FilterCondition>) -> String {
        let filter = SearchFilter {
            clauses: conditions.into_iter().map(FilterClause::new).collect(),
            ..SearchFilter::default()
        };
        let all = [session(1), session(5)];
        SearchedScope::new(&filter, &all, &[]).format_nothing("no turn ran that")
    }

    #[test]
    fn a_caller_that_alone_passes_the_filters_is_told_of() {
        let row = |id: i64, uid: &str, source: &str| SessionRow {
            id: SessionId::new(id),
            uid: uid.to_owned(),
            source: source.to_owned(),
            ..SessionRow::default()
        };
        let all = [row(1, "a", "claude"), row(2, "b", "codex")];
        let scope = |caller: &SessionRow| {
            let agent = FilterCondition::Agent("claude".into());
            let filter = SearchFilter {
                clauses: vec![FilterClause::new(agent)],
                exclude: [caller.id].into_iter().collect(),
                ..SearchFilter::default()
            };
            let scope = SearchedScope::new(&filter, &all, std::slice::from_ref(&caller.uid));
            scope.format_nothing("nothing found")
        };
        assert_eq!(
            scope(&all[0]),
            "the session that this is asked from alone passes the filters, and is left out\nhint: --include-current finds it, too"
        );
        assert_eq!(
            scope(&all[1]),
            "nothing found in 1 session\nhint: the filters may be too narrow"
        );
    }

    #[test]
    fn filters_that_were_given_are_told_of() {
        assert_eq!(format(Vec::new()), "no turn ran that in 2 sessions");
        assert_eq!(
            format(vec![FilterCondition::Agent("claude".into())]),
            "no turn ran that in 2 sessions\nhint: the filters may be too narrow"
        );
        assert_eq!(
            format(vec![FilterCondition::SinceMs(3)]),
            "no turn ran that in the turns of 1 session that pass the filters\nhint: the filters may be too narrow"
        );
        assert_eq!(
            format(vec![FilterCondition::Agent("codex".into())]),
            "no session passes all the filters\nhint: remove one of them"
        );
    }
}
