//! Durations, counts and large numbers for people.

use std::collections::BTreeMap;

/// Formats a duration in hours and minutes: `3 h 20 min`.
pub(crate) fn format_duration(ms: i64) -> String {
    let minutes = (ms + 30_000) / 60_000;
    match (minutes / 60, minutes % 60) {
        (0, 0) => "under 1 min".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Names of the units of counts, each 1,000 times the one before.
const COUNT_UNITS: [&str; 4] = ["", "k", "M", "G"];

/// Formats a count in at most four letters, rounded: `950`, `12k`, `3.4M`.
pub(crate) fn format_count(count: u64) -> String {
    let (mut unit, mut names) = (1, COUNT_UNITS.iter().peekable());
    let mut name = *names.next().unwrap_or(&"");
    while divide_rounded(count, unit) >= 1_000
        && let Some(greater) = names.next()
    {
        (unit, name) = (unit * 1_000, greater);
    }
    let tenths = divide_rounded(count.saturating_mul(10), unit);
    match tenths {
        ..100 if unit > 1 => format!("{}.{}{name}", tenths / 10, tenths % 10),
        _ => format!("{}{name}", divide_rounded(count, unit)),
    }
}

fn divide_rounded(count: u64, unit: u64) -> u64 {
    count.saturating_add(unit / 2) / unit
}

/// Formats sessions by agent, in brackets with a space before them, if there are any.
pub(crate) fn format_sources(sources: &BTreeMap<String, usize>) -> String {
    let counts: Vec<String> = sources
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    if counts.is_empty() {
        String::new()
    } else {
        format!(" ({})", counts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let minutes = |n: i64| format_duration(n * 60_000);
        assert_eq!(
            [minutes(0), minutes(59), minutes(60), minutes(200)],
            ["under 1 min", "59 min", "1 h", "3 h 20 min"]
        );
        let counts = [0, 999, 1_000, 12_345, 3_440_000, 1_200_000_000].map(format_count);
        assert_eq!(counts, ["0", "999", "1.0k", "12k", "3.4M", "1.2G"]);
        let rounded = [41_776, 9_960, 999_499, 999_500, 14_960_907].map(format_count);
        assert_eq!(rounded, ["42k", "10k", "999k", "1.0M", "15M"]);
    }
}
