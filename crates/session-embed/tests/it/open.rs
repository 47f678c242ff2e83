//! Models opened from their files.

use crate::models;
use session_embed::{Architecture, EmbedError, Embedder, ModelSpec, open};

const QUERY: &str = "docker cannot resolve host names";

fn message(result: Result<Box<dyn Embedder>, EmbedError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

fn check(bundled: &dyn Embedder) {
    let opened = open(bundled.spec().clone(), &models()).unwrap();
    assert_eq!(
        opened.embed_query(QUERY).unwrap(),
        bundled.embed_query(QUERY).unwrap()
    );
    let folder = tempfile::tempdir().unwrap();
    let refused = message(open(bundled.spec().clone(), folder.path()));
    assert!(refused.contains(&bundled.spec().files[0].path), "{refused}");
}

#[test]
fn files_give_what_the_binary_gives() {
    check(session_embed::open_bundled_table().unwrap().as_ref());
    #[cfg(feature = "minilm")]
    check(session_embed::open_minilm().unwrap().as_ref());
}

#[test]
fn descriptions_without_the_right_files_are_refused() {
    let spec: ModelSpec = session_embed::open_bundled_table().unwrap().spec().clone();
    let with = |change: fn(&mut ModelSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        message(open(spec, &models()))
    };
    assert!(with(|spec| spec.files.clear()).contains("lists no file"));
    assert!(with(|spec| spec.architecture = Architecture::Bert).contains("lists no file"));
    assert!(with(|spec| spec.architecture = Architecture::Remote).contains("no files"));
}

#[cfg(not(target_os = "macos"))]
#[test]
fn a_device_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.gguf");
    fs_err::write(&path, include_bytes!("qwen3/q8_0.gguf")).unwrap();
    let spec = include_str!("../../../../models/qwen3-embedding-0.6b-q8.toml");
    let spec = ModelSpec::from_toml(spec).unwrap();
    let refused = message(session_embed::open_on(
        session_embed::Device::Metal,
        spec,
        &path,
    ));
    assert!(refused.contains("Metal is on a Mac only"), "{refused}");
}
