//! Stops the process that embeds in the background, for a command that a person gave to do its work.

use crate::directory_ownership::HANDOVER_LOCK;
use crate::error::Result;
use session_files::{Dir, Lock};
use std::path::Path;
use std::time::Duration;

/// The longest wait for the lock: the process that embeds holds it briefly while it checks whether there is a request.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// A request, until it is dropped, that the process that embeds in the background ends: it has a low priority and half of
/// the cores.
pub struct EmbeddingHandover(#[expect(dead_code, reason = "held")] Lock);

impl EmbeddingHandover {
    /// Requests it; `None` if another process does already.
    ///
    /// # Errors
    /// When the lock file cannot be opened.
    pub fn request(root: &Path) -> Result<Option<Self>> {
        let lock = Lock::lock_timeout(&Dir::open(root)?, HANDOVER_LOCK, LOCK_PATIENCE)?;
        Ok(lock.map(Self))
    }

    /// Returns true while some process requests it.
    pub fn is_requested(root: &Path) -> bool {
        let Ok(dir) = Dir::open(root) else {
            return false;
        };
        // Else the check would make the lock file.
        dir.exists(Path::new(HANDOVER_LOCK))
            && matches!(Lock::try_lock(&dir, HANDOVER_LOCK), Ok(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handover_is_requested_until_it_is_dropped() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert!(!EmbeddingHandover::is_requested(root));
        assert_eq!(fs_err::read_dir(root).unwrap().count(), 0, "it is made");
        let request = EmbeddingHandover::request(root).unwrap().unwrap();
        assert!(EmbeddingHandover::is_requested(root));
        assert!(EmbeddingHandover::request(root).unwrap().is_none());
        drop(request);
        assert!(!EmbeddingHandover::is_requested(root));
    }
}
