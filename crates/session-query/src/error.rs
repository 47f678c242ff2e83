//! Errors of queries.

use crate::typed_filter_error::TypedFilterError;
use session_config::ConfigError;
use session_embed::EmbedError;
use session_files::io_hint;
use session_indexer::IndexError;
use session_models::ModelError;
use session_store::StoreError;
use std::borrow::Cow;
use std::time::Duration;
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
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Another process kept the writer's lock.
    #[error("another process has not finished its update in {} min", .0.as_secs() / 60)]
    Busy(Duration),
    /// An evaluation names an endpoint that is not in use.
    #[error(
        "the model `remote` is not in use, so its endpoint gets no questions about your history"
    )]
    EndpointNotChosen,
    /// A model in process failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl QueryError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Forget(error) => error.hint().map(Cow::from),
            Self::Store(error) => error.hint().map(Cow::from),
            Self::Model(error) => error.hint().map(Cow::from),
            Self::Config(error) => error.hint().map(Cow::from),
            Self::Filter(error) => error.hint().map(Cow::from),
            Self::Io(error) => io_hint(error).map(Cow::from),
            Self::Embed(error) => error.hint().map(Cow::from),
            Self::EndpointNotChosen => Some(
                "`session-search model use remote`, then `session-search index`, embeds your sessions there".into(),
            ),
            Self::Busy(_) => Some("wait for it to end".into()),
        }
    }
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
