//! The findings of an examination.

use serde::Serialize;
use std::fmt;

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

/// A check of an examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DoctorCheck {
    /// The database, and what of the histories it has.
    Index,
    /// The owners and modes of the files.
    Permissions,
    /// The space that is left.
    Disk,
    /// The rows of the database.
    Contents,
    /// The folders of the agents.
    Histories,
    /// How long Claude Code keeps its history.
    Retention,
    /// The models that make vectors.
    Model,
    /// The share of the texts that have vectors.
    Vectors,
    /// Forgotten texts that are still in files.
    Forget,
    /// The hooks that give memories.
    Hook,
    /// The MCP servers in the settings of agents.
    Mcp,
    /// The skill of Claude Code.
    Skill,
    /// The memories of a project.
    Memories,
    /// The settings of this program.
    Settings,
}

impl fmt::Display for DoctorCheck {
    /// Writes the name that JSON has.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(to)
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// The check.
    pub check: DoctorCheck,
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
    pub(crate) fn ok(check: DoctorCheck, found: impl Into<String>) -> Self {
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
        check: DoctorCheck,
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
        check: DoctorCheck,
        found: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            severity: FindingSeverity::Problem,
            ..Self::note(check, found, hint)
        }
    }

    /// Makes a finding that a fix failed, which an earlier finding of the same check asked for.
    pub fn failed_fix(check: DoctorCheck, reason: &str, hint: Option<String>) -> Self {
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
