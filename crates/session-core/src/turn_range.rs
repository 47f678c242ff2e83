//! Ranges of turns as people and agents type them.

use std::ops::RangeInclusive;

/// Parses a turn or a range of turns, counted from 0: `7`, `5-9`, or `5-` for turn 5 and all that follow. `None` for what is none.
///
/// ```
/// use session_core::parse_turn_range;
/// assert_eq!(parse_turn_range("5-9"), Some(5..=9));
/// assert_eq!(parse_turn_range("9-5"), None);
/// ```
pub fn parse_turn_range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first: u32 = first.trim().parse().ok()?;
    let last = match last.trim() {
        "" => u32::MAX,
        last => last.parse().ok()?,
    };
    (first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_ranges_are_parsed() {
        for (text, range) in [
            ("7", Some(7..=7)),
            ("5-9", Some(5..=9)),
            (" 5 - 9 ", Some(5..=9)),
            ("5-", Some(5..=u32::MAX)),
            ("", None),
            ("-3", None),
            ("9-5", None),
            ("x", None),
            ("1-2-3", None),
            ("4294967296", None),
        ] {
            assert_eq!(parse_turn_range(text), range, "{text}");
        }
    }
}
