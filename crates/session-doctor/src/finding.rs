//! The findings of an examination.

use serde::Serialize;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// All is well.
    Ok,
    /// Something is worth knowing.
    Note,
    /// Something does not work, or will be lost.
    Problem,
}

/// The repairs that this program can make. Each may be made twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DoctorFix {
    /// Closes the index to others.
    Permissions,
    /// Builds the index anew; the old database is kept beside it.
    Rebuild,
    /// Reads what changed, and migrates an index of an older format.
    Refresh,
    /// Removes dead rows and deleted text from the files.
    Purge,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Name of the check.
    pub check: &'static str,
    /// The severity.
    pub severity: FindingSeverity,
    /// The finding, in a sentence without a full stop.
    pub found: String,
    /// The advice to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The repair that `--fix` makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<DoctorFix>,
}

impl DoctorFinding {
    /// Makes a finding that all is well.
    pub(crate) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            severity: FindingSeverity::Ok,
            found: found.into(),
            hint: None,
            fix: None,
        }
    }

    /// Makes a finding that is worth knowing.
    pub(crate) fn note(
        check: &'static str,
        found: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            severity: FindingSeverity::Note,
            hint: Some(hint.into()),
            ..Self::ok(check, found)
        }
    }

    /// Makes a finding that something does not work.
    pub(crate) fn problem(
        check: &'static str,
        found: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            severity: FindingSeverity::Problem,
            ..Self::note(check, found, hint)
        }
    }

    /// Makes a finding that a fix failed, which an earlier finding of the same check asked for.
    pub fn failed_fix(check: &'static str, reason: &str, hint: Option<String>) -> Self {
        Self {
            hint,
            ..Self::problem(check, format!("`--fix` failed: {reason}"), "")
        }
    }

    /// Adds what `--fix` does about it.
    pub(crate) fn fixed_by(self, fix: DoctorFix) -> Self {
        Self {
            fix: Some(fix),
            ..self
        }
    }
}
