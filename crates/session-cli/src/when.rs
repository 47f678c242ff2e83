//! Times as people type them, in local time.

use crate::args::TimeArgs;
use anyhow::{Result, anyhow, bail};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, Timestamp, ToSpan, Zoned};
use std::cell::LazyCell;

/// A stretch of time, either end of which may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Range {
    /// Its beginning, milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Its end, which is no longer in it.
    pub until_ms: Option<i64>,
}

impl Range {
    /// The time range that the arguments ask for, seen from `now`, which is asked
    /// only where they do: to find the local time zone takes a tenth of a search.
    ///
    /// # Errors
    /// When a time cannot be read, or it ends before it begins.
    pub fn of(args: &TimeArgs, now: fn() -> Zoned) -> Result<Self> {
        let now = LazyCell::new(now);
        let range = match &args.stretch {
            Some(text) => stretch(text, &now)?,
            None if args.today => stretch("today", &now)?,
            None if args.yesterday => stretch("yesterday", &now)?,
            None => Self {
                since_ms: match (&args.since, args.days) {
                    (None, Some(days)) => Some(days_ago(days, &now)?),
                    (since, _) => end(since.as_deref(), &now, Edge::Start)?,
                },
                until_ms: end(args.until.as_deref(), &now, Edge::End)?,
            },
        };
        match (range.since_ms, range.until_ms) {
            (Some(since), Some(until)) if since >= until => bail!(
                "`{}` ends before it begins\nhint: write the earlier time first",
                args.typed()
            ),
            _ => Ok(range),
        }
    }

    /// True for a time within it.
    pub fn holds(&self, ms: i64) -> bool {
        self.since_ms.is_none_or(|since| since <= ms)
            && self.until_ms.is_none_or(|until| ms < until)
    }
}

/// The range that a text means: a word or a date for its days, `3d` for the time since, `FROM..TO`,
/// of which either may be left out.
fn stretch(text: &str, now: &Zoned) -> Result<Range> {
    if let Some((from, to)) = text.split_once("..") {
        let given = |text: &'_ str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        return Ok(Range {
            since_ms: end(given(from).as_deref(), now, Edge::Start)?,
            until_ms: end(given(to).as_deref(), now, Edge::End)?,
        });
    }
    let is_instant = matches!(in_calendar(text, meant(text, now))?, Meant::Instant(_));
    Ok(Range {
        since_ms: Some(moment(text, now, Edge::Start)?),
        until_ms: end(Some(text).filter(|_| !is_instant), now, Edge::End)?,
    })
}

fn end(text: Option<&str>, now: &Zoned, edge: Edge) -> Result<Option<i64>> {
    if let Some(text) = text.filter(|text| text.contains("..")) {
        bail!("`{text}` is not a time\nhint: write `--when {text}`");
    }
    text.map(|text| moment(text, now, edge)).transpose()
}

/// The beginning of the first of the last `days` days.
fn days_ago(days: u32, now: &Zoned) -> Result<i64> {
    let midnight = || -> Result<i64> {
        let ago = Span::new().try_days(i64::from(days.saturating_sub(1)))?;
        Ok(now
            .start_of_day()?
            .checked_sub(ago)?
            .timestamp()
            .as_millisecond())
    };
    in_calendar(&format!("--days {days}"), midnight())
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

/// Most days of a [`Stretch`] that are counted one by one: ten years.
const MOST_DAYS: i32 = 3660;

/// A stretch of time, seen from the local time zone.
pub struct Stretch {
    /// Its beginning.
    pub from: Zoned,
    /// Its end, which is no longer in it.
    pub to: Zoned,
}

impl Stretch {
    /// The stretch of a range: from `earliest` where its beginning is open, to now where its end is.
    ///
    /// # Errors
    /// When nothing lies in it, or it lies beyond the calendar.
    pub fn of(range: Range, earliest: i64, now: &Zoned) -> Result<Self> {
        let end = range.until_ms.unwrap_or(now.timestamp().as_millisecond());
        let begin = range.since_ms.unwrap_or(earliest.min(end - 1));
        if begin >= end {
            bail!("that time has not begun\nhint: write an earlier one");
        }
        let zoned = |ms| -> Result<Zoned> {
            Ok(Timestamp::from_millisecond(ms)?.to_zoned(now.time_zone().clone()))
        };
        Ok(Self {
            from: in_calendar("that time", zoned(begin))?,
            to: in_calendar("that time", zoned(end))?,
        })
    }

    /// Its days, each with the part of it that lies in the stretch, in milliseconds since 1970.
    ///
    /// # Errors
    /// When there are more than [`MOST_DAYS`], or they lie beyond the calendar.
    pub fn days(&self) -> Result<Vec<(Date, std::ops::Range<i64>)>> {
        let (first, last) = (self.from.date(), self.last_day());
        let count = (last - first).get_days();
        if count >= MOST_DAYS {
            bail!(
                "{} days are too many to count\nhint: name a later beginning",
                count + 1
            );
        }
        let whole = self.milliseconds();
        let midnight = |day: Date| -> Result<i64> {
            let midnight = day.to_zoned(self.from.time_zone().clone())?;
            Ok(midnight.timestamp().as_millisecond())
        };
        let days = (0..=count).map(|n| {
            let day = first.checked_add(n.days())?;
            let (from, to) = (midnight(day)?, midnight(day.checked_add(1.day())?)?);
            Ok((day, from.max(whole.start)..to.min(whole.end)))
        });
        in_calendar("that time", days.collect())
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

    fn now() -> Zoned {
        "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    fn ends(args: &TimeArgs) -> String {
        let shown = |ms: Option<i64>| match ms {
            Some(ms) => {
                let at = Timestamp::from_millisecond(ms).unwrap();
                at.to_zoned(now().time_zone().clone())
                    .datetime()
                    .to_string()
            }
            None => "open".to_owned(),
        };
        match Range::of(args, now) {
            Ok(range) => format!("{} to {}", shown(range.since_ms), shown(range.until_ms)),
            Err(e) => e.to_string().lines().next().unwrap().to_owned(),
        }
    }

    #[test]
    fn stretches_have_two_ends() {
        let check = |text: &str, expected: &str| assert_eq!(ends(&TimeArgs::of(text)), expected);
        check("yesterday", "2026-03-29T00:00:00 to 2026-03-30T00:00:00");
        check("week", "2026-03-24T00:00:00 to 2026-03-31T00:00:00");
        check("3d", "2026-03-27T12:00:00 to open");
        check(
            "2026-03-01..2026-03-02",
            "2026-03-01T00:00:00 to 2026-03-03T00:00:00",
        );
        check(
            "last monday .. yesterday",
            "2026-03-23T00:00:00 to 2026-03-30T00:00:00",
        );
        check("2w..1w", "2026-03-16T12:00:00 to 2026-03-23T12:00:00");
        check("2026-03-28..", "2026-03-28T00:00:00 to open");
        check("..yesterday", "open to 2026-03-30T00:00:00");
        check("..", "open to open");
        check(
            "today..yesterday",
            "`today..yesterday` ends before it begins",
        );
        check("a..b", "`a` is not a time");
        check("", "`` is not a time");
    }

    #[test]
    fn the_forms_of_a_time_mean_the_same() {
        let check = |args: TimeArgs, stretch: &str| {
            assert_eq!(ends(&args), ends(&TimeArgs::of(stretch)), "{stretch}");
        };
        let text = |text: &str| Some(text.to_owned());
        let none = TimeArgs::default;
        check(none(), "..");
        check(
            TimeArgs {
                today: true,
                ..none()
            },
            "today",
        );
        check(
            TimeArgs {
                yesterday: true,
                ..none()
            },
            "yesterday",
        );
        check(
            TimeArgs {
                since: text("3d"),
                ..none()
            },
            "3d",
        );
        check(
            TimeArgs {
                until: text("monday"),
                ..none()
            },
            "..monday",
        );
        check(
            TimeArgs {
                days: Some(7),
                ..none()
            },
            "2026-03-24..",
        );
        check(
            TimeArgs {
                days: Some(0),
                ..none()
            },
            "2026-03-30..",
        );
        let both = TimeArgs {
            since: text("last week"),
            until: text("last week"),
            ..none()
        };
        check(both, "last week");
    }

    #[test]
    fn a_time_that_ends_before_it_begins_is_named_as_typed() {
        let check = |args: TimeArgs, typed: &str| {
            assert_eq!(ends(&args), format!("`{typed}` ends before it begins"));
        };
        let until = TimeArgs {
            until: Some("last week".into()),
            ..TimeArgs::default()
        };
        let since = Some("today".into());
        check(
            TimeArgs {
                since,
                ..until.clone()
            },
            "--since today --until last week",
        );
        check(
            TimeArgs {
                days: Some(1),
                ..until
            },
            "--days 1 --until last week",
        );
    }

    fn within(text: &str, earliest: i64) -> Result<Stretch> {
        Stretch::of(Range::of(&TimeArgs::of(text), now)?, earliest, &now())
    }

    #[test]
    fn open_ends_are_the_earliest_time_and_now() {
        let stretch = within("..", 0).unwrap();
        assert_eq!(stretch.from.datetime().to_string(), "1970-01-01T01:00:00");
        assert_eq!(stretch.to, now());
        assert!(within("..1960-01-01", 0).is_ok());
        let error = within("2026-03-31..", 0).err().unwrap().to_string();
        assert!(error.starts_with("that time has not begun"), "{error}");
    }

    #[test]
    fn a_day_is_as_long_as_it_is() {
        let days = within("2026-03-28T12:00..today", 0)
            .unwrap()
            .days()
            .unwrap();
        let hours: Vec<i64> = days
            .iter()
            .map(|(_, d)| (d.end - d.start) / 3_600_000)
            .collect();
        assert_eq!(hours, [12, 23, 24]);
        assert_eq!(days[2].0.to_string(), "2026-03-30");
        let error = within("..", 0).unwrap().days().unwrap_err().to_string();
        assert!(error.starts_with("20543 days are too many"), "{error}");
    }
}
