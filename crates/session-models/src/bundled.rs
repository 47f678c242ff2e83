//! The models inside the binary.

use crate::model_description::TABLE_MODEL;
use session_embed::{EmbedError, Embedder};

/// Opens a model inside the binary. Returns `None` for any other name.
pub(crate) fn open_bundled(name: &str) -> Option<Result<Box<dyn Embedder>, EmbedError>> {
    match name {
        TABLE_MODEL => Some(session_embed::open_bundled_table()),
        #[cfg(feature = "minilm")]
        "all-minilm-l6-v2" => Some(session_embed::open_minilm()),
        _ => None,
    }
}

/// Returns true for the name of a model inside the binary.
pub(crate) fn is_bundled(name: &str) -> bool {
    name == TABLE_MODEL || (cfg!(feature = "minilm") && name == "all-minilm-l6-v2")
}
