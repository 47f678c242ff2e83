//! A private copy of a database with its log.

use crate::directory::{database_path, log_path};
use crate::error::{Result, StoreError};
use session_files::private;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;

/// A database and its write-ahead log in a folder that only this user can enter. Deleted when it is dropped.
pub(crate) struct DatabaseCopy {
    folder: TempDir,
}

/// How often files are copied that change meanwhile.
const MAX_ATTEMPTS: usize = 3;

impl DatabaseCopy {
    /// Copies the database of an index and its log; `None` where the log holds nothing.
    ///
    /// # Errors
    /// When the disk fails; [`StoreError::Locked`] where another process writes to them all the time.
    pub(crate) fn create_if_logged(root: &Path) -> Result<Option<Self>> {
        for _ in 0..MAX_ATTEMPTS {
            let before = FileState::read(root)?;
            if before.log.is_none_or(|(bytes, _)| bytes == 0) {
                return Ok(None);
            }
            let folder = private::temporary_directory("session-search-")?;
            copy_file(&database_path(root), &database_path(folder.path()))?;
            copy_file(&log_path(root), &log_path(folder.path()))?;
            if FileState::read(root)? == before {
                return Ok(Some(Self { folder }));
            }
        }
        Err(StoreError::Locked {
            root: root.to_owned(),
        })
    }

    /// Returns the path of the copied database.
    pub(crate) fn path(&self) -> PathBuf {
        database_path(self.folder.path())
    }
}

/// Bytes and last change of a database and of its log, which belong together where both stay as they are.
#[derive(PartialEq, Eq)]
struct FileState {
    database: Option<(u64, SystemTime)>,
    log: Option<(u64, SystemTime)>,
}

impl FileState {
    fn read(root: &Path) -> Result<Self> {
        Ok(Self {
            database: file_state(&database_path(root))?,
            log: file_state(&log_path(root))?,
        })
    }
}

fn file_state(path: &Path) -> Result<Option<(u64, SystemTime)>> {
    match fs_err::metadata(path) {
        Ok(file) => Ok(Some((file.len(), file.modified()?))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Copies the content alone: SQLite makes a file beside the copy, with its mode.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let mut from = fs_err::File::open(from)?;
    let mut to = fs_err::File::create(to)?;
    std::io::copy(&mut from, &mut to)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use rusqlite::Connection;
    use session_core::SourceName;

    #[test]
    fn a_copy_has_what_only_the_log_holds() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(root.path()).unwrap();
        writer
            .upsert_file(&SourceName::new("claude"), "/h/a.jsonl")
            .unwrap();
        writer.commit().unwrap();
        let copy = DatabaseCopy::create_if_logged(root.path())
            .unwrap()
            .unwrap();
        let db = Connection::open(copy.path()).unwrap();
        let count = "SELECT count(*) FROM files";
        let files: u32 = db.query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!(files, 1);
        writer.vacuum().unwrap();
        assert!(
            DatabaseCopy::create_if_logged(root.path())
                .unwrap()
                .is_none()
        );
    }
}
