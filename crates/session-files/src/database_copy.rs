//! A private copy of a SQLite database that cannot be opened where it is.

use crate::copy_directory::CopyDirectory;
use crate::error::FileError;
use crate::private;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A database and its write-ahead log, copied to a directory that only this user can enter. Deleted when it is dropped.
#[derive(Debug)]
pub struct DatabaseCopy {
    directory: CopyDirectory,
}

const NAME: &str = "copy.db";
/// The most attempts to copy files that change meanwhile.
const MAX_ATTEMPTS: usize = 3;

impl DatabaseCopy {
    /// Copies a database and its log; `None` where they change during each attempt.
    ///
    /// # Errors
    /// When the database is no regular file, or one of both cannot be read or copied.
    pub fn create(database: &Path) -> io::Result<Option<Self>> {
        Self::create_with(database, || {})
    }

    /// Copies both, and calls `copied` after each attempt.
    fn create_with(database: &Path, mut copied: impl FnMut()) -> io::Result<Option<Self>> {
        for _ in 0..MAX_ATTEMPTS {
            let before = DatabaseStamp::read(database)?;
            // Anew each time: a log of an earlier attempt would be replayed over a newer database.
            let copy = Self {
                directory: CopyDirectory::create()?,
            };
            let is_complete = copy.fill(database, &before)?;
            copied();
            if is_complete && DatabaseStamp::read(database)? == before {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    }

    /// Returns the path of the copied database.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(NAME)
    }

    /// Copies what there was; returns false where the log is gone.
    fn fill(&self, database: &Path, before: &DatabaseStamp) -> io::Result<bool> {
        copy_content(database, &self.path())?;
        if before.log.is_none() {
            return Ok(true);
        }
        match copy_content(&write_ahead_log(database), &write_ahead_log(&self.path())) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            copied => copied.map(|()| true),
        }
    }
}

/// Returns the path of the write-ahead log of a database, which may hold all that there is.
pub fn write_ahead_log(database: &Path) -> PathBuf {
    path_beside_database(database, "-wal")
}

/// Returns the path of a file that SQLite keeps beside a database: `end` is `-wal`, `-shm` or `-journal`.
pub fn path_beside_database(database: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(database);
    path.push(end);
    PathBuf::from(path)
}

/// The stamps of a database and of its log, which belong together where both stay as they are.
#[derive(Debug, PartialEq, Eq)]
struct DatabaseStamp {
    database: ContentStamp,
    /// `None` also for an empty log, which may be left of a reader.
    log: Option<ContentStamp>,
}

/// The length and the time of the last change of a file.
#[derive(Debug, PartialEq, Eq)]
struct ContentStamp {
    bytes: u64,
    modified: SystemTime,
}

impl DatabaseStamp {
    fn read(database: &Path) -> io::Result<Self> {
        let log = match ContentStamp::read(&write_ahead_log(database)) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            log => Some(log?).filter(|log| log.bytes > 0),
        };
        Ok(Self {
            database: ContentStamp::read(database)?,
            log,
        })
    }
}

impl ContentStamp {
    fn read(path: &Path) -> io::Result<Self> {
        let file = fs_err::metadata(path)?;
        // To open a named pipe would wait for its writer.
        if !file.is_file() {
            return Err(FileError::NotRegular(path.to_owned()).into());
        }
        Ok(Self {
            bytes: file.len(),
            modified: file.modified()?,
        })
    }
}

/// Copies the content without the permissions: SQLite makes files beside the copy, with its mode.
fn copy_content(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = fs_err::File::open(from)?;
    let mut to = private::open(to)?;
    io::copy(&mut from, &mut to).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// Makes a directory with a database and its log.
    fn database() -> (TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("state.db");
        fs_err::write(&database, "text").unwrap();
        fs_err::write(write_ahead_log(&database), "log").unwrap();
        (directory, database)
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_a_copy() {
        use std::os::unix::fs::PermissionsExt;
        let (_directory, database) = database();
        fs_err::set_permissions(&database, PermissionsExt::from_mode(0o666)).unwrap();
        let copy = DatabaseCopy::create(&database).unwrap().unwrap();
        let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(copy.directory.path()), 0o700);
        assert_eq!(mode(&copy.path()), 0o600);
        assert_eq!(mode(&write_ahead_log(&copy.path())), 0o600);
    }

    #[test]
    fn a_log_that_is_gone_is_not_left_beside_the_copy() {
        for is_emptied in [false, true] {
            let (_directory, database) = database();
            let checkpoint = || {
                fs_err::write(&database, "text and log").unwrap();
                let log = write_ahead_log(&database);
                if is_emptied {
                    fs_err::write(log, "").unwrap()
                } else {
                    fs_err::remove_file(log).unwrap_or_default()
                }
            };
            let mut attempts = 0;
            let copied = || {
                attempts += 1;
                if attempts == 1 {
                    checkpoint();
                }
            };
            let copy = DatabaseCopy::create_with(&database, copied);
            let copy = copy.unwrap().unwrap();
            assert_eq!(attempts, 2);
            assert_eq!(fs_err::read_to_string(copy.path()).unwrap(), "text and log");
            assert!(!write_ahead_log(&copy.path()).exists());
        }
    }

    #[test]
    fn a_database_that_keeps_changing_is_given_up() {
        let (_directory, database) = database();
        let mut text = String::new();
        let copied = || {
            text.push('x');
            fs_err::write(write_ahead_log(&database), &text).unwrap();
        };
        let copy = DatabaseCopy::create_with(&database, copied).unwrap();
        assert!(copy.is_none());
    }

    #[test]
    fn what_is_no_regular_file_is_not_copied() {
        let directory = tempfile::tempdir().unwrap();
        DatabaseCopy::create(directory.path()).unwrap_err();
    }
}
