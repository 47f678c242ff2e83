//! Lines of files with line numbers, as `grep -n` prints them: an error in one is not the tool's own.

use crate::error_marker::begins_with_error;

/// Extensions of logs: a line that was found in one is an error that a program printed.
const LOG_EXTENSIONS: [&str; 5] = ["log", "out", "output", "err", "txt"];
/// Most digits of a line number.
const MAX_DIGITS: usize = 6;
/// Digits of the year that a date begins with.
const YEAR_DIGITS: usize = 4;
/// Beginnings of a line of a comment that goes over several lines.
const COMMENT_BEGINNINGS: [&str; 2] = ["* ", "*/"];
/// Beginnings of Ruby's messages behind a file and a line.
const RUBY_BEGINNINGS: [&str; 2] = ["in `", "in '"];

/// Returns true for a line such as `grep -n` prints it: `src/a.rs:12:    text`, `12:text` and, of the lines around
/// a match, `src/a.rs-12-text` and `12-    text`.
///
/// Compilers name files and lines, too. Behind the line they write a column, the word for an error, or one space and
/// their message: `a.c:3:5: error: …`, `a.py:12: AssertionError`. Texts of files follow without a space, or with as many
/// as they are indented by.
pub(crate) fn is_grep_line(line: &str) -> bool {
    !begins_with_time(line)
        && (NumberedLine::split(line, ':').is_some_and(|line| line.is_match())
            || NumberedLine::split(line, '-').is_some_and(|line| line.is_context_line()))
}

/// A line that begins with a line number, or with a path and a line number.
struct NumberedLine<'l> {
    /// The path; empty where there is none.
    path: &'l str,
    /// The text behind the line number.
    text: &'l str,
}

impl<'l> NumberedLine<'l> {
    /// Splits a line at the first number of its first word that is between two of these separators, or begins the line.
    fn split(line: &'l str, separator: char) -> Option<Self> {
        let word = line.split(char::is_whitespace).next()?;
        if let Some(text) = strip_number(word, separator) {
            let text = &line[word.len() - text.len()..];
            return Some(Self { path: "", text });
        }
        word.match_indices(separator).find_map(|(at, _)| {
            let text = strip_number(&word[at + separator.len_utf8()..], separator)?;
            let text = &line[word.len() - text.len()..];
            let path = &line[..at];
            Some(Self { path, text })
        })
    }

    /// Returns true for a line that a search found.
    fn is_match(&self) -> bool {
        let is_path = self.path.is_empty() || self.path.contains(['.', '/', '\\']);
        is_path && !self.is_of_log() && self.is_text_of_file()
    }

    /// Returns true for a line around one that a search found. Hyphens are in much else: the path has an
    /// extension, and without a path the text is indented or begins with punctuation.
    fn is_context_line(&self) -> bool {
        let begins_as_text = || {
            let punctuation = |c: char| c.is_ascii_punctuation() && c != '-';
            self.text.is_empty() || self.text.starts_with(|c| c == '\t' || punctuation(c))
        };
        let is_indented = || self.text.starts_with("  ");
        let has_shape = match self.path {
            "" => is_indented() || begins_as_text(),
            _ => self.extension().is_some(),
        };
        has_shape && !self.is_of_log() && self.is_text_of_file()
    }

    /// Returns true if the text is a file's, and not a message about it.
    fn is_text_of_file(&self) -> bool {
        let text = self.text;
        let is_message = begins_with_column(text)
            || begins_with_time(text)
            || begins_with_error(text)
            || RUBY_BEGINNINGS.iter().any(|start| text.starts_with(start))
            || is_sentence_of_compiler(text)
            || self.path.is_empty() && is_message_about_file(text);
        !is_message
    }

    fn is_of_log(&self) -> bool {
        self.extension()
            .is_some_and(|extension| LOG_EXTENSIONS.contains(&extension))
    }

    /// Returns the extension of the path, which begins with a letter: `1.2` has none.
    fn extension(&self) -> Option<&'l str> {
        let (_, extension) = self.path.rsplit_once('.')?;
        let is_plain = extension.bytes().all(|b| b.is_ascii_alphanumeric());
        let is_named = extension.starts_with(|c: char| c.is_ascii_alphabetic());
        (is_plain && is_named).then_some(extension)
    }
}

/// Returns what follows a line number and a separator.
fn strip_number(text: &str, separator: char) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    (1..=MAX_DIGITS)
        .contains(&digits)
        .then_some(rest)?
        .strip_prefix(separator)
}

/// Returns true for a text that begins with a column or the decimals of a time: a number and then neither a name
/// nor a list's text.
fn begins_with_column(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_decimal = || {
        let decimals = rest.strip_prefix(['.', ',']);
        decimals.is_some_and(|decimals| decimals.starts_with(|c: char| c.is_ascii_digit()))
    };
    rest.len() < text.len()
        && (rest.is_empty() || rest.starts_with([':', ' ', '\t', ')']) || is_decimal())
}

/// Returns true for a text that begins with a date, as the lines of a log do: `2026-01-10T09:00`, `[2026/01/10`.
fn begins_with_time(text: &str) -> bool {
    let text = text.trim_start_matches('[');
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let month = rest.strip_prefix(['-', '/']).unwrap_or_default();
    let after_month = month.trim_start_matches(|c: char| c.is_ascii_digit());
    text.len() - rest.len() == YEAR_DIGITS
        && month.len() - after_month.len() == 2
        && after_month.starts_with(['-', '/'])
}

/// Returns true for a message behind a file and a line, as it is found in the output of a compiler.
fn is_message_about_file(text: &str) -> bool {
    let message = NumberedLine::split(text, ':').filter(|line| !line.path.is_empty());
    message.is_some_and(|message| !message.is_text_of_file())
}

/// Returns true for one space and a text that continues no comment.
fn is_sentence_of_compiler(text: &str) -> bool {
    let sentence = text.strip_prefix(' ').unwrap_or_default();
    let is_comment = || {
        COMMENT_BEGINNINGS
            .iter()
            .any(|start| sentence.starts_with(start))
    };
    !sentence.is_empty() && !sentence.starts_with(char::is_whitespace) && !is_comment()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_files_are_grep_lines() {
        for line in [
            "README.md:444:- **Viewer** to inspect calls and errors",
            "src/codex.ts:169:  // \"responses\"`), no items have been observed",
            "src/codex.ts:279: * @returns errors of the selected lamps.",
            "src/store.go:441:\t\tWHEN $2 IN ('completed','failed')",
            "./docs/design.md:28:4. terminal: `completed`, `failed`",
            "docs/2026-06-23-001-plan.md:320:- Errors are kept",
            "docs/plan.md:271:| Provider error | Failed span |",
            "src\\lamp.rs:12:fn light() -> Result<(), Error>",
            "src/lamp.rs-13-    Err(Error::Dark)",
            "471:  echo \"::error::no lamp\"",
            "471:echo \"error: no lamp\"",
            "136-            \"{{ if .Error }}p:red{{ end }}\"",
            "136-\t\"{{ if .Error }}p:red{{ end }}\"",
        ] {
            assert!(is_grep_line(line), "{line}");
        }
    }

    #[test]
    fn messages_of_programs_are_no_grep_lines() {
        for line in [
            "a.c:3:5: error: expected ;",
            "a.c:3:error: expected ;",
            "src/x.ts(3,5): error TS2322: x",
            "src/x.ts:3:5 - error TS2322: x",
            "foo.py:12: AssertionError",
            "main.go:12:3: undefined: x",
            "main_test.go:31: nu not found on PATH, skipping",
            "main.go:12: undefined: x",
            "package.json:104: trailing whitespace.",
            "Makefile:12: *** missing separator.  Stop.",
            "a.rb:3:in 'light': undefined method (NoMethodError)",
            "docs/a.mdx:200:81 error MD013/line-length",
            "  12:5  error  'x' is defined but never used",
            "12:5  error  'x' is defined but never used",
            "zsh:1: command not found: lamp",
            "(eval):1: command not found: lamp",
            "rg: apps: No such file or directory (os error 2)",
            "404: not found",
            "server.log:12:the lamp failed",
            "827:2026-06-18T08:57:55.4473004Z npm error 404",
            "827:npm error 404 no lamp",
            "12:[ERROR] no oil",
            "37:docs/a.mdx:30:121 error MD013/line-length",
            "2026-06-18T08:57:55.4473004Z npm error 404",
            "09:00:00 error: no oil",
            "0:01.5 error: no oil",
            "127.0.0.1:6379: connection refused",
            "2-phase commit failed",
            "2026-01-10 error: no oil",
            "3541381:3541381:0629/035156.236090:ERROR:dbus.cc:572] Failed to call",
            "3fa85f64-5717-4562-b3fc-2c963f66afa6 failed",
            "error: failed",
            "",
        ] {
            assert!(!is_grep_line(line), "{line}");
        }
    }
}
