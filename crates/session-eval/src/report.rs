//! Averages over all questions, core questions, and by category.

use crate::metrics::Metrics;
use crate::run::EvaluatedRanking;
use crate::set::LabelledSet;
use serde::Serialize;
use session_search::Level;
use std::collections::{BTreeMap, HashMap};

/// How well a set was answered at one level.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Sessions or turns.
    pub level: Level,
    /// Questions that a search tool can be expected to serve.
    pub core: Averages,
    /// All questions with labels.
    pub all: Averages,
    /// By category.
    pub categories: BTreeMap<String, Averages>,
    /// Median from words to hits, milliseconds.
    pub query_ms: f64,
}

/// Means over some questions.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Averages {
    /// How many.
    pub questions: usize,
    /// The means.
    #[serde(flatten)]
    pub metrics: Metrics,
}

/// Scores rankings against a set's labels.
pub fn score(set: &LabelledSet, level: Level, rankings: &[EvaluatedRanking]) -> Report {
    let by_id: HashMap<&str, &EvaluatedRanking> =
        rankings.iter().map(|r| (r.question.as_str(), r)).collect();
    let (mut core, mut all) = (Vec::new(), Vec::new());
    let mut categories: BTreeMap<String, Vec<Metrics>> = BTreeMap::new();
    for question in &set.questions {
        let Some(relevant) = set.relevant(level, &question.id) else {
            continue;
        };
        let ranked = by_id
            .get(question.id.as_str())
            .map_or(&[][..], |r| &r.targets);
        let metrics = Metrics::measure(ranked, relevant);
        all.push(metrics);
        if question.core {
            core.push(metrics);
        }
        categories
            .entry(question.category.clone())
            .or_default()
            .push(metrics);
    }
    Report {
        level,
        core: averages(&core),
        all: averages(&all),
        categories: categories
            .into_iter()
            .map(|(name, m)| (name, averages(&m)))
            .collect(),
        query_ms: median_ms(rankings),
    }
}

fn averages(metrics: &[Metrics]) -> Averages {
    Averages {
        questions: metrics.len(),
        metrics: Metrics::mean(metrics),
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
