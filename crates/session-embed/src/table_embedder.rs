//! A static model: a text is the weighted sum of its tokens' vectors.

use crate::hadamard;
use crate::kernel::isa::Isa;
use crate::sum::{WeightedToken, add_rows};
use crate::vector::normalize;
use crate::{EmbedError, Embedder, EmbeddingMatrix, ModelSpec, TokenTable, WordPiece};
use ndarray::parallel::prelude::*;
use ndarray::{ArrayViewMut2, Axis};
use rayon::slice::ParallelSlice;
use session_core::text::WordCache;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Texts given to a thread at once: fewer take less time than waking it.
const TEXTS_PER_TASK: usize = 16;

/// The static model over a token [`TokenTable`].
///
/// Of each text the first [`ModelSpec::max_tokens`] tokens are read, and of
/// these the first count most: a token counts half after
/// [`TokenTable::half_life`] tokens, since texts open with what they are about.
/// The `n`th occurrence of a token counts `√n − √(n−1)`, since a word that occurs four
/// times counts twice as much, not four times. Tokens without a vector (special
/// and unknown ones) count for nothing.
///
/// The first component of a token's vector is much greater than the others, and
/// nearly the same in all. So the vector of a text is rotated by a
/// Walsh-Hadamard transform: an index that rounds it loses less.
#[derive(Debug, Clone)]
pub struct TableEmbedder {
    spec: ModelSpec,
    wordpiece: WordPiece,
    table: TokenTable,
    isa: Isa,
    spare: SpareBuffers,
}

impl TableEmbedder {
    /// Puts a model together.
    ///
    /// # Errors
    /// [`EmbedError::Mismatch`] when the table has not the spec's dims or not
    /// a row for each token.
    pub fn new(
        spec: ModelSpec,
        wordpiece: WordPiece,
        table: TokenTable,
    ) -> Result<Self, EmbedError> {
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
            isa: Isa::detect(),
            spare: SpareBuffers::default(),
        })
    }

    /// Writes the vector of each text over zeros in its row.
    fn embed_rows(&self, mut rows: ArrayViewMut2<'_, f32>, texts: &[&str]) {
        let mut tokens = self.spare.pop_or_default();
        for (mut row, text) in rows.outer_iter_mut().zip(texts) {
            if let Some(row) = row.as_slice_mut() {
                self.embed(text, &mut tokens, row);
            }
        }
        self.spare.push(tokens);
    }

    /// Writes the vector of `text` over zeros in `vector`.
    fn embed(&self, text: &str, tokens: &mut TokenBuffers, vector: &mut [f32]) {
        self.wordpiece.encode_cached(
            text,
            self.spec.max_tokens,
            &mut tokens.cache,
            &mut tokens.ids,
        );
        tokens.compute_weights(&self.table);
        add_rows(self.isa, &self.table, &tokens.weighted, vector);
        hadamard::hadamard_transform(vector);
        normalize(vector);
    }
}

/// The tokens of a text; kept from text to text, so that each costs no
/// allocation.
#[derive(Debug, Default)]
struct TokenBuffers {
    ids: Vec<u32>,
    /// The tokens of the words of earlier texts.
    cache: WordCache,
    /// Each token once, in the order of its first occurrence.
    weighted: Vec<WeightedToken>,
    /// How often each of them occurs.
    counts: Vec<u16>,
    /// Where each token of the table stands in `weighted`, counted from 1; zeros between texts.
    slots: Vec<u16>,
}

impl TokenBuffers {
    /// Computes the weight of each token.
    fn compute_weights(&mut self, table: &TokenTable) {
        let decay = 0.5_f64.powf(1.0 / table.half_life() as f64) as f32;
        let mut position = 1.0;
        self.slots.resize(table.rows(), 0);
        self.weighted.clear();
        self.counts.clear();
        let ids = std::mem::take(&mut self.ids);
        for id in ids.iter().copied() {
            self.count_occurrence(id, position);
            position *= decay;
        }
        self.ids = ids;
        for token in &self.weighted {
            self.slots[token.id as usize] = 0;
        }
    }

    /// Counts an occurrence of a token, and adds to its weight.
    fn count_occurrence(&mut self, id: u32, position: f32) {
        let Some(slot) = self.slots.get_mut(id as usize) else {
            return;
        };
        let Some(at) = slot.checked_sub(1).map(usize::from) else {
            *slot = u16::try_from(self.weighted.len() + 1).unwrap_or(0);
            self.weighted.push(WeightedToken {
                id,
                weight: position,
            });
            self.counts.push(1);
            return;
        };
        let before = f32::from(self.counts[at]);
        self.counts[at] = self.counts[at].saturating_add(1);
        self.weighted[at].weight += position * ((before + 1.0).sqrt() - before.sqrt());
    }
}

/// [`TokenBuffers`] that no thread uses.
#[derive(Debug, Default)]
struct SpareBuffers(Mutex<Vec<TokenBuffers>>);

impl SpareBuffers {
    fn pop_or_default(&self) -> TokenBuffers {
        self.lock().pop().unwrap_or_default()
    }

    fn push(&self, tokens: TokenBuffers) {
        self.lock().push(tokens);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<TokenBuffers>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for SpareBuffers {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Embedder for TableEmbedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        let mut vectors = EmbeddingMatrix::zeros((texts.len(), self.spec.dims));
        if texts.len() <= TEXTS_PER_TASK {
            self.embed_rows(vectors.view_mut(), texts);
            return Ok(vectors);
        }
        let rows = vectors.axis_chunks_iter_mut(Axis(0), TEXTS_PER_TASK);
        let tasks = rows.into_par_iter().zip(texts.par_chunks(TEXTS_PER_TASK));
        tasks.for_each(|(rows, texts)| self.embed_rows(rows, texts));
        Ok(vectors)
    }

    fn known_word_share(&self, text: &str) -> f32 {
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
        let mut tokens = self.spare.pop_or_default();
        self.embed(&query, &mut tokens, &mut vector);
        self.spare.push(tokens);
        Ok(vector)
    }
}
