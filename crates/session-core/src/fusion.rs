//! Relative score fusion: two scored lists become one ranking by the weighted sum of their normalised scores (CombSUM of Fox
//! and Shaw, "Combination of Multiple Searches", 1994, with weights; Weaviate's `relativeScoreFusion`).

use serde::Serialize;
use std::collections::HashMap;
use std::hash::Hash;

/// A candidate of one list with that list's own score, higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredItem<Id> {
    /// The scored item.
    pub id: Id,
    /// The list's own score, not below 0 where it says anything.
    pub score: f32,
}

/// A candidate after fusion, with its score in each list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FusedItem<Id> {
    /// The scored item.
    pub id: Id,
    /// Fused score, 0 to 1: 1 for what is the best of both lists.
    pub score: f32,
    /// The rank and score in the lexical list, if it had the candidate.
    pub lexical: Option<ListScore>,
    /// The rank and score in the dense list, if it had the candidate.
    pub dense: Option<ListScore>,
}

impl<Id> FusedItem<Id> {
    /// Sets the score by the weight of the dense list.
    fn set_score(&mut self, alpha: f32) {
        let scaled = |score: Option<ListScore>| score.map_or(0.0, |score| score.scaled);
        self.score = alpha * scaled(self.dense) + (1.0 - alpha) * scaled(self.lexical);
    }
}

/// The scale of a list's scores before fusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Normalization {
    /// Divides by the best score of the list, which becomes 1.
    ByBest,
    /// Divides by the score of a perfect candidate, so that scaled scores of different queries can be
    /// compared.
    ByPerfect(f32),
    /// Divides by the best scores of the lists of which these are parts.
    ByBestOfAll(BestScores),
}

/// The score of each list that is scaled to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestScores {
    /// That of the lexical list.
    pub lexical: f32,
    /// That of the dense list.
    pub dense: f32,
}

impl Normalization {
    fn best_scores<Id>(self, lexical: &[ScoredItem<Id>], dense: &[ScoredItem<Id>]) -> BestScores {
        let best = |list: &[ScoredItem<Id>]| list.iter().map(|s| s.score).fold(0.0, f32::max);
        match self {
            Self::ByBest => BestScores {
                lexical: best(lexical),
                dense: best(dense),
            },
            Self::ByPerfect(score) => BestScores {
                lexical: score,
                dense: score,
            },
            Self::ByBestOfAll(best) => best,
        }
    }
}

/// The rank and score of a candidate in one list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ListScore {
    /// The rank, from 1.
    pub rank: usize,
    /// The list's own score.
    pub score: f32,
    /// Its normalized score, 0 to 1.
    pub scaled: f32,
}

/// Fuses two lists by relative score fusion: `alpha * dense / max dense + (1 - alpha) * lexical / max lexical`, with 0 for a list
/// that lacks the candidate, and the divisors of `normalization`.
///
/// The lists may be in any order; ids are unique within each. Zero, not the observed minimum, is the lower end of a list: else
/// the last of three nearly equal hits would score 0. The result is sorted, best first; ties go to the greater id, the newer one.
pub fn fuse<Id: Copy + Ord + Hash>(
    lexical: &[ScoredItem<Id>],
    dense: &[ScoredItem<Id>],
    alpha: f32,
    normalization: Normalization,
) -> Vec<FusedItem<Id>> {
    let mut all: HashMap<Id, FusedItem<Id>> = HashMap::new();
    let best = normalization.best_scores(lexical, dense);
    for (id, list_score) in list_scores(lexical, best.lexical) {
        fused_item(&mut all, id).lexical = Some(list_score);
    }
    for (id, list_score) in list_scores(dense, best.dense) {
        fused_item(&mut all, id).dense = Some(list_score);
    }
    let mut fused: Vec<FusedItem<Id>> = all.into_values().collect();
    fused.iter_mut().for_each(|hit| hit.set_score(alpha));
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    fused
}

fn fused_item<Id: Copy + Eq + Hash>(
    all: &mut HashMap<Id, FusedItem<Id>>,
    id: Id,
) -> &mut FusedItem<Id> {
    all.entry(id).or_insert(FusedItem {
        id,
        score: 0.0,
        lexical: None,
        dense: None,
    })
}

fn list_scores<Id: Copy + Ord>(
    list: &[ScoredItem<Id>],
    max: f32,
) -> impl Iterator<Item = (Id, ListScore)> {
    let mut list = list.to_vec();
    list.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    list.into_iter().enumerate().map(move |(i, s)| {
        let scaled = if max > 0.0 {
            (s.score / max).max(0.0)
        } else {
            0.0
        };
        let (rank, score) = (i + 1, s.score);
        let list_score = ListScore {
            rank,
            score,
            scaled,
        };
        (s.id, list_score)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(scores: &[(i64, f32)]) -> Vec<ScoredItem<i64>> {
        scores
            .iter()
            .map(|&(id, score)| ScoredItem { id, score })
            .collect()
    }

    #[test]
    fn both_lists_count_by_weight() {
        let fused = fuse(
            &list(&[(1, 10.0), (2, 5.0), (3, 0.0)]),
            &list(&[(2, 0.8), (4, 0.4), (5, -0.1)]),
            0.7,
            Normalization::ByBest,
        );
        let scores: Vec<(i64, f32)> = fused
            .iter()
            .map(|f| (f.id, (f.score * 100.0).round() / 100.0))
            .collect();
        assert_eq!(scores, [(2, 0.85), (4, 0.35), (1, 0.3), (5, 0.0), (3, 0.0)]);
        assert_eq!(fused[0].lexical.unwrap().rank, 2);
    }

    #[test]
    fn scores_by_a_perfect_candidate_do_not_depend_on_the_list() {
        let scale = Normalization::ByPerfect(1.0);
        let alone = fuse(&list(&[(1, 0.5)]), &[], 0.0, scale);
        let beside = fuse(&list(&[(1, 0.5), (2, 0.9)]), &[], 0.0, scale);
        assert_eq!((alone[0].score, beside[1].score), (0.5, 0.5));
    }

    #[test]
    fn scores_of_parts_are_those_in_the_lists() {
        let lexical = list(&[(1, 10.0), (2, 5.0)]);
        let dense = list(&[(2, 0.4), (4, 0.8)]);
        let all = fuse(&lexical, &dense, 0.7, Normalization::ByBest);
        let scale = Normalization::ByBestOfAll(BestScores {
            lexical: 10.0,
            dense: 0.8,
        });
        let part = fuse(&lexical[1..], &dense[..1], 0.7, scale);
        let whole = all.iter().find(|item| item.id == 2).unwrap();
        assert_eq!((part[0].id, part[0].score), (2, whole.score));
    }

    proptest! {
        #[test]
        fn scores_stay_in_range_and_order(a in prop::collection::vec(-5.0f32..30.0, 0..40), b in prop::collection::vec(-1.0f32..1.0, 0..40), alpha in 0.0f32..=1.0) {
            let number = |v: Vec<f32>, from: i64| v.into_iter().enumerate().map(|(i, score)| ScoredItem { id: i as i64 + from, score }).collect::<Vec<_>>();
            let fused = fuse(&number(a, 0), &number(b, 20), alpha, Normalization::ByBest);
            prop_assert!(fused.iter().all(|f| (0.0..=1.0001).contains(&f.score)));
            prop_assert!(fused.windows(2).all(|w| w[0].score >= w[1].score));
        }
    }
}
