//! Patterns for the commands and files of a turn.

use session_core::{contains_in_order, path_matches, text};
use session_store::SessionRow;
use std::ops::Range;
use std::path::Path;

/// Matches commands that hold its parts in order: `*` separates parts, case and white space do not count.
#[derive(Debug, Clone)]
pub struct CommandPattern(Vec<String>);

impl CommandPattern {
    /// Splits a pattern at each `*`.
    pub fn new(typed: &str) -> Self {
        let parts = typed.split('*').map(fold_command);
        Self(parts.filter(|part| !part.is_empty()).collect())
    }

    /// Returns the characters of one line of a command that the first part matches; none for a pattern without parts.
    pub fn find(&self, command: &str) -> Option<Range<usize>> {
        let (folded, part) = (fold_command(command), self.0.first()?);
        let at = folded.find(part.as_str())?;
        let start = folded[..at].chars().count();
        Some(start..start + part.chars().count())
    }

    /// Returns true when the command holds all parts in order.
    pub(crate) fn matches(&self, command: &str) -> bool {
        contains_in_order(&fold_command(command), self.0.iter().map(String::as_str))
    }
}

fn fold_command(text: &str) -> String {
    text::collapse_whitespace(&text::compose(text)).to_lowercase()
}

/// Returns true when a file of a session matches by its path. A relative path, as a patch names it,
/// is also tried below the session's folder.
pub(crate) fn session_path_matches(path: &str, wanted: &str, session: &SessionRow) -> bool {
    let matches = |path: &str| path_matches(path, wanted);
    let folder = session
        .cwd
        .as_deref()
        .filter(|_| Path::new(path).is_relative());
    matches(path) || folder.is_some_and(|folder| matches(&format!("{folder}/{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_matches_is_found_by_its_characters() {
        let pattern = CommandPattern::new("*Test*-p");
        assert_eq!(pattern.find("é && cargo\n test -p a"), Some(11..15));
        let composed = CommandPattern::new("cat größe");
        assert!(composed.matches("cat Gro\u{308}ße.md"));
        assert_eq!(pattern.find("cargo"), None);
        assert_eq!(CommandPattern::new("*").find("cargo"), None);
    }

    #[test]
    fn a_pattern_is_a_part_of_a_command() {
        let matches = |pattern: &str, command: &str| CommandPattern::new(pattern).matches(command);
        assert!(matches("Cargo  test", "cd app && cargo\n test"));
        assert!(matches("cargo * --release", "cargo build -p a --release"));
        assert!(!matches("--release * cargo", "cargo build --release"));
        assert!(matches("", "anything") && matches("*", "anything"));
    }
}
