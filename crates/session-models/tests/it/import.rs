//! Models that a user brings by hand.

use crate::tiny::{Home, description, files, tree, write};
use session_models::{Catalogue, ModelError, State};

fn vector(catalogue: &Catalogue) -> Vec<f32> {
    let model = catalogue.load("tiny").unwrap();
    model.embed_query("docker network").unwrap()
}

fn fingerprint(home: &Home) -> String {
    home.catalogue().spec("tiny").unwrap().fingerprint()
}

#[test]
fn a_folder_is_taken_over() {
    let home = Home::described();
    let catalogue = home.catalogue();
    let from = home.brought(1.0);
    catalogue.import("tiny", &from, &()).unwrap();
    fs_err::remove_dir_all(from).unwrap();
    let catalogue = home.catalogue();
    let spec = catalogue.spec("tiny").unwrap();
    assert_eq!(catalogue.state(spec), State::Installed);
    let bytes: usize = files(1.0).iter().map(|(_, content)| content.len()).sum();
    assert_eq!(catalogue.bytes(spec), Some(bytes as u64));
    assert_eq!(vector(&catalogue).len(), 4);
    catalogue.verify("tiny", &()).unwrap();
    catalogue.remove("tiny").unwrap();
    assert_eq!(catalogue.state(spec), State::Absent);
    assert!(tree(&home.folders().models()).is_empty());
}

#[test]
fn files_are_found_without_their_folders_and_beside_one_of_them() {
    let home = Home::described();
    for (path, content) in files(1.0) {
        let name = path.rsplit('/').next().unwrap();
        write(&home.path("flat").join(name), &content);
    }
    let catalogue = home.catalogue();
    catalogue.import("tiny", &home.path("flat"), &()).unwrap();
    catalogue.remove("tiny").unwrap();
    let one = home.path("flat/table.bin");
    catalogue.import("tiny", &one, &()).unwrap();
    assert_eq!(vector(&catalogue).len(), 4);
}

#[test]
fn what_is_missing_is_named_and_nothing_changes() {
    let home = Home::described();
    let catalogue = home.catalogue();
    let from = home.brought(1.0);
    fs_err::remove_file(from.join("vocabulary.bin")).unwrap();
    let error = catalogue.import("tiny", &from, &()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.ends_with("brought has no `vocabulary.bin`"),
        "{message}"
    );
    assert!(
        error
            .hint()
            .unwrap()
            .contains("`weights/table.bin`, `vocabulary.bin`")
    );
    assert!(!home.folders().data.exists());
    let nowhere = home.path("nowhere");
    let message = catalogue
        .import("tiny", &nowhere, &())
        .unwrap_err()
        .to_string();
    assert!(message.contains("nowhere"), "{message}");
}

#[test]
fn what_does_not_open_replaces_nothing() {
    let home = Home::described();
    let catalogue = home.catalogue();
    let from = home.brought(1.0);
    catalogue.import("tiny", &from, &()).unwrap();
    let before = vector(&catalogue);
    write(&from.join("weights/table.bin"), b"no table");
    let error = catalogue.import("tiny", &from, &()).unwrap_err();
    assert!(matches!(error, ModelError::Open { .. }), "{error}");
    assert_eq!(vector(&catalogue), before);
    catalogue.verify("tiny", &()).unwrap();
}

#[test]
fn another_content_is_another_model() {
    let home = Home::described();
    let absent = fingerprint(&home);
    let import = |seed: f32| {
        let from = home.brought(seed);
        home.catalogue().import("tiny", &from, &()).unwrap();
        (fingerprint(&home), vector(&home.catalogue()))
    };
    let (first, second) = (import(1.0), import(2.0));
    assert_ne!(first, second);
    assert_ne!(first.0, second.0);
    assert_ne!(first.0, absent);
    assert_eq!(import(1.0), first);
}

#[test]
fn a_file_that_is_not_the_pinned_one_is_refused() {
    let home = Home::new();
    let pin = "0".repeat(64);
    home.describe("tiny", &description("tiny", [None, Some(&pin)]));
    let error = home
        .catalogue()
        .import("tiny", &home.brought(1.0), &())
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("vocabulary.bin") && message.contains(&pin),
        "{message}"
    );
    let catalogue = home.catalogue();
    assert!(!catalogue.state(catalogue.spec("tiny").unwrap()).is_here());
}

#[test]
fn damage_is_found() {
    let home = Home::described();
    let catalogue = home.catalogue();
    catalogue.import("tiny", &home.brought(1.0), &()).unwrap();
    let path = home.folders().model("tiny").join("weights/table.bin");
    let good = fs_err::read(&path).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    write(&path, &bad);
    let error = catalogue.verify("tiny", &()).unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
    assert!(error.hint().unwrap().contains("model pull tiny"));
    write(&path, &good[..good.len() - 1]);
    let spec = catalogue.spec("tiny").unwrap();
    assert_eq!(catalogue.state(spec), State::Incomplete);
    assert_eq!(catalogue.missing(spec), ["weights/table.bin"]);
    let error = catalogue.load("tiny").err().unwrap();
    assert!(matches!(error, ModelError::Absent { .. }), "{error}");
    catalogue.import("tiny", &home.brought(1.0), &()).unwrap();
    catalogue.verify("tiny", &()).unwrap();
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_a_model() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::described();
    home.catalogue()
        .import("tiny", &home.brought(1.0), &())
        .unwrap();
    let mode =
        |path: &std::path::Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.folders().data), 0o700);
    let files = tree(&home.folders().data);
    assert!(files.len() >= 5, "{files:?}");
    for path in files {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

/// A run that was killed between its two renames.
#[test]
fn what_a_killed_run_left_is_no_hindrance() {
    let home = Home::described();
    let models = home.folders().models();
    write(&models.join(".tiny.old/vocabulary.bin"), b"old");
    write(&models.join(".tiny.partial/vocabulary.bin"), b"partial");
    let catalogue = home.catalogue();
    let spec = catalogue.spec("tiny").unwrap();
    assert_eq!(catalogue.state(spec), State::Incomplete);
    catalogue.import("tiny", &home.brought(1.0), &()).unwrap();
    assert_eq!(catalogue.state(spec), State::Installed);
    assert!(!models.join(".tiny.old").exists());
}
