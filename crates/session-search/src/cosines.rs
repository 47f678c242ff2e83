//! The candidates by vector: the cosines of the query with what each model has embedded.

use crate::filtered_index::FilteredIndex;
use crate::model_scores::{MAX_MODELS, TargetCosines};
use crate::request::Level;
use crate::rescoring::TextCosines;
use session_core::CosineScale;
use session_store::{
    DocumentKind, ModelRow, Reader, RowProducts, SessionId, StoreError, TurnColumns, TurnId,
    VectorMatrix, VectorOwners, VectorRow,
};
use std::ops::Range;
use std::sync::Arc;

/// A query as a model embeds it.
#[derive(Debug, Clone)]
pub struct QueryEmbedding {
    /// The model, as the index has it.
    pub model: ModelRow,
    /// The query's vector, unit length; all zero when the model knows no word of it.
    pub vector: Vec<f32>,
    /// The share of the query's words that the model knows whole, 0 to 1.
    pub known_word_share: f32,
    /// The share of the query's letters that are of a script that the model reads, 0 to 1.
    pub readable_letter_share: f32,
    /// The scale of the model's cosines.
    pub scale: CosineScale,
    /// Computes cosines anew from texts, where the model embeds a text in no time.
    pub text_cosines: Option<Arc<dyn TextCosines>>,
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
}

/// The cosines of a query with all that one model has embedded, by the numbers of turns and of sessions.
pub(crate) struct ModelCosines<'a> {
    pub(crate) embedding: &'a QueryEmbedding,
    turns: CosineColumn,
    /// The best chunk of each session; empty where the filter filters single turns, since a chunk has text of all turns.
    chunks: CosineColumn,
    /// The variance of what the rounding of stored vectors adds to a cosine.
    pub(crate) rounding_variance: f64,
}

/// Greatest length of a column: half a GB of cosines.
const MAX_COLUMN_LEN: usize = 1 << 27;

/// Cosines by the number of a turn or session, NaN where there is none.
#[derive(Default)]
struct CosineColumn(Vec<f32>);

impl CosineColumn {
    fn get(&self, number: usize) -> Option<f32> {
        let cosine = self.0.get(number).copied();
        cosine.filter(|cosine| !cosine.is_nan())
    }

    /// Sets a cosine unless a greater one is set. A number beyond [`MAX_COLUMN_LEN`], which only a damaged index has, is ignored.
    fn set_max(&mut self, number: usize, cosine: f32) {
        if number >= MAX_COLUMN_LEN {
            return;
        }
        if self.0.len() <= number {
            self.0.resize((number + 1).next_multiple_of(1024), f32::NAN);
        }
        if let Some(greatest) = self.0.get_mut(number) {
            *greatest = greatest.max(cosine);
        }
    }
}

impl ModelCosines<'_> {
    /// Returns the model's cosine with a target.
    pub(crate) fn get(&self, target: VectorTarget) -> Option<f32> {
        match target.turn {
            Some(turn) => self.turns.get(turn.as_index()),
            None => self.chunks.get(target.session.as_index()),
        }
    }

    fn add(&mut self, row: &VectorRow, cosine: f32) {
        match row.turn {
            Some(turn) => self.turns.set_max(turn.as_index(), cosine),
            None => self.chunks.set_max(row.session.as_index(), cosine),
        }
    }
}

/// A turn that some model has embedded, or a session of which one has embedded a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct VectorTarget {
    pub(crate) session: SessionId,
    pub(crate) turn: Option<TurnId>,
}

/// The vectors of one model with the query by it: the input of [`DenseCosines::new`].
pub(crate) struct ModelVectors<'a> {
    embedding: &'a QueryEmbedding,
    /// By document kind; without chunks where the filter filters single turns.
    by_kind: Vec<OwnedVectors>,
}

/// The vectors of one kind of documents, with the turns or sessions that own them.
struct OwnedVectors {
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
        // The first is the chosen model, the last one the table: it covers all sessions.
        let beyond = embeddings.len().saturating_sub(MAX_MODELS);
        let first = embeddings.iter().take(1);
        let embeddings = first.chain(embeddings.iter().skip(1 + beyond));
        let open = |embedding: &'a QueryEmbedding| {
            let model = &embedding.model;
            let kinds = DocumentKind::ALL.into_iter().filter(|kind| {
                !embedding.is_zero() && (*kind == DocumentKind::Turn || !filtered.filters_turns())
            });
            let open = |kind| {
                Ok(OwnedVectors {
                    matrix: index.matrix(model, kind)?,
                    owners: index.vector_owners(model.id, kind)?,
                })
            };
            Ok(Self {
                embedding,
                by_kind: kinds.map(open).collect::<Result<_, StoreError>>()?,
            })
        };
        embeddings.map(open).collect()
    }

    /// Counts the rows of its matrices.
    pub(crate) fn count_rows(&self) -> usize {
        self.by_kind.iter().map(|one| one.matrix.rows()).sum()
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
                rounding_variance: 0.0,
            };
            for OwnedVectors { matrix, owners } in &vectors.by_kind {
                let RowProducts {
                    products,
                    rounding_variance,
                } = matrix.dot(&vectors.embedding.vector);
                if has_damaged_rows(matrix, &products) {
                    return Err(DamagedVectors(vectors.embedding.model.name.clone()));
                }
                let greatest = cosines.rounding_variance.max(rounding_variance);
                cosines.rounding_variance = greatest;
                for row in owners.rows() {
                    if let Some(cosine) = products.get(row.row) {
                        cosines.add(&row, *cosine);
                    }
                }
            }
            all.models.push(cosines);
        }
        Ok(all)
    }

    /// Returns each model's cosine with a target.
    pub(crate) fn target_cosines(&self, target: VectorTarget) -> TargetCosines {
        let mut cosines = TargetCosines::default();
        for (number, model) in self.models.iter().enumerate() {
            if let Some(cosine) = model.get(target) {
                cosines.set(number, cosine);
            }
        }
        cosines
    }

    /// Returns how many numbers the targets of a level have: those of turns, and at session level behind them those of
    /// sessions, which stand for their chunks.
    pub(crate) fn target_numbers(&self, level: Level) -> Range<usize> {
        0..match level {
            Level::Session => self.turn_numbers() + self.session_numbers(),
            Level::Turn => self.turn_numbers(),
        }
    }

    fn turn_numbers(&self) -> usize {
        let counts = self.models.iter().map(|model| model.turns.0.len());
        counts.max().unwrap_or_default()
    }

    fn session_numbers(&self) -> usize {
        let counts = self.models.iter().map(|model| model.chunks.0.len());
        counts.max().unwrap_or_default()
    }

    /// Lists the targets with some of the [numbers](Self::target_numbers) that a model has embedded. `turns` are the index's.
    pub(crate) fn list_targets<'t>(
        &'t self,
        numbers: Range<usize>,
        turns: &'t TurnColumns,
    ) -> impl Iterator<Item = VectorTarget> + 't {
        let turn_numbers = self.turn_numbers();
        let turn_targets =
            (numbers.start..numbers.end.min(turn_numbers)).filter_map(move |number| {
                let turn = TurnId::new(number.cast_signed() as i64);
                let session = turns.session_of(turn)?;
                Some(VectorTarget {
                    session,
                    turn: Some(turn),
                })
            });
        let chunk_targets =
            (numbers.start.max(turn_numbers)..numbers.end).map(move |number| VectorTarget {
                session: SessionId::new((number - turn_numbers).cast_signed() as i64),
                turn: None,
            });
        let is_embedded =
            |target: &VectorTarget| self.models.iter().any(|m| m.get(*target).is_some());
        turn_targets.chain(chunk_targets).filter(is_embedded)
    }
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

/// The greatest cosine of rows of unit length, with room for their rounding to 8 bits a component.
const MAX_COSINE: f32 = 1.05;
/// Greatest number of rows without a length that are ignored: their turns are not found by vector, all others are.
const MAX_DAMAGED_ROWS: usize = 4;

/// Returns true when a row is too long, or when more than [`MAX_DAMAGED_ROWS`] and a quarter of all rows are zero or not
/// finite. The length of a row decides, not its cosine of 0: a row of unit length may be orthogonal to a query.
fn has_damaged_rows(matrix: &VectorMatrix, cosines: &[f32]) -> bool {
    let not_unit = |(row, _): &(usize, &f32)| !matrix.is_unit(*row);
    let rows = || cosines.iter().enumerate();
    let mut too_long = rows().filter(|(_, cosine)| cosine.abs() > MAX_COSINE);
    let lost = rows().filter(|(_, c)| **c == 0.0).filter(not_unit).count();
    too_long.any(|row| not_unit(&row)) || lost > MAX_DAMAGED_ROWS && 4 * lost > cosines.len()
}
