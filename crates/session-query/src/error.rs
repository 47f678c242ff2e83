//! Errors of queries.

use crate::typed_filter_error::TypedFilterError;
use session_config::ConfigError;
use session_embed::EmbedError;
use session_indexer::IndexError;
use session_memory::MemoryError;
use session_models::ModelError;
use session_store::StoreError;
use thiserror::Error;

/// The reason for which a query could not be prepared or answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The records of what was forgotten cannot be read or written.
    #[error(transparent)]
    Forget(session_forget::ForgetError),
    /// The index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model is unknown, or not installed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The configuration has a mistake.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A filter that was typed in a query cannot be read.
    #[error(transparent)]
    Filter(#[from] TypedFilterError),
    /// A memory cannot be read or saved.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The configuration switches memories off.
    #[error("memories are switched off")]
    MemoriesDisabled,
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A model in process failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl From<IndexError> for QueryError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Forget(error) => Self::Forget(error),
            IndexError::Store(error) => Self::Store(error),
            IndexError::Embed(error) => Self::Embed(error),
        }
    }
}
