//! Diffs of settings and skill files.

use session_core::diff::DiffLine;
use session_core::text::sanitize_text;

/// Formats the lines of a diff, each indented and behind its mark.
pub fn format_diff(lines: &[DiffLine<'_>]) -> String {
    let lines = lines.iter().map(|line| line.format(" ", "  …"));
    let lines = lines.map(|line| format!("  {}", sanitize_text(&line)));
    lines.collect::<Vec<_>>().join("\n")
}
