//! Durations before now: `3d`, `two weeks ago`.

use jiff::{Span, Unit, Zoned};

/// Parses a duration such as `3d`, `12h`, `2w`, `90m`, `1h 30m`, `2 months ago`, `two weeks`, `last 2 weeks` or `a week ago`.
/// One of seconds is none: in a log it is how long something took (`after:30s`).
pub(crate) fn parse_duration(text: &str) -> Option<Span> {
    let text = text.to_lowercase();
    let (text, articles) = match text.strip_suffix(" ago") {
        Some(duration) => (duration, ["a", "an"].as_slice()),
        None => (text.strip_prefix("last ").unwrap_or(&text), [].as_slice()),
    };
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let written = match NUMBERS.iter().position(|number| *number == first) {
        Some(position) => Some(position + 1),
        None => articles.contains(&first).then_some(1),
    };
    let text = written.map_or_else(|| text.to_owned(), |number| format!("{number} {rest}"));
    let begins_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
    let span = text.parse::<Span>().ok().filter(|_| begins_with_digit);
    let is_shorter = |span: &Span| {
        let below = span.get_milliseconds() + span.get_microseconds() + span.get_nanoseconds();
        span.get_seconds() + below > 0
    };
    span.filter(|span| span.is_positive() && !is_shorter(span))
}

/// Parses a duration before now to the days that have passed; `None` for one of less than a day.
pub fn parse_whole_days(text: &str, now: fn() -> Zoned) -> Option<u32> {
    let span = parse_duration(text.trim())?;
    let days = span
        .total((Unit::Day, &now().checked_sub(span).ok()?))
        .ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from a float saturates"
    )]
    let days = days.floor() as u32;
    (days > 0).then_some(days)
}

/// Numbers that are written as words, from one on.
pub(crate) const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_whole_days() {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        for (text, days) in [
            ("2w", Some(14)),
            // The clocks went forward within it.
            ("2d", Some(2)),
            ("36h", Some(1)),
            ("1mo", Some(28)),
            ("12h", None),
            ("14", None),
            ("yesterday", None),
        ] {
            assert_eq!(parse_whole_days(text, now), days, "{text}");
        }
    }
}
