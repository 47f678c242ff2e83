//! Errors of the index.

use crate::migrate::is_migratable;
use session_files::{FileError, resource_hint};
use std::path::{Path, PathBuf};

/// An error of the index at rest.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The index was written by another version of this program: a newer one, or an older one and
    /// no writer has [migrated](crate::Writer::open) it yet.
    #[error("the index in `{}` has format {found}, this program reads format {expected}", root.display())]
    Format {
        /// Directory of the index.
        root: PathBuf,
        /// Version found.
        found: u32,
        /// Version wanted.
        expected: u32,
    },
    /// The index has an older format, and its directory cannot be written to.
    #[error("the index in `{}` has format {found} and cannot be migrated to format {expected}: {why}", root.display())]
    Unmigrated {
        /// Directory of the index.
        root: PathBuf,
        /// Version found.
        found: u32,
        /// Version wanted.
        expected: u32,
        /// The failure.
        why: String,
    },
    /// The database or a matrix is damaged.
    #[error("the index in `{}` is damaged: {what}", root.display())]
    Corrupt {
        /// Directory of the index.
        root: PathBuf,
        /// The damaged part and its damage: the rest of the message.
        what: String,
    },
    /// There is no index yet.
    #[error("there is no index in `{}`", root.display())]
    Missing {
        /// Directory of the index.
        root: PathBuf,
    },
    /// Another process is writing.
    #[error("another process is writing to the index in `{}`", root.display())]
    Locked {
        /// Directory of the index.
        root: PathBuf,
    },
    /// The directory is one that several users share, such as `/tmp`: closing it would harm them.
    #[error("`{}` is a folder that several users share", .0.display())]
    Shared(PathBuf),
    /// The directory has files that this program did not make: it is another one than that of an index.
    #[error("`{}` has files of others, and no index is made there", .0.display())]
    ForeignDirectory(PathBuf),
    /// An earlier call of the writer failed: what it was to write may be lost in part, so that nothing is committed.
    #[error("a write to the index failed before, after which nothing is written")]
    Failed,
    /// SQLite failed.
    #[error("the index database failed: {}", sqlite_message(.0))]
    Sqlite(rusqlite::Error),
    /// The file system failed; the text carries the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<FileError> for StoreError {
    fn from(error: FileError) -> Self {
        Self::Io(error.into())
    }
}

/// Not as a source: the text has all that it says.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

impl StoreError {
    /// Makes the error of a damaged index; `what` is the rest of its message.
    pub(crate) fn corrupt(root: &Path, what: impl Into<String>) -> Self {
        Self::Corrupt {
            root: root.to_owned(),
            what: what.into(),
        }
    }

    /// Returns the hint: what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        let is_unexplained = matches!(self, Self::Sqlite(_) | Self::Io(_));
        let doctor = "`session-search doctor` looks for what is wrong";
        self.remedy().or(is_unexplained.then_some(doctor))
    }

    /// Returns the hint where it is known what is wrong.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            _ if self.needs_rebuild() => Some(
                "run `session-search index --full` to build it anew; the old database is kept beside it",
            ),
            _ if self.needs_migration() => Some(
                "run `session-search index`, which migrates it; where its folder cannot be written, set SESSION_SEARCH_HOME to another",
            ),
            _ if self.needs_update() => Some(
                "a newer version of session-search wrote it: update this one or, if an agent runs it, restart that; or set SESSION_SEARCH_HOME to another folder",
            ),
            _ if self.needs_space() => {
                Some("free space on that disk, or set SESSION_SEARCH_HOME to a folder on another")
            }
            Self::ForeignDirectory(_) => {
                Some("set SESSION_SEARCH_HOME to a new folder, or to that of an index")
            }
            Self::Shared(_) => {
                Some("set SESSION_SEARCH_HOME to a folder of its own, such as one below that")
            }
            Self::Locked { .. } => Some(
                "wait for it to end; `session-search status` has its number, where the system tells it",
            ),
            Self::Missing { .. } => Some("run `session-search index`"),
            Self::Io(error) if resource_hint(error).is_some() => resource_hint(error),
            _ if self.needs_write_access() => {
                Some("see that its folder can be written, or set SESSION_SEARCH_HOME to another")
            }
            _ => None,
        }
    }

    /// Returns true when the remedy is to build the index anew.
    pub fn needs_rebuild(&self) -> bool {
        match self {
            Self::Format { .. } => !self.needs_migration() && !self.needs_update(),
            Self::Corrupt { .. } => true,
            Self::Sqlite(e) => is_damage(e),
            _ => false,
        }
    }

    /// Returns true when building the index anew may help, whatever is wrong: its tables contradict each other.
    pub fn may_need_rebuild(&self) -> bool {
        use rusqlite::ErrorCode::{ConstraintViolation, TypeMismatch};
        let is_contradiction = |error: &rusqlite::Error| {
            let message = sqlite_message(error);
            // A migration that was done before.
            let is_repeated =
                message.ends_with(" already exists") || message.starts_with("duplicate column");
            let code = error.sqlite_error_code();
            is_repeated || matches!(code, Some(ConstraintViolation | TypeMismatch))
        };
        self.needs_rebuild() || matches!(self, Self::Sqlite(error) if is_contradiction(error))
    }

    /// Returns true when another process holds the index: one of this program, or any other that writes to its database.
    pub fn is_locked(&self) -> bool {
        match self {
            Self::Locked { .. } => true,
            Self::Sqlite(error) => {
                error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
            }
            _ => false,
        }
    }

    /// Returns true when the index has an older format, from which a [`Writer`](crate::Writer) migrates it.
    pub fn needs_migration(&self) -> bool {
        matches!(self, Self::Format { found, .. } if is_migratable(*found))
    }

    /// Returns true when a newer version of this program wrote the index.
    pub fn needs_update(&self) -> bool {
        matches!(self, Self::Format { found, expected, .. } if found > expected)
    }

    /// Returns true when the directory of the index may be one that this process cannot write to: also where readers cannot make
    /// the memory beside the database that they share (`-shm`), on a full disk or a file system that has none.
    pub fn needs_write_access(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
        match self {
            Self::Unmigrated { .. } => true,
            Self::Io(_) => !self.needs_space(),
            Self::Sqlite(e) => {
                matches!(e.sqlite_error_code(), Some(CannotOpen | ReadOnly))
                    || lacks_shared_memory(e)
            }
            _ => false,
        }
    }

    /// Returns true when there is no room left where the index is.
    pub fn needs_space(&self) -> bool {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match self {
            Self::Io(e) => matches!(e.kind(), StorageFull | QuotaExceeded | FileTooLarge),
            Self::Sqlite(e) => {
                e.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
                    || lacks_room_to_share(e)
            }
            _ => false,
        }
    }
}

fn extended_code(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

/// Returns true if SQLite could not make or map the memory that the readers of a database share.
fn lacks_shared_memory(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN};
    let code = extended_code(error);
    lacks_room_to_share(error) || matches!(code, Some(SQLITE_IOERR_SHMOPEN | SQLITE_IOERR_SHMMAP))
}

/// Returns true if there is no room for the memory that the readers of a database share: SQLite calls it a disk I/O error.
fn lacks_room_to_share(error: &rusqlite::Error) -> bool {
    extended_code(error) == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Returns true for SQLite errors that mean a damaged file. A value that no column holds is one, and a table or a column that
/// is not there is one: our statements name none that the schema has not.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    const OF_SCHEMA: [&str; 4] = [
        "no such table",
        "no such column",
        "has no column named",
        "malformed database schema",
    ];
    let is_no_value = matches!(
        error,
        rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    );
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | NotADatabase)
    ) || is_no_value
        || OF_SCHEMA
            .iter()
            .any(|what| sqlite_message(error).contains(what))
}

/// Returns SQLite's message without the statement.
pub(crate) fn sqlite_message(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        full if lacks_room_to_share(full) => "database or disk is full".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    /// As a migration is that finds what it makes.
    #[test]
    fn tables_and_columns_that_are_there_before_they_are_made_may_need_a_rebuild() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE lamps(name TEXT)").unwrap();
        for step in [
            "CREATE TABLE lamps(name TEXT)",
            "ALTER TABLE lamps ADD COLUMN name TEXT",
        ] {
            let error = StoreError::from(db.execute_batch(step).unwrap_err());
            assert!(
                error.may_need_rebuild() && !error.needs_rebuild(),
                "{error}"
            );
        }
    }

    #[test]
    fn a_thread_that_cannot_be_started_asks_for_no_other_folder() {
        let error = StoreError::Io(std::io::ErrorKind::WouldBlock.into());
        assert!(error.hint().unwrap().contains("ulimit -u"));
    }

    #[test]
    fn shared_memory_that_cannot_be_made_is_no_damage() {
        let error = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            StoreError::from(error)
        };
        let full = error(ffi::SQLITE_IOERR_SHMSIZE);
        assert!(full.needs_write_access() && full.needs_space());
        assert!(full.to_string().ends_with("database or disk is full"));
        assert!(full.remedy().unwrap().starts_with("free space"));
        for code in [ffi::SQLITE_IOERR_SHMOPEN, ffi::SQLITE_IOERR_SHMMAP] {
            let unshared = error(code);
            assert!(unshared.needs_write_access() && !unshared.needs_space());
        }
        let failing = error(ffi::SQLITE_IOERR_READ);
        assert!(!failing.needs_write_access() && !failing.needs_space());
    }
}
