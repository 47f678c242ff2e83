//! That our kernels and candle's own operations, which GPUs use, compute the
//! same vectors.

use super::{Backend, Encoder, LayerReader, PackedBatch};
use crate::bert::{Bert, BertConfig};
use crate::device::Precision;
use crate::file_bytes::FileBytes;
use crate::gguf::Gguf;
use crate::kernel::isa::Isa;
use crate::qwen3::{Qwen3, Qwen3Config};
use crate::{EmbedError, Pooling};
use std::path::Path;

const LENGTHS: [usize; 7] = [1, 40, 3, 400, 33, 350, 20];
/// Tokens of all-MiniLM-L6-v2.
const VOCAB_SIZE: usize = 30_522;

type OpenEncoder = fn(&LayerReader<'_>, &Gguf) -> Result<Box<dyn Encoder>, EmbedError>;

fn models() -> [(Gguf, OpenEncoder); 2] {
    let open = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        Gguf::open(FileBytes::map(&path).unwrap()).unwrap()
    };
    let bert: OpenEncoder = |reader, file| {
        let config = BertConfig::from_gguf(file)?;
        let pooling = Pooling::Mean;
        Ok(Box::new(Bert::open(reader, &config, VOCAB_SIZE, pooling)?))
    };
    let qwen3: OpenEncoder = |reader, file| {
        let config = Qwen3Config::from_gguf(file)?;
        Ok(Box::new(Qwen3::open(reader, &config)?))
    };
    [
        (open("../../models/all-minilm-l6-v2-q8_0.gguf"), bert),
        (open("tests/it/qwen3/q8_0.gguf"), qwen3),
    ]
}

/// Returns the embeddings, a row a text.
fn rows((file, open): &(Gguf, OpenEncoder), kernels: Option<Isa>) -> Vec<Vec<f32>> {
    let backend = Backend {
        device: candle_core::Device::Cpu,
        kernels,
    };
    let reader = LayerReader {
        file,
        backend: &backend,
        precision: Precision::default(),
    };
    let count = LENGTHS.iter().sum::<usize>() as u32;
    let ids: Vec<u32> = (0..count).map(|at| at * at % 500).collect();
    let batch = PackedBatch {
        ids: &ids,
        lengths: &LENGTHS,
    };
    let model = open(&reader, file).unwrap();
    model.forward(&batch).unwrap().to_vec2().unwrap()
}

fn check(ours: &[Vec<f32>], others: &[Vec<f32>], least: f32) {
    assert_eq!(ours.len(), LENGTHS.len());
    for (a, b) in ours.iter().zip(others) {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let cosine = dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
        assert!(cosine >= least, "cosine {cosine}");
    }
}

#[test]
fn candle_computes_the_same() {
    for model in models() {
        // The portable product takes weights as they are.
        let portable = rows(&model, Some(Isa::detect_all()[0]));
        check(&portable, &rows(&model, None), 0.999_999);
    }
}

#[test]
fn every_isa_computes_nearly_the_same() {
    for model in models() {
        let portable = rows(&model, Some(Isa::detect_all()[0]));
        for isa in Isa::detect_all() {
            check(&rows(&model, Some(isa)), &portable, 0.998);
        }
    }
}
