//! The candidates by vector: the cosines of the query with what each model has embedded.

use crate::filtered_index::FilteredIndex;
use crate::model_scores::MAX_MODELS;
use session_core::CosineScale;
use session_store::{
    Level, ModelRow, Reader, SessionId, SessionTurn, StoreError, TurnId, VectorMatrix,
    VectorOwners, VectorRow,
};

/// A query as a model embeds it.
#[derive(Debug, Clone)]
pub struct QueryEmbedding {
    /// The model, as the index has it.
    pub model: ModelRow,
    /// The query's vector, unit length; all zero when the model knows no word of it.
    pub vector: Vec<f32>,
    /// The share of the query's words that the model knows whole, 0 to 1.
    pub known: f32,
    /// The share of the query's letters that are of a script that the model reads, 0 to 1.
    pub read: f32,
    /// The scale of the model's cosines.
    pub scale: CosineScale,
}

impl QueryEmbedding {
    fn is_zero(&self) -> bool {
        self.vector.iter().all(|x| *x == 0.0)
    }
}

/// The cosines of a query with all that the models have embedded.
#[derive(Default)]
pub(crate) struct DenseCosines<'a> {
    pub(crate) models: Vec<ModelCosines<'a>>,
    /// The session of each turn that a model has embedded, by the turn's number; 0 where none has.
    sessions: Vec<u32>,
}

/// The cosines of a query with all that one model has embedded, by the numbers of turns and of sessions.
pub(crate) struct ModelCosines<'a> {
    pub(crate) embedding: &'a QueryEmbedding,
    turns: CosineColumn,
    /// The best chunk of each session; none where the filter judges single turns.
    chunks: CosineColumn,
}

/// Cosines by number, NaN where there is none.
#[derive(Default)]
struct CosineColumn(Vec<f32>);

impl CosineColumn {
    fn get(&self, number: usize) -> Option<f32> {
        let cosine = self.0.get(number).copied();
        cosine.filter(|cosine| !cosine.is_nan())
    }

    /// Sets a cosine, or leaves a greater one.
    fn raise(&mut self, number: usize, cosine: f32) {
        if let Some(slot) = slot(&mut self.0, number, f32::NAN) {
            *slot = slot.max(cosine);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let all = self.0.iter().copied().enumerate();
        all.filter(|(_, cosine)| !cosine.is_nan())
    }
}

/// Returns the value at a number, with all before it filled.
fn slot<T: Copy>(column: &mut Vec<T>, number: usize, none: T) -> Option<&mut T> {
    if column.len() <= number {
        column.resize((number + 1).next_multiple_of(1024), none);
    }
    column.get_mut(number)
}

impl ModelCosines<'_> {
    /// Returns the model's cosine with a target.
    pub(crate) fn get(&self, target: VectorTarget) -> Option<f32> {
        match target.turn {
            Some(turn) => self.turns.get(turn as usize),
            None => self.chunks.get(target.session as usize),
        }
    }

    /// Returns the model's cosines with all turns.
    pub(crate) fn of_turns(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.turns.iter()
    }
}

/// A turn that some model has embedded, or a session of which one has embedded a chunk, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VectorTarget {
    pub(crate) session: u32,
    pub(crate) turn: Option<u32>,
}

impl VectorTarget {
    /// Returns the session's number in the index.
    pub(crate) fn session_id(self) -> SessionId {
        SessionId::new(self.session.into())
    }

    /// Returns the turn as the index has it.
    pub(crate) fn session_turn(self) -> Option<SessionTurn> {
        let turn = TurnId::new(self.turn?.into());
        let session = self.session_id();
        Some(SessionTurn { turn, session })
    }
}

/// What has to be read from the index to compute a model's cosines.
pub(crate) struct ModelVectors<'a> {
    embedding: &'a QueryEmbedding,
    /// By level; none of sessions where the filter judges single turns.
    levels: Vec<LevelVectors>,
}

struct LevelVectors {
    matrix: VectorMatrix,
    owners: VectorOwners,
}

impl<'a> ModelVectors<'a> {
    /// Opens the vectors of each model.
    pub(crate) fn open(
        index: &Reader,
        filtered: &FilteredIndex<'_>,
        embeddings: &'a [QueryEmbedding],
    ) -> Result<Vec<Self>, StoreError> {
        let embeddings = embeddings.iter().take(MAX_MODELS);
        let open = |embedding: &'a QueryEmbedding| {
            let model = &embedding.model;
            let levels = Level::ALL.into_iter().filter(|level| {
                !embedding.is_zero() && (*level == Level::Turn || !filtered.is_by_turn())
            });
            let open = |level| {
                Ok(LevelVectors {
                    matrix: index.matrix(model, level)?,
                    owners: index.vector_owners(model.id, level)?,
                })
            };
            Ok(Self {
                embedding,
                levels: levels.map(open).collect::<Result<_, StoreError>>()?,
            })
        };
        embeddings.map(open).collect()
    }
}

impl<'a> DenseCosines<'a> {
    /// Computes the cosines of the query with all vectors of each model, or names a model whose vectors are
    /// damaged.
    pub(crate) fn new(models: &[ModelVectors<'a>]) -> Result<Self, DamagedVectors> {
        let mut all = Self::default();
        for vectors in models {
            let mut cosines = ModelCosines {
                embedding: vectors.embedding,
                turns: CosineColumn::default(),
                chunks: CosineColumn::default(),
            };
            for LevelVectors { matrix, owners } in &vectors.levels {
                let products = matrix.dot(&vectors.embedding.vector);
                if is_damaged(matrix, &products) {
                    return Err(DamagedVectors(vectors.embedding.model.name.clone()));
                }
                for row in owners.rows() {
                    if let Some(cosine) = products.get(row.row) {
                        all.add(&mut cosines, &row, *cosine);
                    }
                }
            }
            all.models.push(cosines);
        }
        Ok(all)
    }

    fn add(&mut self, cosines: &mut ModelCosines<'_>, row: &VectorRow, cosine: f32) {
        match row.turn {
            Some(turn) => {
                cosines.turns.raise(turn_number(turn), cosine);
                self.set_session(turn, row);
            }
            None => cosines.chunks.raise(session_number(row), cosine),
        }
    }

    fn set_session(&mut self, turn: TurnId, row: &VectorRow) {
        if let Some(session) = slot(&mut self.sessions, turn_number(turn), 0) {
            *session = u32::try_from(session_number(row)).unwrap_or_default();
        }
    }

    /// Returns the number of a turn's session.
    pub(crate) fn session_of(&self, turn: usize) -> usize {
        self.sessions
            .get(turn)
            .map_or(0, |session| *session as usize)
    }

    /// Returns what any model has embedded that counts at a level: a session counts by its turns, too.
    pub(crate) fn targets(&self, level: Level) -> impl Iterator<Item = VectorTarget> + '_ {
        let turns = self.sessions.iter().zip(0..).filter(|(s, _)| **s != 0);
        let turns = turns.map(|(session, turn)| VectorTarget {
            session: *session,
            turn: Some(turn),
        });
        let longest = self.models.iter().map(|m| m.chunks.0.len()).max();
        let sessions = match level {
            Level::Session => 0..longest.unwrap_or_default(),
            Level::Turn => 0..0,
        };
        let chunks = sessions.filter_map(|session| {
            let target = VectorTarget {
                session: u32::try_from(session).ok()?,
                turn: None,
            };
            let is_embedded = self.models.iter().any(|m| m.get(target).is_some());
            is_embedded.then_some(target)
        });
        turns.chain(chunks)
    }
}

fn session_number(row: &VectorRow) -> usize {
    usize::try_from(i64::from(row.session)).unwrap_or_default()
}

fn turn_number(turn: TurnId) -> usize {
    usize::try_from(i64::from(turn)).unwrap_or_default()
}

/// The name of a model whose vectors are not of unit length.
#[derive(Debug)]
pub(crate) struct DamagedVectors(String);

impl DamagedVectors {
    /// Returns what is wrong with the index.
    pub(crate) fn into_error(self, index: &Reader) -> StoreError {
        StoreError::Corrupt {
            root: index.root().to_owned(),
            what: format!("vectors of model `{}` are not of unit length", self.0),
        }
    }
}

/// The greatest cosine of sound rows: half floats round.
const MAX_COSINE: f32 = 1.05;
/// Greatest number of damaged rows that cost themselves alone.
const MAX_DAMAGED_ROWS: usize = 4;

/// Returns true when a row is too long, or many rows are too short or not finite. Few of these cost
/// themselves alone. The length of a row decides: a sound one may be orthogonal to a query.
fn is_damaged(matrix: &VectorMatrix, cosines: &[f32]) -> bool {
    let not_unit = |(row, _): &(usize, &f32)| !matrix.is_unit(*row);
    let rows = || cosines.iter().enumerate();
    let mut too_long = rows().filter(|(_, cosine)| cosine.abs() > MAX_COSINE);
    let lost = rows().filter(|(_, c)| **c == 0.0).filter(not_unit).count();
    too_long.any(|row| not_unit(&row)) || lost > MAX_DAMAGED_ROWS && 4 * lost > cosines.len()
}
