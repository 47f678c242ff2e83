//! The errors of forgetting, and what a user can do about them.

use crate::records::LIMIT;
use session_files::FileError;
use session_redact::PatternError;
use std::path::PathBuf;

/// An error of forgetting.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The file of records cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index failed.
    #[error(transparent)]
    Store(#[from] session_store::StoreError),
    /// The index failed before anything was forgotten.
    #[error("nothing was forgotten: {0}")]
    NotBegun(session_store::StoreError),
    /// It was forgotten and left the index, whose files could not be rewritten.
    #[error("it left the index, and leaves its files with the next search: {0}")]
    Purge(session_store::StoreError),
    /// The file of records is damaged.
    #[error("`{path}` does not say what was forgotten: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The records would be larger than they may be.
    #[error("what was forgotten would take {0} MB to remember, of at most {max}", max = LIMIT >> 20)]
    TooMuch(u64),
    /// The system gave no random bytes for the key of the records.
    #[error("the system gave no random key: {0}")]
    NoKey(getrandom::Error),
    /// A pattern of `exclude` is not a regular expression.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

impl ForgetError {
    /// Returns the hint: what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File(error) => error.hint(),
            Self::Damaged { .. } => {
                Some("correct the file, or remove it: what was forgotten is indexed again then")
            }
            Self::TooMuch(_) => Some(
                "name whole projects in `exclude.projects` of the configuration instead of forgetting their turns",
            ),
            Self::Store(error) | Self::NotBegun(error) | Self::Purge(error) => error.hint(),
            Self::NoKey(_) | Self::Pattern(_) => None,
        }
    }
}
