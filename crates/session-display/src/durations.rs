//! Durations as they are shown.

/// Formats a duration in hours and minutes, rounded: `3 h 20 min`.
pub fn format_duration(ms: i64) -> String {
    let minutes = ms.saturating_add(30_000) / 60_000;
    match (minutes / 60, minutes % 60) {
        (0, 0) => "under 1 min".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::format_duration;

    #[test]
    fn a_duration_is_rounded_to_minutes() {
        let seconds = |n: i64| format_duration(n * 1_000);
        let all = [0, 29, 59, 59 * 60, 59 * 60 + 40, 200 * 60].map(seconds);
        let expected = [
            "under 1 min",
            "under 1 min",
            "1 min",
            "59 min",
            "1 h",
            "3 h 20 min",
        ];
        assert_eq!(all, expected);
    }
}
