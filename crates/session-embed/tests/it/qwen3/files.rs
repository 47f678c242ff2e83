//! Files that are missing, damaged or of something else.

use super::checkpoint::{write_folder, write_gguf, write_parts};
use super::{Q8_0, documents, open, small, spec};
use candle_core::DType;
use candle_core::quantized::GgmlDType;
use proptest::prelude::*;
use session_embed::{Device, EmbedError, ModelFile, ModelSpec, Precision, TransformerEmbedder};
use std::path::Path;

fn message(result: Result<TransformerEmbedder, EmbedError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

fn refused(files: &Path) -> String {
    message(open(files, Precision::Q8_0))
}

/// A whole folder, but for what `change` does to it.
fn changed(change: impl Fn(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), DType::F32, "");
    change(folder.path());
    let message = refused(folder.path());
    let place = folder.path().display().to_string();
    assert!(message.contains(&place), "{message}");
    message
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs_err::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs_err::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn missing_files_are_named() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let message = changed(|folder| fs_err::remove_file(folder.join(name)).unwrap());
        assert!(message.contains(name), "{message}");
    }
    assert!(refused(Path::new("nowhere.gguf")).contains("nowhere.gguf"));
}

#[test]
fn files_of_other_models_are_refused() {
    for (from, to, expected) in [
        ("qwen3", "llama", "not of a Qwen3"),
        ("\"head_dim\": 32", "\"head_dim\": 31", "not of a Qwen3"),
        (
            "\"attention_bias\": false",
            "\"attention_bias\": true",
            "not of a Qwen3",
        ),
        (
            "\"rope_scaling\": null",
            "\"rope_scaling\": {\"factor\": 4}",
            "not of a Qwen3",
        ),
        ("\"rope_theta\": 1000000,", "", "not of a Qwen3"),
        ("\"hidden_size\": 64,", "", "lacks what describes a Qwen3"),
        ("\"hidden_size\": 64", "\"hidden_size\": 96", "another size"),
        (
            "\"num_hidden_layers\": 3",
            "\"num_hidden_layers\": 4",
            "lacks a tensor",
        ),
    ] {
        let message = changed(|folder| replace(&folder.join("config.json"), from, to));
        assert!(message.contains(expected), "{from}: {message}");
    }
}

#[test]
fn short_and_strange_weights_are_refused() {
    let path = |folder: &Path| folder.join("model.safetensors");
    for len in [0, 4, 100, 20_000] {
        let message = changed(|folder| {
            let weights = fs_err::read(path(folder)).unwrap();
            fs_err::write(path(folder), &weights[..len]).unwrap();
        });
        assert!(
            message.contains("safetensors file is not valid"),
            "{message}"
        );
    }
    let message = changed(|folder| write_folder(folder, DType::F64, ""));
    assert!(message.contains("unknown numbers"), "{message}");
}

#[test]
fn an_index_stays_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    write_parts(folder.path());
    let index = folder.path().join("model.safetensors.index.json");
    replace(&index, "model-00001-of-00003", "../model-00001-of-00003");
    assert!(refused(folder.path()).contains("another folder"));
    fs_err::write(&index, "[]").unwrap();
    assert!(refused(folder.path()).contains("its index is not JSON"));
}

#[test]
fn descriptions_that_do_not_fit_are_refused() {
    let with = |change: fn(&mut ModelSpec)| {
        let mut spec = spec();
        change(&mut spec);
        message(small(spec))
    };
    assert!(with(|spec| spec.dims = 65).contains("shorter than `dims`"));
    assert!(with(|spec| spec.dims = 0).contains("shorter than `dims`"));
    assert!(with(|spec| spec.max_tokens = 1025).contains("fewer tokens"));
    assert!(with(|spec| spec.pooling = session_embed::Pooling::Mean).contains("`last`"));
}

#[test]
fn numbers_that_are_not_finite_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), DType::F32, "");
    let path = folder.path().join("model.safetensors");
    let mut bytes = fs_err::read(&path).unwrap();
    // The last tensor is that of the last norm.
    let at = bytes.len() - 4;
    bytes[at..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs_err::write(&path, bytes).unwrap();
    let model = open(folder.path(), Precision::Q8_0).unwrap();
    let error = session_embed::Embedder::embed_query(&model, "a").unwrap_err();
    assert!(error.to_string().contains("not finite"), "{error}");
}

/// The seam that a catalogue of models uses.
#[test]
fn opens_by_its_description() {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str| ModelFile {
        path: path.to_owned(),
        sha256: None,
    };
    let mut listed = spec();
    write_folder(folder.path(), DType::F32, "");
    let open = |spec: &ModelSpec, path: &Path| {
        session_embed::open_on(Device::Cpu, spec.clone(), path).unwrap()
    };
    let whole = open(&listed, folder.path());
    write_gguf(&folder.path().join("m.gguf"), GgmlDType::F32);
    listed.files = vec![file("m.gguf")];
    let inside = open(&listed, folder.path());
    let alone = open(&listed, &folder.path().join("m.gguf"));
    let expected = documents(whole.as_ref(), &["a text"]);
    assert_eq!(documents(inside.as_ref(), &["a text"]), expected);
    assert_eq!(documents(alone.as_ref(), &["a text"]), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is in a file, it is refused or used without a panic.
    #[test]
    fn broken_files_never_panic(at in 0..12_000_usize, value: u8, len in 0..Q8_0.len()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.gguf");
        let mut bytes = Q8_0.to_vec();
        bytes[at] = value;
        for len in [bytes.len(), len] {
            bytes.truncate(len);
            fs_err::write(&path, &bytes).unwrap();
            if let Ok(model) = open(&path, Precision::Q8_0) {
                let _ = session_embed::Embedder::embed_query(&model, "cats");
            }
        }
    }

    /// The same of the head of a safetensors file.
    #[test]
    fn broken_heads_never_panic(at in 0..3000_usize, value: u8) {
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), DType::BF16, "");
        let path = folder.path().join("model.safetensors");
        let mut bytes = fs_err::read(&path).unwrap();
        bytes[at] = value;
        fs_err::write(&path, &bytes).unwrap();
        if let Ok(model) = open(folder.path(), Precision::Q8_0) {
            let _ = session_embed::Embedder::embed_query(&model, "cats");
        }
    }
}
