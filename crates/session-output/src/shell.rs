//! Commands of this program as they are typed.

use crate::layout::INDENT;
use crate::style::{FAINT, paint};
pub use session_agents::quote_word;
use session_display::sanitize_line;
use unicode_width::UnicodeWidthStr;

/// Most columns of a query that is repeated.
const MAX_QUERY_COLUMNS: usize = 200;
/// The label of the next command.
const NEXT: &str = "Next:";
/// Marks that a command goes on in the next line.
const CONTINUED: &str = " \\";

/// Quotes a query for a POSIX shell: in double quotes where nothing in it means something there,
/// as people type it.
pub fn quote_query(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_./,:?=+@%".contains(c);
    let text = sanitize_line(text);
    if text.chars().all(is_plain) {
        format!("\"{text}\"")
    } else {
        quote_word(&text)
    }
}

/// Returns true for a query that is short enough to be repeated in a command. A part of it would be another query.
pub(crate) fn is_repeatable(query: &str) -> bool {
    sanitize_line(query).width() <= MAX_QUERY_COLUMNS
}

/// Formats the program with quoted arguments, from column `begin` on. Where that is wider than
/// `width`, it is folded so that a shell still reads the same arguments; a wider word is left whole.
pub fn format_command(arguments: &[String], begin: usize, width: usize) -> String {
    let typed = format!("session-search {}", arguments.join(" "));
    if begin + typed.width() <= width {
        return typed;
    }
    let mut out = "session-search".to_owned();
    let mut used = begin + out.len();
    for CommandWord { text, is_quoted } in split_command_words(arguments) {
        if used + 1 + text.width() + CONTINUED.len() <= width {
            out.push(' ');
            used += 1;
        } else {
            // Within quotes an indentation would be a part of the argument.
            used = if is_quoted { 0 } else { INDENT };
            out.push_str(&format!("{CONTINUED}\n{}", " ".repeat(used)));
        }
        used += text.width();
        out.push_str(&text);
    }
    out
}

/// Formats the command that goes on from an answer, below it.
pub(crate) fn format_next_command(arguments: &[String], width: usize) -> String {
    let command = format_command(arguments, NEXT.len() + 1, width);
    format!("\n{} {command}\n", paint(FAINT, NEXT))
}

/// A part of a command that stays on one line.
struct CommandWord {
    text: String,
    /// It stands within double quotes, behind a space.
    is_quoted: bool,
}

/// Splits a command to what stays on one line: arguments, the words of those in plain double quotes, and flags with the first
/// word of their values.
fn split_command_words(arguments: &[String]) -> Vec<CommandWord> {
    let mut words: Vec<CommandWord> = Vec::new();
    let mut is_value = false;
    for argument in arguments {
        let parts: Vec<&str> = if is_foldable(argument) {
            argument.split(' ').collect()
        } else {
            vec![argument]
        };
        for (n, word) in parts.into_iter().enumerate() {
            match words.last_mut() {
                Some(flag) if is_value && n == 0 => flag.text = format!("{} {word}", flag.text),
                _ => words.push(CommandWord {
                    text: word.to_owned(),
                    is_quoted: n > 0,
                }),
            }
        }
        is_value = argument.starts_with("--");
    }
    words
}

/// Returns true for an argument that is one text in double quotes: within these a shell removes a backslash with the end of its
/// line, within single ones it does not.
fn is_foldable(argument: &str) -> bool {
    let inner = argument.strip_prefix('"');
    let inner = inner.and_then(|rest| rest.strip_suffix('"'));
    inner.is_some_and(|inner| !inner.contains(['"', '\\']))
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
    }

    #[test]
    fn a_long_command_is_folded_as_a_shell_reads_it() {
        let search = ["search", "\"where does the lantern hang\"", "--depth", "2"];
        insta::assert_snapshot!(typed(&search, 100), @r#"session-search search "where does the lantern hang" --depth 2"#);
        insta::assert_snapshot!(typed(&search, 50), @r#"
        session-search search "where does the \
        lantern hang" --depth 2
        "#);
        insta::assert_snapshot!(typed(&search, 30), @r#"
        session-search search \
            "where does the lantern \
        hang" --depth 2
        "#);
        let single = ["search", "'is `it` off'", "--depth", "2"];
        insta::assert_snapshot!(typed(&single, 30), @r"
        session-search search \
            'is `it` off' --depth 2
        ");
    }
}
