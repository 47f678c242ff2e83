//! The vectors are those of `transformers`.

use super::checkpoint::{HIDDEN, write_folder, write_gguf, write_parts};
use super::{documents, dot, open, small, spec};
use candle_core::DType;
use candle_core::quantized::GgmlDType;
use proptest::prelude::*;
use serde::Deserialize;
use session_embed::{Embedder, Precision, TransformerEmbedder};
use std::sync::LazyLock;

/// The vector of a text by `transformers`.
#[derive(Deserialize)]
pub struct Qwen3Golden {
    pub text: String,
    pub ids: Vec<u32>,
    vector: Vec<f32>,
}

pub static GOLDEN: LazyLock<Vec<Qwen3Golden>> =
    LazyLock::new(|| serde_json::from_str(include_str!("golden.json")).unwrap());

static SMALL: LazyLock<TransformerEmbedder> = LazyLock::new(|| small(spec()).unwrap());

/// Every text's vector is that near to the peer's, alone and among the others.
pub fn check(model: &dyn Embedder, least: f32) {
    let texts: Vec<&str> = GOLDEN.iter().map(|golden| golden.text.as_str()).collect();
    for (golden, vector) in GOLDEN.iter().zip(documents(model, &texts)) {
        let cosine = dot(&golden.vector, &vector);
        assert!(cosine >= least, "{} tokens: {cosine}", golden.ids.len());
    }
}

#[test]
fn golden_texts_have_all_lengths() {
    let lengths: Vec<usize> = GOLDEN.iter().map(|golden| golden.ids.len()).collect();
    assert_eq!(lengths[..5], [1, 2, 17, 128, 513]);
}

#[test]
fn is_the_peers_in_every_form_of_floats() {
    for form in [DType::F32, DType::F16, DType::BF16] {
        for prefix in ["", "model."] {
            let folder = tempfile::tempdir().unwrap();
            write_folder(folder.path(), form, prefix);
            check(&open(folder.path(), Precision::Stored).unwrap(), 0.99999);
        }
    }
}

#[test]
fn is_the_peers_from_several_files() {
    let folder = tempfile::tempdir().unwrap();
    write_parts(folder.path());
    check(&open(folder.path(), Precision::Stored).unwrap(), 0.99999);
}

#[test]
fn is_the_peers_from_gguf() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    for form in [GgmlDType::F32, GgmlDType::F16, GgmlDType::BF16] {
        write_gguf(&path, form);
        check(&open(&path, Precision::Stored).unwrap(), 0.99999);
    }
}

#[test]
fn is_near_the_peers_when_quantised() {
    check(&*SMALL, 0.999);
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), DType::BF16, "");
    check(&open(folder.path(), Precision::Q8_0).unwrap(), 0.999);
    let path = folder.path().join("model.gguf");
    write_gguf(&path, GgmlDType::F16);
    check(&open(&path, Precision::Q8_0).unwrap(), 0.999);
}

/// Row by row the same as each text alone, to the last bit, and of unit length.
fn check_alone(texts: &[&str]) {
    let vectors = documents(&*SMALL, texts);
    assert_eq!(vectors.len(), texts.len());
    for (text, vector) in texts.iter().zip(vectors) {
        assert_eq!(documents(&*SMALL, &[text])[0], vector, "{text:?}");
        let length = dot(&vector, &vector).sqrt();
        let expected = if text.is_empty() { 0.0 } else { 1.0 };
        assert!((length - expected).abs() < 1e-5, "{text:?}: {length}");
    }
}

#[test]
fn a_batch_is_its_texts_alone() {
    let long = "The cache key has the time in it. ".repeat(60);
    check_alone(&[
        "one",
        "",
        &long,
        "two words",
        "one",
        " \n",
        "",
        "東京 👍",
        &long,
        "x",
        &long,
    ]);
    check_alone(&["ab cd", "cd ab", "ab ab", "cd cd"]);
    check_alone(&["", ""]);
    check_alone(&[]);
}

#[test]
fn a_query_has_the_instruction_and_a_document_has_not() {
    let query = SMALL.embed_query("why").unwrap();
    let whole = format!("{}why", SMALL.spec().instruction);
    assert_eq!(query, documents(&*SMALL, &[&whole])[0]);
    assert_ne!(query, documents(&*SMALL, &["why"])[0]);
    assert_eq!(SMALL.embed_query("").unwrap(), [0.0; HIDDEN]);
}

#[test]
fn fewer_dims_are_the_first_ones() {
    let mut short = spec();
    short.dims = 24;
    let [whole, cut] = [spec(), short.clone()].map(|spec| {
        let model = small(spec).unwrap();
        documents(&model, &["a text"]).remove(0)
    });
    assert_eq!(cut.len(), 24);
    assert!((dot(&cut, &cut) - 1.0).abs() < 1e-5);
    let first = &whole[..24];
    assert!((dot(&cut, first) / dot(first, first).sqrt() - 1.0).abs() < 1e-5);
    assert_ne!(short.fingerprint(), spec().fingerprint());
}

#[test]
fn tokens_beyond_the_limit_are_not_read() {
    let mut short = spec();
    short.max_tokens = 8;
    let model = small(short).unwrap();
    let text = GOLDEN[3].text.as_str();
    let vectors = documents(&model, &[text, &format!("{text} other words"), "other"]);
    assert_eq!(vectors[0], vectors[1]);
    assert_ne!(vectors[0], vectors[2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_batch_is_its_texts_alone(texts in prop::collection::vec("(\\PC|[a-z]{1,9} ){0,60}", 0..9)) {
        check_alone(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
