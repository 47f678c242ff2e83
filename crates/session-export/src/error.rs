//! Why a session is not exported.

use session_store::StoreError;
use std::io;

/// An export that failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The index cannot be read.
    #[error("cannot read the session")]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error("cannot write the session")]
    Io(#[from] io::Error),
}

impl From<serde_json::Error> for ExportError {
    fn from(error: serde_json::Error) -> Self {
        Self::Io(error.into())
    }
}
