//! The candidates by vector.

use crate::candidates::Evidence;
use crate::cosine_stats::{CosineStats, DenseScale};
use crate::filtered_index::FilteredIndex;
use crate::model_scores::{MODELS, ModelScores, ModelWeights};
use crate::request::{Level, Request};
use rustc_hash::FxHashMap;
use session_store::{Level as Rows, Matrix, ModelRow, Reader, StoreError, VectorRow};
use std::borrow::Cow;

/// A query as a model sees it.
#[derive(Debug, Clone)]
pub struct Dense {
    /// The model, as the index has it.
    pub model: ModelRow,
    /// The query's vector, unit length; all zero when the model knows no word
    /// of it.
    pub vector: Vec<f32>,
    /// The part of the query's words that the model reads whole, 0 to 1.
    pub known: f32,
    /// The share of the query's letters that are of a script that the model reads, 0 to 1.
    pub read: f32,
    /// What cosines of this model mean.
    pub scale: DenseScale,
}

impl Dense {
    /// Returns true when the model knows a word of the query.
    pub(crate) fn has_vector(&self) -> bool {
        self.vector.iter().any(|x| *x != 0.0)
    }
}

/// Half floats round: a product a little greater than 1 is possible, of a sound row no more.
const GREATEST_COSINE: f32 = 1.05;
/// So many damaged vectors may be chance.
const MOST_LOST: usize = 4;
/// Most pieces of evidence taken. At session level they are grouped.
const EVIDENCE: usize = 4000;

/// The candidates of all models, best first.
#[derive(Default)]
pub(crate) struct DenseList {
    /// Scored by the weighted mean over the models.
    pub(crate) evidence: Vec<Evidence>,
    /// The worth of the best cosine, 0 to 1, by the best model that has it.
    pub(crate) worth: f32,
    /// The cosines' statistics, for each model that has some.
    pub(crate) spreads: Vec<CosineStats>,
}

/// A turn or a chunk as the models score it.
#[derive(Debug, Clone, Copy)]
struct DenseCandidate {
    owner: VectorRow,
    scores: ModelScores,
    worth: f32,
}

/// The cosines of a query with all that a model has embedded, the same for both levels.
pub(crate) struct ModelCosines<'a> {
    dense: &'a Dense,
    turns: Vec<(f32, VectorRow)>,
    /// The best of each session; none where single turns are judged.
    chunks: Vec<(f32, VectorRow)>,
}

/// Computes the cosines of the query with all vectors of each model.
pub(crate) fn scan<'a>(
    index: &Reader,
    models: &'a [Dense],
    filtered: &FilteredIndex<'_>,
) -> Result<Vec<ModelCosines<'a>>, StoreError> {
    let of_model = |dense: &'a Dense| {
        let chunks = match filtered.is_by_turn() {
            true => Vec::new(),
            false => best_chunks(scored(index, dense, Rows::Session)?),
        };
        Ok(ModelCosines {
            dense,
            turns: scored(index, dense, Rows::Turn)?,
            chunks,
        })
    };
    models.iter().take(MODELS).map(of_model).collect()
}

impl ModelCosines<'_> {
    /// Returns the cosines that count at a level.
    fn found(&self, level: Level) -> Cow<'_, [(f32, VectorRow)]> {
        match level {
            Level::Session => [self.turns.as_slice(), &self.chunks].concat().into(),
            Level::Turn => self.turns.as_slice().into(),
        }
    }
}

/// Ranks what is nearest to the query's vectors, best first. Each model scores what it has
/// embedded; where several have, their weighted mean counts. `held` is the part of the query's
/// terms that some turn holds.
pub(crate) fn list(
    scans: &[ModelCosines<'_>],
    level: Level,
    request: &Request,
    held: f32,
    filtered: &FilteredIndex<'_>,
) -> DenseList {
    let mut all: FxHashMap<(i64, i64), DenseCandidate> = FxHashMap::default();
    let mut spreads = Vec::new();
    let mut weights = ModelWeights::default();
    let words = request.query.terms.len();
    for (model, scan) in scans.iter().enumerate() {
        let (dense, found) = (scan.dense, scan.found(level));
        let Some(mut spread) = spread(&found, dense, filtered) else {
            continue;
        };
        spread.strength *= dense.read;
        weights.set(model, spread.weight);
        // Pieces of words that nobody knows mean nothing, however near they are.
        let sense = dense.read * dense.known.max(held);
        add(&mut all, model, &found, &spread, |cosine, owner| {
            DenseCandidate {
                owner: *owner,
                scores: ModelScores::default(),
                worth: sense * dense.scale.worth(cosine, words),
            }
        });
        spreads.push(spread);
    }
    let (evidence, worth) = nearest(sorted(all, &weights), filtered);
    let evidence = match level {
        Level::Session => grouped(&evidence),
        Level::Turn => evidence,
    };
    let mut evidence: Vec<Evidence> = evidence.iter().map(|p| p.evidence(&weights)).collect();
    evidence.sort_by(|a, b| b.score.total_cmp(&a.score));
    DenseList {
        evidence,
        worth,
        spreads,
    }
}

/// Sorts candidates, best first; of equals the newer one first.
fn sorted(
    all: FxHashMap<(i64, i64), DenseCandidate>,
    weights: &ModelWeights,
) -> Vec<DenseCandidate> {
    let mut all: Vec<(f32, DenseCandidate)> = all
        .into_values()
        .map(|near| (near.scores.weighted_mean(weights), near))
        .collect();
    all.sort_unstable_by(|(a_score, a), (b_score, b)| {
        b_score
            .total_cmp(a_score)
            .then(b.owner.turn.cmp(&a.owner.turn))
            .then(a.owner.row.cmp(&b.owner.row))
    });
    all.into_iter().map(|(_, near)| near).collect()
}

/// A candidate, where it is shown.
#[derive(Debug, Clone, Copy)]
struct ResolvedCandidate {
    session: i64,
    /// 0 where it is no single turn.
    turn: i64,
    scores: ModelScores,
}

impl ResolvedCandidate {
    fn evidence(&self, weights: &ModelWeights) -> Evidence {
        Evidence {
            session: self.session,
            turn: self.turn,
            score: self.scores.weighted_mean(weights),
        }
    }
}

/// Keeps the best chunk of each session.
fn best_chunks(mut found: Vec<(f32, VectorRow)>) -> Vec<(f32, VectorRow)> {
    found.sort_unstable_by(|a, b| {
        let by_session = a.1.session.cmp(&b.1.session);
        by_session
            .then(b.0.total_cmp(&a.0))
            .then(a.1.row.cmp(&b.1.row))
    });
    found.dedup_by_key(|(_, owner)| owner.session);
    found
}

/// Computes the statistics of a model's cosines with what the filter lets through; `None` where
/// that is nothing.
fn spread(
    found: &[(f32, VectorRow)],
    dense: &Dense,
    filtered: &FilteredIndex<'_>,
) -> Option<CosineStats> {
    let mut best = None;
    for (cosine, owner) in found {
        if best.is_none_or(|best| *cosine > best) && resolve_owner(owner, filtered).is_some() {
            best = Some(*cosine);
        }
    }
    let sessions = filtered.sessions();
    let turns = found
        .iter()
        .filter(|(_, o)| o.turn != 0 && sessions.contains_key(&o.session))
        .map(|(cosine, _)| *cosine);
    let (name, scale) = (&dense.model.name, &dense.scale);
    best.map(|best| CosineStats::of(turns, best, name, scale))
}

/// Adds a model's scores to those of the others.
fn add(
    all: &mut FxHashMap<(i64, i64), DenseCandidate>,
    model: usize,
    found: &[(f32, VectorRow)],
    spread: &CosineStats,
    met: impl Fn(f32, &VectorRow) -> DenseCandidate,
) {
    all.reserve(found.len());
    for (cosine, owner) in found {
        let place = all.entry(stands_for(owner));
        let near = place.or_insert_with(|| met(*cosine, owner));
        near.scores
            .set(model, spread.strength * spread.part(*cosine));
    }
}

/// Returns the key of what a row stands for: a turn, or a session.
fn stands_for(owner: &VectorRow) -> (i64, i64) {
    match owner.turn {
        0 => (owner.session, 0),
        turn => (0, turn),
    }
}

/// Returns the first that pass, each where it is shown, and the worth of the best cosine.
fn nearest(
    all: Vec<DenseCandidate>,
    filtered: &FilteredIndex<'_>,
) -> (Vec<ResolvedCandidate>, f32) {
    let (mut evidence, mut worth) = (Vec::new(), 0.0_f32);
    for near in all {
        if evidence.len() == EVIDENCE {
            break;
        }
        if let Some((turn, session)) = resolve_owner(&near.owner, filtered) {
            worth = worth.max(near.worth);
            evidence.push(ResolvedCandidate {
                session,
                turn,
                scores: near.scores,
            });
        }
    }
    (evidence, worth)
}

/// Groups candidates to sessions, each with the greatest score of each model for any part of it,
/// and the turn that is nearest by all.
fn grouped(evidence: &[ResolvedCandidate]) -> Vec<ResolvedCandidate> {
    let mut places: FxHashMap<i64, usize> = FxHashMap::default();
    let mut sessions: Vec<ResolvedCandidate> = Vec::new();
    for part in evidence {
        let place = *places.entry(part.session).or_insert(sessions.len());
        match sessions.get_mut(place) {
            Some(session) => {
                session.scores = session.scores.max(&part.scores);
                if session.turn == 0 {
                    session.turn = part.turn;
                }
            }
            None => sessions.push(*part),
        }
    }
    sessions
}

/// Returns where what a row stands for is to be shown, as turn (0 for none) and session, if it
/// passes.
fn resolve_owner(owner: &VectorRow, filtered: &FilteredIndex<'_>) -> Option<(i64, i64)> {
    let found = (owner.turn, owner.session);
    match owner.turn {
        0 => filtered
            .sessions()
            .contains_key(&owner.session)
            .then_some(found),
        _ => filtered.resolve_copy(found),
    }
}

fn scored(index: &Reader, dense: &Dense, rows: Rows) -> Result<Vec<(f32, VectorRow)>, StoreError> {
    if !dense.has_vector() {
        return Ok(Vec::new());
    }
    let matrix = index.matrix(&dense.model, rows)?;
    let cosines = matrix.dot(&dense.vector);
    let owners = index.vector_rows(dense.model.id, rows)?;
    if is_damaged(&matrix, &cosines) {
        return Err(StoreError::Corrupt {
            root: index.root().to_owned(),
            what: format!(
                "vectors of model `{}` are not of unit length",
                dense.model.name
            ),
        });
    }
    Ok(owners
        .into_iter()
        .filter_map(|owner| Some((*cosines.get(owner.row)?, owner)))
        .collect())
}

/// Returns true when a row is too long, or many rows are too short or no numbers. Few of these cost
/// themselves alone. The length of a row decides: a sound one may be orthogonal to a query.
fn is_damaged(matrix: &Matrix, cosines: &[f32]) -> bool {
    let not_unit = |(row, _): &(usize, &f32)| !matrix.is_unit(*row);
    let rows = || cosines.iter().enumerate();
    let mut too_long = rows().filter(|(_, cosine)| cosine.abs() > GREATEST_COSINE);
    let lost = rows().filter(|(_, c)| **c == 0.0).filter(not_unit).count();
    too_long.any(|found| not_unit(&found)) || lost > MOST_LOST && 4 * lost > cosines.len()
}
