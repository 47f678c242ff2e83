//! The report of `doctor`: faults, and those that were repaired.

use crate::layout::{INDENT, wrap_around_addresses};
use crate::style::{FAILED, FAINT, TITLE, paint};
use serde::Serialize;
use session_display::sanitize_line;
use session_doctor::{DoctorFinding, DoctorFix, FindingSeverity};
use std::collections::BTreeSet;

/// Columns of the name of a check.
const CHECK_WIDTH: usize = 13;

/// Findings and the fixes that were made, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonDoctor<'a> {
    /// The findings, after the fixes.
    pub findings: &'a [DoctorFinding],
    /// The fixes that `--fix` made.
    pub fixed: &'a BTreeSet<DoctorFix>,
}

/// Describes a fix that was made.
pub fn describe_fix(fix: DoctorFix) -> &'static str {
    match fix {
        DoctorFix::Permissions => "closed the index to others",
        DoctorFix::Rebuild => "repaired the index, and read all histories again",
        DoctorFix::Refresh => "read what changed",
        DoctorFix::Purge => "removed dead rows and deleted text",
    }
}

/// Formats findings for a terminal of so many columns.
pub fn format_findings(findings: &[DoctorFinding], width: usize) -> String {
    let mut out = format!("{}\n", paint(TITLE, "DOCTOR"));
    for finding in findings {
        let style = if finding.severity == FindingSeverity::Problem {
            FAILED
        } else {
            FAINT
        };
        let name = paint(style, format!("{:<CHECK_WIDTH$}", finding.check));
        let found = sanitize_line(&finding.found);
        let found = wrap_around_addresses(&found, width.saturating_sub(CHECK_WIDTH));
        for (at, line) in found.iter().enumerate() {
            let name = if at == 0 {
                name.clone()
            } else {
                " ".repeat(CHECK_WIDTH)
            };
            out.push_str(&format!("{name}{line}\n"));
        }
        let hint = finding
            .hint
            .as_deref()
            .map(sanitize_line)
            .unwrap_or_default();
        for line in wrap_around_addresses(&hint, width.saturating_sub(CHECK_WIDTH + INDENT)) {
            out.push_str(&format!("{}{line}\n", " ".repeat(CHECK_WIDTH + INDENT)));
        }
    }
    out
}
