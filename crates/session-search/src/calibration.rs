//! Calibration: each hit gets the probability that it answers, by a logistic regression (Platt scaling; Platt,
//! "Probabilistic Outputs for Support Vector Machines", 1999) on the evidence for it and on its margin over the others.
//! `docs/ranking.md` says on what it was fitted, `benches/quality/reliability.py` measures it.

use crate::candidates::Candidates;
use crate::fused_list::FusedList;
use crate::fusion_weights::{FusionWeights, HitConfidence};
use crate::lexical::{LexicalCandidates, share_of};
use crate::promotion::ExactTermPromotion;
use crate::request::SearchRequest;
use crate::search_results::FusedHit;
use crate::unheld_names::UnheldNames;
use session_core::ConfidenceBand;
use session_store::TermStats;

/// The logistic regression's intercept; the two constants below are its coefficients.
const INTERCEPT: f32 = -3.7;
const EVIDENCE: f32 = 2.0;
const EVIDENCE_BY_MARGIN: f32 = 5.1;
/// Factor of the evidence where one list has all the weight.
const SINGLE_LIST_EVIDENCE: f32 = 1.5;

/// Least fused score of a hit that holds no word of the query, and least evidence where no session
/// holds one.
const MIN_SCORE: f32 = 0.02;
/// Greatest number of hits where no session holds a word of the query and none is likely by its
/// meaning.
const MAX_UNLIKELY: usize = 3;

/// The probability that another word was meant than the one that was searched in its place: of mistyped words one in
/// twelve was corrected wrongly, of names and words that a history does not hold most.
const SUBSTITUTION_ERROR_RATE: f32 = 0.31;

/// A hit with the probability that it answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalibratedHit {
    pub(crate) fused: FusedHit,
    pub(crate) probability: f32,
}

/// Drops hits that nothing speaks for and gives each of the others, at most the request's limit, its
/// probability. None is greater than the one before it.
pub(crate) fn calibrate(
    list: &FusedList,
    promotion: &ExactTermPromotion,
    candidates: &Candidates<'_>,
    request: &SearchRequest,
) -> Vec<CalibratedHit> {
    let lexical = &candidates.lexical;
    let hits = retain_supported(list, promotion, lexical);
    let unheld = &candidates.unheld_names;
    let mut probabilities = compute_probabilities(&hits, &list.weights, unheld);
    promotion.raise_probabilities(request.level, &hits, &mut probabilities);
    let mut least = 1.0_f32;
    for probability in &mut probabilities {
        least = least.min(*probability);
        *probability = least;
    }
    let unlikely = probabilities
        .first()
        .is_none_or(|p| ConfidenceBand::from_probability(*p) == ConfidenceBand::Weak);
    let limit = if lexical.matches_no_term() && unlikely {
        request.limit.min(MAX_UNLIKELY)
    } else {
        request.limit
    };
    let calibrated = hits.into_iter().zip(probabilities);
    let calibrated = calibrated.map(|(fused, probability)| CalibratedHit { fused, probability });
    calibrated.take(limit).collect()
}

/// Returns the hits that a word of the query or enough evidence speaks for, and a promoted one.
fn retain_supported(
    list: &FusedList,
    promotion: &ExactTermPromotion,
    lexical: &LexicalCandidates,
) -> Vec<FusedHit> {
    let is_supported = |hit: &FusedHit| {
        if lexical.is_empty() {
            compute_evidence(hit, &list.weights, 1.0) >= MIN_SCORE
        } else {
            hit.lexical.is_some() || hit.score >= MIN_SCORE
        }
    };
    let promoted = list
        .hits
        .first()
        .filter(|_| promotion.has_promoted_session());
    let promoted = promoted.map(|hit| hit.id);
    let hits = list.hits.iter().copied();
    hits.filter(|hit| is_supported(hit) || Some(hit.id) == promoted)
        .collect()
}

/// Returns the evidence for a hit: its confidence by both lists, 0 to 2. That of the dense list counts for the share of the
/// terms that are known.
fn compute_evidence(hit: &FusedHit, weights: &FusionWeights, known_share: f32) -> f32 {
    let HitConfidence { lexical, dense } = weights.hit_confidence(hit);
    let dense = dense * known_share;
    match weights.alpha {
        alpha if alpha <= 0.0 => SINGLE_LIST_EVIDENCE * lexical,
        alpha if alpha >= 1.0 => SINGLE_LIST_EVIDENCE * dense,
        _ => dense + lexical,
    }
}

/// Computes the probability that a hit answers, `1 / (1 + exp(-(b0 + evidence * (b1 + b2 * (1 - rival)))))`, by its evidence and
/// its rival's fused score over its own. The first hit's rival is the second, any other's the first.
fn compute_probability(evidence: f32, rival: f32) -> f32 {
    let margin = 1.0 - rival;
    let logit = INTERCEPT + evidence * (EVIDENCE + EVIDENCE_BY_MARGIN * margin);
    1.0 / (1.0 + (-logit).exp())
}

/// Returns the probabilities of hits, best first.
fn compute_probabilities(
    hits: &[FusedHit],
    weights: &FusionWeights,
    unheld: &UnheldNames,
) -> Vec<f32> {
    let score = |rank: usize| hits.get(rank).map_or(0.0, |hit| hit.score);
    let probability = |(rank, hit): (usize, &FusedHit)| {
        let rival = score(usize::from(rank == 0)) / hit.score.max(f32::EPSILON);
        let evidence = compute_evidence(hit, weights, unheld.known_share(hit));
        compute_probability(evidence, rival)
    };
    hits.iter().enumerate().map(probability).collect()
}

/// Returns the factor of all probabilities, 0 to 1, for what was searched in place of terms that no turn holds:
/// `(1 - unheld numbers / terms) * (1 - 0.31 * corrected words / terms) * (1 - 0.31 * terms found by doubtful inflections or the words of a compound / terms)`.
pub(crate) fn compute_substitution_factor(
    request: &SearchRequest,
    candidates: &Candidates<'_>,
) -> f32 {
    let terms = &candidates.lexical.matches.terms;
    let substitutes = terms.iter().filter_map(TermStats::substitute);
    let doubtful = substitutes.filter(|kind| kind.is_doubtful()).count();
    let all = request.query.terms.len();
    let unheld = share_of(candidates.exact.unheld_numbers.len(), all);
    let corrections = request.corrections.iter();
    let corrected = corrections.filter(|one| one.is_doubtful()).count();
    let corrected = SUBSTITUTION_ERROR_RATE * share_of(corrected, all);
    let inflected = SUBSTITUTION_ERROR_RATE * share_of(doubtful, terms.len());
    (1.0 - unheld) * (1.0 - corrected) * (1.0 - inflected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_without_evidence_is_improbable_whatever_its_margin() {
        assert!(compute_probability(0.0, 0.0) < 0.03);
    }

    #[test]
    fn a_rival_that_is_as_good_halves_no_more_than_the_margin() {
        let close = compute_probability(1.2, 0.99);
        let clear = compute_probability(1.2, 0.5);
        assert!(close < 0.3 && clear > 0.7, "{close} {clear}");
    }
}
