//! The signature of an error: its line without what differs from one time to the next.

use crate::error_marker::{
    TRACEBACK, is_error_line, is_heading, reports_failure, translated_errors,
};
use crate::grep_line::is_grep_line;
use crate::missing_command::find_missing_command;
use crate::text::{has_hump, trim_punctuation};
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

/// A hash of an error line without numbers, paths, addresses, times and ids. Lines with one signature say
/// the same error of other files, lines and runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorSignature(i64);

/// Words that say that something failed and not what: a line of them alone has no signature.
const GENERIC_WORDS: &str = "a aborted aborting above all an and are as assert assertion assertionerror at be because been below between build \
building but by called can cargo check checks code command commands commit compilation compile complete completed could \
describe details did due elifecycle emitted equal err err_assertion err_pnpm_recursive_run_first_fail errno error \
errored errors evaluated exception exit exitcode exited expect expected expression fail failed failing failure \
failures false falsy fatal file files filtered finished fixable for found from go had has have how ignored in info is it job left \
lifecycle line log main make makefile measured more next no non not npm null of ok on one or original out panicked passed \
pipeline please pnpm pre previous problem problems process received recipe result results return returned reverting right \
run running script see should skipped some started state status stderr stdin stdout step stop stopped strictly suite \
suites summary suppressed target task tasks test tests that the there this thread to tobe tocontain toequal total true \
try undefined unexpected unhandled value values warning warnings was were while with yarn you zero";

/// [`GENERIC_WORDS`] as a set, since each word of each error line of a history is looked up.
static GENERIC_WORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = GENERIC_WORDS.split_whitespace();
    words.chain(translated_errors()).collect()
});

/// Fewest letters of a signature's words.
const MIN_LETTERS: usize = 5;
/// Fewest letters of the name of something that was not found: `nvm`, `lint`.
const MIN_LETTERS_OF_NAME: usize = 3;
/// The most digits of a word that is kept with them: `u64`, `E0308`, `sha256`.
const MAX_DIGITS: usize = 4;
/// The quotes around punctuation that an error line names.
const QUOTES: [char; 3] = ['"', '\'', '`'];
/// Fewest characters of an id with hyphens.
const MIN_ID_CHARS: usize = 16;
/// Fewest characters of a number in hex.
const MIN_HEX_CHARS: usize = 6;

impl ErrorSignature {
    /// Reads the signature of a line; `None` if nothing is left that distinguishes one error from others.
    pub fn new(line: &str) -> Option<Self> {
        if is_context_line(line) {
            return None;
        }
        let words = signature_words(line);
        if has_content_words(line, &words) {
            Some(Self::from_words(&words))
        } else {
            Self::from_punctuation(line, words)
        }
    }

    /// Reads the signature of a line whose punctuation tells what was expected: `expected ";", found "}"`.
    fn from_punctuation(line: &str, mut words: Vec<String>) -> Option<Self> {
        let says_what = |word: &String| ["expected", "unexpected"].contains(&word.as_str());
        let punctuation: Vec<&str> = quoted_punctuation(line).collect();
        if punctuation.is_empty() || !words.iter().any(says_what) {
            return None;
        }
        words.extend(punctuation.into_iter().map(str::to_owned));
        Some(Self::from_words(&words))
    }

    fn from_words(words: &[String]) -> Self {
        Self(fnv1a(&words.join(" ")))
    }

    /// Returns the number by which it is stored.
    pub fn number(self) -> i64 {
        self.0
    }
}

/// The words of a part of an error line, by which the lines are found that hold it.
#[derive(Debug, Clone)]
pub struct ErrorPart(Vec<String>);

impl ErrorPart {
    /// Reads the words of a single line; `None` if they distinguish no error from others, or only its punctuation does.
    pub fn new(line: &str) -> Option<Self> {
        let words = signature_words(line);
        let is_specific = !is_context_line(line) && has_content_words(line, &words);
        is_specific.then_some(Self(words))
    }

    /// Returns true if a line holds these words one after the other.
    pub fn is_held_by(&self, line: &str) -> bool {
        let words = signature_words(line);
        words.windows(self.0.len()).any(|some| some == self.0)
    }
}

/// Returns true if the words of a line distinguish one error from others.
fn has_content_words(line: &str, words: &[String]) -> bool {
    let content = words.iter().filter(|word| !is_generic_word(word));
    let letters: usize = content.map(String::len).sum();
    let fewest = if line.contains("not found") {
        MIN_LETTERS_OF_NAME
    } else {
        MIN_LETTERS
    };
    // The same line begins the tracebacks of all errors.
    let is_specific = letters >= fewest && !line.contains(TRACEBACK);
    // The name of a command may be a generic word: `npm`.
    is_specific || find_missing_command(&strip_ansi_escapes(line)).is_some()
}

/// Returns the texts between quotes or backticks that are punctuation alone: `=>`.
fn quoted_punctuation(line: &str) -> impl Iterator<Item = &str> {
    let is_punctuation = |c: char| c.is_ascii_punctuation() && !QUOTES.contains(&c);
    line.split(QUOTES)
        .filter(move |part| !part.is_empty() && part.chars().all(is_punctuation))
}

/// Returns the names in an error line that distinguish one error from others: `PoolTimedOut`, `ECONNREFUSED`, `E0308`. None
/// in what a failed command printed that is no error: code, rows of tables, other lines.
pub fn find_error_names(line: &str) -> impl Iterator<Item = &str> {
    let tells_error = !is_context_line(line) && (is_error_line(line) || reports_failure(line));
    let words = tells_error.then(|| stable_words(line));
    let words = words.into_iter().flatten();
    words.filter(|word| is_name(word) && !is_generic_word(&word.to_lowercase()))
}

/// Returns true for one of the [`GENERIC_WORDS`], in lower case.
fn is_generic_word(word: &str) -> bool {
    GENERIC_WORD_SET.contains(word)
}

/// Fewest characters of a name.
const MIN_NAME_CHARS: usize = 5;

/// Returns true for a name in camel case or in capitals, of at least [`MIN_NAME_CHARS`].
fn is_name(word: &str) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase();
    let is_upper_snake_case = word
        .chars()
        .all(|c| is_upper(c) || c.is_ascii_digit() || c == '_');
    word.len() >= MIN_NAME_CHARS
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && (has_hump(word) || is_upper_snake_case)
}

/// Formats it as 16 digits in hex.
impl fmt::Display for ErrorSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Computes the 64-bit FNV-1a hash (Fowler, Noll and Vo), which unlike the standard library's is the same in all
/// versions: indexes hold it.
fn fnv1a(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    hash.cast_signed()
}

/// Fewest tabs of a row of a table.
const MIN_TABS: usize = 2;

/// Returns true for a line of code, of a diff or of a stack trace, a row of a table, a line that a search found, a command that
/// a runner repeats and a test that passed: what programs print next to their errors.
pub(crate) fn is_context_line(line: &str) -> bool {
    let line = line.trim();
    if is_heading(line) || find_missing_command(line).is_some() {
        return false;
    }
    let is_row = line.matches('\t').count() >= MIN_TABS;
    let after_number =
        line.trim_start_matches(|c: char| c.is_ascii_digit() || c == '>' || c == ' ');
    let is_in_frame = after_number.starts_with(['|', '│']);
    let begins_as_code = [
        "+", "-", "at ", "❯", "✓", "✔", "√", "PASS ", "(pass)", "ok ", "<", "$ ", "> ",
    ]
    .iter()
    .any(|start| line.starts_with(start));
    let ends_as_code = line.ends_with(['{', '(', '[', ';', ',', '|']) || line.ends_with("=>");
    is_in_frame
        || is_row
        || begins_as_code
        || ends_as_code
        || line.contains("throw new ")
        || is_grep_line(line)
}

/// Returns the words of a line in lower case, but for those that differ each time. Of a command that was not found they are
/// the same whichever shell says so.
fn signature_words(line: &str) -> Vec<String> {
    let line = strip_ansi_escapes(line);
    match find_missing_command(&line) {
        Some(name) => fold_words(&format!("command not found {name}")),
        None => fold_words(&line),
    }
}

/// Returns the [`stable_words`] of a line in lower case.
fn fold_words(line: &str) -> Vec<String> {
    stable_words(line).map(str::to_lowercase).collect()
}

/// Returns the words of a line, but for those that differ each time.
pub(crate) fn stable_words(line: &str) -> impl Iterator<Item = &str> {
    let tells_rule = is_heading(line);
    let tokens = line.split_whitespace();
    let tokens = tokens
        .filter(move |token| tells_rule && is_rule(token) || !is_location(token) && !is_id(token));
    let words = tokens.flat_map(|token| token.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| is_stable(word))
}

/// Returns true for the name of a rule in the heading of a diagnostic: `lint/correctness/noUnusedVariables`.
fn is_rule(token: &str) -> bool {
    let is_part = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    token.contains('/') && token.split('/').all(is_part)
}

/// Returns true for a path, an address on the net, and a file with a line: `src/a.rs`, `main.rs:12:5`.
fn is_location(token: &str) -> bool {
    let has_line = || {
        let mut parts = token.split([':', '(', ',']).skip(1);
        token.contains('.') && parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    token.contains(['/', '\\']) || has_line()
}

/// Returns true for a UUID, and what looks like one.
fn is_id(token: &str) -> bool {
    let id = trim_punctuation(token);
    let is_plain = id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    is_plain && id.len() >= MIN_ID_CHARS && id.contains(|c: char| c.is_ascii_digit())
}

/// Returns true for a word that does not change from one time to the next.
fn is_stable(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let is_hex = word.len() >= MIN_HEX_CHARS && word.bytes().all(|b| b.is_ascii_hexdigit());
    let begins_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    let is_plain = digits == 0 || (digits <= MAX_DIGITS && !is_hex);
    !word.is_empty() && !begins_with_digit && is_plain && has_digits_only_at_end(word)
}

/// Returns true if the digits of a word, if it has any, end it, or it is short: `tmp3fa9x` is a name that a program generated.
fn has_digits_only_at_end(word: &str) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() < MIN_HEX_CHARS || !stem.contains(|c: char| c.is_ascii_digit())
}

/// Returns a line without the ANSI escapes that colour it in a terminal, each up to its first letter. It is simpler than
/// [`sanitize_text`](crate::text::sanitize_text) and must not change: indexes hold the signatures that it led to.
fn strip_ansi_escapes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        out.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_status::CallStatus;
    use crate::error_lines::find_error_lines;
    use proptest::prelude::*;

    fn words(line: &str) -> String {
        signature_words(line).join(" ")
    }

    #[test]
    fn errors_in_other_languages_are_kept_and_the_runner_tells_no_cause() {
        fn find(output: &str) -> Vec<std::borrow::Cow<'_, str>> {
            find_error_lines(output, CallStatus::Failed)
        }
        let message = "mkdir: das Verzeichnis „lampe“ kann nicht angelegt werden";
        for word in ["Error", "Fehler", "Erreur", "错误", "エラー", "Ошибка"] {
            let runner = format!("make: *** [Makefile:12: build] {word} 1");
            assert_eq!(ErrorSignature::new(&runner), None, "{runner}");
            let output = format!("{message}\n{runner}\n");
            assert_eq!(find(&output)[0], message, "{runner}");
            let only = ErrorSignature::new(message).unwrap();
            assert_eq!(ErrorSignature::read_all(&output), [only], "{runner}");
        }
        let rejected = "erreur : impossible de pousser des références vers 'depot.git'";
        let push = format!(
            "Vers depot.git\n{rejected}\nastuce: Les mises à jour ont été rejetées\n\
             astuce: Intégrez les changements distants\nastuce: avant de pousser à nouveau."
        );
        assert_eq!(find(&push), [rejected]);
        assert_eq!(
            find("Der Zweig lampe ist veraltet\nHinweis: Führen Sie git pull aus."),
            ["Der Zweig lampe ist veraltet"]
        );
    }

    #[test]
    fn a_part_is_found_in_lines_that_hold_it() {
        let part = ErrorPart::new("Address already in use").unwrap();
        assert!(part.is_held_by("OSError: [Errno 98] Address already in use"));
        assert!(part.is_held_by("Error: listen EADDRINUSE: address already in use :::3000"));
        assert!(!part.is_held_by("the address is already in use"));
        assert!(ErrorPart::new("error: failed").is_none());
    }

    #[test]
    fn a_command_that_is_not_found_is_the_same_error_in_each_shell() {
        let of = |line| ErrorSignature::new(line).unwrap();
        let zsh = of("zsh: command not found: docker");
        assert_eq!(zsh, of("bash: line 3: docker: command not found"));
        for login in [
            "-bash: docker: command not found",
            "-sh: 1: docker: not found",
        ] {
            assert_eq!(zsh, of(login));
        }
        assert_ne!(zsh, of("zsh: command not found: podman"));
        let part = ErrorPart::new("docker: command not found").unwrap();
        assert!(part.is_held_by("(eval):1: command not found: docker"));
    }

    #[test]
    fn a_command_that_a_runner_repeats_has_no_signature() {
        assert!(ErrorSignature::new("$ biome check --error-on-warnings").is_none());
        assert!(ErrorSignature::new("> lamp@1.0.0 build --fail-on-error").is_none());
    }

    #[test]
    fn diagnostics_of_different_rules_are_different_errors() {
        let of = |line| ErrorSignature::new(line).unwrap();
        let unused = of(" at src/a.tsx:182:8 lint/correctness/noUnusedVariables  FIXABLE  ━━━━━");
        assert_eq!(
            unused,
            of("at web/b.ts:1:1 lint/correctness/noUnusedVariables FIXABLE ━━━━━━")
        );
        assert_ne!(
            unused,
            of("at src/a.tsx:1:1 assist/source/organizeImports FIXABLE ━━━━━")
        );
    }

    #[test]
    fn what_differs_each_time_is_left_out() {
        for (line, expected) in [
            (
                "error[E0308]: mismatched types",
                "error e0308 mismatched types",
            ),
            (
                "  --> src/main.rs:12:5 expected `i32`, found `u64`",
                "expected i32 found u64",
            ),
            (
                "\u{1b}[31mError:\u{1b}[0m connect ECONNREFUSED 127.0.0.1:5432",
                "error connect econnrefused",
            ),
            (
                "2026-01-10T09:00:00Z ERROR pool timed out after 30.5s",
                "error pool timed out after",
            ),
            (
                "panicked at app.rs:7: worker 3fa85f64-5717-4562-b3fc-2c963f66afa6 gone",
                "panicked at worker gone",
            ),
            ("fatal: bad object 0a1b2c3d4e5f", "fatal bad object"),
            (
                "thread 'main' (4711) overflowed its stack at 0x7ffd3c2a",
                "thread main overflowed its stack at",
            ),
            (
                r"C:\work\a.cs(12,5): error CS1002: ; expected",
                "error cs1002 expected",
            ),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_that_only_says_that_something_failed_has_none() {
        for line in [
            "error: could not compile `a` (bin \"b\") due to 1 previous error",
            "Error: Process completed with exit code 1.",
            "make: *** [Makefile:12: all] Error 2",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.02s",
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
            "  106 | \t\tthrow new Error(\"Lamp is dark\");",
            "> 12 │ const oil = lamp.error ?? dark",
            "    at Object.getElementError (lamp.js:3)",
            "✓ renders the error of a dark lamp",
            "(pass) lamp > errors on invalid oil",
            "+ Do not say that the lamp failed",
            "severity: 'error of the lamp',",
            "[09:00:00] [Keeper] Lamp 2 failed: 84 |",
            "lamp\tpending\t0\thttps://lamp.example/runs/1",
            "Traceback (most recent call last):",
            "thread 'main' panicked at src/lamp.rs:3:5:",
            "FAILED",
            "",
        ] {
            assert_eq!(ErrorSignature::new(line), None, "{line}");
        }
        for line in [
            "error: PoolTimedOut",
            "bash: line 1: nvm: command not found",
            "bash: pnpm: command not found",
            "sh: 1: go: not found",
            "error: Script not found \"lint\"",
        ] {
            assert!(ErrorSignature::new(line).is_some(), "{line}");
        }
    }

    #[test]
    fn signs_tell_what_was_expected_where_no_word_does() {
        let signature = |line: &str| ErrorSignature::new(line);
        for line in [
            "✘ [ERROR] Expected \">\" but found \"x\"",
            "error: expected `;`, found `}`",
            "Parse error: unexpected '}'",
        ] {
            assert!(signature(line).is_some(), "{line}");
        }
        let brace = signature("src/a.rs:12:5: error: expected `;`, found `}`");
        assert_eq!(
            brace,
            signature("src/b.rs:7:1: error: expected `;`, found `}`")
        );
        assert_ne!(
            brace,
            signature("src/a.rs:12:5: error: expected `)`, found `}`")
        );
        assert!(signature("error: \"--\" failed").is_none());
        assert!(signature("Expected values to be equal:").is_none());
        // The signs are not looked for in other lines.
        assert!(ErrorPart::new("expected `;`, found `}`").is_none());
    }

    #[test]
    fn the_number_of_a_signature_stays_what_it_is() {
        let signature = ErrorSignature::new("error[E0308]: mismatched types").unwrap();
        assert_eq!(signature.number(), 3_478_229_451_078_990_945);
    }

    #[test]
    fn names_tell_one_error_from_others() {
        for (line, names) in [
            ("error: PoolTimedOut after 30 s", "PoolTimedOut"),
            ("Error: connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED"),
            ("error[E0308]: mismatched types in src/AppState.rs", "E0308"),
            ("FAILED: AssertionError", ""),
            ("CodeRabbit\tpass\t0\t\tReview completed", ""),
            ("CodeRabbit pass", ""),
            ("src/App.tsx:4:const failed = AppState.error", ""),
        ] {
            assert_eq!(
                find_error_names(line).collect::<Vec<_>>().join(" "),
                names,
                "{line}"
            );
        }
    }

    proptest! {
        #[test]
        fn numbers_do_not_matter(line in "[a-z]{4,9} [a-z]{4,9}", a in 0u32..99_999, b in 0u32..99_999) {
            let at = |n: u32| ErrorSignature::new(&format!("error: {line} {n} at /tmp/x{n}:{n}"));
            prop_assert_eq!(at(a), at(b));
        }

        #[test]
        fn no_text_makes_it_panic(line in "\\PC{0,80}") {
            let _ = ErrorSignature::new(&line);
        }
    }
}
