//! The filter for which nothing is found, whatever the query and the other filters.

use crate::filter_completion::FilterValues;
use session_search::{
    FilterClause, FilterCondition, Level, SearchFilter, SearchHit, SearchRequest, UnmetClause,
    list_newest,
};
use session_store::{Reader, SessionRow, StoreError};
use std::collections::BTreeSet;

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
    let is_met = |clause: &FilterClause| {
        find_newest_turn(index, sessions, vec![clause.clone()])
            .map_or(true, |found| found.is_some())
    };
    let clause = ordered.find(|clause| !is_met(clause))?;
    let newest = find_newest_turn(index, sessions, Vec::new());
    Some(UnmetClause {
        clause: clause.clone(),
        names: list_names(index, sessions, clause).unwrap_or_default(),
        newest_ms: newest.ok().flatten().and_then(|turn| turn.time_ms),
    })
}

/// Finds the newest turn that meets all clauses, of subagents, too.
fn find_newest_turn(
    index: &Reader,
    sessions: &[SessionRow],
    clauses: Vec<FilterClause>,
) -> Result<Option<SearchHit>, StoreError> {
    let request = SearchRequest {
        filter: SearchFilter {
            clauses,
            includes_subagents: true,
            ..SearchFilter::default()
        },
        level: Level::Turn,
        limit: 1,
        ..SearchRequest::new("")
    };
    Ok(list_newest(index, sessions, &request)?.hits.pop())
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
