//! Errors of times that were typed.

/// A mistake in a time that was typed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TimeError {
    /// The text is in none of the forms of a time.
    #[error("`{0}` is not a time")]
    NotATime(String),
    /// The text is a range where one time is expected.
    #[error("`{0}` is not a time")]
    RangeForTime(String),
    /// The month has no such day.
    #[error("there is no {0}")]
    NoSuchDay(String),
    /// The text has more than one `..`.
    #[error("`{0}` is not a time")]
    SeveralRanges(String),
    /// The time is outside of the calendar.
    #[error("`{0}` lies beyond the calendar")]
    BeyondCalendar(String),
    /// The range ends before it begins.
    #[error("the time ends before it begins")]
    Reversed,
    /// The range lies in the future.
    #[error("that time has not begun")]
    NotBegun,
    /// The range has too many days to return them one by one.
    #[error("{0} days are too many to count")]
    TooManyDays(i32),
    /// The calendar refused a computation.
    #[error(transparent)]
    Calendar(#[from] jiff::Error),
}

impl TimeError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotATime(_) => {
                "write a date (2026-01-15), a month (2026-01), a day or month by name (15 jan, may 2026), a time (2026-01-15T09:00), a while ago (3d, 2w, 12h, 2 months ago), a day (yesterday, last monday), or a week or month (last week, this month, last june); a range is FROM..TO, by --when"
            }
            Self::RangeForTime(text) => {
                let quote = if text.contains(' ') { "\"" } else { "" };
                return Some(format!("write `--when {quote}{text}{quote}`"));
            }
            Self::SeveralRanges(_) => "a range has one `..`: FROM..TO",
            Self::BeyondCalendar(_) => "it goes from year -9998 to 9998",
            Self::Reversed => "write the earlier time first",
            Self::NotBegun => "write an earlier one",
            Self::TooManyDays(_) => "name a later beginning",
            Self::NoSuchDay(_) | Self::Calendar(_) => return None,
        };
        Some(hint.to_owned())
    }
}

/// Errors are equal where their messages are.
impl PartialEq for TimeError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}
