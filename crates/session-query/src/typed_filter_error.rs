//! The error of a typed filter.

use jiff::Zoned;
use session_config::{RangeEnds, TimeError};
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
    #[error("`since:{since} until:{until}` ends before it begins")]
    Reversed {
        /// The beginning, as typed.
        since: String,
        /// The end, as typed.
        until: String,
    },
}

impl TypedFilterError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownAgent { known, .. } => Some(format!("one of {}", known.join(", "))),
            Self::Time(TimeError::RangeForTime(range)) => {
                let filters = format_range_filters(&RangeEnds::parse(range, &Zoned::now())?);
                Some(format!("write `{filters}`"))
            }
            Self::Time(error) => error.hint(),
            Self::Reversed { .. } => Some("write the earlier time first".to_owned()),
        }
    }
}

/// Formats a range as the filters of its ends.
fn format_range_filters(range: &RangeEnds) -> String {
    let filter = |name: &str, time: &Option<String>| {
        let time = time.as_ref()?;
        let quote = if time.contains(char::is_whitespace) {
            "\""
        } else {
            ""
        };
        Some(format!("{name}:{quote}{time}{quote}"))
    };
    let filters = [filter("since", &range.since), filter("until", &range.until)];
    filters.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
