//! The dense list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use crate::request::{Level, Request};
use crate::said::{MODELS, Said, Weights};
use crate::scale::{DenseScale, Spread};
use rustc_hash::FxHashMap;
use session_store::{Level as Rows, Matrix, ModelRow, Owner, Reader, StoreError};
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
    /// False when the model knows nothing in the query.
    pub(crate) fn speaks(&self) -> bool {
        self.vector.iter().any(|x| *x != 0.0)
    }
}

/// Half floats round: a product a little greater than 1 is possible, of a sound row no more.
const GREATEST_COSINE: f32 = 1.05;
/// So many damaged vectors may be chance.
const MOST_LOST: usize = 4;
/// Most pieces of evidence taken. At session level they are grouped.
const EVIDENCE: usize = 4000;

/// What is near to the query in meaning, best first.
#[derive(Default)]
pub(crate) struct DenseList {
    /// Scored by what the models say together.
    pub(crate) evidence: Vec<Evidence>,
    /// What the best cosine is worth, by the best model that has it.
    pub(crate) worth: f32,
    /// How the cosines of each model lie that says something.
    pub(crate) spreads: Vec<Spread>,
}

/// What the models say of a turn or a chunk.
#[derive(Debug, Clone, Copy)]
struct Near {
    owner: Owner,
    said: Said,
    worth: f32,
}

/// The cosines of a query with all that a model has embedded: they are the same for
/// both levels.
pub(crate) struct Scan<'a> {
    dense: &'a Dense,
    turns: Vec<(f32, Owner)>,
    /// The best of each session; none where single turns are judged.
    chunks: Vec<(f32, Owner)>,
}

/// Compares the query with all vectors.
pub(crate) fn scan<'a>(
    index: &Reader,
    models: &'a [Dense],
    passing: &mut Passing<'_>,
) -> Result<Vec<Scan<'a>>, StoreError> {
    let of_model = |dense: &'a Dense| {
        let chunks = match passing.by_turn() {
            true => Vec::new(),
            false => best_chunks(scored(index, dense, Rows::Session)?),
        };
        Ok(Scan {
            dense,
            turns: scored(index, dense, Rows::Turn)?,
            chunks,
        })
    };
    models.iter().take(MODELS).map(of_model).collect()
}

impl Scan<'_> {
    /// What counts at a level.
    fn found(&self, level: Level) -> Cow<'_, [(f32, Owner)]> {
        match level {
            Level::Session => [self.turns.as_slice(), &self.chunks].concat().into(),
            Level::Turn => self.turns.as_slice().into(),
        }
    }
}

/// What is nearest to the query's vectors, best first. Each model speaks for
/// what it has embedded; where several have, by their weights. `held` is the part
/// of the query's terms that some turn holds.
pub(crate) fn list(
    scans: &[Scan<'_>],
    level: Level,
    request: &Request,
    held: f32,
    passing: &mut Passing<'_>,
) -> Result<DenseList, StoreError> {
    let mut all: FxHashMap<(i64, i64), Near> = FxHashMap::default();
    let mut spreads = Vec::new();
    let mut weights = Weights::default();
    let words = request.query.terms.len();
    for (model, scan) in scans.iter().enumerate() {
        let (dense, found) = (scan.dense, scan.found(level));
        let Some(mut spread) = spread(&found, dense, passing)? else {
            continue;
        };
        spread.strength *= dense.read;
        weights.set(model, spread.weight);
        // Pieces of words that nobody knows mean nothing, however near they are.
        let sense = dense.read * dense.known.max(held);
        add(&mut all, model, &found, &spread, |cosine, owner| Near {
            owner: *owner,
            said: Said::default(),
            worth: sense * dense.scale.worth(cosine, words),
        });
        spreads.push(spread);
    }
    let (evidence, worth) = nearest(sorted(all, &weights), passing)?;
    let evidence = match level {
        Level::Session => grouped(&evidence),
        Level::Turn => evidence,
    };
    let mut evidence: Vec<Evidence> = evidence.iter().map(|p| p.evidence(&weights)).collect();
    evidence.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(DenseList {
        evidence,
        worth,
        spreads,
    })
}

/// Best first; of equals the newer.
fn sorted(all: FxHashMap<(i64, i64), Near>, weights: &Weights) -> Vec<Near> {
    let mut all: Vec<(f32, Near)> = all
        .into_values()
        .map(|near| (near.said.score(weights), near))
        .collect();
    all.sort_unstable_by(|(a_score, a), (b_score, b)| {
        b_score
            .total_cmp(a_score)
            .then(b.owner.turn.cmp(&a.owner.turn))
            .then(a.owner.row.cmp(&b.owner.row))
    });
    all.into_iter().map(|(_, near)| near).collect()
}

/// What is said of a turn or a session where it is shown.
#[derive(Debug, Clone, Copy)]
struct Placed {
    session: i64,
    /// 0 where it is no single turn.
    turn: i64,
    said: Said,
}

impl Placed {
    fn evidence(&self, weights: &Weights) -> Evidence {
        Evidence {
            session: self.session,
            turn: self.turn,
            score: self.said.score(weights),
        }
    }
}

/// Of several chunks of a session the best one counts.
fn best_chunks(mut found: Vec<(f32, Owner)>) -> Vec<(f32, Owner)> {
    found.sort_unstable_by(|a, b| {
        let by_session = a.1.session.cmp(&b.1.session);
        by_session
            .then(b.0.total_cmp(&a.0))
            .then(a.1.row.cmp(&b.1.row))
    });
    found.dedup_by_key(|(_, owner)| owner.session);
    found
}

/// How a model's cosines with what passes lie; `None` where nothing does.
fn spread(
    found: &[(f32, Owner)],
    dense: &Dense,
    passing: &mut Passing<'_>,
) -> Result<Option<Spread>, StoreError> {
    let mut best = None;
    for (cosine, owner) in found {
        if best.is_none_or(|best| *cosine > best) && place(owner, passing)?.is_some() {
            best = Some(*cosine);
        }
    }
    let sessions = passing.sessions();
    let turns = found
        .iter()
        .filter(|(_, o)| o.turn != 0 && sessions.contains_key(&o.session))
        .map(|(cosine, _)| *cosine);
    let (name, scale) = (&dense.model.name, &dense.scale);
    Ok(best.map(|best| Spread::of(turns, best, name, scale)))
}

/// Adds what a model says.
fn add(
    all: &mut FxHashMap<(i64, i64), Near>,
    model: usize,
    found: &[(f32, Owner)],
    spread: &Spread,
    met: impl Fn(f32, &Owner) -> Near,
) {
    all.reserve(found.len());
    for (cosine, owner) in found {
        let place = all.entry(stands_for(owner));
        let near = place.or_insert_with(|| met(*cosine, owner));
        near.said
            .note(model, spread.strength * spread.part(*cosine));
    }
}

/// What a row stands for: a turn, or a session.
fn stands_for(owner: &Owner) -> (i64, i64) {
    match owner.turn {
        0 => (owner.session, 0),
        turn => (0, turn),
    }
}

/// The first that pass, each where it is to be shown, and what the best cosine
/// is worth.
fn nearest(all: Vec<Near>, passing: &mut Passing<'_>) -> Result<(Vec<Placed>, f32), StoreError> {
    let (mut evidence, mut worth) = (Vec::new(), 0.0_f32);
    for near in all {
        if evidence.len() == EVIDENCE {
            break;
        }
        if let Some((turn, session)) = place(&near.owner, passing)? {
            worth = worth.max(near.worth);
            evidence.push(Placed {
                session,
                turn,
                said: near.said,
            });
        }
    }
    Ok((evidence, worth))
}

/// Sessions, each with the most that each model says of any part of it, and
/// the turn that is nearest by all.
fn grouped(evidence: &[Placed]) -> Vec<Placed> {
    let mut places: FxHashMap<i64, usize> = FxHashMap::default();
    let mut sessions: Vec<Placed> = Vec::new();
    for part in evidence {
        let place = *places.entry(part.session).or_insert(sessions.len());
        match sessions.get_mut(place) {
            Some(session) => {
                session.said = session.said.or(&part.said);
                if session.turn == 0 {
                    session.turn = part.turn;
                }
            }
            None => sessions.push(*part),
        }
    }
    sessions
}

/// Where what a row stands for is to be shown, if it passes.
fn place(owner: &Owner, passing: &mut Passing<'_>) -> Result<Option<(i64, i64)>, StoreError> {
    let found = (owner.turn, owner.session);
    match owner.turn {
        0 => Ok(passing
            .sessions()
            .contains_key(&owner.session)
            .then_some(found)),
        _ => passing.place(found),
    }
}

fn scored(index: &Reader, dense: &Dense, rows: Rows) -> Result<Vec<(f32, Owner)>, StoreError> {
    if !dense.speaks() {
        return Ok(Vec::new());
    }
    let matrix = index.matrix(&dense.model, rows)?;
    let cosines = matrix.dot(&dense.vector);
    let owners = index.owners(dense.model.id, rows)?;
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
