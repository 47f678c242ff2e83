//! The turns and chunks nearest to a query's vectors, with the cosines by which they are ranked.

use crate::cosine_stats::CosineStats;
use crate::cosines::{DenseCosines, ModelCosines, QueryEmbedding, VectorTarget};
use crate::filtered_index::FilteredIndex;
use crate::model_scores::{ModelScores, ModelWeights, TargetCosines};
use crate::request::Level;
use rustc_hash::FxHashMap;
use session_core::TopK;
use session_core::parallel::run_both;
use session_store::SessionTurn;
use std::cmp::Ordering;
use std::ops::Range;

/// Greatest number of turns and chunks that are ranked. At session level they are grouped.
const MAX_NEAREST: usize = 4000;

/// Fewest numbers of targets that a second thread shares: below, its start takes as long as half of them. Tests share all.
const MIN_SHARED: usize = if cfg!(debug_assertions) { 2 } else { 20_000 };

/// The nearest targets that the filter lets through, best first by the weighted mean over the models.
pub(crate) struct NearestTargets<'a> {
    pub(crate) scales: ModelScales<'a>,
    pub(crate) targets: Vec<NearestTarget>,
}

/// A target as it is shown, with its cosines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestTarget {
    pub(crate) target: VectorTarget,
    /// The target as which it is shown: of a turn that the filter leaves out, a copy of it.
    pub(crate) shown: VectorTarget,
    /// By the models in their order; `None` if a model has not embedded it.
    pub(crate) cosines: TargetCosines,
}

/// The scales by which each model's cosines become scores.
pub(crate) struct ModelScales<'a> {
    embeddings: Vec<&'a QueryEmbedding>,
    /// In the order of the models; `None` if the filter lets through nothing that the model has embedded.
    pub(crate) stats: Vec<Option<CosineStats>>,
    pub(crate) weights: ModelWeights,
}

/// A model with the statistics of its cosines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledModel<'s> {
    /// The model's number in the order of the models.
    pub(crate) number: usize,
    pub(crate) stats: &'s CosineStats,
    /// The query as the model embeds it.
    pub(crate) embedding: &'s QueryEmbedding,
}

impl<'a> ModelScales<'a> {
    fn new(cosines: &DenseCosines<'a>, level: Level, filtered: &FilteredIndex<'_>) -> Self {
        let mut weights = ModelWeights::default();
        let mut stats = Vec::new();
        for (number, model) in cosines.models.iter().enumerate() {
            let model_stats = compute_cosine_stats(cosines, model, level, filtered);
            if let Some(model_stats) = &model_stats {
                weights.set(number, model_stats.weight);
            }
            stats.push(model_stats);
        }
        let embeddings = cosines.models.iter().map(|model| model.embedding);
        Self {
            embeddings: embeddings.collect(),
            stats,
            weights,
        }
    }

    /// Returns the query's embedding by each model.
    pub(crate) fn embeddings(&self) -> &[&'a QueryEmbedding] {
        &self.embeddings
    }

    /// Iterates over the models that have statistics.
    pub(crate) fn models(&self) -> impl Iterator<Item = ScaledModel<'_>> + '_ {
        let models = self.stats.iter().zip(&self.embeddings).enumerate();
        models.filter_map(|(number, (stats, embedding))| {
            Some(ScaledModel {
                number,
                stats: stats.as_ref()?,
                embedding,
            })
        })
    }

    /// Returns each model's score of its cosine.
    pub(crate) fn scores(&self, cosines: &TargetCosines) -> ModelScores {
        let mut scores = ModelScores::default();
        for ScaledModel { number, stats, .. } in self.models() {
            if let Some(cosine) = cosines.get(number) {
                scores.set(number, stats.strength * stats.relative_cosine(cosine));
            }
        }
        scores
    }

    /// Returns the weighted mean of the models' scores.
    fn mean_score(&self, cosines: &TargetCosines) -> f32 {
        self.scores(cosines).weighted_mean(&self.weights)
    }
}

impl<'a> NearestTargets<'a> {
    /// Finds what is nearest at a level.
    pub(crate) fn find(
        cosines: &DenseCosines<'a>,
        level: Level,
        filtered: &FilteredIndex<'_>,
    ) -> Self {
        let scales = ModelScales::new(cosines, level, filtered);
        let numbers = cosines.target_numbers(level);
        let find = |numbers| find_best(cosines, &scales, numbers, filtered);
        let best = if numbers.len() < MIN_SHARED {
            find(numbers)
        } else {
            let middle = numbers.len() / 2;
            let (mut best, there) = run_both(|| find(0..middle), || find(middle..numbers.end));
            best.extend(there);
            best
        };
        let nearest = best.into_sorted().into_iter().filter_map(|scored| {
            Some(NearestTarget {
                target: scored.target,
                shown: resolve_target(scored.target, filtered)?,
                cosines: cosines.target_cosines(scored.target),
            })
        });
        Self {
            targets: nearest.collect(),
            scales,
        }
    }

    /// Returns the score of a target, the weighted mean over the models.
    pub(crate) fn score(&self, target: &NearestTarget) -> f32 {
        self.scales.mean_score(&target.cosines)
    }

    /// Returns the score of the nearest target; 0 where there is none.
    pub(crate) fn best_score(&self) -> f32 {
        self.targets.first().map_or(0.0, |best| self.score(best))
    }

    /// Sets cosines by the first model that are more precise, by target, and sorts again.
    pub(crate) fn set_cosines(&mut self, precise: &FxHashMap<VectorTarget, f32>) {
        let Some(Some(stats)) = self.scales.stats.first_mut() else {
            return;
        };
        for known in &mut self.targets {
            if let Some(cosine) = precise.get(&known.target) {
                known.cosines.set(0, *cosine);
            }
        }
        let cosines = self.targets.iter().filter_map(|known| known.cosines.get(0));
        if let Some(best) = cosines.reduce(f32::max) {
            stats.set_best(best);
        }
        self.sort();
    }

    fn sort(&mut self) {
        let scales = &self.scales;
        let score = |nearest: &NearestTarget| ScoredTarget {
            score: scales.mean_score(&nearest.cosines),
            target: nearest.target,
        };
        let scored = self
            .targets
            .drain(..)
            .map(|nearest| (score(&nearest), nearest));
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by(|(a, _), (b, _)| a.compare_cosines(b));
        self.targets
            .extend(scored.into_iter().map(|(_, nearest)| nearest));
    }
}

/// Finds the best of the targets with some numbers that the filter lets through.
fn find_best(
    cosines: &DenseCosines<'_>,
    scales: &ModelScales<'_>,
    numbers: Range<usize>,
    filtered: &FilteredIndex<'_>,
) -> TopK<ScoredTarget> {
    let mut best = TopK::new(MAX_NEAREST, ScoredTarget::compare_cosines);
    for target in cosines.list_targets(numbers, filtered.turn_columns()) {
        let scores = scales.scores(&cosines.target_cosines(target));
        let score = scores.weighted_mean(&scales.weights);
        let scored = ScoredTarget { score, target };
        if !scores.is_empty()
            && best.may_hold(&scored)
            && resolve_target(target, filtered).is_some()
        {
            best.push(scored);
        }
    }
    best
}

/// Computes the statistics of a model's cosines with what the filter lets through; `None` if
/// that is nothing.
fn compute_cosine_stats(
    cosines: &DenseCosines<'_>,
    model: &ModelCosines<'_>,
    level: Level,
    filtered: &FilteredIndex<'_>,
) -> Option<CosineStats> {
    let mut best: Option<f32> = None;
    let targets = cosines.list_targets(cosines.target_numbers(level), filtered.turn_columns());
    let turns = targets.filter_map(|target| {
        let cosine = model.get(target)?;
        if best.is_none_or(|best| cosine > best) && resolve_target(target, filtered).is_some() {
            best = Some(cosine);
        }
        (target.turn.is_some() && filtered.passes_session(target.session)).then_some(cosine)
    });
    let mut stats = CosineStats::new(turns, model.rounding_variance, model.embedding);
    stats.set_best(best?);
    Some(stats)
}

/// A target with its weighted mean over the models.
#[derive(Debug, Clone, Copy)]
struct ScoredTarget {
    score: f32,
    target: VectorTarget,
}

impl ScoredTarget {
    /// Orders the best first; of equals the newer turn, and turns before chunks of sessions.
    fn compare_cosines(&self, other: &Self) -> Ordering {
        let key = |row: &Self| (row.target.turn, row.target.session);
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| key(other).cmp(&key(self)))
    }
}

/// Returns the target as which one is shown; `None` if the filter lets neither it nor a copy through.
fn resolve_target(target: VectorTarget, filtered: &FilteredIndex<'_>) -> Option<VectorTarget> {
    let session = target.session;
    let Some(turn) = target.turn else {
        return filtered.passes_session(session).then_some(target);
    };
    let shown = filtered.resolve_copy(SessionTurn { turn, session })?;
    Some(VectorTarget {
        session: shown.session,
        turn: Some(shown.turn),
    })
}
