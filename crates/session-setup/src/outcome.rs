//! The outcomes of steps.

use crate::agents_step::AgentOutcomes;
use crate::dialog::ConsentDialog;
use crate::error::{Result, SetupError};
use serde::Serialize;
use session_agents::AgentError;

/// The outcome of a step, in the order in which one of several counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepOutcome {
    /// Nothing had to be changed.
    #[default]
    Unchanged,
    /// The user left it as it is, or was not asked.
    Skipped,
    /// Something was written.
    Written,
    /// It is written with `--yes` only.
    Wanted,
    /// A file of the agent cannot be read, does not fit the change, or cannot be written.
    Failed,
}

impl StepOutcome {
    /// Returns the outcome of a change that nobody consented to: skipped by the user, or waiting
    /// for `--yes` where nobody could be asked.
    pub(crate) fn without_consent(dialog: &ConsentDialog<'_>) -> Self {
        if dialog.is_interactive {
            Self::Skipped
        } else {
            Self::Wanted
        }
    }
}

/// The outcomes of all steps.
#[derive(Serialize)]
pub struct StepOutcomes {
    /// The outcome of the model's step.
    pub model: StepOutcome,
    /// The outcome of the step about how long histories are kept.
    pub history: StepOutcome,
    /// The outcome of the skill's step.
    pub skill: StepOutcome,
    /// The outcome of the step about the rule that allows the skill.
    pub permission: StepOutcome,
    /// The outcome of each agent.
    pub agents: AgentOutcomes,
    /// The failures of those that failed.
    #[serde(skip)]
    pub failures: AgentFailures,
}

/// The reasons for which agents do not have what was wanted for them. They do not keep it from other agents.
#[derive(Debug, Default)]
pub struct AgentFailures(Vec<AgentError>);

impl AgentFailures {
    /// Takes the failure out of an outcome if it is about a file of an agent. A failure that several steps meet counts once.
    pub(crate) fn take_from(&mut self, outcome: Result<StepOutcome>) -> Result<StepOutcome> {
        let failure = match outcome {
            Err(SetupError::Agent(failure)) => failure,
            other => return other,
        };
        let text = failure.to_string();
        if !self.0.iter().any(|known| known.to_string() == text) {
            self.0.push(failure);
        }
        Ok(StepOutcome::Failed)
    }
}

impl IntoIterator for AgentFailures {
    type Item = AgentError;
    type IntoIter = std::vec::IntoIter<AgentError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl StepOutcomes {
    /// Lists the outcomes of all steps and agents.
    pub fn list_outcomes(&self) -> Vec<StepOutcome> {
        let mut all = vec![self.model, self.history];
        all.extend(self.list_agent_outcomes());
        all
    }

    /// Lists the outcomes of the steps that give agents something to use.
    pub(crate) fn list_agent_outcomes(&self) -> Vec<StepOutcome> {
        let mut all = vec![self.skill, self.permission];
        all.extend(self.agents.values());
        all
    }
}
