//! Tests through the public seams: texts in, vectors or token ids out.

mod distill;
mod files;
mod golden;
mod sha256;
mod spec;
mod wordpiece;

use session_embed::{Vocabulary, WordPiece};
use std::path::{Path, PathBuf};

/// The repository's `models` folder.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn read(path: &str) -> Vec<u8> {
    fs_err::read(models().join(path)).unwrap()
}

fn vocabulary() -> Vocabulary {
    Vocabulary::open(read("bundled/vocabulary.bin")).unwrap()
}

fn wordpiece() -> WordPiece {
    WordPiece::new(vocabulary()).unwrap()
}
