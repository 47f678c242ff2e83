//! A private copy of a SQLite database that cannot be opened where it is.

use crate::copy_directory::CopyDirectory;
use crate::error::FileError;
use crate::private;
use session_core::text::path_line;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A database and its write-ahead log, copied to a directory that only this user can enter. Deleted when it is dropped.
#[derive(Debug)]
pub struct DatabaseCopy {
    directory: CopyDirectory,
}

/// Why a database could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseCopyError {
    /// The database or its log cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// No copy can be made in the folder of temporary files.
    #[error("cannot make a copy in `{}`: {error}", path_line(folder))]
    Write {
        /// The folder.
        folder: PathBuf,
        /// The error.
        error: io::Error,
    },
}

/// The I/O error alone, whose text names the path.
impl From<DatabaseCopyError> for io::Error {
    fn from(error: DatabaseCopyError) -> Self {
        match error {
            DatabaseCopyError::Read(error) | DatabaseCopyError::Write { error, .. } => error,
        }
    }
}

const NAME: &str = "copy.db";
/// The most attempts to copy files that change meanwhile.
const MAX_ATTEMPTS: usize = 3;

impl DatabaseCopy {
    /// Copies a database and its log; `None` if they change during each attempt.
    ///
    /// # Errors
    /// When the database is no regular file, or one of both cannot be read or copied.
    pub fn create(database: &Path) -> Result<Option<Self>, DatabaseCopyError> {
        Self::create_in(&std::env::temp_dir(), database, || {})
    }

    /// Copies both to a directory in a folder, and calls `copied` after each attempt.
    fn create_in(
        folder: &Path,
        database: &Path,
        mut copied: impl FnMut(),
    ) -> Result<Option<Self>, DatabaseCopyError> {
        let unwritable = |error| DatabaseCopyError::Write {
            folder: folder.to_owned(),
            error,
        };
        for _ in 0..MAX_ATTEMPTS {
            let before = DatabaseStamp::read(database)?;
            // Anew each time: a log of an earlier attempt would be replayed over a newer database.
            let directory = CopyDirectory::create(folder).map_err(unwritable)?;
            let copy = Self { directory };
            let is_complete = copy.fill(database, &before, unwritable)?;
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
    fn fill(
        &self,
        database: &Path,
        before: &DatabaseStamp,
        unwritable: impl Fn(io::Error) -> DatabaseCopyError,
    ) -> Result<bool, DatabaseCopyError> {
        let copied = copy_content(fs_err::File::open(database)?, &self.path());
        copied.map_err(&unwritable)?;
        if before.log.is_none() {
            return Ok(true);
        }
        match fs_err::File::open(write_ahead_log(database)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            log => {
                let copied = copy_content(log?, &write_ahead_log(&self.path()));
                copied.map(|()| true).map_err(unwritable)
            }
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
fn copy_content(mut from: fs_err::File, to: &Path) -> io::Result<()> {
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
            let copy = DatabaseCopy::create_in(&std::env::temp_dir(), &database, copied);
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
        let copy = DatabaseCopy::create_in(&std::env::temp_dir(), &database, copied).unwrap();
        assert!(copy.is_none());
    }

    #[test]
    fn what_is_no_regular_file_is_not_copied() {
        let directory = tempfile::tempdir().unwrap();
        DatabaseCopy::create(directory.path()).unwrap_err();
    }

    #[test]
    fn a_folder_in_which_no_copy_can_be_made_is_named() {
        let (directory, database) = database();
        let missing = directory.path().join("missing");
        let error = DatabaseCopy::create_in(&missing, &database, || {}).unwrap_err();
        let is_named =
            matches!(&error, DatabaseCopyError::Write { folder, .. } if *folder == missing);
        assert!(is_named, "{error}");
        let error = DatabaseCopy::create(&missing).unwrap_err();
        assert!(matches!(error, DatabaseCopyError::Read(_)), "{error}");
    }
}
