//! A static model: a text is the weighted sum of its tokens' vectors.

use crate::hadamard;
use crate::sum::{Weighted, add_rows};
use crate::vector::normalize;
use crate::{EmbedError, Embedder, Matrix, ModelSpec, Table, WordPiece};
use ndarray::parallel::prelude::*;
use ndarray::{ArrayViewMut2, Axis};
use rayon::slice::ParallelSlice;
use session_core::text::RunMemo;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Texts given to a thread at once: fewer are not worth waking it.
const TEXTS_PER_TASK: usize = 16;

/// The static model over a token [`Table`].
///
/// Of each text the first [`ModelSpec::max_tokens`] tokens are read, and of
/// these the first count most: a token counts half after
/// [`Table::half_life`] tokens, since texts open with what they are about.
/// The `n`th occurrence of a token counts `√n − √(n−1)`, since a word that occurs four
/// times is twice as telling, not four times. Tokens without a vector (special
/// and unknown ones) count for nothing.
///
/// The first component of a token's vector is much greater than the others, and
/// nearly the same in all. So the vector of a text is rotated by a
/// Walsh-Hadamard transform: an index that rounds it loses less.
#[derive(Debug, Clone)]
pub struct TableEmbedder {
    spec: ModelSpec,
    wordpiece: WordPiece,
    table: Table,
    spare: SpareTokens,
}

impl TableEmbedder {
    /// Puts a model together.
    ///
    /// # Errors
    /// [`EmbedError::Mismatch`] when the table has not the spec's dims or not
    /// a row for each token.
    pub fn new(spec: ModelSpec, wordpiece: WordPiece, table: Table) -> Result<Self, EmbedError> {
        let mismatch = |reason| EmbedError::Mismatch {
            model: spec.name.clone(),
            reason,
        };
        if table.dims() != spec.dims {
            return Err(mismatch("the table has other dims than the description"));
        }
        if table.rows() != wordpiece.vocabulary().len() {
            return Err(mismatch("the table has not a row for each token"));
        }
        Ok(Self {
            spec,
            wordpiece,
            table,
            spare: SpareTokens::default(),
        })
    }

    /// Writes the vector of each text over zeros in its row.
    fn embed_rows(&self, mut rows: ArrayViewMut2<'_, f32>, texts: &[&str]) {
        let mut tokens = self.spare.take();
        for (mut row, text) in rows.outer_iter_mut().zip(texts) {
            if let Some(row) = row.as_slice_mut() {
                self.embed(text, &mut tokens, row);
            }
        }
        self.spare.give_back(tokens);
    }

    /// Writes the vector of `text` over zeros in `vector`.
    fn embed(&self, text: &str, tokens: &mut Tokens, vector: &mut [f32]) {
        self.wordpiece.encode_known(
            text,
            self.spec.max_tokens,
            &mut tokens.known,
            &mut tokens.ids,
        );
        tokens.weigh(&self.table);
        add_rows(&self.table, &tokens.weighted, vector);
        hadamard::transform(vector);
        normalize(vector);
    }
}

/// The tokens of a text; kept from text to text, so that each costs no
/// allocation.
#[derive(Debug, Default)]
struct Tokens {
    ids: Vec<u32>,
    /// The tokens of runs of letters that earlier texts had.
    known: RunMemo,
    weighted: Vec<Weighted>,
    /// Occurrences of each token of the table; zeros between texts.
    counts: Vec<u16>,
}

impl Tokens {
    /// Says how much each of the ids counts.
    fn weigh(&mut self, table: &Table) {
        let decay = 0.5_f64.powf(1.0 / table.half_life() as f64) as f32;
        let mut position = 1.0;
        self.counts.resize(table.rows(), 0);
        self.weighted.clear();
        for &id in &self.ids {
            self.weighted
                .push((id, position * count(&mut self.counts, id)));
            position *= decay;
        }
        for &id in &self.ids {
            self.counts
                .get_mut(id as usize)
                .into_iter()
                .for_each(|count| *count = 0);
        }
    }
}

/// [`Tokens`] that no thread uses.
#[derive(Debug, Default)]
struct SpareTokens(Mutex<Vec<Tokens>>);

impl SpareTokens {
    fn take(&self) -> Tokens {
        self.all().pop().unwrap_or_default()
    }

    fn give_back(&self, tokens: Tokens) {
        self.all().push(tokens);
    }

    fn all(&self) -> MutexGuard<'_, Vec<Tokens>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for SpareTokens {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Counts an occurrence of a token and says how much it adds.
fn count(counts: &mut [u16], id: u32) -> f32 {
    let Some(occurrences) = counts.get_mut(id as usize) else {
        return 0.0;
    };
    let before = f32::from(*occurrences);
    *occurrences = occurrences.saturating_add(1);
    (before + 1.0).sqrt() - before.sqrt()
}

impl Embedder for TableEmbedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Matrix, EmbedError> {
        let mut vectors = Matrix::zeros((texts.len(), self.spec.dims));
        if texts.len() <= TEXTS_PER_TASK {
            self.embed_rows(vectors.view_mut(), texts);
            return Ok(vectors);
        }
        let rows = vectors.axis_chunks_iter_mut(Axis(0), TEXTS_PER_TASK);
        let tasks = rows.into_par_iter().zip(texts.par_chunks(TEXTS_PER_TASK));
        tasks.for_each(|(rows, texts)| self.embed_rows(rows, texts));
        Ok(vectors)
    }

    fn known(&self, text: &str) -> f32 {
        let mut ids = Vec::new();
        self.wordpiece.encode(text, self.spec.max_tokens, &mut ids);
        let token = |id: &u32| self.wordpiece.vocabulary().token(*id);
        let tokens: Vec<&str> = ids.iter().filter_map(token).collect();
        let (mut words, mut broken) = (0.0_f32, 0.0_f32);
        for (i, token) in tokens.iter().enumerate() {
            let is_whole = !tokens.get(i + 1).is_some_and(|next| next.starts_with("##"));
            if *token == "[UNK]" || token.starts_with(char::is_alphanumeric) {
                words += 1.0;
                broken += f32::from(u8::from(!is_whole || *token == "[UNK]"));
            }
        }
        1.0 - broken / words.max(1.0)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0; self.spec.dims];
        let query = format!("{}{text}", self.spec.instruction);
        let mut tokens = self.spare.take();
        self.embed(&query, &mut tokens, &mut vector);
        self.spare.give_back(tokens);
        Ok(vector)
    }
}
