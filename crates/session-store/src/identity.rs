//! Tells an index that was put in the place of another.

use crate::directory::database_path;
use crate::error::{Result, StoreError};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::Path;

/// The identity of an index's database file, which a rebuild changes and a commit does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexIdentity {
    device: u64,
    file: u64,
}

impl IndexIdentity {
    /// Reads the identity by `stat`. The file is not opened: to close it would release the locks that
    /// SQLite holds on it in this process (`How To Corrupt An SQLite Database File`, 2.2).
    ///
    /// # Errors
    /// [`StoreError::Missing`] when there is no index; when the disk fails.
    pub fn read(root: &Path) -> Result<Self> {
        match fs_err::metadata(database_path(root)) {
            Ok(found) => Ok(Self::from_metadata(&found)),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(StoreError::Missing {
                root: root.to_owned(),
            }),
            Err(error) => Err(StoreError::Io(error)),
        }
    }

    #[cfg(unix)]
    fn from_metadata(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: found.dev(),
            file: found.ino(),
        }
    }

    /// Where there are no inodes, the time of creation tells two files apart.
    #[cfg(not(unix))]
    fn from_metadata(found: &Metadata) -> Self {
        let created = found.created().ok();
        let since = created.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let nanoseconds = since.map_or(0, |since| since.as_nanos());
        Self {
            device: 0,
            file: u64::try_from(nanoseconds).unwrap_or_default(),
        }
    }
}
