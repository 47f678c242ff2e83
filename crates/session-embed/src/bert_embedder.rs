//! A sentence transformer over BERT: the mean of a text's tokens.

use crate::batch::{Batch, batches};
use crate::bert::{Bert, Scratch};
use crate::gguf::Gguf;
use crate::kernel::isa::Isa;
use crate::vector::normalise;
use crate::{EmbedError, Embedder, Matrix, ModelSpec, Pooling, WordPiece};
use bytes::Bytes;
use rayon::prelude::*;

/// Tokens of a batch, more or less: enough for the layout of the weights to
/// cost little, few enough for the numbers of a batch to stay in the caches.
const BATCH: usize = 512;
/// Tokens below which a batch is not worth another thread.
const LEAST: usize = 32;

/// A BERT with its tokenizer: `[CLS]`, the text's tokens, `[SEP]`, up to
/// [`ModelSpec::max_tokens`] of them. A text without tokens gets zeros.
#[derive(Debug, Clone)]
pub struct BertEmbedder {
    spec: ModelSpec,
    wordpiece: WordPiece,
    bert: Bert,
    /// Ids of `[CLS]` and `[SEP]`.
    ends: [u32; 2],
}

impl BertEmbedder {
    /// Puts a model together from its weights, a GGUF file with tensors of
    /// `F32` and `Q8_0` that are named as llama.cpp names those of a BERT. They
    /// are used where they lie.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file, [`EmbedError::Mismatch`]
    /// when it does not fit the description or the tokenizer.
    pub fn new(
        spec: ModelSpec,
        wordpiece: WordPiece,
        weights: impl Into<Bytes>,
    ) -> Result<Self, EmbedError> {
        let mismatch = |reason| EmbedError::Mismatch {
            model: spec.name.clone(),
            reason,
        };
        let vocabulary = wordpiece.vocabulary();
        let file = Gguf::open(weights.into())?;
        let bert = Bert::open(&file, vocabulary.len(), spec.max_tokens, Isa::best())?;
        if bert.hidden() != spec.dims || spec.pooling != Pooling::Mean {
            return Err(mismatch(
                "the weights give other vectors than the description",
            ));
        }
        let (Some(first), Some(last)) = (vocabulary.id("[CLS]"), vocabulary.id("[SEP]")) else {
            return Err(mismatch("the vocabulary has no `[CLS]` and `[SEP]`"));
        };
        Ok(Self {
            ends: [first, last],
            spec,
            wordpiece,
            bert,
        })
    }

    /// The tokens of a text between their ends; none for a text without any.
    fn tokens(&self, text: &str) -> Vec<u32> {
        let [first, last] = self.ends;
        let mut ids = Vec::new();
        self.wordpiece
            .encode(text, self.spec.max_tokens.saturating_sub(2), &mut ids);
        if !ids.is_empty() {
            ids.insert(0, first);
            ids.push(last);
        }
        ids
    }

    fn embed(&self, batch: &mut Batch<'_>, scratch: &mut Scratch) {
        let ids = batch.ids.concat();
        let lengths: Vec<usize> = batch.ids.iter().map(Vec::len).collect();
        self.bert.embed(&ids, &lengths, scratch, batch.vectors);
        for (vector, len) in batch.vectors.chunks_exact_mut(self.spec.dims).zip(lengths) {
            match len {
                0 => vector.fill(0.0),
                _ => normalise(vector),
            }
        }
    }
}

impl Embedder for BertEmbedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Batches have no padding, so that texts need no sorting by length.
    fn embed_documents(&self, texts: &[&str]) -> Result<Matrix, EmbedError> {
        let ids: Vec<Vec<u32>> = texts.par_iter().map(|text| self.tokens(text)).collect();
        let all: usize = ids.iter().map(Vec::len).sum();
        let share = all.div_ceil(rayon::current_num_threads());
        let mut vectors = Matrix::zeros((texts.len(), self.spec.dims));
        if let Some(rows) = vectors.as_slice_mut() {
            let mut batches = batches(&ids, rows, self.spec.dims, share.clamp(LEAST, BATCH));
            batches.par_iter_mut().for_each_init(
                || self.bert.scratch(),
                |scratch, batch| self.embed(batch, scratch),
            );
        }
        Ok(vectors)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0; self.spec.dims];
        let query = format!("{}{text}", self.spec.instruction);
        let mut batch = Batch {
            ids: &[self.tokens(&query)],
            vectors: &mut vector,
        };
        self.embed(&mut batch, &mut self.bert.scratch());
        Ok(vector)
    }
}
