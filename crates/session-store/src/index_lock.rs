//! Locks an index: for its writer, and for the process that embeds beside it.

use crate::directory_ownership::{EMBEDDING_LOCK, WRITER_LOCK, check_ownership};
use crate::error::{Result, StoreError};
use crate::open_processes::find_processes_with;
use serde::Serialize;
use session_files::{Dir, Lock, private};
use std::fmt;
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

/// A process that holds the writer's lock of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexWriter {
    /// Its number, where the system tells it: on Linux, of another process of this user.
    pub pid: Option<u32>,
}

impl IndexWriter {
    /// Finds the process that writes to the index now; `None` if there is none. Nothing is written, and the lock of an index
    /// without a writer is held for a moment alone.
    pub fn find(root: &Path) -> Option<Self> {
        let dir = Dir::open(root).ok()?;
        let is_held = dir.exists(Path::new(WRITER_LOCK))
            && matches!(Lock::try_lock_shared(&dir, WRITER_LOCK), Ok(None));
        is_held.then(|| Self {
            pid: match find_processes_with(&root.join(WRITER_LOCK)).as_slice() {
                [process] => Some(process.pid),
                // Another one may wait for it.
                _ => None,
            },
        })
    }
}

impl fmt::Display for IndexWriter {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "a process is writing to the index now")?;
        match self.pid {
            Some(pid) => write!(to, " (process {pid})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    #[test]
    fn a_writer_is_found_while_it_has_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        assert_eq!(IndexWriter::find(root), None);
        assert_eq!(fs_err::read_dir(root).unwrap().count(), 0, "it is made");
        let writer = Writer::open(root).unwrap();
        // This process is no other one.
        let found = IndexWriter::find(root).unwrap();
        assert_eq!(found, IndexWriter { pid: None });
        drop(writer);
        assert_eq!(IndexWriter::find(root), None);
        let shown = IndexWriter { pid: Some(1234) }.to_string();
        assert!(shown.ends_with(" now (process 1234)"), "{shown}");
    }
}
