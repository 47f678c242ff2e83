//! The probability that a hit answers: a logistic regression (Platt scaling) on how good a hit is by
//! the scales of both lists, and on its margin over the others. `docs/ranking.md` says on what it
//! was fitted, `benches/quality/reliability.py` measures it.

use crate::fusion_weights::FusionWeights;
use session_core::{Fused, Standing};

/// Coefficients of the logistic regression.
const INTERCEPT: f32 = -3.7;
const EVIDENCE: f32 = 2.0;
const EVIDENCE_BY_MARGIN: f32 = 5.1;
/// What one list finds alone counts so much more than beside the other.
const ALONE: f32 = 1.5;

/// How good a hit is by the scales of both lists, 0 to 2.
pub(crate) fn evidence(hit: &Fused, weighing: &FusionWeights) -> f32 {
    let scaled = |standing: Option<Standing>| standing.map_or(0.0, |s| s.scaled);
    let dense = weighing.dense.worth * scaled(hit.dense);
    let lexical = weighing.lexical.worth * scaled(hit.lexical);
    match weighing.alpha {
        alpha if alpha <= 0.0 => ALONE * lexical,
        alpha if alpha >= 1.0 => ALONE * dense,
        _ => dense + lexical,
    }
}

/// The probability that a hit answers, by its evidence and its rival's fused score as a multiple
/// of its own. The first hit's rival is the second, any other's the first.
pub(crate) fn probability(evidence: f32, rival: f32) -> f32 {
    let margin = 1.0 - rival;
    let logit = INTERCEPT + evidence * (EVIDENCE + EVIDENCE_BY_MARGIN * margin);
    1.0 / (1.0 + (-logit).exp())
}

/// The probabilities of hits, best first; none is greater than the one before it.
pub(crate) fn probabilities(hits: &[Fused], weighing: &FusionWeights) -> Vec<f32> {
    let score = |rank: usize| hits.get(rank).map_or(0.0, |hit| hit.score);
    let mut least = 1.0_f32;
    let of_hit = |(rank, hit): (usize, &Fused)| {
        let rival = score(usize::from(rank == 0)) / hit.score.max(f32::EPSILON);
        least = least.min(probability(evidence(hit, weighing), rival));
        least
    };
    hits.iter().enumerate().map(of_hit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_speaks_for_is_improbable_however_alone_it_is() {
        assert!(probability(0.0, 0.0) < 0.03);
    }

    #[test]
    fn a_rival_that_is_as_good_halves_no_more_than_the_margin() {
        let close = probability(1.2, 0.99);
        let clear = probability(1.2, 0.5);
        assert!(close < 0.3 && clear > 0.7, "{close} {clear}");
    }
}
