//! The filter for which nothing is found, whatever the query and the other filters.

use crate::filter_completion::FilterValues;
use session_search::{
    FilterClause, FilterCondition, Level, SearchFilter, SearchRequest, list_newest,
};
use session_store::{Reader, SessionRow, StoreError};

/// A clause that no turn of the index meets by itself.
#[derive(Debug, Clone)]
pub struct UnmetClause {
    /// The clause.
    pub clause: FilterClause,
    /// The git branches of the index, the latest first, where the clause is of a branch; else none.
    pub branches: Vec<String>,
}

/// Finds the first clause that no turn of the index meets by itself. `sessions` are all of the index's.
///
/// # Errors
/// When the index fails.
pub fn find_unmet_clause(
    index: &Reader,
    sessions: &[SessionRow],
    clauses: &[FilterClause],
) -> Result<Option<UnmetClause>, StoreError> {
    for clause in clauses {
        let request = SearchRequest {
            filter: SearchFilter {
                clauses: vec![clause.clone()],
                subagents: true,
                ..SearchFilter::default()
            },
            level: Level::Turn,
            limit: 1,
            ..SearchRequest::new("")
        };
        if list_newest(index, sessions, &request)?.hits.is_empty() {
            let is_branch =
                |condition: &FilterCondition| matches!(condition, FilterCondition::Branch(_));
            let branches = match clause.any.iter().any(is_branch) {
                true => FilterValues::read(index, sessions)?.branches,
                false => Vec::new(),
            };
            let clause = clause.clone();
            return Ok(Some(UnmetClause { clause, branches }));
        }
    }
    Ok(None)
}
