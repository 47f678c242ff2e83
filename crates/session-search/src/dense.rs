//! Ranks candidates by vector: each model scores what it has embedded, and where several have, their
//! weighted mean counts.

use crate::candidate_list::Candidate;
use crate::cosine_stats::CosineStats;
use crate::cosines::{ModelCosines, QueryEmbedding, RowCosine};
use crate::filtered_index::FilteredIndex;
use crate::model_scores::{ModelScores, ModelWeights};
use rustc_hash::FxHashMap;
use session_store::{Level, SessionId, SessionTurn, Target, TurnId, VectorRow};

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

/// A turn or a chunk with the models' scores.
#[derive(Debug, Clone, Copy)]
struct ScoredRow {
    row: VectorRow,
    scores: ModelScores,
    worth: f32,
}

type ScoredRows = FxHashMap<Target, ScoredRow>;

impl DenseCandidates {
    /// Ranks what is nearest to the query's vectors at a level, best first.
    pub(crate) fn new(
        models: &[ModelCosines<'_>],
        level: Level,
        terms: QueryTerms,
        filtered: &FilteredIndex<'_>,
    ) -> Self {
        let mut rows = ScoredRows::default();
        let mut stats = Vec::new();
        let mut weights = ModelWeights::default();
        for (model, cosines) in models.iter().enumerate() {
            let (embedding, cosines) = (cosines.embedding, cosines.at_level(level));
            let Some(model_stats) = cosine_stats(&cosines, embedding, filtered) else {
                continue;
            };
            weights.set(model, model_stats.weight);
            // Word pieces of words that nobody knows mean nothing, however near they are.
            let sense = embedding.read * embedding.known.max(terms.known_share);
            let worth = |cosine| sense * embedding.scale.worth(cosine, terms.count);
            add_model_scores(&mut rows, model, &cosines, &model_stats, worth);
            stats.push(model_stats);
        }
        let (candidates, worth) = resolve_best(sort_rows(rows, &weights), filtered);
        let candidates = match level {
            Level::Session => group_by_session(&candidates),
            Level::Turn => candidates,
        };
        Self {
            ranked: rank(&candidates, &weights),
            worth,
            stats,
        }
    }
}

/// Computes the statistics of a model's cosines with what the filter lets through; `None` where
/// that is nothing.
fn cosine_stats(
    cosines: &[RowCosine],
    embedding: &QueryEmbedding,
    filtered: &FilteredIndex<'_>,
) -> Option<CosineStats> {
    let mut best = None;
    for RowCosine { cosine, row } in cosines {
        if best.is_none_or(|best| *cosine > best) && resolve_row(row, filtered).is_some() {
            best = Some(*cosine);
        }
    }
    let sessions = filtered.sessions();
    let turns = cosines
        .iter()
        .filter(|c| c.row.turn.is_some() && sessions.contains_key(&c.row.session))
        .map(|c| c.cosine);
    let (name, scale) = (&embedding.model.name, &embedding.scale);
    let mut stats = CosineStats::new(turns, best?, name, scale);
    stats.strength *= embedding.read;
    Some(stats)
}

/// Adds a model's scores to those of the models before it. The worth of a row is that by the first
/// model that has it.
fn add_model_scores(
    rows: &mut ScoredRows,
    model: usize,
    cosines: &[RowCosine],
    stats: &CosineStats,
    worth: impl Fn(f32) -> f32,
) {
    rows.reserve(cosines.len());
    for RowCosine { cosine, row } in cosines {
        let scored = rows.entry(row.target()).or_insert_with(|| ScoredRow {
            row: *row,
            scores: ModelScores::default(),
            worth: worth(*cosine),
        });
        let score = stats.strength * stats.relative_height(*cosine);
        scored.scores.set(model, score);
    }
}

/// Sorts rows, best first; of equals the newer turn first.
fn sort_rows(rows: ScoredRows, weights: &ModelWeights) -> Vec<ScoredRow> {
    let with_mean = |row: ScoredRow| (row.scores.weighted_mean(weights), row);
    let mut rows: Vec<(f32, ScoredRow)> = rows.into_values().map(with_mean).collect();
    rows.sort_unstable_by(|(a_score, a), (b_score, b)| {
        b_score
            .total_cmp(a_score)
            .then(b.row.turn.cmp(&a.row.turn))
            .then(a.row.row.cmp(&b.row.row))
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// A turn or a chunk as it is shown, with the models' scores.
#[derive(Debug, Clone, Copy)]
struct ResolvedCandidate {
    session: SessionId,
    turn: Option<TurnId>,
    scores: ModelScores,
}

/// Returns the first rows that the filter lets through, as they are shown, and the greatest worth
/// among them.
fn resolve_best(
    rows: Vec<ScoredRow>,
    filtered: &FilteredIndex<'_>,
) -> (Vec<ResolvedCandidate>, f32) {
    let (mut candidates, mut worth) = (Vec::new(), 0.0_f32);
    for scored in rows {
        if candidates.len() == MAX_CANDIDATES {
            break;
        }
        if let Some((session, turn)) = resolve_row(&scored.row, filtered) {
            worth = worth.max(scored.worth);
            candidates.push(ResolvedCandidate {
                session,
                turn,
                scores: scored.scores,
            });
        }
    }
    (candidates, worth)
}

/// Returns the session, and the turn if it embeds one, in which a row is shown, if the filter lets it
/// through.
fn resolve_row(
    row: &VectorRow,
    filtered: &FilteredIndex<'_>,
) -> Option<(SessionId, Option<TurnId>)> {
    let Some(turn) = row.turn else {
        let passes = filtered.sessions().contains_key(&row.session);
        return passes.then_some((row.session, None));
    };
    let session = row.session;
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
