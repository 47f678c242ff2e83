//! all-MiniLM-L6-v2 with its real weights, beside onnxruntime's vectors.
//!
//! `minilm.golden` has those of the texts in `benches/embed_texts.json`; made by
//! `benches/embed_peer.py`.

use crate::{model_dir, quantise, read, wordpiece};
use candle_core::quantized::GgmlDType;
use proptest::prelude::*;
use session_embed::{
    Device, Embedder, EmbeddingMatrix, Precision, TransformerEmbedder, open_minilm,
};
use std::sync::LazyLock;

static MODEL: LazyLock<Box<dyn Embedder>> = LazyLock::new(|| open_minilm().unwrap());

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../benches/embed_texts.json")).unwrap()
});

static GOLDEN: &[u8] = include_bytes!("minilm.golden");

fn embed(model: &dyn Embedder, texts: &[&str]) -> EmbeddingMatrix {
    model.embed_documents(texts).unwrap()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Every text's vector is that near to onnxruntime's.
fn check(model: &dyn Embedder, least: f32) {
    let texts: Vec<&str> = TEXTS.iter().map(String::as_str).collect();
    let golden = GOLDEN.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x));
    let golden: Vec<f32> = golden.collect();
    assert_eq!(golden.len(), texts.len() * 384);
    let vectors = embed(model, &texts);
    for ((text, vector), golden) in texts.iter().zip(vectors.rows()).zip(golden.chunks(384)) {
        let cosine = dot(vector.as_slice().unwrap(), golden);
        assert!(cosine >= least, "{text:?}: {cosine}");
    }
}

#[test]
fn is_near_onnxruntime_as_shipped() {
    check(MODEL.as_ref(), 0.998);
}

#[test]
fn is_onnxruntime_in_f32() {
    let Some(folder) = model_dir() else { return };
    let weights = quantise::quantise(&folder, GgmlDType::F32).unwrap();
    let (spec, precision) = (MODEL.spec().clone(), Precision::Stored);
    let model =
        TransformerEmbedder::bert(spec, wordpiece(), weights, Device::Cpu, precision).unwrap();
    check(&model, 0.99999);
}

#[test]
fn quantising_again_gives_the_committed_file() {
    let Some(folder) = model_dir() else { return };
    let again = quantise::quantise(&folder, GgmlDType::Q8_0).unwrap();
    assert!(
        again == read("all-minilm-l6-v2-q8_0.gguf"),
        "the file differs"
    );
}

/// Row by row the same as each text alone, to the last bit.
fn check_alone(texts: &[&str]) {
    let vectors = embed(MODEL.as_ref(), texts);
    assert_eq!(vectors.dim(), (texts.len(), 384));
    for (text, vector) in texts.iter().zip(vectors.rows()) {
        let alone = MODEL.embed_query(text).unwrap();
        assert_eq!(vector.as_slice().unwrap(), alone, "{text:?}");
        let length = dot(&alone, &alone).sqrt();
        assert!(
            (length - 1.0).abs() < 1e-5 || length == 0.0,
            "{text:?}: {length}"
        );
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
    ]);
    check_alone(&["red green", "blue pink", "wine door", "lake fish"]);
    check_alone(&[]);
}

#[test]
fn texts_without_tokens_have_no_vector() {
    let vectors = embed(MODEL.as_ref(), &["", "a", "\u{200b} "]);
    let is_zero = |row: usize| vectors.row(row).iter().all(|&x| x == 0.0);
    assert_eq!([is_zero(0), is_zero(1), is_zero(2)], [true, false, true]);
}

#[test]
fn tokens_beyond_the_limit_are_not_read() {
    let read = "word ".repeat(254);
    let vectors = embed(
        MODEL.as_ref(),
        &[&read, &format!("{read} other words"), &"word ".repeat(253)],
    );
    assert_eq!(vectors.row(0), vectors.row(1));
    assert_ne!(vectors.row(0), vectors.row(2));
}

#[test]
fn meaning_is_nearer_than_words() {
    let vectors = embed(
        MODEL.as_ref(),
        &[
            "containers cannot look up host names",
            "the docker bridge has no working DNS",
            "host a dinner and look up your names in a list",
        ],
    );
    let near = |row: usize| vectors.row(0).dot(&vectors.row(row));
    assert!(near(1) > near(2) + 0.1, "{} {}", near(1), near(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_batch_is_its_texts_alone(texts in prop::collection::vec("(\\PC|[a-z]{1,9} ){0,60}", 0..9)) {
        check_alone(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
