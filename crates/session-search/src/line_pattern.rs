//! Patterns for the commands and error lines of a turn.

use session_core::contains_in_order;
use session_core::shell::{split_command_parts, split_wrapped_commands};
use session_core::text::{self, file_name};
use std::ops::Range;

/// Matches commands and error lines that hold its parts in order: `*` separates parts, case and white space do not
/// count, nor does `.exe` behind the name of a program. White space at either end means whole words: `act ` matches `act push` and not `exact`.
#[derive(Debug, Clone)]
pub struct LinePattern {
    parts: Vec<String>,
    whole_words: bool,
}

/// How closely a command matches a pattern, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchKind {
    /// One of its simple commands runs the pattern's first word as the program.
    Program,
    /// It holds the pattern as whole words.
    WholeWords,
    /// It holds the pattern within words.
    PartOfWord,
}

impl LinePattern {
    /// Splits a pattern at each `*`.
    pub fn new(typed: &str) -> Self {
        let parts = typed.split('*').map(fold_line);
        Self {
            parts: parts.filter(|part| !part.is_empty()).collect(),
            whole_words: typed.trim() != typed,
        }
    }

    /// Returns the characters of one line of a command that the longest part matches, as whole words where it can; none
    /// for a pattern without parts.
    pub fn find(&self, command: &str) -> Option<Range<usize>> {
        let longest = self.parts.iter().rev().max_by_key(|part| part.len());
        let (folded, part) = (fold_line(command), longest?);
        let at = find_whole_words(&folded, part).or_else(|| folded.find(part.as_str()))?;
        let start = folded[..at].chars().count();
        Some(start..start + part.chars().count())
    }

    /// Returns true when a command or an error line holds all parts in order.
    pub(crate) fn matches(&self, line: &str) -> bool {
        spellings(line).any(|folded| {
            if self.whole_words {
                self.holds_whole_words(&folded)
            } else {
                contains_in_order(&folded, self.parts.iter().map(String::as_str))
            }
        })
    }

    /// Returns how a command matches that holds the parts.
    pub(crate) fn match_kind(&self, command: &str) -> MatchKind {
        if self.runs_program(command) {
            return MatchKind::Program;
        }
        if spellings(command).any(|folded| self.holds_whole_words(&folded)) {
            MatchKind::WholeWords
        } else {
            MatchKind::PartOfWord
        }
    }

    /// Returns true when a simple command holds the first part and has its first word as the program.
    fn runs_program(&self, command: &str) -> bool {
        let Some(part) = self.parts.first() else {
            return false;
        };
        let program = file_name(part.split(' ').next().unwrap_or_default());
        let is_named = |simple: &String| {
            let word = simple.split_whitespace().next().unwrap_or_default();
            let word = fold_line(file_name(word));
            word == program || word.strip_suffix(EXTENSION) == Some(program)
        };
        split_command_parts(command).iter().any(|simple| {
            spellings(simple.source).any(|folded| folded.contains(part.as_str()))
                && split_wrapped_commands(&simple.text).iter().any(is_named)
        })
    }

    /// Returns true when a folded command holds all parts in order, each as whole words.
    fn holds_whole_words(&self, folded: &str) -> bool {
        let mut rest = folded;
        self.parts.iter().all(|part| {
            let found = find_whole_words(rest, part);
            rest = found.map_or("", |at| &rest[at + part.len()..]);
            found.is_some()
        })
    }
}

/// Finds the byte at which a part stands with no character of a word on either side.
fn find_whole_words(folded: &str, part: &str) -> Option<usize> {
    let is_of_word = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut starts = folded.match_indices(part).map(|(at, _)| at);
    starts.find(|at| {
        let (before, after) = (&folded[..*at], &folded[at + part.len()..]);
        !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
    })
}

/// The extension of programs on Windows, which a shell there takes and does not need.
const EXTENSION: &str = ".exe";

/// Returns a folded line, and where names of programs have an extension, the same without it.
fn spellings(line: &str) -> impl Iterator<Item = String> {
    let folded = fold_line(line);
    let bare = folded.contains(EXTENSION);
    let bare = bare.then(|| folded.replace(&format!("{EXTENSION} "), " "));
    std::iter::once(folded).chain(bare)
}

fn fold_line(text: &str) -> String {
    text::collapse_whitespace(&text::compose(text)).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_matches_is_found_by_its_characters() {
        let pattern = LinePattern::new("*Test*-p");
        assert_eq!(pattern.find("é && cargo\n test -p a"), Some(11..15));
        let composed = LinePattern::new("cat größe");
        assert!(composed.matches("cat Gro\u{308}ße.md"));
        assert_eq!(pattern.find("cargo"), None);
        assert_eq!(LinePattern::new("*").find("cargo"), None);
    }

    #[test]
    fn a_pattern_is_a_part_of_a_command() {
        let matches = |pattern: &str, command: &str| LinePattern::new(pattern).matches(command);
        assert!(matches("Cargo  test", "cd app && cargo\n test"));
        assert!(matches("cargo * --release", "cargo build -p a --release"));
        assert!(!matches("--release * cargo", "cargo build --release"));
        assert!(matches("", "anything") && matches("*", "anything"));
    }

    #[test]
    fn the_extension_of_a_program_need_not_be_typed() {
        let command = "cd app && C:/tools/Lamp.exe config export";
        for (typed, kind) in [
            ("lamp config", MatchKind::Program),
            ("lamp.exe config", MatchKind::Program),
            ("config export", MatchKind::WholeWords),
        ] {
            let pattern = LinePattern::new(typed);
            assert!(pattern.matches(command), "{typed}");
            assert_eq!(pattern.match_kind(command), kind, "{typed}");
        }
        assert!(!LinePattern::new("lamp export").matches(command));
    }

    #[test]
    fn white_space_at_an_end_means_whole_words() {
        let matches = |pattern: &str, command: &str| LinePattern::new(pattern).matches(command);
        assert!(matches("act ", "act") && matches(" act", "cd app && act push"));
        assert!(!matches("act ", "grep exact notes") && !matches("act ", "act-runner"));
        assert!(matches("act * -v ", "act push -v") && !matches("act * -v ", "act push -vv"));
        let found = LinePattern::new("act").find("exact; act");
        assert_eq!(found, Some(7..10));
    }

    #[test]
    fn the_first_words_of_a_pattern_are_run() {
        let kind = |pattern: &str, command: &str| LinePattern::new(pattern).match_kind(command);
        assert_eq!(
            kind("docker compose", "docker compose up"),
            MatchKind::Program
        );
        assert_eq!(kind("Docker * up", "docker compose up"), MatchKind::Program);
        assert_eq!(kind("npx tsc", "npx tsc --noEmit"), MatchKind::Program);
        assert_eq!(kind("./gradlew test", "./gradlew test"), MatchKind::Program);
        let other = "docker ps; echo docker compose";
        assert_eq!(kind("docker compose", other), MatchKind::WholeWords);
        assert_eq!(
            kind("compose u", "docker compose up"),
            MatchKind::PartOfWord
        );
    }
}
