//! Ranks candidates by vector: each model scores what it has embedded, and where several have, their
//! weighted mean counts.

use crate::candidate_list::Candidate;
use crate::cosine_stats::CosineStats;
use crate::cosines::{DenseCosines, ModelCosines, VectorTarget};
use crate::filtered_index::FilteredIndex;
use crate::model_scores::{ModelScores, ModelWeights};
use rustc_hash::FxHashMap;
use session_core::TopK;
use session_store::{Level, SessionId, SessionTurn, TurnId};
use std::cmp::Ordering;

/// Greatest number of turns and chunks that are ranked. At session level they are grouped.
const MAX_CANDIDATES: usize = 4000;

/// The candidates of all models, best first.
#[derive(Default)]
pub(crate) struct DenseCandidates {
    /// Scored by the weighted mean over the models.
    pub(crate) ranked: Vec<Candidate>,
    /// The worth of the best cosine, 0 to 1, by the best model that has it.
    pub(crate) worth: f32,
    /// Statistics of the cosines, for each model that has some.
    pub(crate) stats: Vec<CosineStats>,
}

/// The terms of a query, as the worth of a cosine depends on them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryTerms {
    pub(crate) count: usize,
    /// The share of them that some turn holds, 0 to 1.
    pub(crate) known_share: f32,
}

impl DenseCandidates {
    /// Ranks what is nearest to the query's vectors at a level, best first.
    pub(crate) fn new(
        cosines: &DenseCosines<'_>,
        level: Level,
        terms: QueryTerms,
        filtered: &FilteredIndex<'_>,
    ) -> Self {
        let scales = ModelScales::new(cosines, level, terms, filtered);
        let nearest = find_nearest(cosines, level, &scales, filtered);
        let worth = nearest.iter().map(|row| scales.worth(cosines, row.target));
        let worth = worth.fold(0.0, f32::max);
        let candidates = resolve(&nearest, cosines, &scales, filtered);
        let candidates = match level {
            Level::Session => group_by_session(&candidates),
            Level::Turn => candidates,
        };
        Self {
            ranked: rank(&candidates, &scales.weights),
            worth,
            stats: scales.stats.into_iter().flatten().collect(),
        }
    }
}

/// How each model's cosines become scores.
struct ModelScales {
    /// In the order of the models; `None` where the filter lets through nothing that the model has embedded.
    stats: Vec<Option<CosineStats>>,
    weights: ModelWeights,
    terms: QueryTerms,
}

impl ModelScales {
    fn new(
        cosines: &DenseCosines<'_>,
        level: Level,
        terms: QueryTerms,
        filtered: &FilteredIndex<'_>,
    ) -> Self {
        let mut weights = ModelWeights::default();
        let mut stats = Vec::new();
        for (model, of_model) in cosines.models.iter().enumerate() {
            let found = cosine_stats(cosines, of_model, level, filtered);
            if let Some(found) = &found {
                weights.set(model, found.weight);
            }
            stats.push(found);
        }
        Self {
            stats,
            weights,
            terms,
        }
    }

    /// Returns each model's score of a target.
    fn scores(&self, cosines: &DenseCosines<'_>, target: VectorTarget) -> ModelScores {
        let mut scores = ModelScores::default();
        for (model, (of_model, stats)) in cosines.models.iter().zip(&self.stats).enumerate() {
            if let (Some(stats), Some(cosine)) = (stats, of_model.get(target)) {
                scores.set(model, stats.strength * stats.relative_height(cosine));
            }
        }
        scores
    }

    /// Returns the worth of a target, by the first model that has embedded it.
    fn worth(&self, cosines: &DenseCosines<'_>, target: VectorTarget) -> f32 {
        let models = cosines.models.iter().zip(&self.stats);
        let mut models = models.filter(|(_, stats)| stats.is_some());
        let first = models.find_map(|(model, _)| Some((model.embedding, model.get(target)?)));
        let Some((embedding, cosine)) = first else {
            return 0.0;
        };
        // Word pieces of words that nobody knows mean nothing, however near they are.
        let sense = embedding.read * embedding.known.max(self.terms.known_share);
        sense * embedding.scale.worth(cosine, self.terms.count)
    }
}

/// Computes the statistics of a model's cosines with what the filter lets through; `None` where
/// that is nothing.
fn cosine_stats(
    cosines: &DenseCosines<'_>,
    of_model: &ModelCosines<'_>,
    level: Level,
    filtered: &FilteredIndex<'_>,
) -> Option<CosineStats> {
    let mut best = None;
    for target in cosines.targets(level, filtered.turns()) {
        if let Some(cosine) = of_model.get(target)
            && best.is_none_or(|best| cosine > best)
            && resolve_target(target, filtered).is_some()
        {
            best = Some(cosine);
        }
    }
    let turns = cosines
        .targets(Level::Turn, filtered.turns())
        .filter(|turn| filtered.passes_session(turn.session))
        .filter_map(|turn| of_model.get(turn));
    let embedding = of_model.embedding;
    let mut stats = CosineStats::new(turns, best?, &embedding.model.name, &embedding.scale);
    stats.strength *= embedding.read;
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
    fn order(&self, other: &Self) -> Ordering {
        let key = |row: &Self| (row.target.turn, row.target.session);
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| key(other).cmp(&key(self)))
    }
}

/// Returns the [`MAX_CANDIDATES`] best targets that the filter lets through, best first.
fn find_nearest(
    cosines: &DenseCosines<'_>,
    level: Level,
    scales: &ModelScales,
    filtered: &FilteredIndex<'_>,
) -> Vec<ScoredTarget> {
    let mut best = TopK::new(MAX_CANDIDATES, ScoredTarget::order);
    for target in cosines.targets(level, filtered.turns()) {
        let scores = scales.scores(cosines, target);
        let score = scores.weighted_mean(&scales.weights);
        let scored = ScoredTarget { score, target };
        if !scores.is_empty()
            && best.may_hold(&scored)
            && resolve_target(target, filtered).is_some()
        {
            best.push(scored);
        }
    }
    best.into_sorted()
}

/// A turn or a chunk as it is shown, with the models' scores.
#[derive(Debug, Clone, Copy)]
struct ResolvedCandidate {
    session: SessionId,
    turn: Option<TurnId>,
    scores: ModelScores,
}

/// Returns targets as they are shown.
fn resolve(
    targets: &[ScoredTarget],
    cosines: &DenseCosines<'_>,
    scales: &ModelScales,
    filtered: &FilteredIndex<'_>,
) -> Vec<ResolvedCandidate> {
    let resolved = targets.iter().filter_map(|scored| {
        let (session, turn) = resolve_target(scored.target, filtered)?;
        Some(ResolvedCandidate {
            session,
            turn,
            scores: scales.scores(cosines, scored.target),
        })
    });
    resolved.collect()
}

/// Returns the session, and the turn if it is one, in which a target is shown, if the filter lets it
/// through.
fn resolve_target(
    target: VectorTarget,
    filtered: &FilteredIndex<'_>,
) -> Option<(SessionId, Option<TurnId>)> {
    let Some(turn) = target.turn else {
        let passes = filtered.passes_session(target.session);
        return passes.then_some((target.session, None));
    };
    let session = target.session;
    let shown = filtered.resolve_copy(SessionTurn { turn, session })?;
    Some((shown.session, Some(shown.turn)))
}

/// Groups candidates to sessions, each with the greatest score of each model for any part of it,
/// and its best turn.
fn group_by_session(candidates: &[ResolvedCandidate]) -> Vec<ResolvedCandidate> {
    let mut positions: FxHashMap<SessionId, usize> = FxHashMap::default();
    let mut sessions: Vec<ResolvedCandidate> = Vec::new();
    for candidate in candidates {
        let position = *positions.entry(candidate.session).or_insert(sessions.len());
        match sessions.get_mut(position) {
            Some(session) => {
                session.scores = session.scores.max(&candidate.scores);
                session.turn = session.turn.or(candidate.turn);
            }
            None => sessions.push(*candidate),
        }
    }
    sessions
}

fn rank(candidates: &[ResolvedCandidate], weights: &ModelWeights) -> Vec<Candidate> {
    let with_mean = |resolved: &ResolvedCandidate| Candidate {
        session: resolved.session,
        turn: resolved.turn,
        score: resolved.scores.weighted_mean(weights),
    };
    let mut ranked: Vec<Candidate> = candidates.iter().map(with_mean).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked
}
