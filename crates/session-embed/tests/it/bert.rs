//! A small random BERT beside independent implementations: candle's, and the
//! vectors of `transformers`, which `benches/bert_golden.py` wrote.

use crate::quantise::quantise;
use candle_core::quantized::GgmlDType;
use candle_core::{DType, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use proptest::prelude::*;
use serde::Deserialize;
use session_embed::{
    Device, EmbedError, Embedder, ModelSpec, Pooling, Precision, TokenVocabulary,
    TransformerEmbedder, WordPiece,
};
use std::collections::HashMap;
use std::sync::LazyLock;

const TOKENS: [&str; 8] = ["[UNK]", "[CLS]", "[SEP]", "cat", "dog", "##s", ".", "runs"];
const HIDDEN: usize = 64;
const INNER: usize = 96;
const POSITIONS: usize = 520;

const CONFIG: &str = r#"{
    "vocab_size": 8, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 96, "hidden_act": "gelu", "hidden_dropout_prob": 0.0,
    "max_position_embeddings": 520, "type_vocab_size": 2, "initializer_range": 0.02,
    "layer_norm_eps": 1e-12, "pad_token_id": 0, "model_type": "bert"
}"#;

struct Checkpoint {
    folder: tempfile::TempDir,
    reference: BertModel,
}

/// Numbers that look random and are always the same.
fn random(shape: &[usize], seed: usize, spread: f32) -> Tensor {
    let count: usize = shape.iter().product();
    let number = |at: usize| {
        let mixed = (at as u64 + 1 + ((seed as u64) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed >> 40) as f32 / (1 << 23) as f32 - 1.0) * spread
    };
    let numbers: Vec<f32> = (0..count).map(number).collect();
    Tensor::from_vec(numbers, shape, &candle_core::Device::Cpu).unwrap()
}

fn shapes() -> Vec<(String, Vec<usize>)> {
    let mut shapes = vec![
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![TOKENS.len(), HIDDEN],
        ),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![POSITIONS, HIDDEN],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, HIDDEN],
        ),
    ];
    let mut layer = |name: String, sizes: &[usize]| {
        shapes.push((format!("{name}.weight"), sizes.to_vec()));
        shapes.push((format!("{name}.bias"), vec![sizes[0]]));
    };
    layer("embeddings.LayerNorm".to_owned(), &[HIDDEN]);
    for at in 0..2 {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            layer(name(&format!("attention.{part}")), &[HIDDEN, HIDDEN]);
        }
        layer(name("attention.output.LayerNorm"), &[HIDDEN]);
        layer(name("intermediate.dense"), &[INNER, HIDDEN]);
        layer(name("output.dense"), &[HIDDEN, INNER]);
        layer(name("output.LayerNorm"), &[HIDDEN]);
    }
    shapes
}

static CHECKPOINT: LazyLock<Checkpoint> = LazyLock::new(|| {
    let tensors: HashMap<String, Tensor> = shapes()
        .into_iter()
        .enumerate()
        .map(|(seed, (name, shape))| {
            let numbers = random(&shape, seed, if shape.len() > 1 { 0.3 } else { 0.1 });
            let is_factor = name.ends_with("LayerNorm.weight");
            let numbers = if is_factor {
                (numbers + 1.0).unwrap()
            } else {
                numbers
            };
            (name, numbers)
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    candle_core::safetensors::save(&tensors, folder.path().join("model.safetensors")).unwrap();
    fs_err::write(folder.path().join("config.json"), CONFIG).unwrap();
    let config: Config = serde_json::from_str(CONFIG).unwrap();
    let vars = VarBuilder::from_tensors(tensors, DType::F32, &candle_core::Device::Cpu);
    let reference = BertModel::load(vars, &config).unwrap();
    Checkpoint { folder, reference }
});

static SMALL: LazyLock<Vec<u8>> =
    LazyLock::new(|| quantise(CHECKPOINT.folder.path(), GgmlDType::Q8_0).unwrap());

fn wordpiece(tokens: &[&str]) -> WordPiece {
    WordPiece::new(TokenVocabulary::open(TokenVocabulary::compile(tokens).unwrap()).unwrap())
        .unwrap()
}

fn spec() -> ModelSpec {
    let spec = include_str!("../../../../models/all-minilm-l6-v2.toml");
    let mut spec = ModelSpec::from_toml(spec).unwrap();
    (spec.dims, spec.max_tokens) = (HIDDEN, POSITIONS);
    spec
}

fn open(weights: Vec<u8>, precision: Precision) -> Result<TransformerEmbedder, EmbedError> {
    TransformerEmbedder::bert(spec(), wordpiece(&TOKENS), weights, Device::Cpu, precision)
}

fn message(result: Result<TransformerEmbedder, EmbedError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

/// The vector of a text by candle, of unit length.
fn reference(text: &str) -> Vec<f32> {
    let mut ids = Vec::new();
    wordpiece(&TOKENS).encode(text, POSITIONS - 2, &mut ids);
    let ids = [&[1], ids.as_slice(), &[2]].concat();
    let ids = Tensor::new(ids, &candle_core::Device::Cpu)
        .unwrap()
        .unsqueeze(0)
        .unwrap();
    let kinds = ids.zeros_like().unwrap();
    let rows = CHECKPOINT.reference.forward(&ids, &kinds, None).unwrap();
    let mean: Vec<f32> = rows.mean(1).unwrap().squeeze(0).unwrap().to_vec1().unwrap();
    let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
    mean.iter().map(|x| x / length).collect()
}

/// A text of as many tokens.
fn text(tokens: usize) -> String {
    let words = ["cat", "dog", "cats", ".", "runs", "bird"];
    let some = (0..tokens).map(|at| words[(at * at / 3 + at) % words.len()]);
    some.collect::<Vec<_>>().join(" ")
}

fn check(form: GgmlDType, precision: Precision, least: f32) {
    let weights = quantise(CHECKPOINT.folder.path(), form).unwrap();
    let model = open(weights, precision).unwrap();
    let texts: Vec<String> = [1, 2, 17, 128, 513].map(text).into();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.embed_documents(&texts).unwrap();
    for (text, vector) in texts.iter().zip(vectors.rows()) {
        let cosine: f32 = vector.iter().zip(reference(text)).map(|(a, b)| a * b).sum();
        assert!(cosine >= least, "{} bytes: {cosine}", text.len());
    }
}

#[test]
fn is_candles_bert_in_f32() {
    check(GgmlDType::F32, Precision::Stored, 0.99999);
}

#[test]
fn is_near_candles_bert_in_q8_0() {
    check(GgmlDType::Q8_0, Precision::Q8_0, 0.999);
    check(GgmlDType::F32, Precision::Q8_0, 0.999);
}

/// The vectors of a text by `transformers`.
#[derive(Deserialize)]
struct BertGolden {
    words: usize,
    mean: Vec<f32>,
    first: Vec<f32>,
}

/// The checkpoint as the model hub has one.
fn folder(form: DType, config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let weights = CHECKPOINT.folder.path().join("model.safetensors");
    let weights = candle_core::safetensors::load(weights, &candle_core::Device::Cpu).unwrap();
    let weights: HashMap<String, Tensor> = weights
        .into_iter()
        .map(|(name, tensor)| (format!("bert.{name}"), tensor.to_dtype(form).unwrap()))
        .collect();
    candle_core::safetensors::save(&weights, folder.path().join("model.safetensors")).unwrap();
    fs_err::write(folder.path().join("config.json"), config).unwrap();
    fs_err::write(folder.path().join("vocab.txt"), TOKENS.join("\n")).unwrap();
    folder
}

fn open_folder(
    spec: ModelSpec,
    folder: &tempfile::TempDir,
    precision: Precision,
) -> Result<TransformerEmbedder, EmbedError> {
    let (wordpiece, folder) = (wordpiece(&TOKENS), folder.path());
    TransformerEmbedder::bert_from_folder(spec, wordpiece, folder, Device::Cpu, precision)
}

fn check_golden(pooling: Pooling, form: DType, precision: Precision, least: f32) {
    let golden: Vec<BertGolden> = serde_json::from_str(include_str!("bert.golden.json")).unwrap();
    let mut spec = spec();
    spec.pooling = pooling;
    let model = open_folder(spec, &folder(form, CONFIG), precision).unwrap();
    for golden in golden {
        let expected = match pooling {
            Pooling::Cls => &golden.first,
            _ => &golden.mean,
        };
        let vector = model.embed_query(&text(golden.words)).unwrap();
        let cosine: f32 = vector.iter().zip(expected).map(|(a, b)| a * b).sum();
        assert!(
            cosine >= least,
            "{pooling:?}, {form:?}, {} words: {cosine}",
            golden.words
        );
    }
}

#[test]
fn is_transformers_bert_from_safetensors_by_either_pooling() {
    for pooling in [Pooling::Mean, Pooling::Cls] {
        check_golden(pooling, DType::F32, Precision::Stored, 0.99999);
        for form in [DType::F32, DType::F16, DType::BF16] {
            check_golden(pooling, form, Precision::Q8_0, 0.998);
        }
    }
}

#[test]
fn a_folder_is_opened_by_its_description() {
    let description = include_str!("../../../../models/bge-small-en-v1.5.toml");
    let mut spec = ModelSpec::from_toml(description).unwrap();
    (spec.dims, spec.max_tokens) = (HIDDEN, POSITIONS);
    let folder = folder(DType::F32, CONFIG);
    let direct = open_folder(spec.clone(), &folder, Precision::default()).unwrap();
    let opened = session_embed::open(spec, folder.path()).unwrap();
    let query = |model: &dyn Embedder| model.embed_query("cats").unwrap();
    assert_eq!(query(opened.as_ref()), query(&direct));
}

#[test]
fn prefixes_stand_before_queries_and_documents() {
    let mut spec = spec();
    (spec.instruction, spec.document_prefix) = ("cat ".to_owned(), "dog ".to_owned());
    let plain = open(SMALL.clone(), Precision::Q8_0).unwrap();
    let model = TransformerEmbedder::bert(
        spec,
        wordpiece(&TOKENS),
        SMALL.clone(),
        Device::Cpu,
        Precision::Q8_0,
    );
    let model = model.unwrap();
    let alone = |text: &str| plain.embed_query(text).unwrap();
    assert_eq!(model.embed_query("runs").unwrap(), alone("cat runs"));
    let documents = model.embed_documents(&["runs", "", "\u{200b}"]).unwrap();
    assert_eq!(documents.row(0).to_vec(), alone("dog runs"));
    assert!(
        documents
            .rows()
            .into_iter()
            .skip(1)
            .all(|row| row.sum() == 0.0)
    );
    assert_eq!(model.embed_query(" ").unwrap(), [0.0; HIDDEN]);
}

#[test]
fn folders_of_other_models_are_refused() {
    let refused = |config: &str| {
        message(open_folder(
            spec(),
            &folder(DType::F32, config),
            Precision::Q8_0,
        ))
    };
    for (from, to) in [
        ("\"bert\"", "\"roberta\""),
        ("\"gelu\"", "\"relu\""),
        ("}", ", \"position_embedding_type\": \"relative_key\"}"),
        ("\"hidden_size\": 64", "\"hidden_size\": 63"),
        ("{", ""),
    ] {
        let message = refused(&CONFIG.replace(from, to));
        assert!(message.contains("not of a BERT"), "{message}");
    }
    let longer = CONFIG.replace("520", "521");
    assert!(refused(&longer).contains("another size"));
}

#[test]
fn other_forms_of_numbers_are_refused() {
    let weights = quantise(CHECKPOINT.folder.path(), GgmlDType::Q5_0).unwrap();
    assert!(message(open(weights, Precision::Q8_0)).contains("neither F32, F16, BF16 nor Q8_0"));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let new = |spec, tokens: &[&str]| {
        message(TransformerEmbedder::bert(
            spec,
            wordpiece(tokens),
            SMALL.clone(),
            Device::Cpu,
            Precision::Q8_0,
        ))
    };
    assert!(new(spec(), &TOKENS[..7]).contains("another size"));
    let mut other = TOKENS;
    other[2] = "sep";
    assert!(new(spec(), &other).contains("no `[CLS]` and `[SEP]`"));
    let mut wide = spec();
    wide.dims = HIDDEN + 32;
    assert!(new(wide, &TOKENS).contains("other vectors"));
    let mut long = spec();
    long.max_tokens = POSITIONS + 1;
    assert!(new(long, &TOKENS).contains("fewer tokens"));
    let mut last = spec();
    last.pooling = Pooling::Last;
    assert!(new(last, &TOKENS).contains("`mean` or `cls`"));
    assert!(message(open(b"GGUF".to_vec(), Precision::Q8_0)).contains("ends early"));
    assert!(message(open(unaligned(), Precision::Q8_0)).contains("does not start as GGUF does"));
}

/// A GGUF file without tensors, which begin at multiples of zero.
fn unaligned() -> Vec<u8> {
    let name = b"general.alignment";
    let counts = [0_u64, 1, name.len() as u64].map(u64::to_le_bytes);
    let head = [
        &b"GGUF"[..],
        &3_u32.to_le_bytes(),
        counts.as_flattened(),
        name,
    ];
    let u32_of_zero = [4_u32, 0].map(u32::to_le_bytes);
    [&head.concat()[..], u32_of_zero.as_flattened()].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is in a file, it is refused or used without a panic.
    #[test]
    fn broken_files_never_panic(at in 0..3000_usize, value: u8, len in 0..200_000_usize) {
        let mut weights = SMALL.clone();
        weights[at] = value;
        let _ = open(weights.clone(), Precision::Q8_0).map(|model| model.embed_query("cats"));
        weights.truncate(len);
        let _ = open(weights, Precision::Q8_0).map(|model| model.embed_query("dog"));
    }
}
