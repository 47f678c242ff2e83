//! The error of a call.

use session_config::ConfigError;
use session_core::TurnAddressError;
use session_display::Note;
use session_memory::MemoryError;
use session_project_memories::ProjectMemoriesError;
use session_query::{QueryError, TypedFilterError};
use session_report::TimeError;
use session_store::StoreError;
use std::error::Error;

/// The reason for which a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// An argument cannot be used: which, and what to write instead.
    Invalid(Note),
    /// The work failed, or what was named is not there.
    Failed(Box<dyn Error + Send + Sync>),
    /// The client cancelled the call.
    Cancelled,
}

impl From<ConfigError> for CallError {
    fn from(error: ConfigError) -> Self {
        Self::Failed(error.into())
    }
}

/// Makes the error that something named is not there.
impl From<Note> for CallError {
    fn from(note: Note) -> Self {
        Self::Failed(note.to_string().into())
    }
}

impl From<QueryError> for CallError {
    fn from(error: QueryError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<ProjectMemoriesError> for CallError {
    fn from(error: ProjectMemoriesError) -> Self {
        match error {
            // The hint of the command line names a command.
            ProjectMemoriesError::Memory(unknown @ MemoryError::Unknown(_)) => {
                let note = Note::new(unknown.to_string());
                note.with_hint("an empty query of recall lists them").into()
            }
            error => Self::Failed(error.into()),
        }
    }
}

impl From<StoreError> for CallError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<TurnAddressError> for CallError {
    fn from(error: TurnAddressError) -> Self {
        let note = Note::new(error.to_string());
        Self::Invalid(note.with_hint("write 7, 5-9, 5- (from 5 on) or last, counted from 0"))
    }
}

impl From<TypedFilterError> for CallError {
    fn from(error: TypedFilterError) -> Self {
        let hint = match &error {
            // That of the command line names an option.
            TypedFilterError::Time(TimeError::NotATime(_)) => Some(TIME_HINT.to_owned()),
            TypedFilterError::Time(TimeError::RangeForTime(_)) => Some(RANGE_HINT.to_owned()),
            error => error.hint(),
        };
        Self::Invalid(Note::new(error.to_string()).with_hints(hint))
    }
}

const TIME_HINT: &str = "write a date (2026-01-15), a month (2026-01), a while ago (3d, 2w, 12h), or a day, week or month \
    (yesterday, last week); a range by `since` and `until`";
const RANGE_HINT: &str = "`since` takes the beginning of a range, `until` its end";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_no_option_of_the_command_line() {
        for error in [
            TimeError::NotATime("gestern".to_owned()),
            TimeError::RangeForTime("2026-01..2026-02".to_owned()),
        ] {
            let CallError::Invalid(note) = TypedFilterError::Time(error).into() else {
                panic!("an argument cannot be used");
            };
            let text = note.to_string();
            assert!(text.contains("`since`") && !text.contains("--"), "{text}");
        }
    }
}
