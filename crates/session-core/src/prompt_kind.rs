//! The origin of a prompt, and its author.

use serde::{Deserialize, Serialize};

/// The origin of the prompt of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptKind {
    /// Typed by the user (also when it was queued while the agent worked).
    Typed,
    /// A slash command, as `/name arguments`, or a shell escape, as `!command`.
    Command,
    /// Written by a model: the prompt of a subagent.
    Model,
    /// Nothing opened the turn: the file begins with an answer.
    #[default]
    None,
}

impl PromptKind {
    /// Returns the kind in a session or in that of a subagent, where a model types what a user types elsewhere.
    #[must_use]
    pub fn in_session(self, is_subagent: bool) -> Self {
        match self {
            Self::Typed if is_subagent => Self::Model,
            kind => kind,
        }
    }

    /// Returns who wrote the prompt.
    #[must_use]
    pub fn author(self) -> PromptAuthor {
        match self {
            Self::Model => PromptAuthor::Agent,
            Self::Typed | Self::Command | Self::None => PromptAuthor::You,
        }
    }
}

/// The author of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAuthor {
    /// The user, who typed it or ran a command.
    You,
    /// An agent, which started a subagent with it.
    Agent,
}

impl PromptAuthor {
    /// Returns the heading of the prompt, in lower case.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::You => "you",
            Self::Agent => "agent",
        }
    }
}
