//! Relative score fusion: two scored lists become one ranking.

use serde::Serialize;
use std::collections::HashMap;

/// A candidate of one list: a turn or session id with that list's own score,
/// higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// What was scored.
    pub id: i64,
    /// The list's own score, not below 0 where it says anything.
    pub score: f32,
}

/// How two lists are fused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fusion {
    /// Weight of the dense list, 0 to 1. The lexical list has the rest.
    pub alpha: f32,
    /// What a candidate is worth that is the best of both lists, 0 to 1.
    pub worth: f32,
}

/// One candidate after fusion, with what each list said of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fused {
    /// What was scored.
    pub id: i64,
    /// Fused score, 0 to 1.
    pub score: f32,
    /// The lexical list's word, if it had the candidate.
    pub lexical: Option<Standing>,
    /// The dense list's word, if it had the candidate.
    pub dense: Option<Standing>,
}

impl Fused {
    /// Sets the score by the weight of the dense list.
    fn weigh(&mut self, alpha: f32) {
        let of = |s: Option<Standing>| s.map_or(0.0, |s| s.scaled);
        self.score = alpha * of(self.dense) + (1.0 - alpha) * of(self.lexical);
    }
}

/// Where a candidate stood in one list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Standing {
    /// From 1.
    pub rank: usize,
    /// The list's own score.
    pub score: f32,
    /// Its part of the list's best score, times what that is worth.
    pub scaled: f32,
}

/// How sure a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// Below 0.45: may well be unrelated.
    Weak,
    /// From 0.45.
    Moderate,
    /// From 0.65.
    Strong,
}

impl Band {
    /// The band of a fused score.
    pub fn of(score: f32) -> Self {
        match score {
            s if s >= 0.65 => Self::Strong,
            s if s >= 0.45 => Self::Moderate,
            _ => Self::Weak,
        }
    }

    /// The band's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Moderate => "moderate",
            Self::Weak => "weak",
        }
    }
}

/// Fuses two lists (each in any order, ids unique within it) by relative score
/// fusion: each score becomes its part of the list's best, times what the best
/// is worth, and the two are added by weight. A candidate that a list lacks has
/// 0 there. Zero, not the observed minimum, is the lower end: else the last of
/// three equal hits would be worth nothing. The result is sorted, best first;
/// ties go to the greater id, the newer one.
pub fn fuse(lexical: &[Scored], dense: &[Scored], how: &Fusion) -> Vec<Fused> {
    let mut all: HashMap<i64, Fused> = HashMap::new();
    for (id, standing) in standings(lexical, how.worth) {
        entry(&mut all, id).lexical = Some(standing);
    }
    for (id, standing) in standings(dense, how.worth) {
        entry(&mut all, id).dense = Some(standing);
    }
    let mut fused: Vec<Fused> = all.into_values().collect();
    fused.iter_mut().for_each(|hit| hit.weigh(how.alpha));
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    fused
}

fn entry(all: &mut HashMap<i64, Fused>, id: i64) -> &mut Fused {
    all.entry(id).or_insert(Fused {
        id,
        score: 0.0,
        lexical: None,
        dense: None,
    })
}

fn standings(list: &[Scored], worth: f32) -> impl Iterator<Item = (i64, Standing)> {
    let mut list = list.to_vec();
    list.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    let max = list.first().map_or(0.0, |s| s.score);
    list.into_iter().enumerate().map(move |(i, s)| {
        let part = if max > 0.0 {
            (s.score / max).max(0.0)
        } else {
            0.0
        };
        (
            s.id,
            Standing {
                rank: i + 1,
                score: s.score,
                scaled: part * worth,
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(scores: &[(i64, f32)]) -> Vec<Scored> {
        scores
            .iter()
            .map(|&(id, score)| Scored { id, score })
            .collect()
    }

    const PLAIN: Fusion = Fusion {
        alpha: 0.7,
        worth: 1.0,
    };

    #[test]
    fn both_lists_count_by_weight() {
        let fused = fuse(
            &list(&[(1, 10.0), (2, 5.0), (3, 0.0)]),
            &list(&[(2, 0.8), (4, 0.4), (5, -0.1)]),
            &PLAIN,
        );
        let scores: Vec<(i64, f32)> = fused
            .iter()
            .map(|f| (f.id, (f.score * 100.0).round() / 100.0))
            .collect();
        assert_eq!(scores, [(2, 0.85), (4, 0.35), (1, 0.3), (5, 0.0), (3, 0.0)]);
        assert_eq!(fused[0].lexical.unwrap().rank, 2);
    }

    #[test]
    fn the_best_of_a_bad_lot_is_not_strong() {
        let how = Fusion {
            worth: 0.2,
            ..PLAIN
        };
        let fused = fuse(
            &list(&[(1, 0.4), (2, 0.3)]),
            &list(&[(1, 0.2), (2, 0.1)]),
            &how,
        );
        assert_eq!(Band::of(fused[0].score), Band::Weak);
    }

    proptest! {
        #[test]
        fn scores_stay_in_range_and_order(a in prop::collection::vec(-5.0f32..30.0, 0..40), b in prop::collection::vec(-1.0f32..1.0, 0..40), alpha in 0.0f32..=1.0) {
            let number = |v: Vec<f32>, from: i64| v.into_iter().enumerate().map(|(i, score)| Scored { id: i as i64 + from, score }).collect::<Vec<_>>();
            let fused = fuse(&number(a, 0), &number(b, 20), &Fusion { alpha, ..PLAIN });
            prop_assert!(fused.iter().all(|f| (0.0..=1.0001).contains(&f.score)));
            prop_assert!(fused.windows(2).all(|w| w[0].score >= w[1].score));
        }
    }
}
