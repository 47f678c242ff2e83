//! The dense list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use crate::request::{Level, Request};
use crate::scale::{DenseScale, Spread};
use rustc_hash::FxHashMap;
use session_store::{Level as Rows, ModelRow, Owner, Reader, StoreError};

/// A query as a model sees it.
#[derive(Debug, Clone)]
pub struct Dense {
    /// The model, as the index has it.
    pub model: ModelRow,
    /// The query's vector, unit length; all zero when the model knows no word
    /// of it.
    pub vector: Vec<f32>,
    /// What cosines of this model mean.
    pub scale: DenseScale,
}

impl Dense {
    /// False when the model knows nothing in the query.
    pub(crate) fn speaks(&self) -> bool {
        self.vector.iter().any(|x| *x != 0.0)
    }
}

/// Half floats round: a little more than 1 is possible, much more is damage.
const GREATEST_COSINE: f32 = 1.05;
/// Most pieces of evidence taken. At session level they are grouped.
const EVIDENCE: usize = 800;

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

/// What the models say together of a turn or a session. Cosines of two models
/// are never compared: each is first its part of that model's best, times how
/// far that best stands out.
#[derive(Debug, Clone, Copy)]
struct Near {
    owner: Owner,
    sum: f32,
    weights: f32,
    worth: f32,
}

impl Near {
    fn score(&self) -> f32 {
        self.sum / self.weights.max(f32::EPSILON)
    }
}

/// What is nearest to the query's vectors, best first. Each model speaks for
/// what it has embedded; where several have, by their weights.
pub(crate) fn list(
    index: &Reader,
    models: &[Dense],
    request: &Request,
    passing: &mut Passing<'_>,
) -> Result<DenseList, StoreError> {
    let by_session = request.level == Level::Session && !passing.by_turn();
    let words = request.query.terms.len();
    let mut all: FxHashMap<(i64, i64), Near> = FxHashMap::default();
    let mut spreads = Vec::new();
    for dense in models {
        let mut found = scored(index, dense, Rows::Turn)?;
        if by_session {
            found.extend(best_chunks(scored(index, dense, Rows::Session)?));
        }
        let Some(spread) = spread(&found, dense, passing)? else {
            continue;
        };
        all.reserve(found.len());
        add(&mut all, &found, &spread, |cosine| {
            dense.scale.worth(cosine, words)
        });
        spreads.push(spread);
    }
    let mut all: Vec<Near> = all.into_values().collect();
    all.sort_unstable_by(|a, b| {
        b.score()
            .total_cmp(&a.score())
            .then(b.owner.turn.cmp(&a.owner.turn))
            .then(a.owner.row.cmp(&b.owner.row))
    });
    nearest(all, spreads, passing)
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
    Ok(best.map(|best| Spread::of(turns, best, &dense.model.name, &dense.scale)))
}

/// Adds what a model says.
fn add(
    all: &mut FxHashMap<(i64, i64), Near>,
    found: &[(f32, Owner)],
    spread: &Spread,
    worth: impl Fn(f32) -> f32,
) {
    for (cosine, owner) in found {
        let near = all.entry(stands_for(owner)).or_insert_with(|| Near {
            owner: *owner,
            sum: 0.0,
            weights: 0.0,
            worth: worth(*cosine),
        });
        near.sum += spread.weight * spread.strength * spread.part(*cosine);
        near.weights += spread.weight;
    }
}

/// What a row stands for: a turn, or a session.
fn stands_for(owner: &Owner) -> (i64, i64) {
    match owner.turn {
        0 => (owner.session, 0),
        turn => (0, turn),
    }
}

/// The first that pass, each where it is to be shown.
fn nearest(
    all: Vec<Near>,
    spreads: Vec<Spread>,
    passing: &mut Passing<'_>,
) -> Result<DenseList, StoreError> {
    let mut list = DenseList {
        spreads,
        ..DenseList::default()
    };
    for near in all {
        if list.evidence.len() == EVIDENCE {
            break;
        }
        if let Some((turn, session)) = place(&near.owner, passing)? {
            list.worth = list.worth.max(near.worth);
            list.evidence.push(Evidence {
                session,
                turn,
                score: near.score(),
            });
        }
    }
    Ok(list)
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
    let cosines = index.matrix(&dense.model, rows)?.dot(&dense.vector);
    let owners = index.owners(dense.model.id, rows)?;
    if cosines.iter().any(|cosine| cosine.abs() > GREATEST_COSINE) {
        return Err(StoreError::Corrupt {
            root: index.root().to_owned(),
            what: format!(
                "a vector of model `{}` is not of unit length",
                dense.model.name
            ),
        });
    }
    Ok(owners
        .into_iter()
        .filter_map(|owner| Some((*cosines.get(owner.row)?, owner)))
        .collect())
}
