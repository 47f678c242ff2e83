//! Errors of reading, with counts of what was skipped.

use crate::{Warning, file};
use rusqlite::ErrorCode;
use std::collections::BTreeMap;
use std::path::Path;

/// Why a history, or one session of it, could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum StorageError {
    #[error("{}", file::NOT_REGULAR)]
    NotRegular,
    #[error("file is not a SQLite database")]
    NotADatabase,
    #[error("database is locked by another program")]
    Locked,
    #[error("database is damaged")]
    Damaged,
    #[error("database has no OpenCode tables: another program's, or of another version")]
    NoTables,
    #[error("database keeps its messages in a newer form that is not read yet")]
    NewerForm,
    #[error("database cannot be opened: {0}")]
    Unopenable(rusqlite::Error),
    #[error("database kept changing while it was copied")]
    Restless,
    #[error("database cannot be read: {0}")]
    Sqlite(rusqlite::Error),
    #[error("cannot be read: {}", .0.kind())]
    Io(#[from] std::io::Error),
}

impl StorageError {
    /// True when trying again is of no use until the file has changed.
    pub(super) fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::NotRegular
                | Self::NotADatabase
                | Self::Damaged
                | Self::NoTables
                | Self::NewerForm
        )
    }
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotADatabase,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged,
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure,
            ) => Self::Unopenable(error),
            _ => Self::Sqlite(error),
        }
    }
}

/// A part or message whose JSON does not parse.
pub(super) const BAD_JSON: &str = "message or part is not valid JSON";
/// A part or message beyond [`SIZE_LIMIT`].
pub(super) const TOO_LONG: &str = "message or part is longer than 64 MB";
/// The longest message or part that is read, in bytes.
pub(super) const SIZE_LIMIT: u32 = 64 * 1024 * 1024;

/// Counts of what was skipped, by reason.
#[derive(Debug, Default)]
pub(super) struct SkippedCounts(BTreeMap<String, u64>);

impl SkippedCounts {
    /// Counts one more.
    pub(super) fn add(&mut self, reason: &str) {
        *self.0.entry(reason.to_owned()).or_default() += 1;
    }

    /// Adds those of another reading.
    pub(super) fn join(&mut self, other: Self) {
        for (reason, count) in other.0 {
            *self.0.entry(reason).or_default() += count;
        }
    }

    /// One warning for each reason.
    pub(super) fn warnings(self, path: &Path) -> impl Iterator<Item = Warning> {
        self.0.into_iter().map(|(reason, count)| Warning {
            path: path.to_owned(),
            offset: None,
            reason,
            count,
        })
    }
}

/// The warning for a history that cannot be read at all.
pub(super) fn warning(path: &Path, reason: &impl ToString) -> Warning {
    Warning {
        path: path.to_owned(),
        offset: None,
        reason: reason.to_string(),
        count: 1,
    }
}
