//! The bundled model's vectors.

use proptest::prelude::*;
use session_embed::{Embedder, open_bundled_table};
use std::sync::LazyLock;

static MODEL: LazyLock<Box<dyn Embedder>> = LazyLock::new(|| open_bundled_table().unwrap());

fn query(text: &str) -> Vec<f32> {
    MODEL.embed_query(text).unwrap()
}

fn near(a: &str, b: &str) -> f32 {
    query(a).iter().zip(query(b)).map(|(a, b)| a * b).sum()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// A component of a vector in the basis of the table, from which a text's is rotated: a row of Hadamard's matrix.
fn table_component(rotated: &[f32], row: usize) -> f32 {
    let signed = rotated.iter().enumerate().map(|(column, x)| {
        let is_negative = (row & column).count_ones() % 2 == 1;
        if is_negative { -x } else { *x }
    });
    signed.sum::<f32>() / 16.0
}

/// The first numbers of `text`'s vector are `expected`, to four places, before it is rotated.
fn check(text: &str, expected: [f32; 6]) {
    let rotated = query(text);
    assert_eq!(rotated.len(), 256);
    assert!((length(&rotated) - 1.0).abs() < 1e-5);
    let vector: [f32; 6] = std::array::from_fn(|row| table_component(&rotated, row));
    let differs = vector
        .iter()
        .zip(expected)
        .any(|(a, b)| (a - b).abs() > 1e-4);
    assert!(!differs, "{text:?}: {vector:?}");
}

#[test]
fn vectors_are_the_committed_ones() {
    check(
        "docker network cannot resolve hostnames",
        [0.40334, 0.12031, -0.05780, -0.03316, -0.00523, -0.02279],
    );
    check(
        "containers fail DNS lookup",
        [0.42300, 0.07473, -0.12450, -0.02461, 0.07044, -0.01518],
    );
    check(
        "fn parse_args(args: &[String]) -> Result<Config, Error>",
        [0.52668, 0.12505, 0.04098, -0.15824, 0.04793, -0.06399],
    );
    check(
        "C’est déjà l’été; 東京 안녕",
        [0.41670, 0.09771, 0.27239, -0.07709, 0.28709, -0.17577],
    );
}

#[test]
fn neighbours_are_sensible() {
    let nearer = |text, near_one, far_one| {
        let (a, b) = (near(text, near_one), near(text, far_one));
        assert!(a > b + 0.1, "{text}: {near_one} {a}, {far_one} {b}");
    };
    nearer(
        "docker network cannot resolve hostnames",
        "containers fail DNS lookup",
        "bake bread",
    );
    nearer(
        "make the tests run faster",
        "speed up the slow test suite",
        "rename a database column",
    );
    nearer(
        "login page crashes",
        "exception when a user signs in",
        "update the colour palette",
    );
    nearer(
        "which commit broke the build",
        "git bisect finds the change after which compiling fails",
        "a birthday cake with candles",
    );
    nearer(
        "memory leak",
        "heap grows without bound",
        "the cat sat on the mat",
    );
}

#[test]
fn documents_keep_order_and_duplicates() {
    let texts: Vec<String> = (0..200)
        .map(|n| format!("error {} in module {}", n % 7, n % 5))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = MODEL.embed_documents(&texts).unwrap();
    assert_eq!(vectors.dim(), (200, 256));
    for (text, row) in texts.iter().zip(vectors.rows()) {
        assert_eq!(row.to_vec(), query(text), "{text}");
    }
}

#[test]
fn texts_without_known_tokens_give_zeros() {
    let vectors = MODEL
        .embed_documents(&["", " \n", "...", "[CLS]", "\u{0}", "word"])
        .unwrap();
    let zero: Vec<bool> = vectors
        .rows()
        .into_iter()
        .map(|row| row.iter().all(|x| *x == 0.0))
        .collect();
    assert_eq!(zero, [true, true, true, true, true, false]);
    assert_eq!(MODEL.embed_documents(&[]).unwrap().dim(), (0, 256));
}

#[test]
fn every_script_has_vectors() {
    for text in [
        "c",
        "7",
        "東京",
        "привет",
        "안녕하세요",
        "مرحبا",
        "ありがとう",
    ] {
        assert!((length(&query(text)) - 1.0).abs() < 1e-5, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_gives_a_unit_vector_or_zeros(text: String) {
        let length = length(&query(&text));
        prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "{}", length);
    }
}
