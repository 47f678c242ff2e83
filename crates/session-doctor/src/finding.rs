//! The findings of an examination.

use serde::Serialize;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// All is well.
    Ok,
    /// Worth knowing.
    Note,
    /// Something does not work, or will be lost.
    Problem,
}

/// The repairs that this program can make. Each may be made twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fix {
    /// Close the index to others.
    Permissions,
    /// Build the index anew; the old database is kept beside it.
    Rebuild,
    /// Read what changed, and migrate an index of an older format.
    Refresh,
    /// Remove dead rows and deleted text from the files.
    Purge,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// The finding, in a sentence without a full stop.
    pub found: String,
    /// The advice to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The repair that `--fix` makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Finding {
    /// Makes a finding that all is well.
    pub fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            severity: Severity::Ok,
            found: found.into(),
            hint: None,
            fix: None,
        }
    }

    /// Makes a finding that is worth knowing.
    pub fn note(check: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            hint: Some(hint.into()),
            ..Self::ok(check, found)
        }
    }

    /// Makes a finding that something does not work.
    pub fn problem(check: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            severity: Severity::Problem,
            ..Self::note(check, found, hint)
        }
    }

    /// Adds what `--fix` does about it.
    pub fn fixed_by(self, fix: Fix) -> Self {
        Self {
            fix: Some(fix),
            ..self
        }
    }
}
