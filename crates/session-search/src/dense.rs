//! Ranks candidates by vector: each model scores what it has embedded, and where several have, their
//! weighted mean counts.

use crate::candidate_list::Candidate;
use crate::cosine_stats::CosineStats;
use crate::model_scores::{ModelScores, ModelWeights, TargetCosines};
use crate::nearest::{ModelScales, NearestTargets};
use crate::request::Level;
use rustc_hash::FxHashMap;
use session_store::{SessionId, TurnId};

/// The candidates of all models, best first.
#[derive(Default)]
pub(crate) struct DenseCandidates {
    /// The turns and chunks, or the sessions, scored by the weighted mean over the models.
    pub(crate) ranked: Vec<Candidate>,
    /// The confidence of the best cosine, 0 to 1, by the best model that has it.
    pub(crate) confidence: f32,
    /// Statistics of the cosines, for each model that has some.
    pub(crate) stats: Vec<CosineStats>,
}

/// The terms of a query, as the confidence of a cosine depends on them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryTerms {
    pub(crate) count: usize,
    /// The share of them that some turn holds, 0 to 1.
    pub(crate) held_term_share: f32,
}

impl DenseCandidates {
    /// Ranks what is nearest to the query's vectors at a level, best first.
    pub(crate) fn new(nearest: &NearestTargets<'_>, level: Level, terms: QueryTerms) -> Self {
        let scales = &nearest.scales;
        let targets = nearest.targets.iter();
        let confidences = targets.map(|target| compute_confidence(&target.cosines, scales, terms));
        let candidates = nearest.targets.iter().map(|target| ScoredCandidate {
            session: target.shown.session,
            turn: target.shown.turn,
            scores: scales.scores(&target.cosines),
        });
        let candidates = match level {
            Level::Session => group_by_session(candidates),
            Level::Turn => candidates.collect(),
        };
        Self {
            confidence: confidences.fold(0.0, f32::max),
            ranked: rank_by_mean(&candidates, &scales.weights),
            stats: scales.models().map(|model| model.stats.clone()).collect(),
        }
    }
}

/// A turn or a chunk as it is shown, with the models' scores.
#[derive(Debug, Clone, Copy)]
struct ScoredCandidate {
    session: SessionId,
    turn: Option<TurnId>,
    scores: ModelScores,
}

/// Returns the confidence of a target, 0 to 1, by its cosine in the first model that has embedded it.
fn compute_confidence(cosines: &TargetCosines, scales: &ModelScales<'_>, terms: QueryTerms) -> f32 {
    let mut models = scales.models();
    let first = models.find_map(|model| Some((model.embedding, cosines.get(model.number)?)));
    let Some((embedding, cosine)) = first else {
        return 0.0;
    };
    // Word pieces of words that nobody knows mean nothing, however near they are.
    let understood =
        embedding.readable_letter_share * embedding.known_word_share.max(terms.held_term_share);
    understood * embedding.scale.confidence(cosine, terms.count)
}

/// Groups candidates to sessions, each with the greatest score of each model for any part of it.
fn group_by_session(candidates: impl Iterator<Item = ScoredCandidate>) -> Vec<ScoredCandidate> {
    let mut positions: FxHashMap<SessionId, usize> = FxHashMap::default();
    let mut sessions: Vec<ScoredCandidate> = Vec::new();
    for candidate in candidates {
        let position = *positions.entry(candidate.session).or_insert(sessions.len());
        match sessions.get_mut(position) {
            Some(session) => session.scores = session.scores.max(&candidate.scores),
            None => sessions.push(candidate),
        }
    }
    sessions
}

/// Ranks candidates by the weighted mean of their scores over the models, best first.
fn rank_by_mean(candidates: &[ScoredCandidate], weights: &ModelWeights) -> Vec<Candidate> {
    let score = |candidate: &ScoredCandidate| Candidate {
        session: candidate.session,
        turn: candidate.turn,
        score: candidate.scores.weighted_mean(weights),
    };
    let mut ranked: Vec<Candidate> = candidates.iter().map(score).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked
}
