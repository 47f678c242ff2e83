//! The dense list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use crate::request::Level;
use serde::Serialize;
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

/// Words beyond this many no longer raise the marks.
const WORDS: usize = 14;

impl DenseScale {
    /// The cosine that is worth nothing for a query of so many words.
    #[expect(clippy::cast_precision_loss, reason = "at most 14")]
    pub fn floor(&self, words: usize) -> f32 {
        self.unrelated + self.per_word * words.min(WORDS) as f32
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

/// What is nearest to the query's vector, best first.
pub(crate) fn list(
    index: &Reader,
    dense: &Dense,
    level: Level,
    passing: &mut Passing<'_>,
) -> Result<Vec<Evidence>, StoreError> {
    if dense.vector.iter().all(|x| *x == 0.0) {
        return Ok(Vec::new());
    }
    let mut all = scored(index, dense, Rows::Turn)?;
    if level == Level::Session && !passing.by_turn() {
        all.extend(scored(index, dense, Rows::Session)?);
    }
    all.sort_unstable_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then(b.1.turn.cmp(&a.1.turn))
            .then(a.1.row.cmp(&b.1.row))
    });
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
