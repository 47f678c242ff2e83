//! Descriptions of models.

use crate::read;
use session_embed::{Architecture, Embedder, ModelSpec, Pooling};
use sha2::{Digest, Sha256};

const SMALL: &str = r#"
name = "small"
title = "A small model"
architecture = "table"
repo = "ann/small"
revision = "v1"
dims = 4
max_tokens = 8
pooling = "mean"
licence = "MIT"
cosine = { unrelated = 0.3, related = 0.6, per_word = 0.0 }
files = [{ path = "table.bin", sha256 = "00ff" }]
"#;

fn error(text: &str) -> String {
    ModelSpec::from_toml(text).unwrap_err().to_string()
}

#[test]
fn is_read_from_toml() {
    let spec = ModelSpec::from_toml(SMALL).unwrap();
    assert_eq!(
        (spec.name.as_str(), spec.dims, spec.max_tokens),
        ("small", 4, 8)
    );
    assert_eq!(
        (spec.architecture, spec.pooling),
        (Architecture::Table, Pooling::Mean)
    );
    assert_eq!(
        (spec.instruction.as_str(), spec.files[0].sha256.as_deref()),
        ("", Some("00ff"))
    );
}

#[test]
fn unknown_keys_are_named() {
    let message = error(&SMALL.replace("dims = 4", "dims = 4\nwidth = 4"));
    assert!(message.contains("unknown field `width`"), "{message}");
    let message = error(&SMALL.replace("path =", "folder = \"x\", path ="));
    assert!(message.contains("unknown field `folder`"), "{message}");
}

#[test]
fn missing_keys_and_unknown_architectures_are_named() {
    let message = error(&SMALL.replace("dims = 4", ""));
    assert!(message.contains("missing field `dims`"), "{message}");
    let message = error(&SMALL.replace("\"table\"", "\"mamba\""));
    assert!(message.contains("unknown variant `mamba`"), "{message}");
}

#[test]
fn fingerprint_changes_with_the_vectors_alone() {
    let fingerprint = |text: &str| ModelSpec::from_toml(text).unwrap().fingerprint();
    let of_small = fingerprint(SMALL);
    assert_eq!(of_small.len(), 16);
    for same in [
        ("ann/small", "bob/small"),
        ("A small model", "Small"),
        ("table.bin", "t.bin"),
    ] {
        assert_eq!(
            fingerprint(&SMALL.replace(same.0, same.1)),
            of_small,
            "{same:?}"
        );
    }
    let query = "licence = \"MIT\"\ninstruction = \"query: \"";
    let document = "licence = \"MIT\"\ndocument_prefix = \"query: \"";
    for other in [
        ("00ff", "00fe"),
        ("dims = 4", "dims = 5"),
        ("licence = \"MIT\"", query),
        ("licence = \"MIT\"", document),
    ] {
        assert_ne!(
            fingerprint(&SMALL.replace(other.0, other.1)),
            of_small,
            "{other:?}"
        );
    }
}

/// Users' descriptions may say `first`, which `cls` was called once, and stored vectors are found by the fingerprint.
#[test]
fn cls_pooling_keeps_the_name_and_the_fingerprint_that_it_had() {
    for name in ["cls", "first"] {
        let text = SMALL.replace("\"mean\"", &format!("\"{name}\""));
        let spec = ModelSpec::from_toml(&text).unwrap();
        assert_eq!(spec.fingerprint(), "be9191bb74edd0e9", "{name}");
    }
}

/// A file that nobody pinned is known by where it comes from.
#[test]
fn without_a_pin_the_source_tells_vectors_apart() {
    let unpinned = SMALL.replace(", sha256 = \"00ff\"", "");
    let fingerprint = |text: &str| ModelSpec::from_toml(text).unwrap().fingerprint();
    for other in [
        ("ann/small", "bob/small"),
        ("\"v1\"", "\"v2\""),
        ("table.bin", "t.bin"),
    ] {
        assert_ne!(
            fingerprint(&unpinned.replace(other.0, other.1)),
            fingerprint(&unpinned),
            "{other:?}"
        );
    }
    assert_ne!(fingerprint(&unpinned), fingerprint(SMALL));
}

fn check_files(model: &dyn Embedder, name: &str) {
    let spec = model.spec();
    assert_eq!(spec.name, name);
    for file in &spec.files {
        let sha256 = format!("{:x}", Sha256::digest(read(&file.path)));
        assert_eq!(Some(sha256), file.sha256, "{}", file.path);
    }
    let bytes: usize = spec.files.iter().map(|file| read(&file.path).len()).sum();
    assert_eq!(spec.bytes, Some(bytes as u64), "{name}");
}

#[test]
fn bundled_models_are_what_their_descriptions_say() {
    check_files(
        session_embed::open_bundled_table().unwrap().as_ref(),
        "table",
    );
    #[cfg(feature = "minilm")]
    check_files(
        session_embed::open_minilm().unwrap().as_ref(),
        "all-minilm-l6-v2",
    );
}

/// A file in `models/` that is not in the list would be forgotten.
#[test]
fn every_description_is_in_the_list() {
    let files = fs_err::read_dir(crate::models())
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<String> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let listed = session_embed::read_specs_where(|_| true)
        .unwrap()
        .into_iter()
        .map(|spec| spec.name);
    assert_eq!(listed.collect::<Vec<_>>(), files);
}
