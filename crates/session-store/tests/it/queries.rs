//! The cache of query vectors.

use crate::support::Index;
use session_store::{cache_query_vector, cached_query_vector};

#[test]
fn a_query_is_known_by_its_words_and_its_model() {
    let index = Index::new();
    let root = index.root();
    let vector = [0.6, -0.8];
    assert_eq!(cached_query_vector(root, "f00d", 2, "why"), None);
    cache_query_vector(root, "f00d", "why", &vector).unwrap();
    assert_eq!(cached_query_vector(root, "f00d", 2, "why").unwrap(), vector);
    assert_eq!(cached_query_vector(root, "f00d", 2, "why?"), None);
    assert_eq!(cached_query_vector(root, "f00d", 3, "why"), None);
    assert_eq!(cached_query_vector(root, "beef", 2, "why"), None);
    cache_query_vector(root, "f00d", "why", &[1.0, 0.0]).unwrap();
    assert_eq!(
        cached_query_vector(root, "f00d", 2, "why").unwrap(),
        [1.0, 0.0]
    );
}

#[test]
fn a_damaged_vector_is_as_good_as_none() {
    let index = Index::new();
    cache_query_vector(index.root(), "f00d", "why", &[0.6, -0.8]).unwrap();
    let folder = index.root().join("queries/f00d");
    let file = fs_err::read_dir(folder).unwrap().next().unwrap().unwrap();
    for damage in [&[][..], &[1, 2, 3], &[0xff; 8], &[0; 9]] {
        fs_err::write(file.path(), damage).unwrap();
        assert_eq!(cached_query_vector(index.root(), "f00d", 2, "why"), None);
    }
}

#[test]
fn not_all_that_was_ever_asked_is_kept() {
    let index = Index::new();
    for n in 0..1100 {
        cache_query_vector(index.root(), "f00d", &format!("{n}"), &[1.0]).unwrap();
    }
    assert_eq!(cached_query_vector(index.root(), "f00d", 1, "7"), None);
    assert!(cached_query_vector(index.root(), "f00d", 1, "1099").is_some());
}
