//! Estimates of time, counts and large numbers for people.

use session_display::pluralize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Formats an estimate of the time that something will take: `about 40 minutes left`.
pub(crate) fn format_time_left(left: Duration) -> String {
    let minutes = (left.as_secs() + 30) / 60;
    let (count, unit) = match minutes {
        0 => return "less than a minute left".to_owned(),
        1..90 => (minutes, "minute"),
        90..2_880 => ((minutes + 30) / 60, "hour"),
        _ => ((minutes + 720) / 1_440, "day"),
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    format!("about {} left", pluralize(count, unit))
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
    fn an_estimate_has_one_unit() {
        let left = |seconds| format_time_left(Duration::from_secs(seconds));
        assert_eq!(left(20), "less than a minute left");
        assert_eq!(left(60), "about 1 minute left");
        assert_eq!(left(2_400), "about 40 minutes left");
        assert_eq!(left(3 * 3_600), "about 3 hours left");
        assert_eq!(left(50 * 3_600), "about 2 days left");
    }

    #[test]
    fn numbers_are_short() {
        let counts = [0, 999, 1_000, 12_345, 3_440_000, 1_200_000_000].map(format_count);
        assert_eq!(counts, ["0", "999", "1.0k", "12k", "3.4M", "1.2G"]);
        let rounded = [41_776, 9_960, 999_499, 999_500, 14_960_907].map(format_count);
        assert_eq!(rounded, ["42k", "10k", "999k", "1.0M", "15M"]);
    }
}
