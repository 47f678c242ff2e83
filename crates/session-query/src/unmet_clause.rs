//! The filter for which nothing is found, whatever the query and the other filters.

use session_search::{FilterClause, Level, SearchFilter, SearchRequest, list_newest};
use session_store::{Reader, SessionRow, StoreError};

/// Finds the first clause that no turn of the index meets by itself. `sessions` are all of the index's.
///
/// # Errors
/// When the index fails.
pub fn find_unmet_clause<'c>(
    index: &Reader,
    sessions: &[SessionRow],
    clauses: &'c [FilterClause],
) -> Result<Option<&'c FilterClause>, StoreError> {
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
            return Ok(Some(clause));
        }
    }
    Ok(None)
}
