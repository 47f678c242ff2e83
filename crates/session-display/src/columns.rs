//! Session text in columns: made safe, cut, wrapped. Columns are those of a terminal, where a letter
//! takes none, one or two.

use session_core::text::{clip, collapse_whitespace, sanitize_text};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Most characters that are looked at for a column.
const MAX_CLUSTER_CHARS: usize = 8;

const JOINER: char = '\u{200d}';

/// Wide marks that no line begins with in Chinese and Japanese.
const CLOSING_MARKS: &str = "、。，．！？：；）］｝」』】》〉〕〗”’…";
/// Wide marks that no line ends with.
const OPENING_MARKS: &str = "（［｛「『【《〈〔〖“‘";

/// Returns session text on one line, without what a terminal would obey.
pub fn sanitize_line(text: &str) -> String {
    collapse_whitespace(&sanitize_text(text))
}

/// Returns session text on one line, safe for a terminal, at most `columns` wide.
pub fn fit_line(text: &str, columns: usize) -> String {
    truncate_to_columns(&sanitize_line(text), columns)
}

/// Returns the beginning of a safe line that is at most `columns` wide, marked where it is cut.
pub fn truncate_to_columns(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let head = fitting_prefix(text, columns.saturating_sub(1));
    format!("{}…", head.trim_end())
}

/// Returns a safe line with spaces behind it, so that it is at least `columns` wide.
pub fn pad_to_columns(text: &str, columns: usize) -> String {
    let spaces = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(spaces))
}

/// Returns session text as [`fit_line`] does, cut between words where it has several.
pub fn fit_words(text: &str, columns: usize) -> String {
    let line = sanitize_line(text);
    if line.width() <= columns {
        return line;
    }
    let (head, _) = split_at_columns(&line, columns.saturating_sub(1));
    truncate_to_columns(&format!("{head}…"), columns)
}

/// Returns a path on one line, safe for a terminal, at most `columns` wide. A longer one loses directories at its
/// beginning (`…/src/lamp.rs`), and only a file name that is too long by itself is cut at its end.
pub fn fit_path(path: &str, columns: usize) -> String {
    let line = sanitize_line(path);
    if line.width() <= columns {
        return line;
    }
    let mut tails = line.match_indices(['/', '\\']).map(|(at, _)| &line[at..]);
    let tail = tails.clone().find(|tail| tail.width() < columns);
    match tail.or(tails.next_back()) {
        Some(tail) => truncate_to_columns(&format!("…{tail}"), columns),
        None => truncate_to_columns(&line, columns),
    }
}

/// Returns the longest beginning that is at most `columns` wide.
fn fitting_prefix(text: &str, columns: usize) -> &str {
    // Letters of ASCII take a column each, unless a mark follows that changes the last one.
    let looked_at = &text.as_bytes()[..text.len().min(columns.saturating_add(1))];
    if looked_at.iter().all(|byte| (b' '..=b'~').contains(byte)) {
        clip(text, columns)
    } else {
        measure_fitting_prefix(text, columns)
    }
}

fn measure_fitting_prefix(text: &str, columns: usize) -> &str {
    // A character may change the width of the one before it: measured together.
    let end = text
        .char_indices()
        .take(MAX_CLUSTER_CHARS * (columns + 1))
        .map(|(at, c)| at + c.len_utf8())
        .take_while(|end| clip(text, *end).width() <= columns)
        .last();
    clip(text, end.unwrap_or(0))
}

/// Splits a line after what fits into `columns`, if it can between words or
/// beside a character that is two columns wide: its scripts have no spaces.
pub(crate) fn split_at_columns(text: &str, columns: usize) -> (&str, &str) {
    let end = fitting_prefix(text, columns).len();
    let at = if end == text.len() {
        end
    } else {
        find_last_break(text, end).unwrap_or(end)
    };
    // At least a character, so that folding comes to its end.
    let at = at.max(text.chars().next().map_or(0, char::len_utf8));
    let (head, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    (head.trim_end(), rest.trim_start())
}

fn find_last_break(text: &str, end: usize) -> Option<usize> {
    let after = text.char_indices().skip(1);
    let pairs = text.chars().zip(after);
    pairs
        .take_while(|(_, (at, _))| *at <= end)
        .filter(|(before, (_, after))| may_break(*before, *after))
        .map(|(_, (at, _))| at)
        .last()
}

fn may_break(before: char, after: char) -> bool {
    let columns = |c: char| c.width().unwrap_or(0);
    let beside_wide = columns(before) == 2 || columns(after) == 2;
    let within_sign = before == JOINER || columns(after) == 0;
    let within_marks = CLOSING_MARKS.contains(after) || OPENING_MARKS.contains(before);
    before == ' ' || after == ' ' || (beside_wide && !within_sign && !within_marks)
}

/// Folds a line to lines of at most `columns`. textwrap 0.16 sums the widths of characters, so that
/// four hearts with an emoji selector, eight columns wide, would stand in five.
pub fn wrap_lines(text: &str, columns: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (head, more) = split_at_columns(rest, columns);
        let is_end = rest.is_empty();
        rest = more;
        (!is_end).then_some(head)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_break_between_words_and_beside_wide_characters() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(wrap_lines(text, 10).collect::<Vec<_>>(), expected);
        };
        check("", &[]);
        check(
            "a lantern in the harbour",
            &["a lantern", "in the", "harbour"],
        );
        check("abcdefghijklm no", &["abcdefghij", "klm no"]);
        check("灯台の灯りを修理する", &["灯台の灯り", "を修理する"]);
        check("fix 灯台の灯りを", &["fix 灯台の", "灯りを"]);
        check("灯台の灯り。修理", &["灯台の灯", "り。修理"]);
        check("12345678ms，数据库", &["12345678ms", "，数据库"]);
        check("timeout ms，数据", &["timeout", "ms，数据"]);
        check("灯台の灯（修理）", &["灯台の灯", "（修理）"]);
        check("fix 灯台「灯り", &["fix 灯台", "「灯り"]);
        check(
            "👨\u{200d}👩 👨\u{200d}👩 xyzxyzx",
            &["👨\u{200d}👩 👨\u{200d}👩", "xyzxyzx"],
        );
    }

    #[test]
    fn a_long_path_loses_its_first_directories() {
        for (columns, expected) in [
            (40, "packages/dashboard/src/Lamp.ts"),
            (30, "packages/dashboard/src/Lamp.ts"),
            (29, "…/dashboard/src/Lamp.ts"),
            (12, "…/Lamp.ts"),
            (9, "…/Lamp.ts"),
            (6, "…/Lam…"),
        ] {
            assert_eq!(
                fit_path("packages/dashboard/src/Lamp.ts", columns),
                expected
            );
        }
        assert_eq!(fit_path("a_long_file_name.ts", 8), "a_long_…");
        assert_eq!(fit_path(r"C:\lamps\wick.rs", 12), r"…\wick.rs");
    }

    #[test]
    fn words_are_cut_between_them() {
        for (columns, expected) in [
            (20, "light the lamp"),
            (13, "light the…"),
            (10, "light the…"),
            (4, "lig…"),
        ] {
            assert_eq!(fit_words("light  the lamp", columns), expected);
        }
        assert_eq!(fit_words("灯台の灯りを修理する", 10), "灯台の灯…");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn letters_of_ascii_are_measured_as_others_are(text in "[ -~]{0,12}([ -~]|[字灯]|\u{301}|\u{fe0f}|\u{20e3}){0,4}[ -~]{0,4}", columns in 0usize..20) {
            prop_assert_eq!(fitting_prefix(&text, columns), measure_fitting_prefix(&text, columns));
        }

        #[test]
        fn nothing_is_wider_than_its_columns(text in "([ -~]|[字灯]|👨\u{200d}👩|❤\u{fe0f}|\\PC){0,60}", columns in 4usize..40) {
            for cut in [fit_line(&text, columns), fit_words(&text, columns), fit_path(&text, columns)] {
                prop_assert!(cut.width() <= columns, "{:?}", cut);
            }
            let safe = sanitize_line(&text);
            for folded in wrap_lines(&safe, columns) {
                prop_assert!(folded.width() <= columns, "{:?}", folded);
                prop_assert!(!folded.is_empty());
            }
            let words = |text: &str| text.replace(' ', "");
            prop_assert_eq!(words(&wrap_lines(&safe, columns).collect::<String>()), words(&safe));
        }
    }
}
