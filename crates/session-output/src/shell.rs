//! Commands of this program as they are typed.

use crate::layout::{INDENT, fit_line};
use unicode_width::UnicodeWidthStr;

/// Most columns of a query that is repeated; the rest is cut.
const MAX_QUERY_COLUMNS: usize = 200;
/// Marks that a command goes on in the next line.
const CONTINUED: &str = " \\";

/// Quotes a query for a POSIX shell: in double quotes where nothing in it means something there,
/// as people type it.
pub fn quote_query(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_./,:?=+@%".contains(c);
    let text = fit_line(text, MAX_QUERY_COLUMNS);
    match text.chars().all(is_plain) {
        true => format!("\"{text}\""),
        false => quote_word(&text),
    }
}

/// Quotes a word for a POSIX shell where it must be. The text has no NUL, which alone cannot be
/// quoted: it was made printable.
pub fn quote_word(text: &str) -> String {
    shlex::try_quote(text).unwrap_or_default().into_owned()
}

/// Formats the program with quoted arguments, from column `begin` on. Where that is wider than
/// `width`, it is folded so that a shell still reads one command; a wider word is left whole.
pub fn format_command(arguments: &[String], begin: usize, width: usize) -> String {
    let typed = format!("session-search {}", arguments.join(" "));
    if begin + typed.width() <= width {
        return typed;
    }
    let mut out = "session-search".to_owned();
    let mut used = begin + out.len();
    for (is_quoted, word) in quote_words(arguments) {
        if used + 1 + word.width() + CONTINUED.len() <= width {
            out.push(' ');
            used += 1;
        } else {
            // Within quotes the end of a line is white space, else the end of
            // the command.
            out.push_str(if is_quoted { "" } else { CONTINUED });
            out.push_str(&format!("\n{}", " ".repeat(INDENT)));
            used = INDENT;
        }
        used += word.width();
        out.push_str(&word);
    }
    out
}

/// Returns what stays on one line, and whether it stands within quotes: words, and flags with their
/// values.
fn quote_words(arguments: &[String]) -> Vec<(bool, String)> {
    let mut words: Vec<(bool, String)> = Vec::new();
    let mut is_value = false;
    for argument in arguments {
        for (n, word) in argument.split(' ').enumerate() {
            match words.last_mut() {
                Some((_, flag)) if is_value && n == 0 => *flag = format!("{flag} {word}"),
                _ => words.push((n > 0, word.to_owned())),
            }
        }
        is_value = argument.starts_with("--");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(arguments: &[&str], width: usize) -> String {
        let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
        format_command(&arguments, 6, width)
    }

    #[test]
    fn queries_and_ids_are_quoted_for_a_shell() {
        assert_eq!(quote_query("docker bridge"), "\"docker bridge\"");
        assert_eq!(quote_query("it's $HOME\n`x`"), "\"it's \"'$HOME `x`'");
        assert_eq!(quote_query("'-x"), "\"'-x\"");
        assert_eq!(quote_word("a1b2"), "a1b2");
        assert_eq!(quote_word("#12"), "'#12'");
    }

    #[test]
    fn a_long_command_is_folded_as_a_shell_reads_it() {
        let search = ["search", "\"where does the lantern hang\"", "--depth", "2"];
        insta::assert_snapshot!(typed(&search, 100), @r#"session-search search "where does the lantern hang" --depth 2"#);
        insta::assert_snapshot!(typed(&search, 40), @r#"
        session-search search "where
            does the lantern hang" --depth 2
        "#);
        insta::assert_snapshot!(typed(&search, 30), @r#"
        session-search search \
            "where does the lantern
            hang" --depth 2
        "#);
    }
}
