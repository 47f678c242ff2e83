//! Times as people type them, in local time.

use crate::args::FilterArgs;
use anyhow::{Result, anyhow, bail};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, Timestamp, ToSpan, Zoned};
use std::cell::LazyCell;

/// From (inclusive) and to (exclusive), milliseconds since 1970.
pub type Range = (Option<i64>, Option<i64>);

/// The time range that the arguments ask for, seen from `now`, which is asked
/// only where they do: to find the local time zone takes a tenth of a search.
///
/// # Errors
/// When a time cannot be read.
pub fn range(args: &FilterArgs, now: fn() -> Zoned) -> Result<Range> {
    let now = LazyCell::new(now);
    let midnight = |days_ago: i64| -> Result<i64> {
        let ago = Span::new().try_days(days_ago)?;
        let day = now.start_of_day()?.checked_sub(ago)?;
        Ok(day.timestamp().as_millisecond())
    };
    if args.today {
        return Ok((Some(midnight(0)?), None));
    }
    if args.yesterday {
        return Ok((Some(midnight(1)?), Some(midnight(0)?)));
    }
    let since = match (&args.since, args.days) {
        (Some(text), _) => Some(moment(text, &now, Edge::Start)?),
        (None, Some(days)) => {
            let since = midnight(i64::from(days.saturating_sub(1)));
            Some(in_calendar(&format!("--days {days}"), since)?)
        }
        (None, None) => None,
    };
    let until = args
        .until
        .as_deref()
        .map(|text| moment(text, &now, Edge::End))
        .transpose()?;
    if let (Some(from), Some(to)) = (since, until)
        && from >= to
    {
        bail!("--until is before --since, so that no time is left\nhint: change the two");
    }
    Ok((since, until))
}

/// Which end of a stretch of days a word for it stands for.
#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

/// What people mean by a time.
#[derive(Clone, Copy)]
enum Meant {
    Instant(Timestamp),
    /// From the beginning of the first day to the end of the last.
    Days(Date, Date),
}

fn moment(text: &str, now: &Zoned, edge: Edge) -> Result<i64> {
    in_calendar(text, at_edge(text, now, edge))
}

/// A result, where the calendar's end is in the way said in words.
fn in_calendar<T>(text: &str, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error.is::<jiff::Error>() {
        true => anyhow!("`{text}` lies beyond the calendar\nhint: it goes from year -9998 to 9998"),
        false => error,
    })
}

fn at_edge(text: &str, now: &Zoned, edge: Edge) -> Result<i64> {
    let zone = now.time_zone();
    let at = match (meant(text, now)?, edge) {
        (Meant::Instant(at), _) => at,
        (Meant::Days(first, _), Edge::Start) => first.to_zoned(zone.clone())?.timestamp(),
        (Meant::Days(_, last), Edge::End) => {
            let next = last.checked_add(1.day())?;
            next.to_zoned(zone.clone())?.timestamp()
        }
    };
    Ok(at.as_millisecond())
}

fn meant(text: &str, now: &Zoned) -> Result<Meant> {
    let text = text.trim();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Meant::Instant(at));
    }
    if !text.contains([':', 'T'])
        && let Ok(day) = text.parse::<Date>()
    {
        return Ok(Meant::Days(day, day));
    }
    if let Ok(at) = text.replace(' ', "T").parse::<DateTime>() {
        return Ok(Meant::Instant(
            at.to_zoned(now.time_zone().clone())?.timestamp(),
        ));
    }
    if let Some(ago) = ago(text) {
        return Ok(Meant::Instant(now.checked_sub(ago)?.timestamp()));
    }
    if let Some((first, last)) = words(text, now.date())? {
        return Ok(Meant::Days(first, last));
    }
    bail!(
        "`{text}` is not a time\nhint: write a date (2026-01-15), a time (2026-01-15T09:00), a while ago (3d, 2w, 12h), or a day (yesterday, last monday)"
    )
}

/// `today`, `yesterday`, `week` (the last seven days), `this week`, `last week`
/// (Monday to Sunday), `monday` or `last monday` (the last one before today).
fn words(text: &str, today: Date) -> Result<Option<(Date, Date)>> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days())?;
    let day = |day: Date| Ok(Some((day, day)));
    match words.as_slice() {
        ["today"] => day(today),
        ["yesterday"] => day(today.checked_sub(1.day())?),
        ["week"] => Ok(Some((today.checked_sub(6.days())?, today))),
        ["this", "week"] => Ok(Some((monday, today))),
        ["last", "week"] => Ok(Some((
            monday.checked_sub(7.days())?,
            monday.checked_sub(1.day())?,
        ))),
        [name] | ["last", name] => match weekday(name) {
            Some(wanted) => day(today.nth_weekday(-1, wanted)?),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

/// A day of the week, by its English name or its first three letters.
fn weekday(name: &str) -> Option<Weekday> {
    let names = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let is_named = |(long, _): &&(&str, Weekday)| *long == name || long.get(..3) == Some(name);
    names.iter().find(is_named).map(|(_, day)| *day)
}

/// A stretch of time, seen from the local time zone.
pub struct Stretch {
    /// Its beginning.
    pub from: Zoned,
    /// Its end, which is no longer in it.
    pub to: Zoned,
}

impl Stretch {
    /// The stretch that a text means: a word or a date for its days, `3d` for
    /// the time since, `FROM..TO`, of which either may be left out.
    ///
    /// # Errors
    /// When it means none.
    pub fn of(text: &str, now: &Zoned) -> Result<Self> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        let is_pair = text.contains("..");
        let begin = match from.trim() {
            "" if is_pair => 0,
            from => moment(from, now, Edge::Start)?,
        };
        let end = match to.trim() {
            "" if is_pair => now.timestamp().as_millisecond(),
            to if !is_pair && matches!(in_calendar(to, meant(to, now))?, Meant::Instant(_)) => {
                now.timestamp().as_millisecond()
            }
            to => moment(to, now, Edge::End)?,
        };
        if begin >= end {
            bail!("`{text}` ends before it begins\nhint: write the earlier time first");
        }
        let zoned = |ms| Ok(Timestamp::from_millisecond(ms)?.to_zoned(now.time_zone().clone()));
        let [from, to]: [Result<Zoned>; 2] =
            [zoned(begin), zoned(end)].map(|at| in_calendar(text, at));
        Ok(Self {
            from: from?,
            to: to?,
        })
    }

    /// In milliseconds since 1970.
    pub fn milliseconds(&self) -> std::ops::Range<i64> {
        self.from.timestamp().as_millisecond()..self.to.timestamp().as_millisecond()
    }

    /// Its last day.
    pub fn last_day(&self) -> Date {
        let last = self.to.checked_sub(1.millisecond());
        last.map_or_else(|_| self.to.date(), |last| last.date())
    }
}

/// The last `count` days, today being the last of them: each with its
/// beginning and its end, which is no longer in it, in milliseconds since 1970.
///
/// # Errors
/// When they lie beyond the calendar.
pub fn last_days(count: u32, now: &Zoned) -> Result<Vec<(Date, std::ops::Range<i64>)>> {
    let midnight = |day: Date| -> Result<i64> {
        let midnight = day.to_zoned(now.time_zone().clone())?;
        Ok(midnight.timestamp().as_millisecond())
    };
    let days = (0..i64::from(count)).rev().map(|ago| {
        let day = now.date().checked_sub(Span::new().try_days(ago)?)?;
        Ok((day, midnight(day)?..midnight(day.checked_add(1.day())?)?))
    });
    in_calendar(&format!("--days {count}"), days.collect())
}

/// `3d`, `12h`, `2w`, `90m`.
fn ago(text: &str) -> Option<Span> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: i32 = number
        .trim()
        .parse()
        .ok()
        .filter(|n| (0..100_000).contains(n))?;
    match unit {
        "m" => Some(number.minutes()),
        "h" => Some(number.hours()),
        "d" => Some(number.days()),
        "w" => Some(number.weeks()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, edge: Edge) -> String {
        let now: Zoned = "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        match moment(text, &now, edge) {
            Ok(ms) => Timestamp::from_millisecond(ms).unwrap().to_string(),
            Err(e) => e.to_string().lines().next().unwrap().to_owned(),
        }
    }

    #[test]
    fn times_are_read_as_people_type_them() {
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
        assert_eq!(check("soon", Edge::Start), "`soon` is not a time");
        assert_eq!(check("", Edge::Start), "`` is not a time");
    }

    #[test]
    fn days_have_words() {
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

    fn stretch(text: &str) -> String {
        let now: Zoned = "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        match Stretch::of(text, &now) {
            Ok(Stretch { from, to }) => format!("{} to {}", from.datetime(), to.datetime()),
            Err(e) => e.to_string().lines().next().unwrap().to_owned(),
        }
    }

    #[test]
    fn stretches_have_two_ends() {
        let check = |text: &str, expected: &str| assert_eq!(stretch(text), expected);
        check("yesterday", "2026-03-29T00:00:00 to 2026-03-30T00:00:00");
        check("week", "2026-03-24T00:00:00 to 2026-03-31T00:00:00");
        check("3d", "2026-03-27T12:00:00 to 2026-03-30T12:00:00");
        check(
            "2026-03-01..2026-03-02",
            "2026-03-01T00:00:00 to 2026-03-03T00:00:00",
        );
        check(
            "last monday..yesterday",
            "2026-03-23T00:00:00 to 2026-03-30T00:00:00",
        );
        check("2026-03-28..", "2026-03-28T00:00:00 to 2026-03-30T12:00:00");
        check(
            "today..yesterday",
            "`today..yesterday` ends before it begins",
        );
        check("..", "1970-01-01T01:00:00 to 2026-03-30T12:00:00");
        check("a..b", "`a` is not a time");
    }

    #[test]
    fn a_day_is_as_long_as_it_is() {
        let now: Zoned = "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        let days = last_days(3, &now).unwrap();
        let hours: Vec<i64> = days
            .iter()
            .map(|(_, d)| (d.end - d.start) / 3_600_000)
            .collect();
        assert_eq!(hours, [24, 23, 24]);
        assert_eq!(days[2].0.to_string(), "2026-03-30");
    }
}
