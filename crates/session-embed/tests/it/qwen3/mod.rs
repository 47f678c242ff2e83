//! A small random Qwen3 beside `transformers`.
//!
//! `benches/qwen3_golden.py` made the files in this folder; `checkpoint.rs`
//! makes the same weights by the same formula.

mod checkpoint;
#[cfg(feature = "cuda")]
mod cuda;
mod files;
mod golden;
mod tokenizer;

use session_embed::{Device, EmbedError, Embedder, ModelSpec, Precision, TransformerEmbedder};
use std::path::Path;

static TOKENIZER: &[u8] = include_bytes!("tokenizer.json");
static Q8_0: &[u8] = include_bytes!("q8_0.gguf");

fn spec() -> ModelSpec {
    let spec = include_str!("../../../../../models/qwen3-embedding-0.6b.toml");
    let mut spec = ModelSpec::from_toml(spec).unwrap();
    (spec.dims, spec.max_tokens) = (checkpoint::HIDDEN, checkpoint::POSITIONS);
    spec
}

fn open(files: &Path, precision: Precision) -> Result<TransformerEmbedder, EmbedError> {
    TransformerEmbedder::qwen3(spec(), files, Device::Cpu, precision)
}

/// The model of `q8_0.gguf`, described by `spec`.
fn small(spec: ModelSpec) -> Result<TransformerEmbedder, EmbedError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.gguf");
    fs_err::write(&path, Q8_0).unwrap();
    TransformerEmbedder::qwen3(spec, &path, Device::Cpu, Precision::Q8_0)
}

fn documents(model: &dyn Embedder, texts: &[&str]) -> Vec<Vec<f32>> {
    let vectors = model.embed_documents(texts).unwrap();
    vectors.outer_iter().map(|row| row.to_vec()).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
