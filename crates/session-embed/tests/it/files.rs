//! The binary files: written, opened, broken.

use crate::{read, vocabulary};
use proptest::prelude::*;
use session_embed::{
    EmbedError, Embedder, ModelSpec, TableEmbedder, TokenTable, TokenVocabulary, WordPiece,
};
use std::f32::consts::FRAC_1_SQRT_2;

const TOKENS: [&str; 5] = ["[UNK]", "cat", "dog", "##s", "."];

fn rows() -> Vec<Vec<f32>> {
    vec![
        vec![0.0; 2],
        vec![1.0, 0.0],
        vec![0.0, 1.0],
        vec![-1.0, 1.0],
        vec![0.0; 2],
    ]
}

fn embedder(dims: usize, tokens: &[&str]) -> Result<TableEmbedder, EmbedError> {
    let spec = include_str!("../../../../models/table.toml");
    let mut spec = ModelSpec::from_toml(spec)?;
    spec.dims = dims;
    spec.max_tokens = 6;
    let wordpiece = WordPiece::new(TokenVocabulary::open(TokenVocabulary::compile(tokens)?)?)?;
    TableEmbedder::new(
        spec,
        wordpiece,
        TokenTable::open(TokenTable::compile(2, 2, &rows()))?,
    )
}

/// The vector of a text in the basis of the table, from which a text's is rotated.
fn query(text: &str) -> [f32; 2] {
    let rotated = embedder(2, &TOKENS).unwrap().embed_query(text).unwrap();
    let vector = [rotated[0] + rotated[1], rotated[0] - rotated[1]];
    vector.map(|component| round(component * FRAC_1_SQRT_2))
}

fn angle(text: &str) -> f32 {
    let rotated = embedder(2, &TOKENS).unwrap().embed_query(text).unwrap();
    round((rotated[0] - rotated[1]) / (rotated[0] + rotated[1]))
}

fn round(figure: f32) -> f32 {
    (figure * 1e4).round() / 1e4
}

#[test]
fn bundled_files_match_their_checksums() {
    vocabulary().verify().unwrap();
    TokenTable::open(read("bundled/table.bin"))
        .unwrap()
        .verify()
        .unwrap();
}

#[test]
fn vocabulary_knows_all_its_tokens() {
    let vocabulary = vocabulary();
    assert_eq!(vocabulary.len(), 30_522);
    for id in 0..vocabulary.len() as u32 {
        assert_eq!(vocabulary.id(vocabulary.token(id).unwrap()), Some(id));
    }
    for unknown in ["", "##", "abcxyz", "##THE", "the "] {
        assert_eq!(vocabulary.id(unknown), None, "{unknown:?}");
    }
    assert_eq!(vocabulary.token(30_522), None);
}

#[test]
fn a_text_is_the_sum_of_its_tokens() {
    assert_eq!(query("cat"), [1.0, 0.0]);
    assert_eq!(query("dog"), [0.0, 1.0]);
    assert_eq!(query("CAT ."), [1.0, 0.0]);
    assert_eq!(angle("cats"), 2.4142, "(-1, 1) after (1, 0), counting 1/√2");
}

#[test]
fn later_and_repeated_tokens_count_less() {
    let half = angle("cat . dog");
    assert_eq!(half, 0.5, "two tokens later, with a half-life of two");
    assert_eq!(angle("dog . cat"), 2.0);
    assert_eq!(angle("cat . cat . dog"), 0.2071, "1/4 to 1 + (√2 − 1)/2");
}

#[test]
fn tokens_beyond_the_limit_are_not_read() {
    assert_eq!(query(". . . . . . dog"), [0.0, 0.0]);
    assert_eq!(query(". . . . . dog"), [0.0, 1.0]);
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let message =
        |result: Result<TableEmbedder, EmbedError>| result.map(|_| ()).unwrap_err().to_string();
    assert!(message(embedder(3, &TOKENS)).contains("other dims"));
    assert!(message(embedder(2, &TOKENS[..4])).contains("a row for each token"));
    assert!(message(embedder(2, &TOKENS[1..])).contains("no `[UNK]`"));
}

#[test]
fn a_vocabulary_has_limits() {
    let long = "x".repeat(65);
    assert!(TokenVocabulary::compile(&["[UNK]", long.as_str()]).is_err());
    assert!(TokenVocabulary::compile(&vec!["x"; 65_536]).is_err());
}

#[test]
fn changed_content_does_not_verify() {
    let mut bytes = TokenTable::compile(2, 2, &rows());
    *bytes.last_mut().unwrap() ^= 1;
    let table = TokenTable::open(bytes).unwrap();
    let message = table.verify().unwrap_err().to_string();
    assert_eq!(
        message,
        "token table is not valid: its content does not match its checksum"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever is in a file, it is refused or used without a panic.
    #[test]
    fn broken_files_never_panic(
        at in 8..80_usize, value: u8, len in 0..140_usize, text in "(cat|dog|s|\\.|\\[UNK\\]| ){0,9}"
    ) {
        let mut bytes = TokenVocabulary::compile(&TOKENS).unwrap();
        bytes[at] = value;
        bytes.truncate(len.max(at));
        if let Ok(wordpiece) = TokenVocabulary::open(bytes).and_then(WordPiece::new) {
            wordpiece.encode(&text, 100, &mut Vec::new());
        }
        let mut bytes = TokenTable::compile(2, 2, &rows());
        bytes[at % 60] = value;
        if let Ok(table) = TokenTable::open(bytes) {
            prop_assert!((0..9).filter_map(|id| table.row(id)).all(|row| row.quants.len() == table.dims()));
        }
    }
}
