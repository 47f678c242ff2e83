//! Averages over all questions, core questions, and by category.

use crate::metrics::RankingMetrics;
use crate::run::EvaluatedRanking;
use crate::set::LabelledSet;
use serde::Serialize;
use session_search::Level;
use std::collections::{BTreeMap, HashMap};

/// The measures of a set at one level.
#[derive(Debug, Clone, Serialize)]
pub struct EvalReport {
    /// Sessions or turns.
    pub level: Level,
    /// Questions that a search tool can be expected to serve.
    pub core: MetricAverages,
    /// All questions with labels.
    pub all: MetricAverages,
    /// By category.
    pub categories: BTreeMap<String, MetricAverages>,
    /// Median time from words to hits, in milliseconds.
    pub query_ms: f64,
}

/// The means of the measures over some questions.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MetricAverages {
    /// Number of questions.
    pub questions: usize,
    /// The means.
    #[serde(flatten)]
    pub metrics: RankingMetrics,
}

/// Scores rankings against a set's labels.
pub fn score_rankings(
    set: &LabelledSet,
    level: Level,
    rankings: &[EvaluatedRanking],
) -> EvalReport {
    let by_id: HashMap<&str, &EvaluatedRanking> =
        rankings.iter().map(|r| (r.question.as_str(), r)).collect();
    let (mut core, mut all) = (Vec::new(), Vec::new());
    let mut categories: BTreeMap<String, Vec<RankingMetrics>> = BTreeMap::new();
    for question in &set.questions {
        let Some(relevant) = set.relevant_targets(level, &question.id) else {
            continue;
        };
        let ranked = by_id
            .get(question.id.as_str())
            .map_or(&[][..], |r| &r.targets);
        let metrics = RankingMetrics::measure(ranked, relevant);
        all.push(metrics);
        if question.core {
            core.push(metrics);
        }
        categories
            .entry(question.category.clone())
            .or_default()
            .push(metrics);
    }
    EvalReport {
        level,
        core: average_metrics(&core),
        all: average_metrics(&all),
        categories: categories
            .into_iter()
            .map(|(name, m)| (name, average_metrics(&m)))
            .collect(),
        query_ms: median_ms(rankings),
    }
}

fn average_metrics(metrics: &[RankingMetrics]) -> MetricAverages {
    MetricAverages {
        questions: metrics.len(),
        metrics: RankingMetrics::mean(metrics),
    }
}

fn median_ms(rankings: &[EvaluatedRanking]) -> f64 {
    let mut times: Vec<f64> = rankings
        .iter()
        .map(|r| r.took.as_secs_f64() * 1000.0)
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}
