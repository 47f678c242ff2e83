//! Locks an index: for its writer, and for the process that embeds beside it.

use crate::directory_ownership::{EMBEDDING_LOCK, WRITER_LOCK, check_ownership};
use crate::error::{Result, StoreError};
use session_files::{Dir, Lock, private};
use std::path::Path;
use std::time::Duration;

/// A lock that one process at a time holds, released when dropped or when the
/// process dies.
pub struct IndexLock(#[expect(dead_code, reason = "held")] Lock);

impl IndexLock {
    /// Acquires the writer's lock.
    pub(crate) fn acquire_writer(root: &Path) -> Result<Self> {
        let lock = Lock::try_lock(&Dir::open(root)?, WRITER_LOCK)?;
        lock.map(Self).ok_or_else(|| StoreError::Locked {
            root: root.to_owned(),
        })
    }

    /// Acquires the lock of the process that embeds with a slow model, so that no
    /// two do the same work. Writers and readers do not wait for it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process holds it.
    pub fn acquire_embedding(root: &Path) -> Result<Self> {
        Self::acquire_embedding_within(root, Duration::ZERO)?.ok_or_else(|| StoreError::Locked {
            root: root.to_owned(),
        })
    }

    /// As [`IndexLock::acquire_embedding`], but waits for the lock at most so long: who looks whether such
    /// a process runs holds it for a moment. `None` if another process still holds it.
    ///
    /// # Errors
    /// [`StoreError::ForeignDirectory`], and when the lock file cannot be opened.
    pub fn acquire_embedding_within(root: &Path, timeout: Duration) -> Result<Option<Self>> {
        check_ownership(root)?;
        private::create_directory(root)?;
        let lock = Lock::lock_timeout(&Dir::open(root)?, EMBEDDING_LOCK, timeout)?;
        Ok(lock.map(Self))
    }
}
