//! Tests of imports.

use crate::tiny_model::{Home, WORDS, description, files, list_tree, write};
use session_models::{Catalogue, ModelError, ModelState};

fn vector(catalogue: &Catalogue) -> Vec<f32> {
    let model = catalogue.load("tiny").unwrap();
    model.embed_query("docker network").unwrap()
}

fn fingerprint(home: &Home) -> String {
    home.catalogue().find_spec("tiny").unwrap().fingerprint()
}

#[test]
fn a_directory_is_imported() {
    let home = Home::with_description();
    let catalogue = home.catalogue();
    let from = home.write_import_source(1.0);
    catalogue.import("tiny", &from, &()).unwrap();
    fs_err::remove_dir_all(from).unwrap();
    let catalogue = home.catalogue();
    let spec = catalogue.find_spec("tiny").unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Installed);
    let bytes: usize = files(1.0).iter().map(|(_, content)| content.len()).sum();
    assert_eq!(catalogue.size_bytes(spec), Some(bytes as u64));
    assert_eq!(vector(&catalogue).len(), 4);
    catalogue.verify("tiny", &()).unwrap();
    catalogue.remove("tiny").unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Absent);
    let models = home.directories().models_dir();
    let lock = models.join(".tiny.lock");
    assert_eq!(list_tree(&models), [lock], "a process may wait for it");
}

#[test]
fn files_are_found_by_name_and_next_to_a_given_file() {
    let home = Home::with_description();
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

/// BERT repositories have their vocabulary as `vocab.txt`.
#[test]
fn a_vocabulary_may_be_a_text_file() {
    let home = Home::new();
    let text = description("tiny", [None; 2]).replace("vocabulary.bin", "vocab.txt");
    home.add_description("tiny", &text);
    let from = home.write_import_source(1.0);
    write(&from.join("vocab.txt"), WORDS.join("\n").as_bytes());
    home.catalogue().import("tiny", &from, &()).unwrap();
    let listed = vector(&home.catalogue());
    let other = Home::with_description();
    other.catalogue().import("tiny", &from, &()).unwrap();
    assert_eq!(listed, vector(&other.catalogue()));
}

#[test]
fn missing_files_are_named_and_nothing_changes() {
    let home = Home::with_description();
    let catalogue = home.catalogue();
    let from = home.write_import_source(1.0);
    fs_err::remove_file(from.join("vocabulary.bin")).unwrap();
    let error = catalogue.import("tiny", &from, &()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.ends_with("import-source` has no `vocabulary.bin`"),
        "{message}"
    );
    assert!(
        error
            .hint()
            .unwrap()
            .contains("`weights/table.bin`, `vocabulary.bin`")
    );
    assert!(!home.directories().data.exists());
    let nowhere = home.path("nowhere");
    let message = catalogue
        .import("tiny", &nowhere, &())
        .unwrap_err()
        .to_string();
    assert!(message.contains("nowhere"), "{message}");
}

#[test]
fn files_that_do_not_open_replace_nothing() {
    let home = Home::with_description();
    let catalogue = home.catalogue();
    let from = home.write_import_source(1.0);
    catalogue.import("tiny", &from, &()).unwrap();
    let before = vector(&catalogue);
    write(&from.join("weights/table.bin"), b"no table");
    let error = catalogue.import("tiny", &from, &()).unwrap_err();
    assert!(matches!(error, ModelError::Open { .. }), "{error}");
    assert_eq!(vector(&catalogue), before);
    catalogue.verify("tiny", &()).unwrap();
}

#[test]
fn other_content_has_another_fingerprint() {
    let home = Home::with_description();
    let absent = fingerprint(&home);
    let import = |seed: f32| {
        let from = home.write_import_source(seed);
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
fn a_file_that_differs_from_its_pin_is_rejected() {
    let home = Home::new();
    let pin = "0".repeat(64);
    home.add_description("tiny", &description("tiny", [None, Some(&pin)]));
    let error = home
        .catalogue()
        .import("tiny", &home.write_import_source(1.0), &())
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("vocabulary.bin") && message.contains(&pin),
        "{message}"
    );
    let catalogue = home.catalogue();
    let state = catalogue.model_state(catalogue.find_spec("tiny").unwrap());
    assert_eq!(state, ModelState::Absent, "nothing is left");
}

#[test]
fn a_changed_file_fails_verification() {
    let home = Home::with_description();
    let catalogue = home.catalogue();
    catalogue
        .import("tiny", &home.write_import_source(1.0), &())
        .unwrap();
    let path = home
        .directories()
        .model_dir("tiny")
        .join("weights/table.bin");
    let good = fs_err::read(&path).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    write(&path, &bad);
    let error = catalogue.verify("tiny", &()).unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
    assert!(error.hint().unwrap().contains("model pull tiny"));
    write(&path, &good[..good.len() - 1]);
    let spec = catalogue.find_spec("tiny").unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Incomplete);
    let error = catalogue.load("tiny").err().unwrap();
    let lengths = format!("has {} bytes, not {}", good.len() - 1, good.len());
    assert_eq!(
        error.to_string(),
        format!("the model `tiny` is damaged: `weights/table.bin` {lengths}")
    );
    let vocabulary = home.directories().model_dir("tiny").join("vocabulary.bin");
    fs_err::remove_file(vocabulary).unwrap();
    let error = catalogue.load("tiny").err().unwrap();
    assert_eq!(
        error.to_string(),
        "the model `tiny` is not here: `vocabulary.bin` missing"
    );
    catalogue
        .import("tiny", &home.write_import_source(1.0), &())
        .unwrap();
    catalogue.verify("tiny", &()).unwrap();
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_an_imported_model() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_description();
    home.catalogue()
        .import("tiny", &home.write_import_source(1.0), &())
        .unwrap();
    let mode =
        |path: &std::path::Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.directories().data), 0o700);
    let files = list_tree(&home.directories().data);
    assert!(files.len() >= 5, "{files:?}");
    for path in files {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

/// A run may be killed between its two renames.
#[test]
fn leftovers_of_a_killed_run_are_replaced() {
    let home = Home::with_description();
    let models = home.directories().models_dir();
    write(&models.join(".tiny.old/vocabulary.bin"), b"old");
    write(&models.join(".tiny.partial/vocabulary.bin"), b"partial");
    let catalogue = home.catalogue();
    let spec = catalogue.find_spec("tiny").unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Incomplete);
    catalogue
        .import("tiny", &home.write_import_source(1.0), &())
        .unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Installed);
    assert!(!models.join(".tiny.old").exists());
}

#[test]
fn a_model_that_a_killed_run_had_renamed_is_put_back() {
    let home = Home::with_description();
    let models = home.directories().models_dir();
    let catalogue = home.catalogue();
    let from = home.write_import_source(1.0);
    catalogue.import("tiny", &from, &()).unwrap();
    fs_err::rename(models.join("tiny"), models.join(".tiny.old")).unwrap();
    for (path, _) in files(1.0) {
        write(&from.join(path), b"damaged");
    }
    assert!(catalogue.import("tiny", &from, &()).is_err());
    let spec = catalogue.find_spec("tiny").unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Installed);
    catalogue.verify("tiny", &()).unwrap();
}
