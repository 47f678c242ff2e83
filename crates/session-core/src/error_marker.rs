//! The words and characters by which a line of output is recognized as an error.

use crate::text::has_hump;
use aho_corasick::{AhoCorasick, Match, MatchKind};
use std::sync::LazyLock;

/// The beginning of a Python traceback, whose last line is the error.
pub(crate) const TRACEBACK: &str = "Traceback (most recent call last)";

/// Words that mark a line of output as an error, with the spellings that programs use.
const MARKERS: [&str; 12] = [
    "error",
    "Error",
    "ERROR",
    "ERR_",
    "panic",
    "fatal",
    "FATAL",
    "failed",
    "FAILED",
    "Exception",
    "denied",
    "not found",
];
/// Endings of a word that begins with a marker: `errors`, `panicked`.
const ENDINGS: [&str; 5] = ["s", "S", "ed", "icked", "ked"];
/// Markers that end names: `TypeError`, `NullPointerException`.
const SUFFIXES: [&str; 2] = ["Error", "Exception"];
/// Markers that count at the end of a line: `Permission denied`.
const CLOSING: [&str; 4] = ["failed", "FAILED", "denied", "not found"];

/// Beginnings of lines that name the error of a failed call.
const LINE_BEGINNINGS: [&str; 10] = [
    "×",
    "✗",
    "✖",
    "✘",
    "✕",
    "❌",
    "(fail)",
    "FAIL",
    "--- FAIL",
    "Traceback",
];
/// Parts of error lines without a marker, of a call that failed.
const FAILURE_PHRASES: [&str; 13] = [
    "No such file",
    "cannot ",
    "Cannot ",
    "unable to ",
    "Unable to ",
    "could not ",
    "Could not ",
    "Failed to ",
    "refused",
    "timed out",
    "undefined: ",
    "nvalid ",
    "no matches found: ",
];

/// Beginnings of error lines about an option or a field, of a call that failed. Within a line they are of warnings, too.
const UNKNOWN: [&str; 2] = ["unknown ", "Unknown "];

/// The word for an error before a colon, in other languages, of a call that failed. In lower case.
const TRANSLATED: [&str; 7] = [
    "erreur",
    "fehler",
    "errore",
    "erro",
    "ошибка",
    "błąd",
    "hata",
];
/// The same in scripts without spaces, where other words may stand before it: `致命错误：`.
const UNSPACED: [&str; 4] = ["エラー", "错误", "錯誤", "오류"];

/// Iterates over the words for an error in other languages, in lower case.
pub(crate) fn translated_errors() -> impl Iterator<Item = &'static str> {
    TRANSLATED.into_iter().chain(UNSPACED)
}

/// The beginnings of Git's advice, in its languages.
const ADVICE: [&str; 11] = [
    "hint:",
    "astuce",
    "Hinweis:",
    "ayuda:",
    "dica:",
    "suggerimento:",
    "подсказка:",
    "podpowiedź:",
    "提示",
    "ヒント:",
    "힌트:",
];

/// Finds markers, the leftmost first: such a search looks at many bytes at a time.
static MARKED: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    builder
        .match_kind(MatchKind::LeftmostFirst)
        .build(MARKERS)
        .expect("a dozen words")
});

/// Returns true when bytes hold a word that marks an error line: a quick look before
/// they are decoded.
pub fn may_hold_errors(bytes: &[u8]) -> bool {
    MARKED.is_match(bytes)
}

/// Returns where the first marker in a text stands, be it a word or not.
pub(crate) fn find_marker(text: &str) -> Option<usize> {
    Some(MARKED.find(text)?.start())
}

/// Returns true for a line in which a marker is a word, as nobody writes it in code, a path or an option. The count-only lines
/// of test runners (`0 errors`, `0 failed`) are not errors.
pub(crate) fn is_error_line(line: &str) -> bool {
    markers(line).next().is_some() && !ZERO_COUNTS.iter().any(|m| counts_none(line, m))
}

/// Returns true for an error line that says so at its beginning, before a colon or at its end: what a command
/// prints that did not fail speaks of errors, too.
pub(crate) fn announces_error(line: &str) -> bool {
    let announces = |found: Match| {
        let (before, after) = (&line[..found.start()], &line[found.end()..]);
        let rest = after.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let is_closing = CLOSING.contains(&&line[found.range()]);
        words_before(before) <= if is_closing { MAX_SUBJECT } else { MAX_PREFIX }
            || rest.starts_with([':', '[', ']'])
            || after.starts_with("icked at")
            || is_closing && rest.trim_end_matches(['.', '!', ')']).is_empty()
    };
    is_error_line(line) && markers(line).any(announces)
}

/// Returns true for an error line without a marker, of a call that failed: by a sign, or behind a
/// file and a line.
pub(crate) fn reports_failure(line: &str) -> bool {
    let warns = line.contains("arning: ");
    let beginnings = || LINE_BEGINNINGS.iter().chain(&UNKNOWN);
    let begins = || beginnings().any(|begin| line.starts_with(begin));
    let has_phrase = || FAILURE_PHRASES.iter().any(|part| line.contains(part));
    let is_known = || is_heading(line) || begins() || has_phrase() || is_diagnostic(line);
    !warns && (is_known() || names_error_in_translation(line))
}

/// Returns true for a line of Git's advice, which says nothing of the error.
pub(crate) fn is_advice(line: &str) -> bool {
    ADVICE.iter().any(|begin| line.starts_with(begin))
}

/// Returns true for `erreur : no oil`, `错误：no oil`, but for the counts of test runners (`Fehler: 0`).
fn names_error_in_translation(line: &str) -> bool {
    let mut colons = line.match_indices([':', '：']);
    colons.any(|(at, colon)| {
        let before = line[..at].trim_end();
        let start = before.trim_end_matches(char::is_alphanumeric).len();
        let word = before[start..].to_lowercase();
        let rest = line[at + colon.len()..].trim_start();
        let is_zero = rest
            .strip_prefix('0')
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
        let is_error = TRANSLATED.contains(&word.as_str())
            || UNSPACED.iter().any(|ending| word.ends_with(ending));
        is_error && !is_zero
    })
}

/// Returns true for a line that begins with the name of an exception and a colon: `jinja2.exceptions.TemplateNotFound: a.html`.
pub(crate) fn names_exception(line: &str) -> bool {
    let name = line.split_once(": ").map_or("", |(name, _)| name);
    let class = name.rsplit('.').next().unwrap_or_default();
    let is_plain = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_in_module = name.len() > class.len();
    class.starts_with(|c: char| c.is_ascii_uppercase())
        && (is_in_module || has_hump(class))
        && name
            .split('.')
            .all(|part| !part.is_empty() && is_plain(part))
}

/// Returns true for the line that begins the report of a panic and has its message below: `thread 'main' panicked at a.rs:3:5:`.
pub(crate) fn begins_panic(line: &str) -> bool {
    line.starts_with("thread '") && line.contains("panicked at ") && line.ends_with(':')
}

/// Returns true for a text that begins with an error as programs write it, behind the name of a program at most:
/// `error: `, `[ERROR] `, `npm error 404`, `--- FAIL`. A sentence about errors does not.
pub(crate) fn begins_with_error(text: &str) -> bool {
    let begins = || LINE_BEGINNINGS.iter().any(|begin| text.starts_with(begin));
    markers(text).next().is_some_and(|found| {
        let is_part = |c: char| c.is_alphanumeric() || ".:_".contains(c);
        let before = text[..found.start()].trim_end_matches(is_part);
        let rest = &text[found.end()..];
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let has_code = || {
            let mut words = rest.split_whitespace();
            let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
            rest.starts_with(' ') && words.next().is_some_and(has_digit)
        };
        is_program_name(before) && (rest.starts_with([':', '[', ']', '(']) || has_code())
    }) || begins()
}

/// Returns true for nothing, a bracket, or a single word in lower case with a space behind it.
fn is_program_name(text: &str) -> bool {
    let name = text.trim_end_matches(['[', '(']);
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let word = name.strip_suffix(' ').unwrap_or_default();
    name.is_empty() || !word.is_empty() && word.chars().all(is_plain)
}

/// Returns the markers in a line that are words.
fn markers(line: &str) -> impl Iterator<Item = Match> {
    MARKED.find_iter(line).filter(|m| is_word(line, m))
}

fn is_word(line: &str, found: &Match) -> bool {
    let (before, after) = (&line[..found.start()], &line[found.end()..]);
    let marker = &line[found.range()];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '\\');
    let is_called = before.ends_with('.') && after.starts_with('(');
    let begins = if SUFFIXES.contains(&marker) {
        !is_called && !before.ends_with(['_', '-', '/', '\\'])
    } else {
        !before.ends_with(is_part) && !before.ends_with('.')
    };
    begins && (marker.ends_with('_') || ends_word(after))
}

/// Returns true if a word ends, in some form of it, and goes on neither as a name nor as that of a file.
fn ends_word(after: &str) -> bool {
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (ending, rest) = after.split_at(end.unwrap_or(after.len()));
    let is_known = ending.is_empty() || ENDINGS.contains(&ending);
    let goes_on = |c: char| c.is_alphanumeric();
    is_known
        && !rest
            .strip_prefix(['.', '-', '/'])
            .is_some_and(|rest| rest.starts_with(goes_on))
}

/// Most words before a marker that a line begins with: `npm error`, `Found 3 errors`.
const MAX_PREFIX: usize = 1;
/// Most words of the subject before a verb of failure: `Test suite failed to run`.
const MAX_SUBJECT: usize = 3;

/// Counts the words before a marker, without paths, times, levels and names of programs.
fn words_before(before: &str) -> usize {
    let is_word = |token: &&str| {
        let is_word = token.contains(|c: char| c.is_lowercase());
        is_word && !token.ends_with(':') && !token.contains(['/', '\\', '=', '['])
    };
    // Not the beginning of the marker's own word: `java.lang.IllegalStateException`.
    let before = before.trim_end_matches(|c: char| c.is_alphanumeric() || ".:_".contains(c));
    before.split_whitespace().filter(is_word).count()
}

/// Returns true for the heading of a diagnostic: `a.ts:3:1 lint/noUnusedVariables ━━━━━`.
pub(crate) fn is_heading(line: &str) -> bool {
    line.contains("━━━")
}

/// Returns true for a message behind a file and a line: `src/a.go:12:5: undefined: x`, `a.ts(3,1): …`.
fn is_diagnostic(line: &str) -> bool {
    let mut tokens = line.split_whitespace();
    let is_position = |token: &str| {
        let end = token.trim_end_matches([':', ')']);
        let (file, number) = end.rsplit_once([':', '(', ',']).unwrap_or_default();
        let is_number = number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty();
        is_number && file.contains('.') && file.contains(|c: char| c.is_ascii_alphabetic())
    };
    let has_position = tokens.by_ref().take(2).any(is_position);
    has_position && tokens.next().is_some()
}

/// Returns true for a check that failed in a table: `gh pr checks`.
pub(crate) fn is_failed_check(line: &str) -> bool {
    has_field(line, &["fail"])
}

/// Returns true for a check in a table that passed or was left out.
pub(crate) fn is_passed_check(line: &str) -> bool {
    has_field(line, &["pass", "skipping"])
}

/// Returns true for a check in a table that neither failed nor passed.
pub(crate) fn is_open_check(line: &str) -> bool {
    has_field(line, &["pending", "cancel"])
}

/// Returns true for a row of a table with one of some fields. Between spaces such words are of any text.
fn has_field(line: &str, fields: &[&str]) -> bool {
    line.contains('\t') && line.split('\t').any(|field| fields.contains(&field))
}

/// Counts of no errors, as test runners print them.
const ZERO_COUNTS: [&str; 4] = ["0 error", "0 failed", "no error", "No error"];

/// Returns true if a line holds one of [`ZERO_COUNTS`], and not as the end of a number: `10 errors` are errors.
fn counts_none(line: &str, count: &str) -> bool {
    let mut matches = line.match_indices(count);
    matches.any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_words() {
        for line in [
            "error[E0308]: mismatched types",
            "thread 'main' panicked at src/main.rs:2:5:",
            "TypeError: x is not a function",
            "java.lang.NullPointerException",
            "npm error code ERR_SOCKET_TIMEOUT",
            "src/a.ts(217,6): error TS2322: Type 'A' is not assignable",
            "10 errors",
            "Found 3 errors.",
            "bash: x: Permission denied",
        ] {
            assert!(is_error_line(line), "{line}");
        }
        for line in [
            "(errorFixStats?.costUsd ?? 0) +",
            "- log.Error(err)",
            "yarn-error.log*",
            "$ biome check --error-on-warnings",
            "crates/core/src/error_lines.rs",
            "src/error/mod.rs",
            "src/error.rs | 2 +-",
            "return fmt.Errorf(\"no\")",
            "console.error(message)",
            "0 errors",
            "no errors found",
        ] {
            assert!(!is_error_line(line), "{line}");
        }
    }

    #[test]
    fn an_error_is_announced() {
        for line in [
            "2026-01-02T10:00:00Z [ERROR] no oil",
            "src/a.c:12:5: error: expected ;",
            "make: command not found",
            "The build failed: no oil",
            "fatal: not a git repository",
            "npm error code E404",
            "permission denied while trying to connect to the daemon",
            "git@example.com: Permission denied (publickey).",
            "Access denied for user 'ann'",
            "make: *** [Makefile:12: all] Error 2",
            "● Test suite failed to run",
            "Caused by: java.lang.IllegalStateException",
            "Found 3 errors in 2 files.",
            "Build failed with 3 errors",
            "TypeError [ERR_UNKNOWN]: x",
        ] {
            assert!(announces_error(line), "{line}");
        }
        for line in [
            "it should handle errors without stopping",
            "Returns an error",
        ] {
            assert!(!announces_error(line), "{line}");
        }
    }

    #[test]
    fn a_text_begins_with_an_error() {
        for text in [
            "error: no oil",
            "[ERROR] no oil",
            "npm error 404 no lamp",
            "error TS2322: x",
            "AssertionError: lamp dark",
            "java.lang.IllegalStateException: dark",
            "--- FAIL: TestLamp",
            "fatal: not a git repository",
        ] {
            assert!(begins_with_error(text), "{text}");
        }
        for text in [
            "// error: no oil",
            "  error: string",
            "- **Errors**: a list",
            "Errors are kept",
            "echo \"error: no oil\"",
            "",
        ] {
            assert!(!begins_with_error(text), "{text}");
        }
    }

    #[test]
    fn a_failure_is_told_without_a_marker() {
        for line in [
            "× Formatter would have printed the following content:",
            "color\\gradient_test.go:75:79: not enough arguments in call to GradientCells",
            "vet.exe: template\\bench_test.go:59:17: cannot use tmpl",
            "src/a.py:1:8: F401 `os` imported but unused",
            "at src/lamp.ts:41:4 lint/useExhaustiveDependencies ━━━━━━━",
            "FAIL\texample.com/oil [build failed]",
            "ls: cannot access 'x': No such file or directory",
            "(eval):1: no matches found: docs/*.md",
            "Unknown JSON field: \"lamp\"",
            "E: Failed to fetch http://deb.example.org/oil_1.deb  404  Not Found [IP: 192.0.2.1 80]",
            "erreur : impossible de pousser des références vers 'depot'",
            "ERREUR: la lampe est vide",
            "lampe.c:3:5: Fehler: kein Öl",
            "BŁĄD: brak oleju",
            "ошибка: нет масла",
            "エラー : パッケージ 'Foo' が見つかりません",
            "致命错误：没有灯油",
        ] {
            assert!(reports_failure(line), "{line}");
        }
        for line in [
            "[Parser] Warning: Could not parse the answer",
            "the wick is of an unknown length",
            "Checked 12 files in 3ms.",
            "at 12:30 it rained",
            "a.go:12",
            "Fehler: 0, erfolgreich: 12",
            "ferro: lampe",
            "Fehlersuche: ein Leitfaden",
            "0 Fehler",
        ] {
            assert!(!reports_failure(line), "{line}");
        }
    }

    #[test]
    fn an_exception_is_named_before_a_colon() {
        for line in [
            "jinja2.exceptions.TemplateNotFound: lamp.html",
            "subprocess.TimeoutExpired: Command 'oil' timed out",
            "ImproperlyConfigured: LAMP is not set",
        ] {
            assert!(names_exception(line), "{line}");
        }
        for line in [
            "Lamp: lit",
            "lamp.oil: 3",
            "README.md: 12 lines",
            "Lit. TestLamp: ok",
        ] {
            assert!(!names_exception(line), "{line}");
        }
    }
}
