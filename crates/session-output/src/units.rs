//! Durations, counts and large numbers for people.

use std::collections::BTreeMap;

/// Formats a duration in hours and minutes: `3 h 20 min`.
pub fn format_duration(ms: i64) -> String {
    let minutes = (ms + 30_000) / 60_000;
    match (minutes / 60, minutes % 60) {
        (0, 0) => "under 1 min".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Formats a count in at most four letters: `950`, `12k`, `3.4M`.
pub fn format_count(count: u64) -> String {
    let with = |unit: u64, name: &str| match (count / unit, count % unit * 10 / unit) {
        (whole, tenth) if whole < 10 => format!("{whole}.{tenth}{name}"),
        (whole, _) => format!("{whole}{name}"),
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => with(1_000, "k"),
        1_000_000..1_000_000_000 => with(1_000_000, "M"),
        _ => with(1_000_000_000, "G"),
    }
}

/// Formats sessions by agent, in brackets with a space before them, if there are any.
pub fn format_sources(sources: &BTreeMap<String, usize>) -> String {
    let counts: Vec<String> = sources
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    match counts.is_empty() {
        true => String::new(),
        false => format!(" ({})", counts.join(", ")),
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
        let counts = [999, 1_000, 12_345, 3_450_000, 1_200_000_000].map(format_count);
        assert_eq!(counts, ["999", "1.0k", "12k", "3.4M", "1.2G"]);
    }
}
