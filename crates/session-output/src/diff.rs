//! Diffs of settings and skill files.

use session_core::diff::DiffLine;
use session_core::text::sanitize_text;

/// Formats the lines of a diff, each indented and behind its mark.
pub fn format_diff(lines: &[DiffLine<'_>]) -> String {
    let line = |line: &DiffLine<'_>| {
        let text = sanitize_text(line.text().unwrap_or("…"));
        format!("  {} {text}", line.mark())
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
