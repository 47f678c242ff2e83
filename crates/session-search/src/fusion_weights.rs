//! How much each list counts for a query.

use crate::candidate_list::CandidateList;
use crate::dense::DenseCandidates;
use crate::lexical::LexicalCandidates;
use crate::request::{FusionMode, SearchRequest};
use crate::search_results::FusedHit;
use serde::Serialize;
use session_core::ListScore;

/// The rank by which the flatness of the lexical list is measured.
const FLATNESS_RANK: usize = 10;

/// The weights of the lexical and the dense list in fusion, with what they follow from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct FusionWeights {
    /// The weight of the dense list, 0 to 1. The lexical list has the rest.
    pub alpha: f32,
    /// The lexical list.
    pub lexical: ListWeight,
    /// The dense list.
    pub dense: ListWeight,
    /// The share of the query's idf in exact terms that some turn holds, 0 to 1.
    pub exact_share: f32,
}

/// Strength and confidence of one list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ListWeight {
    /// Weight beside the other list, before the base weight.
    pub strength: f32,
    /// Confidence of its best candidate by its own scale, 0 to 1.
    pub confidence: f32,
}

/// The confidence of a hit by each list, 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HitConfidence {
    pub(crate) lexical: f32,
    pub(crate) dense: f32,
}

impl FusionWeights {
    /// Computes the weights from what the lists hold.
    pub(crate) fn new(
        request: &SearchRequest,
        words: &LexicalCandidates,
        lexical: &CandidateList,
        dense: &DenseCandidates,
        exact_share: f32,
    ) -> Self {
        let confidence = words.confidence(&request.query);
        let mut weights = Self {
            alpha: 0.0,
            lexical: ListWeight {
                strength: confidence.powf(request.tuning.lexical_power)
                    * (1.0 - compute_flatness(lexical)),
                confidence,
            },
            dense: ListWeight {
                strength: dense.ranked.first().map_or(0.0, |best| best.score),
                confidence: dense.confidence,
            },
            exact_share,
        };
        weights.alpha = weights.compute_alpha(request);
        weights
    }

    /// Computes the confidence of a hit by each list.
    pub(crate) fn hit_confidence(&self, hit: &FusedHit) -> HitConfidence {
        let confidence = |list_score: Option<ListScore>, list: ListWeight| {
            list_score.map_or(0.0, |s| s.scaled * list.confidence)
        };
        HitConfidence {
            lexical: confidence(hit.lexical, self.lexical),
            dense: confidence(hit.dense, self.dense),
        }
    }

    /// Returns the weight of the dense list. One list has all of it where the other is empty by
    /// nature: no model, no vector, or no term in the query.
    fn compute_alpha(&self, request: &SearchRequest) -> f32 {
        match request.fusion {
            FusionMode::DenseOnly => 1.0,
            FusionMode::LexicalOnly => 0.0,
            _ if self.dense.strength <= 0.0 => 0.0,
            _ if request.query.terms.is_empty() => 1.0,
            FusionMode::Fixed(alpha) => alpha,
            FusionMode::Adaptive => self.compute_adaptive_alpha(request.tuning.dense_base_weight),
        }
    }

    /// Computes the weight of the dense list by the strengths `s` and confidences `w` of both lists and the share `e` of exact
    /// terms:
    ///
    /// ```text
    /// dense   = base * s_D * (1 - w_L² * (1 - w_D))
    /// lexical = (1 - base) * s_L
    /// α       = dense / (dense + lexical) * (1 - e)
    /// ```
    ///
    /// and 0 where `dense` is. Of a long turn a vector knows the beginning alone: where a turn holds the words and no text is
    /// near in meaning, the vectors say little. Exact terms count for the lexical list alone.
    fn compute_adaptive_alpha(&self, base: f32) -> f32 {
        let doubt = self.lexical.confidence.powi(2) * (1.0 - self.dense.confidence);
        let dense = base * self.dense.strength * (1.0 - doubt);
        let lexical = (1.0 - base) * self.lexical.strength;
        if dense <= 0.0 {
            return 0.0;
        }
        dense / (dense + lexical) * (1.0 - self.exact_share)
    }
}

/// Returns the score of the tenth candidate over the first one's, 0 to 1; 1 where ten candidates hold the words equally.
fn compute_flatness(lexical: &CandidateList) -> f32 {
    let score = |rank: usize| lexical.scored.get(rank - 1).map(|c| c.score);
    match (score(1), score(FLATNESS_RANK)) {
        (Some(first), Some(tenth)) if first > 0.0 => tenth / first,
        _ => 0.0,
    }
}
