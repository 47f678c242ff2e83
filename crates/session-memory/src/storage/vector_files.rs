//! The files of memories' vectors.

use crate::error::Result;
use session_files::Dir;
use std::path::{Path, PathBuf};

/// The directory of the caches, one file for each model, below the directory of the index.
const DIRECTORY: &str = "memories";
/// The length of a model's fingerprint.
const FINGERPRINT_CHARS: usize = 16;
/// The most caches that are removed.
const MAX_CACHES: usize = 10_000;

/// Returns the path of the cache of a model.
pub(crate) fn vector_file(index_directory: &Path, fingerprint: &str) -> PathBuf {
    index_directory.join(DIRECTORY).join(fingerprint)
}

/// Removes the vectors of all memories, in the caches of all models: which of them are those of a memory, no
/// cache says without its model. They are embedded again when they are needed.
///
/// # Errors
/// When a cache cannot be removed.
pub(crate) fn remove_vectors(index_directory: &Path) -> Result<()> {
    let Some(directory) = Dir::open_existing(&index_directory.join(DIRECTORY))? else {
        return Ok(());
    };
    for name in directory.names(Path::new(""), MAX_CACHES)? {
        // Other programs' files, and records of this one where a user keeps all in one directory, stay.
        let is_cache = is_fingerprint(&name.to_string_lossy());
        if is_cache && directory.length(Path::new(&name)).is_some() {
            directory.remove(Path::new(&name))?;
        }
    }
    Ok(())
}

/// Returns true for a name as a model's fingerprint.
fn is_fingerprint(name: &str) -> bool {
    name.len() == FINGERPRINT_CHARS && name.bytes().all(|b| b.is_ascii_hexdigit())
}
