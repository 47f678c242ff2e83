//! The same vectors on a GPU of Nvidia's, with weights in `BF16`: in builds with
//! the feature `cuda`, on a machine that has one.

use super::checkpoint::{write_folder, write_gguf};
use super::golden::{GOLDEN, check};
use super::{Q8_0, documents, dot, spec};
use candle_core::DType;
use candle_core::quantized::GgmlDType;
use session_embed::{Architecture, Device, Precision, TransformerEmbedder};
use std::path::Path;

fn on_gpu(files: &Path) -> TransformerEmbedder {
    TransformerEmbedder::qwen3(spec(), files, Device::Cuda, Precision::Q8_0).unwrap()
}

#[test]
fn is_near_the_peers_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    for form in [DType::F32, DType::F16, DType::BF16] {
        write_folder(folder.path(), form, "");
        check(&on_gpu(folder.path()), 0.999);
    }
    let path = folder.path().join("model.gguf");
    for form in [GgmlDType::F32, GgmlDType::F16, GgmlDType::BF16] {
        write_gguf(&path, form);
        check(&on_gpu(&path), 0.999);
    }
    fs_err::write(&path, Q8_0).unwrap();
    check(&on_gpu(&path), 0.999);
}

#[test]
fn a_batch_is_its_texts_alone() {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), DType::BF16, "");
    let model = on_gpu(folder.path());
    let mut texts: Vec<&str> = GOLDEN.iter().map(|golden| golden.text.as_str()).collect();
    texts.extend(["", "one", "東京 👍", "one"]);
    let vectors = documents(&model, &texts);
    for (text, vector) in texts.iter().zip(vectors) {
        let alone = documents(&model, &[text]).remove(0);
        let apart = 1.0 - dot(&alone, &vector);
        let is_same = apart < 1e-3 || text.is_empty() && alone == vector;
        assert!(is_same, "{text:?}: {apart}");
    }
}

#[test]
fn is_what_qwen3_chooses() {
    let choice = |device: Device| device.choose(Architecture::Qwen3).unwrap().device;
    assert_eq!([choice(Device::Auto), choice(Device::Cuda)], ["cuda"; 2]);
    let bert = Device::Auto.choose(Architecture::Bert).unwrap();
    assert_eq!(bert.device, "cpu");
}
