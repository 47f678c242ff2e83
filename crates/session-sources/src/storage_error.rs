//! Errors of reading, with counts of what was skipped.

use crate::{Warning, file};
use rusqlite::ErrorCode;
use std::collections::BTreeMap;
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
    /// SQLite failed otherwise.
    #[error("database cannot be read: {0}")]
    Sqlite(rusqlite::Error),
    /// A file cannot be read.
    #[error("cannot be read: {}", .0.kind())]
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
pub(crate) const BAD_JSON: &str = "message or part is not valid JSON";
/// A part or message beyond [`SIZE_LIMIT`].
pub(crate) const TOO_LONG: &str = "message or part is longer than 64 MB";
/// The longest message or part that is read, in bytes.
pub(crate) const SIZE_LIMIT: u32 = 64 * 1024 * 1024;

/// Counts of what was skipped, by reason.
#[derive(Debug, Default)]
pub(crate) struct SkippedCounts {
    /// Messages and parts: they are looked at again when their session changes.
    parts: BTreeMap<String, u64>,
    /// Whole sessions: each read tries them again.
    sessions: BTreeMap<String, u64>,
}

impl SkippedCounts {
    /// Counts one more message or part.
    pub(crate) fn add(&mut self, reason: &str) {
        *self.parts.entry(reason.to_owned()).or_default() += 1;
    }

    /// Counts one more session.
    pub(crate) fn add_session(&mut self, error: &StorageError) {
        let reason = format!("session could not be read: {error}");
        *self.sessions.entry(reason).or_default() += 1;
    }

    /// Adds those of another reading.
    pub(crate) fn join(&mut self, other: Self) {
        let add = |to: &mut BTreeMap<String, u64>, from: BTreeMap<String, u64>| {
            for (reason, count) in from {
                *to.entry(reason).or_default() += count;
            }
        };
        add(&mut self.parts, other.parts);
        add(&mut self.sessions, other.sessions);
    }

    /// Returns one warning for each reason.
    pub(crate) fn warnings(self, path: &Path) -> impl Iterator<Item = Warning> {
        let parts = self.parts.into_iter().map(|skipped| (skipped, false));
        let sessions = self.sessions.into_iter().map(|skipped| (skipped, true));
        let all = parts.chain(sessions);
        all.map(|((reason, count), is_tried_again)| Warning {
            path: path.to_owned(),
            offset: None,
            reason,
            count,
            is_tried_again,
        })
    }
}
