//! Errors of reading, with counts of what was skipped.

use crate::{Retry, Warning, WarningKind, file};
use rusqlite::ErrorCode;
use session_files::DatabaseCopyError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why a history, or one session of it, could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StorageError {
    /// A pipe, a device or a folder.
    #[error("{}", file::NOT_REGULAR)]
    NotRegular,
    /// A named pipe is where SQLite keeps a file with a database.
    #[error("`{}` beside it is a named pipe", session_core::text::path_line(.0))]
    PipeBeside(PathBuf),
    /// Another file.
    #[error("file is not a SQLite database")]
    NotADatabase,
    /// Another file, or one that is being written.
    #[error("file is not a JSON document of a session")]
    NotADocument,
    /// Its description of a conversation is damaged, or longer than 64 MB.
    #[error("its description is not valid JSON")]
    NotAConversation,
    /// Another program holds the lock.
    #[error("database is locked by another program")]
    Locked,
    /// SQLite found damage.
    #[error("database is damaged")]
    Damaged,
    /// It has no tables of the agent that is named.
    #[error("database has no {0} tables: another program's, or of another version")]
    NoTables(&'static str),
    /// Its messages are in a form that is not known.
    #[error("database keeps its messages in a newer form that is not read yet")]
    NewerForm,
    /// SQLite cannot open it.
    #[error("database cannot be opened: {0}")]
    Unopenable(rusqlite::Error),
    /// It changed while it was copied.
    #[error("database kept changing while it was copied")]
    Restless,
    /// No private copy can be made in the folder of temporary files.
    #[error(
        "cannot be copied to `{}`: {}",
        session_core::text::path_line(folder),
        file::error_text(error)
    )]
    Uncopyable {
        folder: PathBuf,
        error: std::io::Error,
    },
    /// SQLite failed otherwise.
    #[error("database cannot be read: {0}")]
    Sqlite(rusqlite::Error),
    /// A file cannot be read.
    #[error("cannot be read: {}", file::error_text(.0))]
    Io(#[from] std::io::Error),
}

impl StorageError {
    /// Returns true when trying again is of no use until the file has changed.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::NotRegular
                | Self::NotADatabase
                | Self::NotADocument
                | Self::Damaged
                | Self::NoTables(_)
                | Self::NewerForm
        )
    }

    /// Returns true if reading failed, which says nothing of the content: the next try may succeed.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Locked
                | Self::PipeBeside(_)
                | Self::Unopenable(_)
                | Self::Restless
                | Self::Uncopyable { .. }
                | Self::Io(_)
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

impl From<DatabaseCopyError> for StorageError {
    fn from(error: DatabaseCopyError) -> Self {
        match error {
            DatabaseCopyError::Read(error) => Self::Io(error),
            DatabaseCopyError::Write { folder, error } => Self::Uncopyable { folder, error },
        }
    }
}

/// A part or message whose JSON does not parse.
pub(crate) const BAD_JSON: &str = "message or part is not valid JSON";
/// A part or message beyond [`SIZE_LIMIT`].
pub(crate) const TOO_LONG: &str = "message or part is longer than 64 MB";
/// The longest message or part that is read, in bytes.
pub(crate) const SIZE_LIMIT: u32 = 64 * 1024 * 1024;

/// Counts of what was skipped, by reason.
#[derive(Debug, Default)]
pub(crate) struct SkippedCounts {
    counts: BTreeMap<SkippedRecord, u64>,
    /// Ids of the sessions that are there, and could not be listed.
    unlisted: BTreeSet<String>,
}

/// Something that was skipped: why, and when it is tried again.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SkippedRecord {
    retry: Retry,
    reason: String,
}

impl SkippedCounts {
    /// Counts one more message or part: it is looked at again when its session changes.
    pub(crate) fn add(&mut self, reason: &str) {
        self.count(Retry::FullRead, reason.to_owned(), 1);
    }

    /// Counts one more session, which each read tries again.
    pub(crate) fn add_session(&mut self, error: &StorageError) {
        let retry = if error.is_transient() {
            Retry::NextRefresh
        } else {
            Retry::NextRead
        };
        self.count(retry, format!("session could not be read: {error}"), 1);
    }

    /// Counts one more session, which cannot be listed.
    pub(crate) fn add_unlisted(&mut self, session: &str, error: &StorageError) {
        self.add_session(error);
        self.keep_unlisted(session);
    }

    /// Notes that a session exists, although it could not be read.
    pub(crate) fn keep_unlisted(&mut self, session: &str) {
        self.unlisted.insert(session.to_owned());
    }

    /// Counts something that could not be read now, without which the rest was read.
    pub(crate) fn add_unread(&mut self, reason: String) {
        self.count(Retry::NextRefresh, reason, 1);
    }

    /// Returns the ids of the sessions that are there, and could not be listed.
    pub(crate) fn unlisted(&self) -> &BTreeSet<String> {
        &self.unlisted
    }

    fn count(&mut self, retry: Retry, reason: String, count: u64) {
        *self
            .counts
            .entry(SkippedRecord { retry, reason })
            .or_default() += count;
    }

    /// Adds those of another reading.
    pub(crate) fn join(&mut self, mut other: Self) {
        for (SkippedRecord { retry, reason }, count) in other.counts {
            self.count(retry, reason, count);
        }
        self.unlisted.append(&mut other.unlisted);
    }

    /// Returns one warning for each reason.
    pub(crate) fn warnings(self, path: &Path) -> impl Iterator<Item = Warning> {
        let counts = self.counts.into_iter();
        counts.map(|(SkippedRecord { retry, reason }, count)| Warning {
            path: path.to_owned(),
            offset: None,
            reason,
            count,
            retry,
            kind: WarningKind::Unreadable,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_copied_is_not_said_to_be_unreadable() {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let error = StorageError::from(DatabaseCopyError::Write {
            folder: "/t".into(),
            error: missing(),
        });
        assert_eq!(
            error.to_string(),
            "cannot be copied to `/t`: entity not found"
        );
        assert!(error.is_transient() && !error.is_permanent());
        let error = StorageError::from(DatabaseCopyError::Read(missing()));
        assert_eq!(error.to_string(), "cannot be read: entity not found");
    }
}
