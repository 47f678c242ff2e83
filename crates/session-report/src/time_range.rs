//! Times as people type them, in local time.

use crate::duration::parse_duration;
use crate::named_date::parse_named_date;
use crate::time_error::TimeError;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::{Span, Timestamp, ToSpan, Zoned};
use std::cell::LazyCell;
use std::ops::RangeInclusive;

pub(crate) type Result<T, E = TimeError> = std::result::Result<T, E>;

/// A time range, either end of which may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// Its beginning, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Its end, which it does not include.
    pub until_ms: Option<i64>,
}

/// A time range as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedRange<'a> {
    /// One text for both ends: a day or week, a duration before now, or `FROM..TO`.
    Within(&'a str),
    /// A text for each end.
    Between {
        /// The beginning.
        since: Option<&'a str>,
        /// The end; a day is included.
        until: Option<&'a str>,
    },
    /// The last days, today included.
    LastDays {
        /// The number of days.
        days: u32,
        /// The end; a day is included.
        until: Option<&'a str>,
    },
}

impl TimeRange {
    /// Parses a range as seen from `now`, which is called only where the text needs it: to find the
    /// local time zone takes a tenth of a search.
    ///
    /// # Errors
    /// When a time cannot be parsed, or the range ends before it begins.
    pub fn parse(typed: TypedRange<'_>, now: fn() -> Zoned) -> Result<Self> {
        let now = LazyCell::new(now);
        let end = |text: Option<&str>, edge| text.map(|text| end_ms(text, &now, edge)).transpose();
        let range = match typed {
            TypedRange::Within(text) => parse_within(text, &now)?,
            TypedRange::Between { since, until } => Self {
                since_ms: end(since, Edge::Start)?,
                until_ms: end(until, Edge::End)?,
            },
            TypedRange::LastDays { days, until } => Self {
                since_ms: Some(start_of_last_days(days, &now)?),
                until_ms: end(until, Edge::End)?,
            },
        };
        match (range.since_ms, range.until_ms) {
            (Some(since), Some(until)) if since >= until => Err(TimeError::Reversed),
            _ => Ok(range),
        }
    }

    /// Returns true for a time within the range, in milliseconds since 1970.
    pub fn contains(&self, ms: i64) -> bool {
        self.since_ms.is_none_or(|since| since <= ms)
            && self.until_ms.is_none_or(|until| ms < until)
    }
}

/// Parses a text for both ends: days, a duration for the time since then, or `FROM..TO`, either side
/// of which may be empty.
fn parse_within(text: &str, now: &Zoned) -> Result<TimeRange> {
    if let Some((from, to)) = text.split_once("..") {
        if to.contains("..") {
            return Err(TimeError::SeveralRanges(text.to_owned()));
        }
        return parse_ends(from.trim(), to.trim(), now);
    }
    let time = in_calendar(text, parse_time(text, now))?;
    let ms = |edge| in_calendar(text, time.edge_ms(now, edge));
    Ok(TimeRange {
        since_ms: Some(ms(Edge::Start)?),
        until_ms: match time {
            Time::Instant(_) => None,
            Time::Days { .. } => Some(ms(Edge::End)?),
        },
    })
}

/// Parses the two ends of a range, either of which may be empty.
fn parse_ends(from: &str, to: &str, now: &Zoned) -> Result<TimeRange> {
    let end = |text: &str, edge| match text {
        "" => Ok(None),
        text => end_ms(text, now, edge).map(Some),
    };
    Ok(TimeRange {
        since_ms: end(from, Edge::Start)?,
        until_ms: match parse_day_of_month(from, to, now).map(Time::day) {
            Some(day) => Some(in_calendar(to, day.edge_ms(now, Edge::End))?),
            None => end(to, Edge::End)?,
        },
    })
}

/// Parses the end of a range that is a day of the month in which the range begins: 13 in `2026-02-12..13`.
fn parse_day_of_month(from: &str, to: &str, now: &Zoned) -> Option<Date> {
    let day = to.parse().ok()?;
    match parse_time(from, now).ok()? {
        Time::Days { first, last } if first == last => first.with().day(day).build().ok(),
        _ => None,
    }
}

fn end_ms(text: &str, now: &Zoned, edge: Edge) -> Result<i64> {
    match text.matches("..").count() {
        0 => {}
        1 => return Err(TimeError::RangeForTime(text.to_owned())),
        _ => return Err(TimeError::SeveralRanges(text.to_owned())),
    }
    let time = parse_time(text, now).and_then(|time| time.edge_ms(now, edge));
    in_calendar(text, time)
}

/// Returns the beginning of the first of the last `days` days.
fn start_of_last_days(days: u32, now: &Zoned) -> Result<i64> {
    let midnight = || -> Result<i64> {
        let ago = Span::new().try_days(i64::from(days.saturating_sub(1)))?;
        let day = now.start_of_day()?.checked_sub(ago)?;
        Ok(day.timestamp().as_millisecond())
    };
    in_calendar(&format!("--days {days}"), midnight())
}

/// The end of a range that a day stands for.
#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

/// A parsed time.
#[derive(Clone, Copy)]
pub(crate) enum Time {
    Instant(Timestamp),
    /// From the beginning of the first day to the end of the last.
    Days {
        first: Date,
        last: Date,
    },
}

impl Time {
    pub(crate) fn day(day: Date) -> Self {
        Self::Days {
            first: day,
            last: day,
        }
    }

    /// Returns the days of the month that `day` lies in.
    pub(crate) fn month(day: Date) -> Self {
        Self::Days {
            first: day.first_of_month(),
            last: day.last_of_month(),
        }
    }

    /// Returns the days of the year that `day` lies in.
    fn year(day: Date) -> Self {
        Self::Days {
            first: day.first_of_year(),
            last: day.last_of_year(),
        }
    }

    fn edge_ms(self, now: &Zoned, edge: Edge) -> Result<i64> {
        let midnight = |day: Date| day.to_zoned(now.time_zone().clone());
        let at = match (self, edge) {
            (Self::Instant(at), _) => at,
            (Self::Days { first, .. }, Edge::Start) => midnight(first)?.timestamp(),
            (Self::Days { last, .. }, Edge::End) => {
                midnight(last.checked_add(1.day())?)?.timestamp()
            }
        };
        Ok(at.as_millisecond())
    }
}

/// Names the text in an error of the calendar.
pub(crate) fn in_calendar<T>(text: &str, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        TimeError::Calendar(_) => TimeError::BeyondCalendar(text.to_owned()),
        error => error,
    })
}

fn parse_time(typed: &str, now: &Zoned) -> Result<Time> {
    let typed = typed.trim();
    let lead = ["in the ", "the "]
        .iter()
        .find_map(|lead| strip_lead(typed, lead));
    let text = lead.unwrap_or(typed);
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Time::Instant(at));
    }
    if !text.contains([':', 'T'])
        && let Ok(day) = text.parse::<Date>()
    {
        return Ok(Time::day(day));
    }
    if let Ok(at) = text.replace(' ', "T").parse::<DateTime>() {
        let at = at.to_zoned(now.time_zone().clone())?;
        return Ok(Time::Instant(at.timestamp()));
    }
    if let Some(ago) = parse_duration(text) {
        return Ok(Time::Instant(now.checked_sub(ago)?.timestamp()));
    }
    // After durations: `in 3 days` is no time that has been.
    let text = strip_lead(text, "in ").unwrap_or(text);
    if let Some(day) = parse_short_day(text) {
        return Ok(Time::day(day?));
    }
    if let Some(first) = parse_numbered_month(text) {
        return Ok(Time::month(first));
    }
    if let Some(first) = parse_year(text) {
        return Ok(Time::year(first));
    }
    let today = now.date();
    let time = match parse_days(text, today)? {
        None => parse_named_date(text, today),
        found => found,
    };
    time.ok_or_else(|| TimeError::NotATime(typed.to_owned()))
}

/// Returns the text behind the words that it begins with, in any case.
fn strip_lead<'t>(text: &'t str, lead: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(lead.len())?;
    head.eq_ignore_ascii_case(lead).then_some(rest)
}

/// Parses a day whose month or day has one digit, such as `2026-2-1`. Fails for one that its month does not have.
fn parse_short_day(text: &str) -> Option<Result<Date>> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let is_number = |text: &str, digits: RangeInclusive<usize>| {
        digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_day = is_number(year, 4..=4) && is_number(month, 1..=2) && is_number(day, 1..=2);
    let [year, month, day] = [year, month, day].map(|text| text.parse::<i16>().ok());
    let (month, day) = (i8::try_from(month?).ok()?, i8::try_from(day?).ok()?);
    let first = Date::new(year?, month, 1).ok().filter(|_| is_day)?;
    let missing = || TimeError::NoSuchDay(first.strftime(&format!("%B {day}, %Y")).to_string());
    Some(first.with().day(day).build().map_err(|_| missing()))
}

/// Parses a month such as `2026-02` to its first day.
fn parse_numbered_month(text: &str) -> Option<Date> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (year, month) = text.split_once('-')?;
    let is_month = year.len() == 4 && month.len() == 2 && digits(year) && digits(month);
    Date::new(year.parse().ok()?, month.parse().ok()?, 1)
        .ok()
        .filter(|_| is_month)
}

/// Parses a year such as `2026` to its first day.
fn parse_year(text: &str) -> Option<Date> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let year = text.parse().ok().filter(|_| is_year)?;
    Date::new(year, 1, 1).ok()
}

/// Parses `today`, `yesterday`, `week` (the last seven days), `this week`, `last week` (Monday to
/// Sunday), `this month`, `last month`, `this year`, `last year`, `monday` or `last monday` (the last one before today).
fn parse_days(text: &str, today: Date) -> Result<Option<Time>> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days())?;
    Ok(Some(match words.as_slice() {
        ["today"] => Time::day(today),
        ["yesterday"] => Time::day(today.checked_sub(1.day())?),
        ["week"] => Time::Days {
            first: today.checked_sub(6.days())?,
            last: today,
        },
        ["this", "week"] => Time::Days {
            first: monday,
            last: monday.checked_add(6.days())?,
        },
        ["last", "week"] => Time::Days {
            first: monday.checked_sub(7.days())?,
            last: monday.checked_sub(1.day())?,
        },
        ["this", "month"] => Time::month(today),
        ["last", "month"] => Time::month(today.checked_sub(1.month())?),
        ["this", "year"] => Time::year(today),
        ["last", "year"] => Time::year(today.checked_sub(1.year())?),
        [name] | ["last", name] => match parse_weekday(name) {
            Some(weekday) => Time::day(today.nth_weekday(-1, weekday)?),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// Parses the English name of a weekday, or its first three letters.
fn parse_weekday(name: &str) -> Option<Weekday> {
    let parse = |format| BrokenDownTime::parse(format, name).ok()?.weekday();
    ["%A", "%a"].into_iter().find_map(parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    fn check(text: &str, edge: Edge) -> String {
        match end_ms(text, &now(), edge) {
            Ok(ms) => Timestamp::from_millisecond(ms).unwrap().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn dates_times_and_durations_are_parsed() {
        assert_eq!(check("2026-01-15", Edge::Start), "2026-01-14T23:00:00Z");
        assert_eq!(check("2026-01-15", Edge::End), "2026-01-15T23:00:00Z");
        assert_eq!(
            check("2026-01-15T09:30", Edge::Start),
            "2026-01-15T08:30:00Z"
        );
        assert_eq!(
            check("2026-01-15 09:30", Edge::Start),
            "2026-01-15T08:30:00Z"
        );
        assert_eq!(
            check("2026-01-15T09:30:00Z", Edge::Start),
            "2026-01-15T09:30:00Z"
        );
        // The clocks went forward between the two.
        assert_eq!(check("2d", Edge::Start), "2026-03-28T11:00:00Z");
        assert_eq!(check("12h", Edge::Start), "2026-03-29T22:00:00Z");
        assert_eq!(check("2w", Edge::Start), "2026-03-16T11:00:00Z");
        assert_eq!(check("1h 30m", Edge::Start), "2026-03-30T08:30:00Z");
        assert_eq!(check("2 months ago", Edge::Start), "2026-01-30T11:00:00Z");
        assert_eq!(check("3 Days ago", Edge::Start), check("3d", Edge::Start));
        let two_weeks = check("2 weeks ago", Edge::Start);
        assert_eq!(check("two weeks ago", Edge::Start), two_weeks);
        assert_eq!(check("A week ago", Edge::Start), check("1w", Edge::Start));
        assert_eq!(check("two weeks", Edge::Start), two_weeks);
        assert_eq!(check("last two weeks", Edge::Start), two_weeks);
        assert_eq!(check("In the last two weeks", Edge::Start), two_weeks);
        assert_eq!(check("the last 2 weeks", Edge::Start), two_weeks);
        for text in [
            "a week",
            "last 2 weeks ago",
            "in 3 days",
            "30s",
            "1m 30s",
            "100ms",
        ] {
            let error = format!("`{text}` is not a time");
            assert_eq!(check(text, Edge::Start), error);
        }
        assert_eq!(check("two", Edge::Start), "`two` is not a time");
        assert_eq!(check("two june", Edge::Start), "`two june` is not a time");
        assert_eq!(check("-3d", Edge::Start), "`-3d` is not a time");
        assert_eq!(check("0d", Edge::Start), "`0d` is not a time");
        assert_eq!(check("3", Edge::Start), "`3` is not a time");
        assert_eq!(check("soon", Edge::Start), "`soon` is not a time");
        assert_eq!(check("", Edge::Start), "`` is not a time");
    }

    #[test]
    fn days_and_weeks_are_parsed() {
        // 2026-03-30 is a Monday; the night before it had 23 hours.
        assert_eq!(check("today", Edge::Start), "2026-03-29T22:00:00Z");
        assert_eq!(check("yesterday", Edge::Start), "2026-03-28T23:00:00Z");
        assert_eq!(check("Yesterday", Edge::End), "2026-03-29T22:00:00Z");
        assert_eq!(check("last  monday", Edge::Start), "2026-03-22T23:00:00Z");
        assert_eq!(check("monday", Edge::End), "2026-03-23T23:00:00Z");
        assert_eq!(check("sun", Edge::End), "2026-03-29T22:00:00Z");
        assert_eq!(check("last week", Edge::Start), "2026-03-22T23:00:00Z");
        assert_eq!(check("last week", Edge::End), "2026-03-29T22:00:00Z");
        assert_eq!(check("next week", Edge::End), "`next week` is not a time");
    }

    #[test]
    fn months_are_parsed() {
        assert_eq!(check("2026-02", Edge::Start), "2026-01-31T23:00:00Z");
        assert_eq!(check("2026-02", Edge::End), "2026-02-28T23:00:00Z");
        assert_eq!(check("this month", Edge::Start), "2026-02-28T23:00:00Z");
        assert_eq!(check("Last Month", Edge::End), "2026-02-28T23:00:00Z");
        for text in ["2026-13", "2026-00", "2026-2", "26-02", "2026-+2"] {
            assert_eq!(check(text, Edge::Start), format!("`{text}` is not a time"));
        }
    }

    fn ends(typed: TypedRange<'_>) -> String {
        let format = |ms: Option<i64>| match ms {
            Some(ms) => {
                let at = Timestamp::from_millisecond(ms).unwrap();
                let at = at.to_zoned(now().time_zone().clone());
                at.datetime().to_string()
            }
            None => "open".to_owned(),
        };
        match TimeRange::parse(typed, now) {
            Ok(range) => format!("{} to {}", format(range.since_ms), format(range.until_ms)),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_range_has_two_ends() {
        let check =
            |text: &str, expected: &str| assert_eq!(ends(TypedRange::Within(text)), expected);
        check("yesterday", "2026-03-29T00:00:00 to 2026-03-30T00:00:00");
        check("week", "2026-03-24T00:00:00 to 2026-03-31T00:00:00");
        check("3d", "2026-03-27T12:00:00 to open");
        check("2026-02", "2026-02-01T00:00:00 to 2026-03-01T00:00:00");
        check("2025", "2025-01-01T00:00:00 to 2026-01-01T00:00:00");
        check("2024..2025", "2024-01-01T00:00:00 to 2026-01-01T00:00:00");
        check("in 2025", "2025-01-01T00:00:00 to 2026-01-01T00:00:00");
        check("In 2025", "2025-01-01T00:00:00 to 2026-01-01T00:00:00");
        check(
            "the last week",
            "2026-03-23T00:00:00 to 2026-03-30T00:00:00",
        );
        check("this week", "2026-03-30T00:00:00 to 2026-04-06T00:00:00");
        check("this month", "2026-03-01T00:00:00 to 2026-04-01T00:00:00");
        check("this year", "2026-01-01T00:00:00 to 2027-01-01T00:00:00");
        check("Last year", "2025-01-01T00:00:00 to 2026-01-01T00:00:00");
        check("2026-2-1", "2026-02-01T00:00:00 to 2026-02-02T00:00:00");
        check("2026-12-1", "2026-12-01T00:00:00 to 2026-12-02T00:00:00");
        check("2026-2-30", "there is no February 30, 2026");
        check("26-2-1", "`26-2-1` is not a time");
        check(
            "2026-01..2026-02",
            "2026-01-01T00:00:00 to 2026-03-01T00:00:00",
        );
        check(
            "2026-03-01..2026-03-02",
            "2026-03-01T00:00:00 to 2026-03-03T00:00:00",
        );
        check("may 2025", "2025-05-01T00:00:00 to 2025-06-01T00:00:00");
        check("12 Feb", "2026-02-12T00:00:00 to 2026-02-13T00:00:00");
        for days in ["2026-02-12..13", "feb 12 .. 13", "feb 12..2026-02-13"] {
            check(days, "2026-02-12T00:00:00 to 2026-02-14T00:00:00");
        }
        check("2026-02-12..30", "`30` is not a time");
        check("2026-02..13", "`13` is not a time");
        check(
            "last monday .. yesterday",
            "2026-03-23T00:00:00 to 2026-03-30T00:00:00",
        );
        check("2w..1w", "2026-03-16T12:00:00 to 2026-03-23T12:00:00");
        check("2026-03-28..", "2026-03-28T00:00:00 to open");
        check("..yesterday", "open to 2026-03-30T00:00:00");
        check("..", "open to open");
        check("today..yesterday", "the time ends before it begins");
        check("a..b", "`a` is not a time");
        check("202", "`202` is not a time");
        let twice = TimeRange::parse(TypedRange::Within("2026-02-12..13..14"), now).unwrap_err();
        assert_eq!(twice.to_string(), "`2026-02-12..13..14` is not a time");
        assert_eq!(twice.hint().unwrap(), "a range has one `..`: FROM..TO");
        check("", "`` is not a time");
    }

    #[test]
    fn the_forms_of_a_range_mean_the_same() {
        let check = |typed, text| assert_eq!(ends(typed), ends(TypedRange::Within(text)), "{text}");
        let between = |since, until| TypedRange::Between { since, until };
        check(between(None, None), "..");
        check(between(Some("3d"), None), "3d");
        check(between(None, Some("monday")), "..monday");
        check(between(Some("last week"), Some("last week")), "last week");
        let last_days = |days| TypedRange::LastDays { days, until: None };
        check(last_days(7), "2026-03-24..");
        check(last_days(0), "2026-03-30..");
    }
}
