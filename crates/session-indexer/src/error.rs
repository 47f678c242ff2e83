//! Why the index could not be brought up to date.

use session_embed::EmbedError;
use session_forget::ForgetError;
use session_store::StoreError;

/// An error of a refresh.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records of what was forgotten cannot be read or written.
    #[error(transparent)]
    Forget(ForgetError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl IndexError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Forget(error) => error.hint(),
            Self::Embed(error) => error.hint(),
        }
    }
}

impl From<ForgetError> for IndexError {
    fn from(error: ForgetError) -> Self {
        match error {
            ForgetError::Store(error) => Self::Store(error),
            other => Self::Forget(other),
        }
    }
}
