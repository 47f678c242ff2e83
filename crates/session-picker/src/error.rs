//! Errors of the picker.

use session_agents::ResumeError;
use session_export::ExportError;
use session_files::FileError;
use session_project_memories::ProjectMemoriesError;
use session_query::QueryError;
use session_store::StoreError;
use thiserror::Error;

/// The reason for which the picker ended, or something was not done.
#[derive(Debug, Error)]
pub enum PickerError {
    /// The index or a model failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A memory cannot be saved.
    #[error(transparent)]
    Memories(#[from] ProjectMemoriesError),
    /// A session cannot be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A session cannot be resumed.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no terminal, or it is gone.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] std::io::Error),
}

impl PickerError {
    /// Returns true when there is no index yet.
    pub(crate) fn is_missing_index(&self) -> bool {
        let missing = |error: &StoreError| matches!(error, StoreError::Missing { .. });
        match self {
            Self::Store(error) | Self::Query(QueryError::Store(error)) => missing(error),
            _ => false,
        }
    }
}
