//! The result of a change of the skill in one location.

use crate::skill_manifest::SkillManifest;
use crate::skill_plan::{SkillFileState, SkillPlan};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// A change of a file of the skill, made or planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillFileOutcome {
    /// This program's text was written.
    Written,
    /// It was left as it was, since it needed no change.
    Unchanged,
    /// It was left as somebody edited it.
    Kept,
    /// It was removed.
    Removed,
}

impl fmt::Display for SkillFileOutcome {
    /// Writes the name that JSON has.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(to)
    }
}

/// The skill in one location, in the form that `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillReport {
    /// The agent's name.
    pub agent: &'static str,
    /// The owner of the location: `user` or `project`.
    pub scope: &'static str,
    /// The skill's directory.
    #[serde(rename = "path")]
    pub directory: PathBuf,
    /// Version of the program that installed it, if it is known.
    pub version: Option<String>,
    /// Keywords of saved memories in the description; `None` if the user did not choose that.
    pub keywords: Option<Vec<String>>,
    /// Its files.
    pub files: Vec<SkillFileReport>,
}

/// A file in a [`SkillReport`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillFileReport {
    /// Path below the agent's directory, with `/`.
    pub name: String,
    /// Its state before, compared with this program's file.
    pub state: SkillFileState,
    /// The change that was made; `None` if none was needed.
    #[serde(rename = "done", skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SkillFileOutcome>,
}

impl SkillReport {
    /// Describes a plan and the outcome of each of its files; `outcomes` is empty where nothing was
    /// to be done.
    pub(crate) fn new(plan: &SkillPlan, outcomes: &[SkillFileOutcome]) -> Self {
        let manifest = SkillManifest::read(&plan.location);
        let files = plan.files.iter().enumerate();
        Self {
            agent: plan.location.agent.name(),
            scope: match plan.location.project {
                Some(_) => "project",
                None => "user",
            },
            directory: plan.location.directory(),
            version: Some(manifest.version).filter(|version| !version.is_empty()),
            keywords: manifest.keywords,
            files: files
                .map(|(n, file)| SkillFileReport {
                    name: file.name.clone(),
                    state: file.state,
                    outcome: outcomes.get(n).copied(),
                })
                .collect(),
        }
    }

    /// Returns true if a file was left as somebody edited it.
    pub fn has_kept_files(&self) -> bool {
        self.has_outcome(SkillFileOutcome::Kept)
    }

    /// Returns true if a file was written.
    pub fn has_written_files(&self) -> bool {
        self.has_outcome(SkillFileOutcome::Written)
    }

    fn has_outcome(&self, outcome: SkillFileOutcome) -> bool {
        self.files.iter().any(|file| file.outcome == Some(outcome))
    }
}

impl SkillPlan {
    /// Reports the state of each file.
    pub fn report(&self) -> SkillReport {
        SkillReport::new(self, &[])
    }
}
