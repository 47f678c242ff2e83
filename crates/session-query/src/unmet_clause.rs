//! The filter for which nothing is found, whatever the query and the other filters.

use crate::filter_completion::FilterValues;
use session_search::{
    FilterClause, FilterCondition, Level, SearchFilter, SearchRequest, list_newest,
};
use session_store::{Reader, SessionRow, StoreError};
use std::collections::BTreeSet;

/// A clause that no turn of the index meets by itself.
#[derive(Debug, Clone)]
pub struct UnmetClause {
    /// The clause.
    pub clause: FilterClause,
    /// Values that would be met: for a clause of a branch the git branches of the index, the latest first; for one of an
    /// agent its agents; none for other clauses.
    pub names: Vec<String>,
}

/// Finds the first clause that no turn of the index meets by itself, those of projects before others; `None` if each is
/// met, or the index fails: why nothing was found is no reason to fail. `sessions` are all of the index's.
pub fn find_unmet_clause(
    index: &Reader,
    sessions: &[SessionRow],
    clauses: &[FilterClause],
) -> Option<UnmetClause> {
    let is_project = |clause: &&FilterClause| {
        let mut conditions = clause.conditions.iter();
        conditions.any(|condition| matches!(condition, FilterCondition::Project(_)))
    };
    let (projects, others): (Vec<_>, Vec<_>) = clauses.iter().partition(is_project);
    let mut ordered = projects.into_iter().chain(others);
    let clause = ordered.find(|clause| !is_met(index, sessions, clause).unwrap_or(true))?;
    Some(UnmetClause {
        clause: clause.clone(),
        names: list_names(index, sessions, clause).unwrap_or_default(),
    })
}

/// Returns true if a turn meets a clause.
fn is_met(
    index: &Reader,
    sessions: &[SessionRow],
    clause: &FilterClause,
) -> Result<bool, StoreError> {
    let request = SearchRequest {
        filter: SearchFilter {
            clauses: vec![clause.clone()],
            includes_subagents: true,
            ..SearchFilter::default()
        },
        level: Level::Turn,
        limit: 1,
        ..SearchRequest::new("")
    };
    Ok(!list_newest(index, sessions, &request)?.hits.is_empty())
}

/// Lists the branches or agents of the index for a clause of one.
fn list_names(
    index: &Reader,
    sessions: &[SessionRow],
    clause: &FilterClause,
) -> Result<Vec<String>, StoreError> {
    let is_branch = |condition: &FilterCondition| matches!(condition, FilterCondition::Branch(_));
    let is_agent = |condition: &FilterCondition| matches!(condition, FilterCondition::Agent(_));
    if clause.conditions.iter().any(is_branch) {
        Ok(FilterValues::read(index, sessions)?.branches)
    } else if clause.conditions.iter().any(is_agent) {
        let agents: BTreeSet<&String> = sessions.iter().map(|session| &session.source).collect();
        Ok(agents.into_iter().cloned().collect())
    } else {
        Ok(Vec::new())
    }
}
