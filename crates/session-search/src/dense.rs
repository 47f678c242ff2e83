//! The dense list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use crate::request::{Level, Request};
use serde::Serialize;
use session_store::{Level as Rows, ModelRow, Owner, Reader, StoreError};
use std::collections::HashSet;

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

/// What cosines of a model mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DenseScale {
    /// What the best of a history reaches for a query that it does not answer.
    pub unrelated: f32,
    /// What a good answer reaches.
    pub related: f32,
    /// How much both rise with each word of the query: long texts are nearer
    /// to everything than short ones.
    pub per_word: f32,
}

impl Dense {
    /// False when the model knows nothing in the query.
    pub(crate) fn speaks(&self) -> bool {
        self.vector.iter().any(|x| *x != 0.0)
    }
}

/// Words beyond this many no longer raise the marks.
const WORDS: usize = 14;

impl DenseScale {
    /// The cosine that is worth nothing for a query of so many words.
    #[expect(clippy::cast_precision_loss, reason = "at most 14")]
    pub fn floor(&self, words: usize) -> f32 {
        self.unrelated + self.per_word * words.min(WORDS) as f32
    }

    /// A cosine of this scale's model on another's scale: as far from its marks.
    /// On its own it is what it is.
    fn on(&self, other: &Self, cosine: f32, words: usize) -> f32 {
        if self == other {
            return cosine;
        }
        let width = |scale: &Self| (scale.related - scale.unrelated).max(f32::EPSILON);
        let height = (cosine - self.floor(words)) / width(self);
        other.floor(words) + height * width(other)
    }

    /// What a list is worth whose best has this cosine for a query of so many
    /// words, 0 to 1.
    pub fn worth(&self, cosine: f32, words: usize) -> f32 {
        let width = (self.related - self.unrelated).max(f32::EPSILON);
        ((cosine - self.floor(words)) / width).clamp(0.0, 1.0)
    }
}

/// Half floats round: a little more than 1 is possible, much more is damage.
const GREATEST_COSINE: f32 = 1.05;
/// Most pieces of evidence taken. At session level they are grouped.
const EVIDENCE: usize = 800;

/// What is nearest to the query's vectors, best first, on the first model's
/// scale. A model speaks for the turns and sessions that those before it have
/// no vector of; cosines of two models are never compared, only how far each
/// stands between its own model's marks.
pub(crate) fn list(
    index: &Reader,
    models: &[Dense],
    request: &Request,
    passing: &mut Passing<'_>,
) -> Result<Vec<Evidence>, StoreError> {
    let Some(best) = models.first() else {
        return Ok(Vec::new());
    };
    let by_session = request.level == Level::Session && !passing.by_turn();
    let mut all = Vec::new();
    let mut embedded = HashSet::new();
    for dense in models {
        let mut found = scored(index, dense, Rows::Turn)?;
        if by_session {
            found.extend(scored(index, dense, Rows::Session)?);
        }
        found.retain(|(_, owner)| !embedded.contains(&stands_for(owner)));
        if models.len() > 1 {
            embedded.extend(found.iter().map(|(_, owner)| stands_for(owner)));
        }
        let words = request.query.terms.len();
        let scale = |cosine| dense.scale.on(&best.scale, cosine, words);
        all.extend(found.into_iter().map(|(cosine, o)| (scale(cosine), o)));
    }
    all.sort_unstable_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then(b.1.turn.cmp(&a.1.turn))
            .then(a.1.row.cmp(&b.1.row))
    });
    nearest(all, passing)
}

/// What a row stands for: a turn, or a session.
fn stands_for(owner: &Owner) -> (i64, i64) {
    match owner.turn {
        0 => (owner.session, 0),
        turn => (0, turn),
    }
}

/// The first that pass, each where it is to be shown.
fn nearest(all: Vec<(f32, Owner)>, passing: &mut Passing<'_>) -> Result<Vec<Evidence>, StoreError> {
    let mut evidence = Vec::with_capacity(EVIDENCE.min(all.len()));
    for (score, owner) in all {
        if evidence.len() == EVIDENCE {
            break;
        }
        let found = (owner.turn, owner.session);
        let place = match owner.turn {
            0 => passing
                .sessions()
                .contains_key(&owner.session)
                .then_some(found),
            _ => passing.place(found)?,
        };
        evidence.extend(place.map(|(turn, session)| Evidence {
            session,
            turn,
            score,
        }));
    }
    Ok(evidence)
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
