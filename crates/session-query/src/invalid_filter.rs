//! Words that are typed like a filter, with a value that the filter cannot have.

use crate::typed_filter_error::{RANGE_HINT, TypedFilterError};
use crate::typed_query::{
    FilterField, TypedCondition, begins_agent, parse_agent, parse_before_ms, parse_since_ms,
    parse_until_ms, parse_within,
};
use jiff::Zoned;
use session_core::text::shorten_words;
use session_report::{TimeError, begins_time};

/// A word that begins as a filter and is searched as text, since no filter has its value: a log line has `agent:default`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidFilter {
    typed: String,
    /// The values that the filter takes.
    hint: String,
}

/// Greatest number of bytes of a word that a note quotes.
const MAX_QUOTED_BYTES: usize = 80;
/// Describes what a time is.
const A_TIME: &str = "a time is 2026-01-15, 3d, yesterday, \"last week\" or the like";

impl InvalidFilter {
    /// Checks the value of a filter that stands as `typed` in a query.
    pub(crate) fn find(typed: &str, condition: &TypedCondition) -> Option<Self> {
        let value = &condition.value;
        let error = match condition.field {
            FilterField::Agent => parse_agent(value).err()?,
            FilterField::Since => parse_since_ms(value, Zoned::now).err()?,
            FilterField::Until => parse_until_ms(value, Zoned::now).err()?,
            FilterField::Before => parse_before_ms(value, Zoned::now).err()?,
            FilterField::When => parse_within(value, Zoned::now).err()?,
            FilterField::Project | FilterField::Branch | FilterField::File => return None,
        };
        Some(Self {
            typed: typed.to_owned(),
            hint: describe_values(&error),
        })
    }

    /// Says that it is searched as text, and what the filter takes.
    pub fn note(&self) -> String {
        let typed = shorten_words(&self.typed, MAX_QUOTED_BYTES);
        format!("`{typed}` is searched as text; {}", self.hint)
    }
}

/// Returns true if a value that a field can have begins so.
pub(crate) fn begins_value(condition: &TypedCondition) -> bool {
    let value = &condition.value;
    match condition.field {
        FilterField::Agent => begins_agent(value),
        field => !field.is_time() || begins_time(value),
    }
}

fn describe_values(error: &TypedFilterError) -> String {
    match error {
        TypedFilterError::UnknownAgent { known, .. } => {
            format!("the agents are {}", known.join(", "))
        }
        TypedFilterError::Time(TimeError::RangeForTime(_)) => format!("for a range {RANGE_HINT}"),
        TypedFilterError::Time(TimeError::Reversed) => "it ends before it begins".to_owned(),
        _ => A_TIME.to_owned(),
    }
}
