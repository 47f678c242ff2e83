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
    /// Of sessions that stand first and hold a relevant turn, the share of which such a turn is shown; `None` if there are none.
    pub shown_turn: Option<f64>,
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
        shown_turn: (level == Level::Session)
            .then(|| measure_shown_turns(set, rankings))
            .flatten(),
        query_ms: median_ms(rankings),
    }
}

/// Returns the share of first sessions with a relevant turn of which such a turn is shown.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn measure_shown_turns(set: &LabelledSet, rankings: &[EvaluatedRanking]) -> Option<f64> {
    let is_right = |ranking: &EvaluatedRanking| {
        let relevant = set.relevant_targets(Level::Turn, &ranking.question)?;
        let session = format!("{}:", ranking.targets.first()?);
        let holds_one = relevant.iter().any(|turn| turn.starts_with(&session));
        holds_one.then(|| {
            let shown = ranking.shown_turn.as_ref();
            shown.is_some_and(|turn| relevant.contains(turn))
        })
    };
    let shown: Vec<bool> = rankings.iter().filter_map(is_right).collect();
    let right = shown.iter().filter(|right| **right).count();
    (!shown.is_empty()).then(|| right as f64 / shown.len() as f64)
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

#[cfg(test)]
mod tests {
    use super::*;
    use session_files::Dir;

    #[test]
    fn of_a_session_that_stands_first_a_relevant_turn_is_shown_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs_err::write(folder.path().join(name), text).unwrap();
        let questions = ["a", "b", "c", "d"];
        let lines = questions.map(|id| format!("{{\"id\":\"{id}\",\"query\":\"{id}\"}}\n"));
        write("queries.jsonl", &lines.concat());
        write(
            "qrels.session.tsv",
            "a\tone\t1\nb\tone\t1\nc\tone\t1\nd\tone\t1\n",
        );
        write("qrels.turn.tsv", "a\tone:4\t1\nb\tone:4\t1\nc\tone:4\t1\n");
        let set = LabelledSet::open(&Dir::open(folder.path()).unwrap()).unwrap();
        // The right turn, another one, another session, and a question without a labelled turn.
        let firsts = [("one", 4), ("one", 5), ("other", 4), ("one", 4)];
        let rankings = questions
            .iter()
            .zip(firsts)
            .map(|(question, (session, turn))| EvaluatedRanking {
                question: (*question).to_owned(),
                targets: vec![session.to_owned()],
                scores: vec![0.5],
                shown_turn: Some(format!("{session}:{turn}")),
                took: std::time::Duration::ZERO,
            });
        let rankings: Vec<EvaluatedRanking> = rankings.collect();
        let report = |level| score_rankings(&set, level, &rankings);
        assert_eq!(report(Level::Session).shown_turn, Some(0.5));
        assert_eq!(report(Level::Turn).shown_turn, None);
    }
}
