//! The outcomes of steps.

use crate::agents_step::AgentOutcomes;
use crate::dialog::SetupDialog;
use serde::Serialize;

/// The outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepOutcome {
    /// Something was written.
    Written,
    /// Nothing had to be changed.
    Unchanged,
    /// The user left it as it is, or was not asked.
    Skipped,
    /// It is written with `--yes` only.
    Wanted,
}

impl StepOutcome {
    /// Returns the outcome of a change that nobody consented to: skipped by the user, or waiting
    /// for `--yes` where nobody could be asked.
    pub(crate) fn without_consent(dialog: &SetupDialog<'_>) -> Self {
        match dialog.is_interactive {
            true => Self::Skipped,
            false => Self::Wanted,
        }
    }
}

/// The outcomes of all steps.
#[derive(Serialize)]
pub struct StepOutcomes {
    /// Of the model.
    pub model: StepOutcome,
    /// Of the step about how long histories are kept.
    pub history: StepOutcome,
    /// Of the skill.
    pub skill: StepOutcome,
    /// Of the rule that allows the skill.
    pub permission: StepOutcome,
    /// Of each agent.
    pub agents: AgentOutcomes,
}

impl StepOutcomes {
    /// Returns them one by one.
    pub fn list_outcomes(&self) -> Vec<StepOutcome> {
        let mut all = vec![self.model];
        all.extend(self.list_agent_outcomes());
        all
    }

    /// Returns those of the steps that write files of agents.
    pub(crate) fn list_agent_outcomes(&self) -> Vec<StepOutcome> {
        let mut all = vec![self.history, self.skill, self.permission];
        all.extend(self.agents.values());
        all
    }
}
