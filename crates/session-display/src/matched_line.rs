//! A line of text that shows what a pattern matched in it.

use crate::columns::{fit_line, sanitize_line, truncate_to_columns};
use session_search::LinePattern;

/// Share of the columns that is left for what stands before a match.
const BEFORE: usize = 4;

/// Returns a text on one line of at most `columns`, from shortly before the match of a pattern on where the text's own
/// beginning does not show that.
pub fn format_matched_line(text: &str, pattern: &LinePattern, columns: usize) -> String {
    let text = sanitize_line(text);
    let before = columns / BEFORE;
    let matched = pattern.find(&text).unwrap_or_default();
    if matched.start <= columns.saturating_sub(before) {
        return fit_line(&text, columns);
    }
    // A letter may be two in lower case: then the match stands before where it was counted.
    let last = text
        .chars()
        .count()
        .saturating_sub(columns.saturating_sub(2));
    let shown: String = text
        .chars()
        .skip(last.min(matched.start - before))
        .collect();
    // What stands before the match is cut after a word.
    let whole = shown
        .split_once(' ')
        .filter(|(head, _)| head.chars().count() < before);
    truncate_to_columns(
        &format!("… {}", whole.map_or(shown.as_str(), |(_, rest)| rest)),
        columns,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_is_shown_around_what_was_wanted() {
        let matched = |text: &str, wanted: &str, columns: usize| {
            format_matched_line(text, &LinePattern::new(wanted), columns)
        };
        let line = format!("cd {} && cargo test --all", "a/".repeat(40));
        let shown = "… a/a/a/a/a/a/a/a/a/ && cargo test --all";
        assert_eq!(matched(&line, "Cargo * --all", 40), shown);
        assert_eq!(matched("cargo test", "cargo", 40), "cargo test");
        assert_eq!(matched(&line, "cd", 10), "cd a/a/a/…");
        assert_eq!(matched("ÄÖÜ ẞ cargo", "cargo", 8), "ÄÖÜ ẞ c…");
        assert_eq!(matched("İİİİİİİİ ẞẞẞ cargo", "cargo", 8), "… cargo");
    }
}
