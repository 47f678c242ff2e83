//! One search, from a request to hits.

use crate::calibration::compute_substitution_factor;
use crate::candidates::Candidates;
use crate::cosines::QueryEmbedding;
use crate::filtered_index::FilteredIndex;
use crate::hit_reader;
use crate::ranking::{NearestByLevel, rank};
use crate::request::SearchRequest;
use crate::rescoring::rescore_ties;
use crate::search_results::{HitOrder, SearchExplanation, SearchResults, SearchedCounts};
use crate::unfound_terms::UnfoundTerms;
use session_store::{Reader, SessionRow, StoreError};

/// Answers a request over `sessions`, all of the index's. `embeddings` is the query by each model,
/// the best model first; without any the lexical list is all there is.
///
/// # Errors
/// When the index fails.
pub fn search(
    index: &Reader,
    sessions: &[SessionRow],
    request: &SearchRequest,
    embeddings: &[QueryEmbedding],
) -> Result<SearchResults, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, &request.filter)?;
    let candidates = Candidates::read(index, &filtered, request, embeddings)?;
    let mut nearest = NearestByLevel::find(&candidates.cosines, request.level, &filtered);
    let mut ranking = rank(&candidates, &nearest, request, &filtered);
    if rescore_ties(index, &filtered, &ranking, &mut nearest)? {
        ranking = rank(&candidates, &nearest, request, &filtered);
    }
    let hits = hit_reader::read(index, &filtered, &ranking, &nearest.of_level)?;
    let models = embeddings.iter().map(|e| e.model.name.clone());
    let mut results = SearchResults {
        level: request.level,
        order: HitOrder::Relevance,
        hits,
        searched: SearchedCounts::count_sessions(filtered.sessions().iter().copied()),
        explanation: SearchExplanation {
            weights: ranking.list.weights,
            rare_exact_terms: candidates.holders.terms.clone(),
            unfound: UnfoundTerms::find(request, &candidates, &filtered, sessions),
            terms: candidates.lexical.matches.terms.clone(),
            models: models.collect(),
            cosines: ranking.list.stats,
        },
    };
    results.scale_probabilities(compute_substitution_factor(request, &candidates));
    Ok(results)
}
