//! Times as they are shown.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use std::sync::OnceLock;

/// Formats a time by RFC 3339, in UTC.
pub fn format_rfc3339(ms: Option<i64>) -> Option<String> {
    Some(Timestamp::from_millisecond(ms?).ok()?.to_string())
}

/// Formats the day, local time.
pub fn format_day(ms: Option<i64>) -> String {
    format_local(ms, "%Y-%m-%d")
}

/// Formats day and minute, local time.
pub fn format_minute(ms: Option<i64>) -> String {
    format_local(ms, "%Y-%m-%d %H:%M")
}

/// Formats day and minute, local time, with their distance from UTC.
pub fn format_zoned_minute(ms: Option<i64>) -> String {
    format_local(ms, "%Y-%m-%d %H:%M %:z")
}

fn format_local(ms: Option<i64>, format: &str) -> String {
    match ms.and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
        Some(at) => at.to_zoned(local_time_zone()).strftime(format).to_string(),
        None => "no date".into(),
    }
}

/// Returns the time of now in the time zone of this machine, which has no name: [`Zoned::now`] looks that up.
pub fn now_without_zone_name() -> Zoned {
    Timestamp::now().to_zoned(local_time_zone())
}

/// Returns the time zone of this machine, without its name: jiff would look that up in the folder of all time zones,
/// for half a millisecond.
fn local_time_zone() -> TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    let zone = ZONE.get_or_init(|| match std::env::var_os("TZ") {
        Some(_) => TimeZone::system(),
        None => read_time_zone().unwrap_or_else(TimeZone::system),
    });
    zone.clone()
}

/// Reads the time zone where Unix keeps it.
fn read_time_zone() -> Option<TimeZone> {
    let data = fs_err::read("/etc/localtime").ok()?;
    TimeZone::tzif("local", &data).ok()
}

/// Formats the time that has passed since `ms` in its largest unit: `now`, `5m`, `3h`, `2d`, `3w`, `6mo`, `3y`.
pub fn format_elapsed(ms: Option<i64>, now_ms: i64) -> String {
    let Some(ms) = ms else {
        return "-".to_owned();
    };
    let minutes = now_ms.saturating_sub(ms).max(0) / 60_000;
    let units = [
        (365 * 24 * 60, "y"),
        (30 * 24 * 60, "mo"),
        (7 * 24 * 60, "w"),
        (24 * 60, "d"),
        (60, "h"),
        (1, "m"),
    ];
    let largest = units.iter().find(|(unit, _)| minutes >= *unit);
    largest.map_or("now".to_owned(), |(unit, name)| {
        format!("{}{name}", minutes / unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_zone_that_is_read_is_that_of_the_machine() {
        let (zone, system) = (local_time_zone(), TimeZone::system());
        for month in 0..24 {
            let at = Timestamp::from_second(1_750_000_000 + month * 2_629_746).unwrap();
            assert_eq!(zone.to_offset(at), system.to_offset(at), "{at}");
        }
    }

    #[test]
    fn elapsed_time_has_one_unit() {
        let after = |minutes: i64| format_elapsed(Some(0), minutes * 60_000);
        let (day, year) = (24 * 60, 365 * 24 * 60);
        let all = [0, 59, 60, day - 1, 6 * day, 7 * day].map(after);
        assert_eq!(all, ["now", "59m", "1h", "23h", "6d", "1w"]);
        let all = [30 * day - 1, 30 * day, year - 1, 3 * year].map(after);
        assert_eq!(all, ["4w", "1mo", "12mo", "3y"]);
        assert_eq!(format_elapsed(Some(1_000), 0), "now");
        assert_eq!(format_elapsed(None, 0), "-");
    }
}
