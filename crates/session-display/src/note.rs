//! Notes and hints in the columns of a terminal.

use unicode_width::UnicodeWidthStr;

/// Columns before all lines but the first: session text at the beginning of a line could pass for a hint.
const INDENT: usize = 4;

/// Folds a sentence to lines of at most `columns`. What stands in backticks is to be copied and is not broken; a longer
/// word is left whole.
pub fn wrap_note(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in split_copyable_words(text) {
        let fits = used + 1 + word.width() <= columns;
        match (used, fits) {
            (0, _) => {}
            (_, true) => {
                out.push(' ');
                used += 1;
            }
            (_, false) => {
                out.push_str(&format!("\n{}", " ".repeat(INDENT)));
                used = INDENT;
            }
        }
        out.push_str(word);
        used += word.width();
    }
    out
}

/// Splits a sentence at the spaces outside of backticks.
fn split_copyable_words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let words = text.split(move |c: char| {
        is_quoted ^= c == '`';
        c == ' ' && !is_quoted
    });
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::wrap_note;

    #[test]
    fn what_is_to_be_copied_is_not_broken() {
        let hint = "hint: name another, or `session-search status` lists the projects";
        let wrapped = "hint: name another, or\n    `session-search status`\n    lists the projects";
        assert_eq!(wrap_note(hint, 30), wrapped);
        assert_eq!(
            wrap_note("a_word_without_a_space b", 10),
            "a_word_without_a_space\n    b"
        );
        assert_eq!(wrap_note("", 10), "");
    }
}
