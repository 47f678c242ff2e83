//! The end of a range before a day: `before` excludes the day that `until` includes.

use crate::time_error::TimeError;
use crate::time_range::{Result, TimeRange, TypedRange};
use jiff::Zoned;

impl TimeRange {
    /// Ends the range at the beginning of a day, or at a time, as typed.
    ///
    /// # Errors
    /// When the time cannot be parsed, or the range ends before it begins.
    pub fn end_before(self, text: &str, now: fn() -> Zoned) -> Result<Self> {
        let from_it_on = TypedRange::Between {
            since: Some(text),
            until: None,
        };
        let until_ms = Self::parse(from_it_on, now)?.since_ms;
        match (self.since_ms, until_ms) {
            (Some(since), Some(until)) if since >= until => Err(TimeError::Reversed),
            _ => Ok(Self { until_ms, ..self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    fn range(since: Option<&str>, until: Option<&str>) -> TimeRange {
        TimeRange::parse(TypedRange::Between { since, until }, now).unwrap()
    }

    #[test]
    fn the_day_is_no_part_of_it() {
        let before = |text: &str| TimeRange::default().end_before(text, now).unwrap();
        assert_eq!(before("2026-03-16"), range(None, Some("2026-03-15")));
        assert_eq!(before("last week"), range(None, Some("2026-03-22")));
        assert_eq!(before("2w"), range(None, Some("2w")));
        let week = range(Some("2026-03-09"), None).end_before("2026-03-16", now);
        assert_eq!(week.unwrap(), range(Some("2026-03-09"), Some("2026-03-15")));
    }

    #[test]
    fn a_range_does_not_end_before_it_begins() {
        let today = range(Some("today"), None);
        for text in ["today", "yesterday"] {
            assert_eq!(today.end_before(text, now), Err(TimeError::Reversed));
        }
        let unknown = today.end_before("soon", now).unwrap_err();
        assert_eq!(unknown.to_string(), "`soon` is not a time");
    }
}
