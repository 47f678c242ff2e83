//! The folder of an index that is kept for the next evaluation.

use crate::set::EvalError;
use session_files::{Dir, Durability};
use session_store::index_exists;
use std::path::Path;

/// The file that marks the folder.
const MARKER: &str = "made-by-eval";

/// Marks a folder as that of an evaluation's index, so that no other index gets the sessions of a set.
///
/// # Errors
/// [`EvalError::OtherIndex`] where an index is there that no evaluation made, and when the mark cannot be
/// written.
pub fn claim_index(folder: &Dir) -> Result<(), EvalError> {
    let marker = Path::new(MARKER);
    if folder.exists(marker) {
        return Ok(());
    }
    if index_exists(folder.path()) {
        return Err(EvalError::OtherIndex {
            folder: folder.path().to_owned(),
        });
    }
    Ok(folder.write(marker, b"", Durability::Durable)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_no_evaluation_made_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name| Dir::create(&root.path().join(name)).unwrap();
        let index = Path::new("index.db");
        let write = |folder: &Dir| folder.write(index, b"", Durability::Cached).unwrap();
        claim_index(&folder("new")).unwrap();
        write(&folder("new"));
        claim_index(&folder("new")).unwrap();
        write(&folder("other"));
        let error = claim_index(&folder("other")).unwrap_err();
        assert!(matches!(error, EvalError::OtherIndex { .. }), "{error}");
        assert!(!folder("other").exists(Path::new(MARKER)));
    }
}
