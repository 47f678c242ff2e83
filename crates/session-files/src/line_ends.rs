//! Line ends of a text that is edited, and the mark before it, both of which parsers and writers of TOML leave out.

use session_core::text::strip_byte_order_mark;
use std::borrow::Cow;

/// The mark of UTF-8 that some editors write before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns `new` with the line ends and the byte order mark of `old`, the text that it was made from. Lines that stayed
/// keep their ends, others end as the first line of `old` does. The lines of `new` end in `\n` or as in `old`.
pub fn keep_line_ends<'n>(old: &str, new: &'n str) -> Cow<'n, str> {
    let text = strip_byte_order_mark(old);
    let has_mark = text.len() < old.len();
    if !has_mark && !text.contains("\r\n") {
        return Cow::Borrowed(new);
    }
    let new = new.replace("\r\n", "\n"); // a string of several lines is written as it was read
    let old_lines: Vec<&str> = text.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let same = |(old, new): &(&&str, &&str)| {
        old.strip_suffix("\r\n")
            .map_or(old == new, |old| new.strip_suffix('\n') == Some(old))
    };
    let before = old_lines.iter().zip(&new_lines).take_while(same).count();
    let (old_rest, new_rest) = (&old_lines[before..], &new_lines[before..]);
    let pairs = old_rest.iter().rev().zip(new_rest.iter().rev());
    let after = pairs.take_while(same).count();
    let end = if old_lines.first().is_some_and(|line| line.ends_with("\r\n")) {
        "\r\n"
    } else {
        "\n"
    };
    let changed = new_rest[..new_rest.len() - after].iter();
    let changed: String = changed.map(|line| line.replace('\n', end)).collect();
    let mark = if has_mark {
        BYTE_ORDER_MARK.to_string()
    } else {
        String::new()
    };
    let (kept, kept_after) = (&old_lines[..before], &old_rest[old_rest.len() - after..]);
    Cow::Owned([mark, kept.concat(), changed, kept_after.concat()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_that_stay_keep_their_ends() {
        for (old, new, expected) in [
            ("a\nb\n", "a\nc\nb\n", "a\nc\nb\n"),
            ("a\r\nb\r\n", "a\nc\nb\n", "a\r\nc\r\nb\r\n"),
            ("a\nb\r\nc\n", "a\nb\nd\nc\n", "a\nb\r\nd\nc\n"),
            ("a\r\nb\nc", "x\nb\nc", "x\r\nb\nc"),
            ("\u{feff}a\n", "a\nb\n", "\u{feff}a\nb\n"),
            ("", "a\n", "a\n"),
        ] {
            assert_eq!(keep_line_ends(old, new), expected, "{old:?} {new:?}");
        }
    }

    proptest! {
        #[test]
        fn an_unchanged_text_stays_as_it_is(old in "\u{feff}?([ab]{0,2}(\n|\r\n)){0,6}[ab]?") {
            let parsed = old.trim_start_matches(BYTE_ORDER_MARK).replace("\r\n", "\n");
            prop_assert_eq!(keep_line_ends(&old, &parsed), old);
        }

        #[test]
        fn nothing_but_line_ends_differs(
            old in "([ab]{0,2}(\n|\r\n)){0,6}[ab]?", new in "([ab]{0,2}\n){0,6}[ab]?"
        ) {
            prop_assert_eq!(keep_line_ends(&old, &new).replace("\r\n", "\n"), new);
        }
    }
}
