//! The line of a turn by which a user recognizes what is to be forgotten.

use regex::Regex;
use session_core::text::{ceil_char_boundary, clip_words};

/// Bytes up to the end of a match for which a line is shown from its beginning on.
const VISIBLE: usize = 64;
/// Bytes that are shown before a match in another line.
const BEFORE: usize = 24;
/// Bytes of a line that are shown.
const LIMIT: usize = 400;

/// Returns the line of a text that a pattern matches first, from shortly before the match on where that is far from its
/// beginning.
pub(crate) fn find_matched_line(text: &str, pattern: &Regex) -> Option<String> {
    let found = pattern.find(text)?;
    let start = text[..found.start()].rfind('\n').map_or(0, |at| at + 1);
    let length = text[found.end()..].find('\n');
    let end = length.map_or(text.len(), |length| found.end() + length);
    let begin = if found.end() - start <= VISIBLE {
        start
    } else {
        skip_words(text, start, found.start())
    };
    let mark = if begin > start { "… " } else { "" };
    Some(format!(
        "{mark}{}",
        clip_words(text[begin..end].trim(), LIMIT)
    ))
}

/// Returns where to begin in a line so that a match is near: at a word, where one begins there.
fn skip_words(text: &str, start: usize, matched: usize) -> usize {
    if matched - start <= BEFORE {
        return start;
    }
    let near = ceil_char_boundary(text, matched - BEFORE);
    let space = text[near..matched].find(char::is_whitespace);
    space.map_or(near, |at| near + at)
}

/// Returns the first line of a text that says something.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    clip_words(line.unwrap_or_default(), LIMIT).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_from_shortly_before_its_match_on() {
        let find =
            |text: &str, pattern: &str| find_matched_line(text, &Regex::new(pattern).unwrap());
        let text = "Hang it up.\nThe lamp flickers\nand so on";
        assert_eq!(find(text, "flick").unwrap(), "The lamp flickers");
        assert_eq!(find(text, "kiln"), None);
        let near = "How hot does the kiln get under the gearbox?";
        assert_eq!(find(near, "[a-z]+box").unwrap(), near);
        let long = format!("Before {}the flaky test fails", "word ".repeat(200));
        assert_eq!(
            find(&long, "flaky").unwrap(),
            "… word word word the flaky test fails"
        );
        let unbroken = format!("{}flaky{}", "é".repeat(90), "x".repeat(900));
        let shown = find(&unbroken, "flaky").unwrap();
        assert!(shown.starts_with("… ééé") && shown.len() < 410, "{shown}");
        assert_eq!(find("a\nb\nc\n", "(?s)a.b").unwrap(), "a\nb");
    }

    #[test]
    fn the_first_line_of_a_prompt_says_something() {
        assert_eq!(first_line("\n  \n Where is it?\nHere."), "Where is it?");
        assert_eq!(first_line(""), "");
    }
}
