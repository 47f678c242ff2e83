//! Fuses the lexical and the dense list of a level.

use crate::candidate_list::CandidateList;
use crate::candidates::Candidates;
use crate::cosine_stats::CosineStats;
use crate::dense::{DenseCandidates, QueryTerms};
use crate::filtered_index::FilteredIndex;
use crate::fusion_weights::FusionWeights;
use crate::nearest::NearestTargets;
use crate::request::{Level, SearchRequest};
use crate::search_results::{FusedHit, HitId};
use crate::session_scores::SessionScores;
use session_core::{Normalization, fuse};
use session_store::SessionId;

/// Greatest number of turns or sessions of the lexical list.
const MAX_LEXICAL: usize = 500;
/// Greatest number of turns or sessions of the dense list.
const MAX_DENSE: usize = 1000;

/// The fused list of a level, best first, with what it was fused from.
pub(crate) struct FusedList {
    pub(crate) hits: Vec<FusedHit>,
    pub(crate) weights: FusionWeights,
    pub(crate) stats: Vec<CosineStats>,
    lexical: CandidateList,
    dense: CandidateList,
}

impl FusedList {
    /// Fuses the candidates of a level by relative score fusion.
    pub(crate) fn new(
        candidates: &Candidates<'_>,
        nearest: &NearestTargets<'_>,
        request: &SearchRequest,
        level: Level,
        filtered: &FilteredIndex<'_>,
    ) -> Self {
        let terms = QueryTerms {
            count: request.query.terms.len(),
            held_term_share: candidates.held_term_share,
        };
        let dense_candidates = DenseCandidates::new(nearest, level, terms);
        let lexical = CandidateList::new(level, &candidates.lexical.turns, MAX_LEXICAL);
        let dense = CandidateList::new(level, &dense_candidates.ranked, MAX_DENSE);
        let words = &candidates.lexical;
        let exact_share = candidates.exact.idf_share();
        let weights = FusionWeights::new(request, words, &lexical, &dense_candidates, exact_share);
        let mut list = Self {
            hits: fuse(
                &lexical.scored,
                &dense.scored,
                weights.alpha,
                Normalization::ByBest,
            ),
            weights,
            stats: dense_candidates.stats,
            lexical,
            dense,
        };
        for hit in &mut list.hits {
            hit.score *= candidates
                .exact
                .score_factor(hit.id, request.tuning.exact_penalty);
        }
        list.order_ties(filtered);
        list
    }

    /// Orders hits of equal scores by their sessions, the newest first: numbers of sessions and turns depend
    /// on when they were indexed.
    fn order_ties(&mut self, filtered: &FilteredIndex<'_>) {
        let lists = [&self.lexical, &self.dense];
        let key = |hit: &FusedHit| {
            let session = find_session(lists, hit.id).and_then(|session| filtered.session(session));
            (
                session.map(|session| (session.ended_ms, session.uid.as_str())),
                hit.id,
            )
        };
        self.hits.sort_by(|a, b| {
            let by_score = b.score.total_cmp(&a.score);
            by_score.then_with(|| key(b).cmp(&key(a)))
        });
    }

    /// Multiplies the score of each turn by the factor of its session, and sorts again.
    pub(crate) fn apply_session_scores(&mut self, scores: &SessionScores) {
        let lists = [&self.lexical, &self.dense];
        for hit in &mut self.hits {
            if let Some(session) = find_session(lists, hit.id) {
                hit.score *= scores.score_factor(session);
            }
        }
        self.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

/// Returns the session in which a turn of the lists is shown, or the session itself.
fn find_session(lists: [&CandidateList; 2], hit: HitId) -> Option<SessionId> {
    match hit {
        HitId::Session(session) => Some(session),
        HitId::Turn(turn) => {
            let mut sessions = lists.into_iter().map(|list| list.session_of.get(&turn));
            sessions.find_map(Option::<&SessionId>::copied)
        }
    }
}
