//! Excerpts of Markdown as plain prose on one line.

use crate::inline_markup::strip_inline_markup;
use session_core::{CodeFences, FencedLine, text};

/// Returns the beginning of a Markdown text as plain prose on one line, of at most
/// `limit` characters and an ellipsis.
///
/// The excerpt ends after a sentence where there is one, else after a word. Headings, code,
/// tables and quotes are left out; list items are joined.
pub(crate) fn excerpt_prose(text: &str, limit: usize) -> String {
    let text = text.trim();
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    truncate(&strip_markdown(quoted.unwrap_or(text), limit * 4), limit)
}

/// Greatest ratio of the length of a line of Markdown to that of its prose.
const MARKUP_FACTOR: usize = 8;

/// Strips Markdown, and stops after the line in which the prose exceeds `max_bytes`.
fn strip_markdown(text: &str, max_bytes: usize) -> String {
    let mut out = String::new();
    let mut fences = CodeFences::default();
    let mut is_paragraph = false;
    for line in text.lines().map(str::trim) {
        if fences.classify(line) != FencedLine::Text || is_not_prose(line) {
            is_paragraph = true;
            continue;
        }
        // Of a line of megabytes no more is looked at than an excerpt may need.
        let line = strip_list_marker(text::clip(line, max_bytes.saturating_mul(MARKUP_FACTOR)));
        let separator = match (line.is_item, is_paragraph) {
            (true, _) => "; ",
            (false, true) => ". ",
            (false, false) => " ",
        };
        append_line(&mut out, &strip_inline_markup(line.text), separator);
        is_paragraph = false;
        if out.len() > max_bytes {
            break;
        }
    }
    out
}

/// Returns true for headings, table rows, quotes, HTML tags, and lines without letters and digits, such as rules.
fn is_not_prose(line: &str) -> bool {
    !line.contains(char::is_alphanumeric) || line.starts_with(['#', '|', '>', '<'])
}

/// A line of Markdown without its list marker.
struct ListLine<'a> {
    text: &'a str,
    /// Whether it had a list marker.
    is_item: bool,
}

fn strip_list_marker<'a>(line: &'a str) -> ListLine<'a> {
    let item = |text: &'a str| ListLine {
        text: text.trim(),
        is_item: true,
    };
    let bullets = ["- [x] ", "- [ ] ", "- ", "* ", "+ ", "• "];
    if let Some(text) = bullets.iter().find_map(|mark| line.strip_prefix(mark)) {
        return item(text);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(text) if (1..=2).contains(&digits) => item(text),
        _ => ListLine {
            text: line,
            is_item: false,
        },
    }
}

/// Appends a line after a separator, or after a space where the text has one, or a sentence goes on: after a code block.
fn append_line(out: &mut String, line: &str, separator: &str) {
    if line.is_empty() {
        return;
    }
    let has_separator = out.ends_with([
        ':', ';', ',', '.', '!', '?', '。', '：', '；', '，', '！', '？', '…',
    ]);
    let ends_in_word = out.ends_with(|c: char| c.is_alphanumeric() || ")`\"'".contains(c));
    let goes_on = separator == ". " && (!ends_in_word || line.starts_with(char::is_lowercase));
    if !out.is_empty() {
        out.push_str(if has_separator || goes_on {
            " "
        } else {
            separator
        });
    }
    let mut words = line.split_whitespace();
    out.push_str(words.next().unwrap_or_default());
    words.for_each(|word| {
        out.push(' ');
        out.push_str(word);
    });
}

/// Truncates after a sentence, else after a word, at `limit` characters.
fn truncate(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.trim_end_matches([':', ';']).to_owned();
    };
    let head = text.get(..end).unwrap_or(text);
    let sentence = find_sentence_ends(text).take_while(|at| *at <= end).last();
    if let Some(at) = sentence.filter(|at| *at >= end / 4) {
        return text.get(..at).unwrap_or(head).to_owned();
    }
    let word = head.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    let kept = text.get(..word).unwrap_or(head);
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '.', '(']))
}

/// Finds the byte offsets after sentences. A period within a name or a number ends none.
fn find_sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().filter(move |(at, c)| {
        let next = text.get(at + c.len_utf8()..).and_then(|t| t.chars().next());
        match c {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !is_abbreviation(text, *at),
            '。' | '！' | '？' => true,
            _ => false,
        }
    });
    ends.map(|(at, c)| at + c.len_utf8())
}

/// Returns true when the period at `at` ends an abbreviation or a number: `e.g.`, `1.`.
fn is_abbreviation(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let word = word.trim_start_matches('(');
    word.len() == 1 || matches!(word, "e.g" | "i.e" | "vs" | "etc" | "cf")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_excerpt_ends_after_a_sentence() {
        let text = "The cache was cold, e.g. on start. It fills first now. Nothing else changed here at all.";
        assert_eq!(
            excerpt_prose(text, 60),
            "The cache was cold, e.g. on start. It fills first now."
        );
        assert_eq!(excerpt_prose(text, 30), "The cache was cold, e.g. on…");
        assert_eq!(
            excerpt_prose("Set `max.files` to 3.5 and go", 80),
            "Set `max.files` to 3.5 and go"
        );
        assert_eq!(excerpt_prose("修好了。现在可以运行。", 5), "修好了。");
    }

    #[test]
    fn a_glob_is_no_emphasis_and_a_nul_is_no_glob() {
        let text = "Look at **all** of src/** and a bell\u{0}now.";
        assert_eq!(
            excerpt_prose(text, 200),
            "Look at all of src/** and a bell\u{0}now."
        );
    }

    #[test]
    fn markdown_becomes_prose() {
        let text = "## Summary\n\n**Fixed:**\n- the [leak](https://a.b/c)\n- `close()` twice\n\n| a | b |\n```sh\nmake\n```\nAll tests pass.";
        assert_eq!(
            excerpt_prose(text, 200),
            "Fixed: the leak; `close()` twice. All tests pass."
        );
        assert_eq!(
            excerpt_prose("**All** of `src/**/*.md`", 200),
            "All of `src/**/*.md`"
        );
        assert_eq!(excerpt_prose("\"# Context\nMend it.\"", 200), "Mend it.");
        assert_eq!(excerpt_prose("1. First\n2. Second", 200), "First; Second");
        assert_eq!(excerpt_prose("```\nonly code\n```", 200), "");
        let ruled = "━━━━━━\n GSD ► PHASE 14 ✓\n━━━━━━\n\nAll plans stand. ⸻\n***";
        assert_eq!(
            excerpt_prose(ruled, 200),
            "GSD ► PHASE 14 ✓ All plans stand. ⸻"
        );
    }

    #[test]
    fn paragraphs_do_not_run_together() {
        for (text, expected) in [
            ("Move the bar\n\nRetire it", "Move the bar. Retire it"),
            ("Move the bar\nto the foot", "Move the bar to the foot"),
            ("Is it done?\n\nYes", "Is it done? Yes"),
            ("Run\n```\nmake\n```\nto build", "Run to build"),
            ("修好了！\n\n现在可以运行", "修好了！ 现在可以运行"),
        ] {
            assert_eq!(excerpt_prose(text, 200), expected);
        }
    }

    #[test]
    fn of_a_long_line_its_beginning_is_read() {
        for bracket in ["[", "[a](", "[a]: "] {
            let text = format!("Mended it. {}", bracket.repeat(1 << 20));
            assert!(excerpt_prose(&text, 20).starts_with("Mended it."));
        }
    }

    proptest! {
        #[test]
        fn an_excerpt_is_one_line_within_the_limit(text in "([a-z.!?。 \\n#*`\\[\\]()-]|\\PC){0,200}", limit in 1usize..80) {
            let excerpt = excerpt_prose(&text, limit);
            prop_assert!(excerpt.chars().count() <= limit + 1, "{}", excerpt);
            prop_assert!(!excerpt.contains('\n'));
        }
    }
}
