//! Diffs of settings and skill files.

use session_core::diff::DiffLine;
use session_core::text::sanitize_text;

/// Formats the lines of a diff, each indented and behind its mark.
pub fn format_diff(lines: &[DiffLine<'_>]) -> String {
    let line = |line: &DiffLine<'_>| match line {
        DiffLine::Context(text) => format!("    {}", sanitize_text(text)),
        DiffLine::Removed(text) => format!("  - {}", sanitize_text(text)),
        DiffLine::Gap => "    …".to_owned(),
        DiffLine::Added(text) => format!("  + {}", sanitize_text(text)),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
