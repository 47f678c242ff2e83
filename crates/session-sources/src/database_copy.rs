//! A private copy of a database that cannot be opened where it is.

use crate::file;
use crate::sqlite::{database_stamp, wal};
use crate::storage_error::StorageError;
use fs_err as fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A database and its write-ahead log, copied to a folder that only this user
/// can enter. Removed when dropped.
#[derive(Debug)]
pub(crate) struct DatabaseCopy {
    folder: TempDir,
}

const NAME: &str = "copy.db";
const MAX_ATTEMPTS: usize = 3;

impl DatabaseCopy {
    /// Copies the database at `path`, again when it changed meanwhile: then
    /// the two files may not belong together.
    pub(crate) fn create(path: &Path) -> Result<Self, StorageError> {
        let folder = tempfile::Builder::new()
            .prefix("session-search-")
            .tempdir()?;
        for _ in 0..MAX_ATTEMPTS {
            let before = database_stamp(path)?;
            copy(path, &folder.path().join(NAME))?;
            if database_stamp(path)? == before {
                return Ok(Self { folder });
            }
        }
        Err(StorageError::Restless)
    }

    /// The copy.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), StorageError> {
    copy_file(from, to)?;
    match copy_file(&wal(from), &wal(to)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Not `fs::copy`, which would copy the permissions: SQLite must be able to
/// make a shared-memory file like the copy.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut from = file::open(from)?;
    let mut to = fs::File::create(to)?;
    std::io::copy(&mut from, &mut to).map(drop)
}
