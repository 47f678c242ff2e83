//! Durations before now: `3d`, `two weeks ago`.

use jiff::Span;

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

/// Numbers that are written as words, from one on.
pub(crate) const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];
