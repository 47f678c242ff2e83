//! From files to a model.

use session_embed::{
    Architecture, BertEmbedder, EmbedError, Embedder, ModelSpec, Table, TableEmbedder, Vocabulary,
    WordPiece,
};
use std::io::Result;
use std::path::Path;

/// Opens a model that lies in the binary; none if it does not.
pub fn bundled(name: &str) -> Option<std::result::Result<Box<dyn Embedder>, EmbedError>> {
    match name {
        "table" => Some(session_embed::bundled()),
        #[cfg(feature = "minilm")]
        "all-minilm-l6-v2" => Some(session_embed::minilm()),
        _ => None,
    }
}

/// True when a model lies in the binary.
pub fn is_bundled(name: &str) -> bool {
    name == "table" || (cfg!(feature = "minilm") && name == "all-minilm-l6-v2")
}

/// Opens a model whose files lie in a folder.
pub fn from_folder(
    spec: ModelSpec,
    folder: &Path,
) -> Result<std::result::Result<Box<dyn Embedder>, EmbedError>> {
    let weights = read(&spec, folder, is_weights)?;
    let vocabulary = read(&spec, folder, |path| !is_weights(path))?;
    Ok(assemble(spec, weights, vocabulary))
}

fn is_weights(path: &str) -> bool {
    path.ends_with(".gguf") || path.ends_with("table.bin")
}

fn read(spec: &ModelSpec, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<u8>> {
    match spec.files.iter().find(|file| wanted(&file.path)) {
        Some(file) => fs_err::read(folder.join(&file.path)),
        None => Ok(Vec::new()),
    }
}

fn assemble(
    spec: ModelSpec,
    weights: Vec<u8>,
    vocabulary: Vec<u8>,
) -> std::result::Result<Box<dyn Embedder>, EmbedError> {
    let wordpiece = WordPiece::new(Vocabulary::open(vocabulary)?)?;
    match spec.architecture {
        Architecture::Table => {
            let table = Table::open(weights)?;
            Ok(Box::new(TableEmbedder::new(spec, wordpiece, table)?))
        }
        Architecture::Bert => Ok(Box::new(BertEmbedder::new(spec, wordpiece, weights)?)),
        Architecture::Remote => Err(EmbedError::Mismatch {
            model: spec.name,
            reason: "a remote model has no files",
        }),
    }
}
