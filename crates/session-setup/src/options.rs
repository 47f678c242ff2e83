//! The options of setup.

use session_agents::Agent;

/// The decisions that options make; what they leave open is asked, where somebody can be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetupOptions {
    /// The model to use, or its name at the endpoint.
    pub model: Option<String>,
    /// The address of an endpoint.
    pub remote: Option<String>,
    /// Days that Claude Code keeps its history.
    pub keep_history: Option<u32>,
    /// The choice about the skill for Claude Code.
    pub skill: SkillChoice,
    /// Claude Code may load the skill without asking.
    pub allow_skill: bool,
    /// The agents to install into; empty for those that are there, where somebody can be asked.
    pub agents: Vec<Agent>,
}

/// The choice that options make about the skill for Claude Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SkillChoice {
    /// It is asked for, where somebody can be.
    #[default]
    Ask,
    /// It is installed.
    Install,
    /// It is left out.
    LeaveOut,
}

impl SetupOptions {
    /// Returns true when the options leave everything open.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the options install the skill for Claude Code.
    pub(crate) fn wants_skill(&self) -> bool {
        self.skill == SkillChoice::Install || self.agents.contains(&Agent::Claude)
    }
}
