//! The error of a call.

use session_hooks::MemoriesError;
use session_query::{QueryError, TypedFilterError};
use session_store::StoreError;

/// The reason for which a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// An argument cannot be used: which, and what to write instead.
    Invalid(String),
    /// The work failed, or what was named is not there.
    Failed(anyhow::Error),
    /// The client cancelled the call.
    Cancelled,
}

impl From<anyhow::Error> for CallError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<QueryError> for CallError {
    fn from(error: QueryError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<MemoriesError> for CallError {
    fn from(error: MemoriesError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<StoreError> for CallError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<TypedFilterError> for CallError {
    fn from(error: TypedFilterError) -> Self {
        let hint = error.hint().map(|hint| format!("\nhint: {hint}"));
        Self::Invalid(format!("{error}{}", hint.unwrap_or_default()))
    }
}
