//! The lines of a command's output that say what went wrong.

use crate::error_signature::ErrorSignature;
use crate::text::clip_words;
use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Words that mark a line of output as an error.
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
/// Finds markers, the leftmost first: such a search looks at many bytes at a time.
static MARKED: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    builder
        .match_kind(MatchKind::LeftmostFirst)
        .build(MARKERS)
        .ok()
});
const MAX_ERROR_LINES: usize = 6;
/// Most lines with a marker of which these are chosen.
const MAX_MARKED_LINES: usize = 200;
const ERROR_LINE_BYTES: usize = 240;

/// The lines of a tool's output that say what went wrong: at most 6 different ones, each at
/// most 240 bytes. Of a failed call without any such line, its first lines.
///
/// Idempotent: the error lines of joined error lines are the same lines.
pub fn error_lines(output: &str, failed: bool) -> Vec<&str> {
    let mut found = marked_lines(output);
    if found.is_empty() && failed {
        let lines = output.split('\n').map(trim_line).filter(|l| !l.is_empty());
        found.extend(lines.take(3));
    }
    found
}

/// True when bytes hold a word that marks an error line: a quick look before
/// they are decoded.
pub fn may_hold_errors(bytes: &[u8]) -> bool {
    MARKED.as_ref().is_some_and(|m| m.is_match(bytes))
}

/// The lines with a marker, in order. Where there are more, those that say something new come before those that say
/// it once more of another place or time.
fn marked_lines(output: &str) -> Vec<&str> {
    let (mut found, mut repeated) = (Vec::new(), Vec::new());
    let mut known = Vec::new();
    for (number, line) in (0..).zip(all_marked_lines(output)) {
        let signature = ErrorSignature::new(line);
        let list = match signature.is_some() && known.contains(&signature) {
            true => &mut repeated,
            false => &mut found,
        };
        let is_other = |(_, other): &(u32, &str)| *other != line;
        if list.iter().all(is_other) {
            list.push((number, line));
        }
        known.push(signature);
        if found.len() == MAX_ERROR_LINES {
            break;
        }
    }
    let room = MAX_ERROR_LINES - found.len();
    found.extend(repeated.into_iter().take(room));
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, line)| line).collect()
}

/// The first lines with a marker that are no counts.
fn all_marked_lines(output: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let lines = std::iter::from_fn(move || {
        let marked = MARKED.as_ref()?;
        let at = from + marked.find(output.get(from..)?)?.start();
        let start = output[..at].rfind('\n').map_or(0, |n| n + 1);
        from = output[at..].find('\n').map_or(output.len(), |n| at + n);
        Some(trim_line(&output[start..from]))
    });
    lines
        .take(MAX_MARKED_LINES)
        .filter(|line| is_error_line(line))
}

fn trim_line(line: &str) -> &str {
    clip_words(line.trim(), ERROR_LINE_BYTES).trim_end()
}

/// True when the line names an error. The count-only lines of test runners
/// (`0 errors`, `0 failed`) are not errors.
pub fn is_error_line(line: &str) -> bool {
    MARKED.as_ref().is_some_and(|m| m.is_match(line))
        && !COUNTS.iter().any(|m| counts_none(line, m))
}

/// Counts that say that there was no error.
const COUNTS: [&str; 4] = ["0 error", "0 failed", "no error", "No error"];

/// True where a line holds one of [`COUNTS`], and not as the end of a number: `10 errors` are errors.
fn counts_none(line: &str, count: &str) -> bool {
    let mut places = line.match_indices(count);
    places.any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric()))
}

impl ErrorSignature {
    /// Reads the signatures of the error lines of a command's output, each once.
    pub fn read_all(output: &str) -> Vec<Self> {
        let mut signatures = Vec::new();
        for line in error_lines(output, true) {
            let signature = Self::new(line);
            signatures.extend(signature.filter(|signature| !signatures.contains(signature)));
        }
        signatures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_lines_of_error_lines_are_the_same() {
        let output =
            "start\n  error[E0308]: mismatched types\n0 errors\nok\nfatal: not a git repository\n";
        let found = error_lines(output, false);
        assert_eq!(
            found,
            [
                "error[E0308]: mismatched types",
                "fatal: not a git repository"
            ]
        );
        assert_eq!(error_lines(&found.join("\n"), false), found);
        assert_eq!(error_lines("10 errors\n0 errors\n", false), ["10 errors"]);
        assert_eq!(error_lines("a\nb\n", true), ["a", "b"]);
        assert!(error_lines("a\nb\n", false).is_empty());
    }

    #[test]
    fn what_is_repeated_does_not_keep_other_errors_out() {
        let parsing = (1..50).map(|n| format!("[{n}:{n}] ERROR: certificate {n} is not read\n"));
        let output = parsing.collect::<String>() + "AssertionError: lamp dark\n";
        assert_eq!(
            error_lines(&output, true),
            [
                "[1:1] ERROR: certificate 1 is not read",
                "[2:2] ERROR: certificate 2 is not read",
                "[3:3] ERROR: certificate 3 is not read",
                "[4:4] ERROR: certificate 4 is not read",
                "[5:5] ERROR: certificate 5 is not read",
                "AssertionError: lamp dark"
            ]
        );
        let modules = "Error: no module '@acme/lamp'\nError: no module '@zeta/oil'\nError: no module '@zeta/oil'\n";
        assert_eq!(error_lines(modules, true).len(), 2);
    }

    #[test]
    fn signatures_of_an_output_are_those_of_its_error_lines() {
        let output = "building\nerror: no oil at 3:04\nerror: no oil at 9:12\nerror: lamp dark\n";
        let expected = ["error: no oil at 1:11", "error: lamp dark"];
        let expected: Vec<ErrorSignature> = expected
            .iter()
            .filter_map(|line| ErrorSignature::new(line))
            .collect();
        assert_eq!(ErrorSignature::read_all(output), expected);
    }
}
