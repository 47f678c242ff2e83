//! From files to a model.

use session_embed::{EmbedError, Embedder, ModelSpec};
use std::path::Path;

/// Opens a model that lies in the binary; none if it does not.
pub fn bundled(name: &str) -> Option<Result<Box<dyn Embedder>, EmbedError>> {
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
pub fn from_folder(spec: ModelSpec, folder: &Path) -> Result<Box<dyn Embedder>, EmbedError> {
    session_embed::open(spec, folder)
}
