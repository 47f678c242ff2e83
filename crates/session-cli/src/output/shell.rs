//! Commands of this program as they are typed.

use crate::output::layout::{INDENT, line};
use unicode_width::UnicodeWidthStr;

/// Columns of a query that is repeated; what is longer is cut.
const QUERY: usize = 200;
/// What makes a shell read on.
const CONTINUED: &str = " \\";

/// A query as a shell takes it.
pub fn query(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " -_./,:?=+@%".contains(c);
    let text = line(text, QUERY);
    if text.chars().all(plain) && !text.starts_with('-') {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A path as a shell takes it, whatever is in it.
pub fn path(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@%".contains(c);
    if !path.is_empty() && path.chars().all(plain) && !path.starts_with('-') {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

/// An id as a shell takes it: `#` begins a comment there.
pub fn id(id: &str) -> String {
    if id.starts_with('#') {
        format!("'{id}'")
    } else {
        id.to_owned()
    }
}

/// The program with these arguments, each quoted where it must be, from column
/// `begin` on: over several lines where it is wider than `width`, so that it
/// can be typed as it stands. A word that is wider is left whole, for it can
/// only be copied so.
pub fn command(arguments: &[String], begin: usize, width: usize) -> String {
    let typed = format!("session-search {}", arguments.join(" "));
    if begin + typed.width() <= width {
        return typed;
    }
    let mut out = "session-search".to_owned();
    let mut used = begin + out.len();
    for (is_quoted, word) in words(arguments) {
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

/// What stays on one line, and whether it stands within quotes: words, and
/// flags with their values.
fn words(arguments: &[String]) -> Vec<(bool, String)> {
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
        command(&arguments, 6, width)
    }

    #[test]
    fn queries_and_ids_are_quoted_for_a_shell() {
        assert_eq!(query("docker bridge"), "\"docker bridge\"");
        assert_eq!(query("it's $HOME\n`x`"), "'it'\\''s $HOME `x`'");
        assert_eq!(query("-x"), "'-x'");
        assert_eq!(path("/home/ann/app"), "/home/ann/app");
        assert_eq!(path("/it's $x"), "'/it'\\''s $x'");
        assert_eq!((id("a1b2"), id("#12")), ("a1b2".into(), "'#12'".into()));
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
