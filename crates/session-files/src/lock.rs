//! Locks that one process holds at a time.

use crate::dir::Dir;
use crate::error::{FileError, Result};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time to sleep before a lock is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// A lock file that this process holds until it is dropped. The system frees it when the
/// process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock if nobody holds it.
    ///
    /// # Errors
    /// When the lock file is no regular file, or cannot be opened.
    pub fn try_lock(dir: &Dir, name: &str) -> Result<Option<Self>> {
        let file = dir.append(Path::new(name))?;
        let locked = file.try_lock();
        Self::from_result(file, locked, &dir.path().join(name))
    }

    /// Takes a shared lock, if no process holds the exclusive one. `None` also where there is no lock file: none is
    /// made.
    ///
    /// # Errors
    /// As [`Lock::try_lock`].
    pub fn try_lock_shared(dir: &Dir, name: &str) -> Result<Option<Self>> {
        if !dir.exists(Path::new(name)) {
            return Ok(None);
        }
        let file = dir.open_file(Path::new(name))?;
        let locked = file.try_lock_shared();
        Self::from_result(file, locked, &dir.path().join(name))
    }

    fn from_result(
        file: File,
        locked: std::result::Result<(), TryLockError>,
        path: &Path,
    ) -> Result<Option<Self>> {
        match locked {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(FileError::io("lock", path, &e)),
        }
    }

    /// Waits for the lock at most so long; `None` if another process still holds it.
    ///
    /// # Errors
    /// As [`Lock::try_lock`].
    pub fn lock_timeout(dir: &Dir, name: &str, timeout: Duration) -> Result<Option<Self>> {
        Self::retry(timeout, || Self::try_lock(dir, name))
    }

    /// Waits for the lock of a directory itself at most so long: it leaves no file in a directory of another
    /// program. A file system that can lock no directory lets everybody through.
    ///
    /// # Errors
    /// When the directory cannot be opened.
    #[cfg(unix)]
    pub(crate) fn lock_directory(dir: &Dir, timeout: Duration) -> Result<Option<Self>> {
        Self::retry(timeout, || {
            let file = dir.as_file()?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => Ok(None),
                Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Self { _file: file })),
            }
        })
    }

    /// Waits for the lock of a file in the directory at most so long, since Windows locks no directories.
    ///
    /// # Errors
    /// As [`Lock::try_lock`].
    #[cfg(windows)]
    pub(crate) fn lock_directory(dir: &Dir, timeout: Duration) -> Result<Option<Self>> {
        Self::lock_timeout(dir, ".session-search.lock", timeout)
    }

    fn retry(
        timeout: Duration,
        attempt: impl Fn() -> Result<Option<Self>>,
    ) -> Result<Option<Self>> {
        let began = Instant::now();
        loop {
            match attempt()? {
                None if began.elapsed() <= timeout => std::thread::sleep(PAUSE),
                attempt => return Ok(attempt),
            }
        }
    }
}
