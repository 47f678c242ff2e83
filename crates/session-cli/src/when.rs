//! Times as people type them, in local time.

use crate::args::FilterArgs;
use anyhow::{Result, bail};
use jiff::civil::{Date, DateTime};
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
        (None, Some(days)) => Some(midnight(i64::from(days.saturating_sub(1)))?),
        (None, None) => None,
    };
    let until = args
        .until
        .as_deref()
        .map(|text| moment(text, &now, Edge::End))
        .transpose()?;
    Ok((since, until))
}

/// Which end of a day a bare date stands for.
#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

fn moment(text: &str, now: &Zoned, edge: Edge) -> Result<i64> {
    let text = text.trim();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.as_millisecond());
    }
    let zone = now.time_zone();
    if !text.contains([':', 'T'])
        && let Ok(day) = text.parse::<Date>()
    {
        let day = match edge {
            Edge::Start => day,
            Edge::End => day.checked_add(1.day())?,
        };
        return Ok(day.to_zoned(zone.clone())?.timestamp().as_millisecond());
    }
    if let Ok(at) = text.replace(' ', "T").parse::<DateTime>() {
        return Ok(at.to_zoned(zone.clone())?.timestamp().as_millisecond());
    }
    if let Some(ago) = ago(text) {
        return Ok(now.checked_sub(ago)?.timestamp().as_millisecond());
    }
    bail!(
        "`{text}` is not a time\nhint: write a date (2026-01-15), a time (2026-01-15T09:00), or a while ago (3d, 12h)"
    )
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
        assert_eq!(check("soon", Edge::Start), "`soon` is not a time");
        assert_eq!(check("", Edge::Start), "`` is not a time");
    }
}
