//! The measures of one ranking: hit@k, recall@k, MRR@10 and nDCG@10.

use serde::{Serialize, Serializer};
use std::collections::HashSet;

/// The measures of the ranking of one question, each 0 to 1, with binary gains, in the order of [`RankingMetrics::NAMES`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankingMetrics([f64; 8]);

impl RankingMetrics {
    /// The names of the measures:
    ///
    /// - `hit@k`: 1 when one of the first k is relevant.
    /// - `R@k`, recall: share of the relevant among the first k.
    /// - `MRR@10`: one over the rank of the first relevant, if among the first 10.
    /// - `nDCG@10`: normalised discounted cumulative gain of the first 10 (Järvelin and Kekäläinen, "Cumulated gain-based
    ///   evaluation of IR techniques", 2002): `DCG / ideal DCG`, with `DCG = Σ 1 / log2(rank + 1)` over the relevant.
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
        let gains = found.iter().copied().map(discounted_gain);
        Self([
            hit(1),
            hit(5),
            hit(10),
            recall(1),
            recall(5),
            recall(10),
            found.first().map_or(0.0, |i| 1.0 / (*i as f64 + 1.0)),
            gains.fold(0.0, |a, b| a + b) / ideal,
        ])
    }

    /// Returns the measures in the order of [`Self::NAMES`].
    pub fn values(&self) -> [f64; 8] {
        self.0
    }

    /// Returns the mean of several; zeros of none.
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    pub(crate) fn mean(all: &[Self]) -> Self {
        let count = all.len().max(1) as f64;
        let sum = |i: usize| all.iter().map(|one| one.0[i]).fold(0.0, |a, b| a + b);
        Self(std::array::from_fn(|i| sum(i) / count))
    }
}

impl Serialize for RankingMetrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Self::NAMES.iter().zip(self.0))
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
