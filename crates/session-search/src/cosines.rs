//! The candidates by vector: the cosines of the query with what each model has embedded.

use crate::filtered_index::FilteredIndex;
use crate::model_scores::MAX_MODELS;
use session_core::CosineScale;
use session_store::{Level, ModelRow, Reader, StoreError, VectorMatrix, VectorRow};
use std::borrow::Cow;

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

/// The cosine of the query with one row of a matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowCosine {
    pub(crate) cosine: f32,
    pub(crate) row: VectorRow,
}

/// The cosines of a query with all that a model has embedded.
pub(crate) struct ModelCosines<'a> {
    pub(crate) embedding: &'a QueryEmbedding,
    turns: Vec<RowCosine>,
    /// The best chunk of each session; none where the filter judges single turns.
    chunks: Vec<RowCosine>,
}

impl ModelCosines<'_> {
    /// Returns the cosines that count at a level: a session counts by its turns, too.
    pub(crate) fn at_level(&self, level: Level) -> Cow<'_, [RowCosine]> {
        match level {
            Level::Session => [self.turns.as_slice(), &self.chunks].concat().into(),
            Level::Turn => self.turns.as_slice().into(),
        }
    }
}

/// Computes the cosines of the query with all vectors of each model.
pub(crate) fn read<'a>(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    embeddings: &'a [QueryEmbedding],
) -> Result<Vec<ModelCosines<'a>>, StoreError> {
    let of_model = |embedding: &'a QueryEmbedding| {
        let chunks = match filtered.is_by_turn() {
            true => Vec::new(),
            false => best_chunks(row_cosines(index, embedding, Level::Session)?),
        };
        Ok(ModelCosines {
            embedding,
            turns: row_cosines(index, embedding, Level::Turn)?,
            chunks,
        })
    };
    embeddings.iter().take(MAX_MODELS).map(of_model).collect()
}

/// Keeps the best chunk of each session.
fn best_chunks(mut chunks: Vec<RowCosine>) -> Vec<RowCosine> {
    chunks.sort_unstable_by(|a, b| {
        let by_session = a.row.session.cmp(&b.row.session);
        by_session
            .then(b.cosine.total_cmp(&a.cosine))
            .then(a.row.row.cmp(&b.row.row))
    });
    chunks.dedup_by_key(|chunk| chunk.row.session);
    chunks
}

fn row_cosines(
    index: &Reader,
    embedding: &QueryEmbedding,
    level: Level,
) -> Result<Vec<RowCosine>, StoreError> {
    if embedding.is_zero() {
        return Ok(Vec::new());
    }
    let model = &embedding.model;
    let matrix = index.matrix(model, level)?;
    let cosines = matrix.dot(&embedding.vector);
    let rows = index.vector_rows(model.id, level)?;
    if is_damaged(&matrix, &cosines) {
        return Err(StoreError::Corrupt {
            root: index.root().to_owned(),
            what: format!("vectors of model `{}` are not of unit length", model.name),
        });
    }
    let with_cosine = |row: VectorRow| {
        let cosine = *cosines.get(row.row)?;
        Some(RowCosine { cosine, row })
    };
    Ok(rows.into_iter().filter_map(with_cosine).collect())
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
