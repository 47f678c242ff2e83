//! From what is typed to a request.

use crate::list_answer::ListRequest;
use session_query::{InvalidFilter, TypedFilterError, TypedSearch, UnfinishedQuery, parse_project};
use session_search::{FilterClause, FilterCondition, FusionMode, SearchFilter, SearchRequest};
use session_store::SessionRow;

/// A search as it is typed.
pub(crate) struct TypedRequest {
    pub(crate) request: SearchRequest,
    /// The clauses of the filters that are typed.
    pub(crate) clauses: Vec<FilterClause>,
    /// The mistake in a filter, which is left out or searched as text.
    pub(crate) mistake: Option<String>,
}

/// Parses what is typed to a search of these sessions.
pub(crate) fn parse_request(request: &ListRequest, all: &[SessionRow]) -> TypedRequest {
    let UnfinishedQuery { query, mistake } = UnfinishedQuery::parse(&request.typed);
    let here = || FilterClause::new(FilterCondition::Project(parse_project(".")));
    let search = TypedSearch {
        query: &query,
        level: request.level,
        filter: SearchFilter {
            clauses: request.this_project.then(here).into_iter().collect(),
            ..SearchFilter::default()
        },
        callers: &[],
        fusion: FusionMode::Adaptive,
        limit: request.limit,
    };
    let invalid = query.invalid_filters.first().map(InvalidFilter::note);
    TypedRequest {
        request: search.request(all),
        clauses: query.clauses.clone(),
        mistake: mistake.as_ref().map(describe_error).or(invalid),
    }
}

fn describe_error(error: &TypedFilterError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}, left out; {hint}"),
        None => format!("{error}, left out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::Level;

    #[test]
    fn a_filter_that_is_left_out_is_told_of() {
        let mistake = |typed: &str| {
            let request = ListRequest {
                typed: typed.to_owned(),
                level: Level::Session,
                this_project: false,
                limit: 1,
                follows_refresh: true,
                number: 0,
            };
            parse_request(&request, &[]).mistake
        };
        let found = mistake("file:a branch:b agent:cl").unwrap();
        assert!(
            found.starts_with("there is no agent `cl`, left out; one of claude"),
            "{found}"
        );
        let found = mistake("file:a agent:nobody").unwrap();
        assert!(
            found.starts_with("`agent:nobody` is searched as text; the agents are"),
            "{found}"
        );
        let found = mistake("since:2026-02-02 until:2026-01-01").unwrap();
        assert!(found.contains("ends before it begins, left out"), "{found}");
        assert_eq!(mistake("oil file:a"), None);
    }
}
