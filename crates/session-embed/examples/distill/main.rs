//! Makes the files of the bundled table from a sentence transformer:
//!
//! ```text
//! cargo run --release -p session-embed --example distill -- MODEL_DIR models/bundled
//! ```
//!
//! `MODEL_DIR` has `config.json`, `model.safetensors` and `vocab.txt` of
//! all-MiniLM-L6-v2; `models/README.md` says where to get them. Takes half a
//! minute on two cores.

mod distill;

use std::path::PathBuf;

fn main() -> distill::Fallible<()> {
    let [model_dir, out] = folders().ok_or("usage: distill MODEL_DIR OUT")?;
    let files = distill::distill(&model_dir)?;
    fs_err::write(out.join("vocabulary.bin"), files.vocabulary)?;
    fs_err::write(out.join("table.bin"), files.table)?;
    Ok(())
}

fn folders() -> Option<[PathBuf; 2]> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    folders.try_into().ok()
}
