//! A time range with both ends, in the local calendar.

use crate::time_error::TimeError;
use crate::time_range::{Result, TimeRange, in_calendar};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan, Zoned};
use session_store::SessionRow;
use std::ops::Range;

/// Most days that are returned one by one: ten years.
const MAX_DAYS: i32 = 3660;
/// The name of a range in errors.
const RANGE: &str = "that time";

/// A time range with both ends, seen from the local time zone.
#[derive(Debug, Clone)]
pub struct CalendarRange {
    /// Its beginning.
    pub from: Zoned,
    /// Its end, which it does not include.
    pub to: Zoned,
}

/// A day, or the part of it that lies in a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarDay {
    /// Its date.
    pub date: Date,
    /// Its time, in milliseconds since 1970.
    pub milliseconds: Range<i64>,
}

impl CalendarRange {
    /// Closes a range: an open beginning is `earliest_ms`, an open end is `now`.
    ///
    /// # Errors
    /// When the range is empty, has not begun, or lies beyond the calendar.
    pub fn new(range: TimeRange, earliest_ms: i64, now: &Zoned) -> Result<Self> {
        let end = range.until_ms.unwrap_or(now.timestamp().as_millisecond());
        let begin = range.since_ms.unwrap_or(earliest_ms.min(end - 1));
        if begin >= end || begin >= now.timestamp().as_millisecond() {
            return Err(TimeError::NotBegun);
        }
        let zoned = |ms| -> Result<Zoned> {
            Ok(Timestamp::from_millisecond(ms)?.to_zoned(now.time_zone().clone()))
        };
        Ok(Self {
            from: in_calendar(RANGE, zoned(begin))?,
            to: in_calendar(RANGE, zoned(end))?,
        })
    }

    /// Returns the days of the range; where there are more than ten years of them, those from the earliest of the
    /// sessions in it on.
    ///
    /// # Errors
    /// When these are more than ten years, too, or they lie beyond the calendar.
    pub fn days(&self, sessions: &[SessionRow]) -> Result<Vec<CalendarDay>> {
        let last = self.last_day();
        let mut first = self.from.date();
        if (last - first).get_days() >= MAX_DAYS {
            let earliest = Timestamp::from_millisecond(self.earliest_ms(sessions))?;
            let earliest = earliest.to_zoned(self.from.time_zone().clone()).date();
            first = first.max(earliest.min(last));
        }
        let count = (last - first).get_days();
        if count >= MAX_DAYS {
            return Err(TimeError::TooManyDays(count + 1));
        }
        let whole = self.milliseconds();
        let midnight = |day: Date| -> Result<i64> {
            let midnight = day.to_zoned(self.from.time_zone().clone())?;
            Ok(midnight.timestamp().as_millisecond())
        };
        let days = (0..=count).map(|n| {
            let date = first.checked_add(n.days())?;
            let (from, to) = (midnight(date)?, midnight(date.checked_add(1.day())?)?);
            Ok(CalendarDay {
                date,
                milliseconds: from.max(whole.start)..to.min(whole.end),
            })
        });
        in_calendar(RANGE, days.collect())
    }

    /// Returns when the first of the sessions began that have a part in the range; its end without any. A session before
    /// it does not count: its clock may have been wrong.
    fn earliest_ms(&self, sessions: &[SessionRow]) -> i64 {
        let whole = self.milliseconds();
        let started = sessions.iter().filter_map(|session| {
            let end = session.ended_ms.or(session.started_ms);
            session.started_ms.filter(|_| end >= Some(whole.start))
        });
        started.min().unwrap_or(whole.end)
    }

    /// Returns the range in milliseconds since 1970.
    pub fn milliseconds(&self) -> Range<i64> {
        self.from.timestamp().as_millisecond()..self.to.timestamp().as_millisecond()
    }

    /// Returns its last day.
    pub fn last_day(&self) -> Date {
        let last = self.to.checked_sub(1.millisecond());
        last.map_or_else(|_| self.to.date(), |last| last.date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_range::TypedRange;

    fn now() -> Zoned {
        "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    fn range(text: &str) -> Result<CalendarRange> {
        let range = TimeRange::parse(TypedRange::Within(text), now)?;
        CalendarRange::new(range, 0, &now())
    }

    fn session(started_ms: i64, ended_ms: i64) -> SessionRow {
        SessionRow {
            started_ms: Some(started_ms),
            ended_ms: Some(ended_ms),
            ..SessionRow::default()
        }
    }

    #[test]
    fn open_ends_are_the_earliest_time_and_now() {
        let all = range("..").unwrap();
        assert_eq!(all.from.datetime().to_string(), "1970-01-01T01:00:00");
        assert_eq!(all.to, now());
        assert!(range("..1960-01-01").is_ok());
        for future in ["2026-03-31..", "2026-03-31", "2026-04"] {
            assert_eq!(range(future).unwrap_err(), TimeError::NotBegun);
        }
    }

    #[test]
    fn days_have_the_hours_of_the_time_zone() {
        let days = range("2026-03-28T12:00..today").unwrap().days(&[]).unwrap();
        let hours = |day: &CalendarDay| (day.milliseconds.end - day.milliseconds.start) / 3_600_000;
        assert_eq!(days.iter().map(hours).collect::<Vec<_>>(), [12, 23, 24]);
        assert_eq!(days[2].date.to_string(), "2026-03-30");
        let error = range("..").unwrap().days(&[session(0, 1)]).unwrap_err();
        assert_eq!(error, TimeError::TooManyDays(20_543));
    }

    #[test]
    fn of_many_days_those_before_the_history_are_left_out() {
        let begin: Zoned = "2026-03-27T23:00:00+01:00[Europe/Berlin]".parse().unwrap();
        let begin_ms = begin.timestamp().as_millisecond();
        let begun = session(begin_ms, begin_ms + 1);
        // Its clock was wrong.
        let sessions = [session(0, 0), begun];
        let count = |text: &str| range(text).unwrap().days(&sessions).unwrap().len();
        assert_eq!(count("2000-01-01.."), 4);
        assert_eq!(count("2000-01-01..2025-01-01"), 1);
        assert_eq!(count("2026-03-20.."), 11);
    }
}
