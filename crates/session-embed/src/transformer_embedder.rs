//! Transformers as embedders: a tokenizer, an architecture, and batches of
//! texts without padding.

use crate::batch::{TokenBatch, split_batches};
use crate::bert::{BERT_NAMES, Bert, BertConfig};
use crate::file_bytes::FileBytes;
use crate::gguf::Gguf;
use crate::kernel::threads::on_this_thread;
use crate::layers::{Backend, Encoder, LayerReader, PackedBatch};
use crate::qwen3::{self, Qwen3, Qwen3Config, token_embeddings};
use crate::safetensors_file::Safetensors;
use crate::stored_matrix::WeightFile;
use crate::vector::normalize;
use crate::{
    Architecture, Bpe, Device, EmbedError, Embedder, EmbeddingMatrix, ModelSpec, Pooling,
    Precision, WordPiece,
};
use bytes::Bytes;
use rayon::prelude::*;
use std::path::Path;

/// Tokens below which another thread takes longer than it saves.
const LEAST_TOKENS: usize = 32;

/// A transformer with its tokenizer. Up to [`ModelSpec::max_tokens`] tokens of
/// a text are read, special ones included; the vector is cut to
/// [`ModelSpec::dims`] numbers. A text without tokens gets zeros.
#[derive(Debug)]
pub struct TransformerEmbedder {
    spec: ModelSpec,
    tokenizer: Tokenizer,
    encoder: Box<dyn Encoder>,
    batching: BatchSettings,
}

#[derive(Debug)]
enum Tokenizer {
    /// `[CLS]`, the text's tokens, `[SEP]`.
    WordPiece {
        wordpiece: Box<WordPiece>,
        ends: [u32; 2],
    },
    /// The text's tokens, `<|endoftext|>`.
    Bpe(Box<Bpe>),
}

/// The size of batches, and who computes them.
#[derive(Debug, Clone, Copy)]
struct BatchSettings {
    /// Tokens of a batch, more or less: enough for the packing of weights to
    /// cost little, few enough for activations to stay in the caches.
    tokens: usize,
    /// True when a thread takes a batch; else all threads share one, so that
    /// memory does not grow with them.
    is_parallel: bool,
}

const SMALL_MODEL: BatchSettings = BatchSettings {
    tokens: 384,
    is_parallel: true,
};
const LARGE_MODEL: BatchSettings = BatchSettings {
    tokens: 1024,
    is_parallel: false,
};
/// A GPU waits for each operation to be started, however little it has to do.
const ON_GPU: BatchSettings = BatchSettings {
    tokens: 4096,
    is_parallel: false,
};

impl BatchSettings {
    /// Returns these settings where our kernels compute, else those of a GPU.
    fn for_backend(self, backend: &Backend) -> Self {
        match backend.kernels {
            Some(_) => self,
            None => ON_GPU,
        }
    }
}

impl TransformerEmbedder {
    /// Puts a BERT together from its weights, a GGUF file whose tensors are
    /// named as llama.cpp names those of a BERT. On a CPU they are used where
    /// they lie, if they have the precision.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file, [`EmbedError::Mismatch`]
    /// when it does not fit the description or the tokenizer.
    pub fn bert(
        spec: ModelSpec,
        wordpiece: WordPiece,
        weights: impl Into<Bytes>,
        device: Device,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let file = Gguf::open(weights.into())?;
        let config = BertConfig::from_gguf(&file)?;
        Self::bert_from(spec, wordpiece, &config, &file, device, precision)
    }

    /// Opens a BERT from a folder with `config.json` and `model.safetensors`,
    /// whose tensors may be of `F32`, `F16` and `BF16`. The files are mapped, as
    /// those of [`TransformerEmbedder::qwen3`].
    ///
    /// # Errors
    /// As [`TransformerEmbedder::bert`], and [`EmbedError::Io`] when a file is missing.
    pub fn bert_from_folder(
        spec: ModelSpec,
        wordpiece: WordPiece,
        folder: &Path,
        device: Device,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let config = BertConfig::from_json(&fs_err::read(folder.join("config.json"))?)?;
        let file = Safetensors::open(folder, BERT_NAMES)?;
        Self::bert_from(spec, wordpiece, &config, &file, device, precision)
    }

    fn bert_from(
        spec: ModelSpec,
        wordpiece: WordPiece,
        config: &BertConfig,
        file: &dyn WeightFile,
        device: Device,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let backend = device.backend(Architecture::Bert)?;
        let reader = LayerReader {
            file,
            backend: &backend,
            precision,
        };
        keep_freed_memory();
        let vocabulary = wordpiece.vocabulary();
        let encoder = Bert::open(&reader, config, vocabulary.len(), spec.pooling)?;
        let (Some(first), Some(last)) = (vocabulary.id("[CLS]"), vocabulary.id("[SEP]")) else {
            return Err(mismatch(&spec, "the vocabulary has no `[CLS]` and `[SEP]`"));
        };
        if config.hidden_size != spec.dims {
            let reason = "the weights give other vectors than the description";
            return Err(mismatch(&spec, reason));
        }
        if spec.pooling == Pooling::Last {
            let reason = "the pooling of such a model is `mean` or `cls`";
            return Err(mismatch(&spec, reason));
        }
        check_sizes(&spec, config.hidden_size, config.max_positions)?;
        Ok(Self {
            spec,
            tokenizer: Tokenizer::WordPiece {
                wordpiece: Box::new(wordpiece),
                ends: [first, last],
            },
            encoder: Box::new(encoder),
            batching: SMALL_MODEL.for_backend(&backend),
        })
    }

    /// Opens a Qwen3: a GGUF file, which has its tokenizer in it, or a folder
    /// with `config.json`, `tokenizer.json` and `model.safetensors`, or with
    /// the index of several such files. Tensors may be of `F32`, `F16`, `BF16`
    /// and, in GGUF, `Q8_0`. The files are mapped: they must not be changed as
    /// long as the model is in use.
    ///
    /// # Errors
    /// [`EmbedError::At`] with the place, when a file is missing or damaged, or
    /// when the files do not fit the description.
    pub fn qwen3(
        spec: ModelSpec,
        files: &Path,
        device: Device,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let opened = device.backend(Architecture::Qwen3).and_then(|backend| {
            if files.is_dir() {
                Self::qwen3_from_folder(spec, files, &backend, precision)
            } else {
                Self::qwen3_from_gguf(spec, files, &backend, precision)
            }
        });
        opened.map_err(|why| EmbedError::At {
            path: files.to_owned(),
            why: Box::new(why),
        })
    }

    fn qwen3_from_folder(
        spec: ModelSpec,
        folder: &Path,
        backend: &Backend,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let config = Qwen3Config::from_json(&fs_err::read(folder.join("config.json"))?)?;
        let weights = Safetensors::open(folder, qwen3::NAMES)?;
        let reader = LayerReader {
            file: &weights,
            backend,
            precision,
        };
        let tokenizer = || {
            let text = FileBytes::map(&folder.join("tokenizer.json"))?;
            Bpe::from_json(text.as_bytes())
        };
        Self::qwen3_from(spec, &config, &reader, tokenizer)
    }

    fn qwen3_from_gguf(
        spec: ModelSpec,
        path: &Path,
        backend: &Backend,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let file = Gguf::open(FileBytes::map(path)?)?;
        let config = Qwen3Config::from_gguf(&file)?;
        let reader = LayerReader {
            file: &file,
            backend,
            precision,
        };
        Self::qwen3_from(spec, &config, &reader, || Bpe::from_gguf(&file))
    }

    fn qwen3_from(
        spec: ModelSpec,
        config: &Qwen3Config,
        reader: &LayerReader<'_>,
        tokenizer: impl FnOnce() -> Result<Bpe, EmbedError> + Send,
    ) -> Result<Self, EmbedError> {
        keep_freed_memory();
        let vocab_size = token_embeddings(reader.file, config)?.rows();
        let (bpe, encoder) = rayon::join(tokenizer, || Qwen3::open(reader, config));
        let (bpe, encoder) = (bpe?, encoder?);
        if spec.pooling != Pooling::Last {
            return Err(mismatch(&spec, "the pooling of such a model is `last`"));
        }
        check_sizes(&spec, config.hidden_size, config.max_positions)?;
        if bpe.len() > vocab_size {
            let reason = "the tokenizer has tokens that the weights lack";
            return Err(mismatch(&spec, reason));
        }
        Ok(Self {
            spec,
            tokenizer: Tokenizer::Bpe(Box::new(bpe)),
            encoder: Box::new(encoder),
            batching: LARGE_MODEL.for_backend(reader.backend),
        })
    }

    fn embed(&self, batch: &mut TokenBatch<'_>) -> Result<(), EmbedError> {
        let lengths = batch.ids.iter().map(Vec::len).filter(|&len| len > 0);
        let lengths: Vec<usize> = lengths.collect();
        if lengths.is_empty() {
            return Ok(());
        }
        let packed = PackedBatch {
            ids: &batch.ids.concat(),
            lengths: &lengths,
        };
        let rows = self.encoder.forward(&packed)?;
        let rows = rows.flatten_all()?.to_vec1::<f32>()?;
        let mut rows = rows.chunks_exact(self.encoder.hidden_size());
        let vectors = batch.vectors.chunks_exact_mut(self.spec.dims);
        for (vector, _) in vectors.zip(batch.ids).filter(|(_, ids)| !ids.is_empty()) {
            if let Some(row) = rows.next() {
                vector.copy_from_slice(&row[..self.spec.dims]);
            }
            normalize(vector);
            if !vector.iter().all(|x| x.is_finite()) {
                let reason = "the weights give numbers that are not finite";
                return Err(mismatch(&self.spec, reason));
            }
        }
        Ok(())
    }

    /// Returns the tokens of a text after a prefix; none for a text without any.
    fn tokenize(&self, prefix: &str, text: &str) -> Vec<u32> {
        let limit = self.spec.max_tokens;
        let ids = self.tokenizer.encode(text, limit);
        if prefix.is_empty() || ids.is_empty() {
            return ids;
        }
        self.tokenizer.encode(&format!("{prefix}{text}"), limit)
    }

    /// Returns the tokens of a batch, given those of all texts.
    fn tokens_per_batch(&self, all: usize) -> usize {
        let share = all.div_ceil(rayon::current_num_threads());
        if self.batching.is_parallel {
            share.clamp(LEAST_TOKENS, self.batching.tokens)
        } else {
            self.batching.tokens
        }
    }
}

impl Tokenizer {
    /// Returns up to `limit` tokens of a text, special ones included; none for a text
    /// without any.
    fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        match self {
            Self::WordPiece { wordpiece, ends } => {
                wordpiece.encode(text, limit.saturating_sub(2), &mut ids);
                if !ids.is_empty() {
                    ids.insert(0, ends[0]);
                    ids.push(ends[1]);
                }
            }
            Self::Bpe(bpe) => {
                bpe.encode(text, limit.saturating_sub(1), &mut ids);
                if !ids.is_empty() {
                    ids.push(bpe.end_id());
                }
            }
        }
        ids
    }
}

/// Makes glibc keep the memory of a layer's activations for the next layer.
/// It gives freed memory back beyond twice the largest block that it mapped and
/// that was freed; fetching it again takes 4 % of MiniLM's time. The block is
/// never written, so that it takes no memory.
fn keep_freed_memory() {
    const BYTES: usize = 8 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(BYTES)));
}

/// Compares a description with the weights.
fn check_sizes(
    spec: &ModelSpec,
    hidden_size: usize,
    max_positions: usize,
) -> Result<(), EmbedError> {
    if !(1..=hidden_size).contains(&spec.dims) {
        return Err(mismatch(spec, "its vectors are shorter than `dims`"));
    }
    if !(1..=max_positions).contains(&spec.max_tokens) {
        return Err(mismatch(spec, "it reads fewer tokens than `max_tokens`"));
    }
    Ok(())
}

fn mismatch(spec: &ModelSpec, reason: &'static str) -> EmbedError {
    EmbedError::Mismatch {
        model: spec.name.clone(),
        reason,
    }
}

impl Embedder for TransformerEmbedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Batches have no padding, so that texts need no sorting by length.
    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        let ids = texts.par_iter();
        let ids = ids.map(|text| self.tokenize(&self.spec.document_prefix, text));
        let ids: Vec<Vec<u32>> = ids.collect();
        let tokens = self.tokens_per_batch(ids.iter().map(Vec::len).sum());
        let mut vectors = EmbeddingMatrix::zeros((texts.len(), self.spec.dims));
        if let Some(rows) = vectors.as_slice_mut() {
            let mut batches = split_batches(&ids, rows, self.spec.dims, tokens);
            if self.batching.is_parallel && batches.len() > 1 {
                batches
                    .par_iter_mut()
                    .try_for_each(|batch| on_this_thread(|| self.embed(batch)))?
            } else {
                batches.iter_mut().try_for_each(|batch| self.embed(batch))?
            }
        }
        Ok(vectors)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0; self.spec.dims];
        let mut batch = TokenBatch {
            ids: &[self.tokenize(&self.spec.instruction, text)],
            vectors: &mut vector,
        };
        // On a thread of the pool, which else each operation would wake and wait
        // for. For many texts it costs more: each thread keeps memory of its own.
        rayon::scope(|_| self.embed(&mut batch))?;
        Ok(vector)
    }
}
