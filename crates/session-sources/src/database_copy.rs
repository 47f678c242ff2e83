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
        let folder = create_private_directory()?;
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

/// Creates a directory that others cannot enter, whatever the mask of modes is: what is copied is not redacted.
fn create_private_directory() -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("session-search-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(PermissionsExt::from_mode(0o700));
    }
    builder.tempdir()
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
    let mut to = open_private(to)?;
    std::io::copy(&mut from, &mut to).map(drop)
}

/// Opens a file to write it anew, with mode 0600 where it is missing.
fn open_private(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn nobody_else_can_read_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("state.db");
        fs::write(&database, "text").unwrap();
        fs::write(wal(&database), "log").unwrap();
        fs::set_permissions(&database, PermissionsExt::from_mode(0o666)).unwrap();
        let copy = DatabaseCopy::create(&database).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(copy.folder.path()), 0o700);
        assert_eq!(mode(&copy.path()), 0o600);
        assert_eq!(mode(&wal(&copy.path())), 0o600);
    }
}
