//! The scope of a search that found nothing.

use session_display::{Note, format_project_elsewhere, pluralize};
use session_query::ResolvedFilter;
use session_store::SessionRow;

/// The hint where filters let some sessions through, and nothing was found in them.
pub(crate) const NARROW_FILTERS: &str = "the filters may be too narrow";

/// Formats that a command takes the same filters, where some were given. Without them it would list other work.
pub fn format_same_filters(resolved: &ResolvedFilter) -> &'static str {
    if resolved.search_filter.is_narrowed() {
        " with the same filters"
    } else {
        ""
    }
}

/// The sessions that were searched, and how they were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedScope {
    /// Sessions that the filters let through.
    pub sessions: usize,
    /// True where filters were given.
    pub is_filtered: bool,
    /// True where the filters judge single turns.
    pub filters_turns: bool,
    /// True where a calling session passes the filters otherwise.
    pub excludes_matching_caller: bool,
    /// The hint that a project of the name of a folder lies in others, where the filters name that folder.
    pub project_elsewhere: Option<String>,
}

impl SearchedScope {
    /// Returns the scope of a search with this filter, which lets so many sessions of `all` through.
    pub fn new(resolved: &ResolvedFilter, sessions: usize, all: &[SessionRow]) -> Self {
        Self {
            sessions,
            is_filtered: resolved.search_filter.is_narrowed(),
            filters_turns: resolved.search_filter.filters_turns(),
            excludes_matching_caller: resolved.excludes_matching_caller,
            project_elsewhere: format_project_elsewhere(&resolved.search_filter.clauses, all),
        }
    }

    /// Formats that nothing was found, as `nothing` words it, with a hint where filters were given.
    pub fn format_nothing(&self, nothing: &str) -> Note {
        let is_empty = self.sessions == 0 && self.is_filtered;
        if is_empty && self.excludes_matching_caller {
            return Note::new(
                "the session that this is asked from alone passes the filters, and is left out",
            )
            .with_hint("--include-current finds it, too");
        }
        if is_empty {
            return Note::new("no session passes all the filters").with_hint("remove one of them");
        }
        let count = pluralize(self.sessions, "session");
        let note = Note::new(if self.filters_turns {
            format!("{nothing} in the turns of {count} that pass the filters")
        } else {
            format!("{nothing} in {count}")
        });
        let hint = self.project_elsewhere.as_deref().unwrap_or(NARROW_FILTERS);
        note.with_hints(self.is_filtered.then_some(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::{FilterClause, FilterCondition, ProjectPattern, SearchFilter};
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
        let resolved = ResolvedFilter::new(filter, &[], &all);
        let scope = SearchedScope::new(&resolved, resolved.count_sessions(&all), &all);
        scope.format_nothing("no turn ran that").to_string()
    }

    #[test]
    fn a_session_that_was_named_is_a_filter() {
        let row = |id| SessionRow {
            id: SessionId::new(id),
            ..SessionRow::default()
        };
        let (all, named) = ([row(1), row(2)], SessionId::new(2));
        let format = |excluded: &[SessionId]| {
            let filter = SearchFilter {
                only_sessions: vec![named],
                excluded_sessions: excluded.to_vec(),
                ..SearchFilter::default()
            };
            let resolved = ResolvedFilter::new(filter, &[], &all);
            let scope = SearchedScope::new(&resolved, resolved.count_sessions(&all), &all);
            scope.format_nothing("no turn ran that").to_string()
        };
        assert_eq!(
            format(&[]),
            "no turn ran that in 1 session\nhint: the filters may be too narrow"
        );
        assert_eq!(
            format(&[named]),
            "no session passes all the filters\nhint: remove one of them"
        );
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
                ..SearchFilter::default()
            };
            let resolved = ResolvedFilter::new(filter, &[caller], &all);
            let scope = SearchedScope::new(&resolved, resolved.count_sessions(&all), &all);
            scope.format_nothing("nothing found").to_string()
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
    fn a_project_that_was_moved_is_told_of() {
        let session = |id, project: &str| SessionRow {
            id: SessionId::new(id),
            project: Some(project.to_owned()),
            ..SessionRow::default()
        };
        let all = [
            session(1, "/Users/ann.old/app"),
            session(2, "/home/ann/app"),
        ];
        let folder = ProjectPattern::Folder("/home/ann/app".to_owned());
        let filter = SearchFilter {
            clauses: vec![FilterClause::new(FilterCondition::Project(folder))],
            ..SearchFilter::default()
        };
        let resolved = ResolvedFilter::new(filter, &[], &all);
        let scope = SearchedScope::new(&resolved, 1, &all);
        assert_eq!(
            scope.format_nothing("nothing found").to_string(),
            "nothing found in 1 session\nhint: there is `app` in other folders, with 1 session; write this name in place of the folder"
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
            format(vec![FilterCondition::since(3)]),
            "no turn ran that in the turns of 1 session that pass the filters\nhint: the filters may be too narrow"
        );
        assert_eq!(
            format(vec![FilterCondition::Agent("codex".into())]),
            "no session passes all the filters\nhint: remove one of them"
        );
    }
}
