//! The error of a typed filter.

use session_report::TimeError;
use thiserror::Error;

/// A mistake in a filter that was typed.
#[derive(Debug, Clone, Error, PartialEq)]
pub enum TypedFilterError {
    /// No agent has this name.
    #[error("there is no agent `{name}`")]
    UnknownAgent {
        /// As typed.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A time cannot be used.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The latest end lies before the earliest beginning.
    #[error("`{0}` ends before it begins")]
    Reversed(String),
}

/// Says what to write for a range, which is no time.
pub(crate) const RANGE_HINT: &str = "write `since:FROM until:TO`";

impl TypedFilterError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownAgent { known, .. } => Some(format!("one of {}", known.join(", "))),
            Self::Time(TimeError::RangeForTime(_)) => Some(RANGE_HINT.to_owned()),
            Self::Time(error) => error.hint(),
            Self::Reversed(_) => Some("write the earlier time first".to_owned()),
        }
    }
}
