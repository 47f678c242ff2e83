//! Qwen3-Embedding: what is known of a text's last token.

use crate::batch::{Batch, batches};
use crate::device::Decoder;
use crate::gguf::Gguf;
use crate::qwen3::{Config, words};
use crate::safetensors_file::Safetensors;
use crate::source::Source;
use crate::tensor::Weights;
use crate::vector::normalise;
use crate::{Bpe, Device, EmbedError, Embedder, Matrix, ModelSpec, Pooling, Precision};
use rayon::prelude::*;
use std::path::Path;

/// Tokens of a batch, more or less: enough for the layout of the weights to
/// cost little, few enough for the batch to take little memory.
const BATCH: usize = 1024;

/// A Qwen3 with its tokenizer: the text's tokens, then `<|endoftext|>`, up to
/// [`ModelSpec::max_tokens`] of them. The vector is cut to [`ModelSpec::dims`]
/// numbers. A text without tokens gets zeros.
#[derive(Debug)]
pub struct Qwen3Embedder {
    spec: ModelSpec,
    bpe: Bpe,
    /// Length of a vector before it is cut.
    hidden: usize,
    decoder: Box<dyn Decoder>,
}

impl Qwen3Embedder {
    /// Opens a model: a GGUF file, which has its tokenizer in it, or a folder
    /// with `config.json`, `tokenizer.json` and `model.safetensors`, or with
    /// the index of several such files. Tensors may be of `F32`, `F16`, `BF16`
    /// and, in GGUF, `Q8_0`. The files are mapped: they must not be changed as
    /// long as the model is in use.
    ///
    /// # Errors
    /// [`EmbedError::At`] with the place, when a file is missing or damaged, or
    /// when the files do not fit the description.
    pub fn open(
        spec: ModelSpec,
        files: &Path,
        device: Device,
        precision: Precision,
    ) -> Result<Self, EmbedError> {
        let opened = if files.is_dir() {
            Self::from_folder(spec, files, (device, precision))
        } else {
            Self::from_gguf(spec, files, (device, precision))
        };
        opened.map_err(|why| EmbedError::At {
            path: files.to_owned(),
            why: Box::new(why),
        })
    }

    fn from_folder(
        spec: ModelSpec,
        folder: &Path,
        how: (Device, Precision),
    ) -> Result<Self, EmbedError> {
        let config = Config::from_json(&fs_err::read(folder.join("config.json"))?)?;
        let weights = Safetensors::open(folder)?;
        let tokenizer = || {
            let text = Source::map(&folder.join("tokenizer.json"))?;
            Bpe::from_json(text.whole())
        };
        Self::new(spec, config, &weights, how, tokenizer)
    }

    fn from_gguf(
        spec: ModelSpec,
        path: &Path,
        how: (Device, Precision),
    ) -> Result<Self, EmbedError> {
        let file = Gguf::open(Source::map(path)?)?;
        let config = Config::from_gguf(&file)?;
        Self::new(spec, config, &file, how, || Bpe::from_gguf(&file))
    }

    fn new(
        spec: ModelSpec,
        config: Config,
        weights: &(dyn Weights + Sync),
        (device, precision): (Device, Precision),
        tokenizer: impl FnOnce() -> Result<Bpe, EmbedError> + Send,
    ) -> Result<Self, EmbedError> {
        let vocabulary = words(weights, &config)?.rows();
        let decoder = || device.decoder(weights, config, precision);
        let (bpe, decoder) = rayon::join(tokenizer, decoder);
        let (bpe, decoder) = (bpe?, decoder?);
        let fits = check(&spec, &config, bpe.len() <= vocabulary);
        fits.map_err(|reason| EmbedError::Mismatch {
            model: spec.name.clone(),
            reason,
        })?;
        Ok(Self {
            spec,
            bpe,
            hidden: config.hidden,
            decoder,
        })
    }

    /// The tokens of a text and its end; none for a text without any.
    fn tokens(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let limit = self.spec.max_tokens.saturating_sub(1);
        self.bpe.encode(text, limit, &mut ids);
        if !ids.is_empty() {
            ids.push(self.bpe.end());
        }
        ids
    }

    fn embed(&self, batch: &mut Batch<'_>) -> Result<(), EmbedError> {
        let ids = batch.ids.concat();
        let lengths: Vec<usize> = batch.ids.iter().map(Vec::len).collect();
        let mut whole = vec![0.0; lengths.len() * self.hidden];
        self.decoder.embed(&ids, &lengths, &mut whole)?;
        let whole = whole.chunks_exact(self.hidden);
        let rows = batch.vectors.chunks_exact_mut(self.spec.dims);
        for (vector, whole) in rows.zip(whole) {
            vector.copy_from_slice(&whole[..self.spec.dims]);
            normalise(vector);
            if !vector.iter().all(|x| x.is_finite()) {
                return Err(EmbedError::Mismatch {
                    model: self.spec.name.clone(),
                    reason: "the weights give numbers that are not finite",
                });
            }
        }
        Ok(())
    }
}

/// Says what does not fit.
fn check(spec: &ModelSpec, config: &Config, has_tokens: bool) -> Result<(), &'static str> {
    if spec.pooling != Pooling::Last {
        return Err("the pooling of such a model is `last`");
    }
    if !(1..=config.hidden).contains(&spec.dims) {
        return Err("its vectors are shorter than `dims`");
    }
    if !(1..=config.positions).contains(&spec.max_tokens) {
        return Err("it reads fewer tokens than `max_tokens`");
    }
    if !has_tokens {
        return Err("the tokenizer has tokens that the weights lack");
    }
    Ok(())
}

impl Embedder for Qwen3Embedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Matrix, EmbedError> {
        let ids: Vec<Vec<u32>> = texts.par_iter().map(|text| self.tokens(text)).collect();
        let mut vectors = Matrix::zeros((texts.len(), self.spec.dims));
        if let Some(rows) = vectors.as_slice_mut() {
            for mut batch in batches(&ids, rows, self.spec.dims, BATCH) {
                self.embed(&mut batch)?;
            }
        }
        Ok(vectors)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0; self.spec.dims];
        if !text.is_empty() {
            let query = format!("{}{text}", self.spec.instruction);
            let mut batch = Batch {
                ids: &[self.tokens(&query)],
                vectors: &mut vector,
            };
            self.embed(&mut batch)?;
        }
        Ok(vector)
    }
}
