//! The measures of one ranking: hit@k, recall@k, MRR@10 and nDCG@10.

use serde::Serialize;
use std::collections::HashSet;

/// The measures of the ranking of one question, each 0 to 1, with binary gains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RankingMetrics {
    /// 1 when the first is relevant.
    #[serde(rename = "hit@1")]
    pub hit_at_1: f64,
    /// 1 when one of the first 5 is relevant.
    #[serde(rename = "hit@5")]
    pub hit_at_5: f64,
    /// 1 when one of the first 10 is relevant.
    #[serde(rename = "hit@10")]
    pub hit_at_10: f64,
    /// Share of the relevant targets that the first hit is.
    #[serde(rename = "R@1")]
    pub recall_at_1: f64,
    /// Share of the relevant among the first 5.
    #[serde(rename = "R@5")]
    pub recall_at_5: f64,
    /// Share of the relevant among the first 10.
    #[serde(rename = "R@10")]
    pub recall_at_10: f64,
    /// One over the rank of the first relevant, if among the first 10.
    #[serde(rename = "MRR@10")]
    pub mrr_at_10: f64,
    /// Normalised discounted cumulative gain of the first 10 (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR
    /// techniques", 2002): `DCG / ideal DCG`, with `DCG = Σ 1 / log2(rank + 1)` over the relevant.
    #[serde(rename = "nDCG@10")]
    pub ndcg_at_10: f64,
}

impl RankingMetrics {
    /// The names of the measures, in the order of [`RankingMetrics::values`].
    pub const NAMES: [&'static str; 8] = [
        "hit@1", "hit@5", "hit@10", "R@1", "R@5", "R@10", "MRR@10", "nDCG@10",
    ];

    /// Measures a ranking, best first, against a set of relevant targets that
    /// is not empty.
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    pub fn measure(ranked: &[String], relevant: &HashSet<String>) -> Self {
        let is_relevant = |(i, target): (usize, &String)| relevant.contains(target).then_some(i);
        let found: Vec<usize> = ranked
            .iter()
            .take(10)
            .enumerate()
            .filter_map(is_relevant)
            .collect();
        let within = |k: usize| found.iter().filter(|i| **i < k).count() as f64;
        let hit = |k| f64::from(within(k) > 0.0);
        let recall = |k| within(k) / relevant.len() as f64;
        let discounted_gain = |i: usize| 1.0 / (i as f64 + 2.0).log2();
        let ideal: f64 = (0..relevant.len().min(10)).map(discounted_gain).sum();
        Self {
            hit_at_1: hit(1),
            hit_at_5: hit(5),
            hit_at_10: hit(10),
            recall_at_1: recall(1),
            recall_at_5: recall(5),
            recall_at_10: recall(10),
            mrr_at_10: found.first().map_or(0.0, |i| 1.0 / (*i as f64 + 1.0)),
            ndcg_at_10: found
                .iter()
                .copied()
                .map(discounted_gain)
                .fold(0.0, |a, b| a + b)
                / ideal,
        }
    }

    /// Returns the measures in the order of [`Self::NAMES`].
    pub fn values(&self) -> [f64; 8] {
        [
            self.hit_at_1,
            self.hit_at_5,
            self.hit_at_10,
            self.recall_at_1,
            self.recall_at_5,
            self.recall_at_10,
            self.mrr_at_10,
            self.ndcg_at_10,
        ]
    }

    /// Returns the mean of several; zeros of none.
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    pub(crate) fn mean(all: &[Self]) -> Self {
        let count = all.len().max(1) as f64;
        let mean =
            |metric: fn(&Self) -> f64| all.iter().map(metric).fold(0.0, |a, b| a + b) / count;
        Self {
            hit_at_1: mean(|m| m.hit_at_1),
            hit_at_5: mean(|m| m.hit_at_5),
            hit_at_10: mean(|m| m.hit_at_10),
            recall_at_1: mean(|m| m.recall_at_1),
            recall_at_5: mean(|m| m.recall_at_5),
            recall_at_10: mean(|m| m.recall_at_10),
            mrr_at_10: mean(|m| m.mrr_at_10),
            ndcg_at_10: mean(|m| m.ndcg_at_10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranked: &str, relevant: &str, expected: [f64; 8]) {
        let list = |s: &str| s.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let got =
            RankingMetrics::measure(&list(ranked), &list(relevant).into_iter().collect()).values();
        let near = got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(near, "{got:?}");
    }

    #[test]
    fn rankings_are_measured() {
        check("a b c", "a", [1.0; 8]);
        check("x a b", "a b", [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.5, 0.6934]);
        check("", "a", [0.0; 8]);
        check("1 2 3 4 5 6 7 8 9 10 a", "a", [0.0; 8]);
    }
}
