//! One search, from a request to hits.

use crate::candidates::Candidates;
use crate::cosines::QueryEmbedding;
use crate::filtered_index::FilteredIndex;
use crate::hit::{HitOrder, SearchExplanation, SearchResults, SearchedCounts};
use crate::hits;
use crate::ranking::{NearestByLevel, rank};
use crate::request::SearchRequest;
use crate::rescoring::rescore_ties;
use crate::unfound_terms::UnfoundTerms;
use session_store::{Reader, SessionRow, StoreError, SubstituteKind, TermStats};

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
    let hits = hits::read(index, &filtered, &ranking)?;
    let models = embeddings.iter().map(|e| e.model.name.clone());
    let mut results = SearchResults {
        level: request.level,
        order: HitOrder::Relevance,
        hits,
        searched: SearchedCounts::count_sessions(filtered.sessions().iter().copied()),
        explanation: SearchExplanation {
            weights: ranking.list.weights,
            identifiers: candidates.holders.terms.clone(),
            unfound: UnfoundTerms::find(request, &candidates, &filtered, sessions),
            terms: candidates.lexical.hits.terms.clone(),
            models: models.collect(),
            cosines: ranking.list.stats,
        },
    };
    let unheld_numbers = candidates.exact.unheld_numbers.len();
    let unheld = share_of(unheld_numbers, request.query.terms.len());
    results.scale_probabilities(1.0 - unheld);
    results.lower_probabilities(doubtful_share(&results.explanation.terms));
    Ok(results)
}

/// Returns the share of terms that were found by forms of a language of which nothing else in the query is.
fn doubtful_share(terms: &[TermStats]) -> f32 {
    let is_doubtful = |term: &&TermStats| term.substitute() == Some(SubstituteKind::OtherForms);
    share_of(terms.iter().filter(is_doubtful).count(), terms.len())
}

/// Returns a share of terms, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "terms of a query")]
fn share_of(some: usize, all: usize) -> f32 {
    (some as f32 / all.max(1) as f32).min(1.0)
}
