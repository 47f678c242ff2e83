//! The events for which an agent runs hooks.

use crate::agent::Agent;
use serde::{Serialize, Serializer};

/// The tools that read, change or run what a memory may be about, or give a subagent its task. Codex calls its
/// patches `Edit`, too.
pub(crate) const TOOLS: &str = "Read|Grep|Glob|Edit|MultiEdit|Write|NotebookEdit|Bash|Agent";
/// The same for Claude Code, which has a tool of its own for PowerShell. Codex asks for trust again where a line changes.
pub(crate) const CLAUDE_TOOLS: &str =
    "Read|Grep|Glob|Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell|Agent";
/// The tool by which Codex runs commands.
const COMMAND_TOOL: &str = "Bash";

/// An event for which an agent runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// The user submitted a prompt.
    UserPromptSubmit,
    /// A session begins or is resumed.
    SessionStart,
    /// A conversation is about to be compacted.
    PreCompact,
    /// A tool is about to be called.
    PreToolUse,
    /// A call of a tool failed.
    PostToolUseFailure,
    /// A call of a tool ended. Codex does not report whether a command failed.
    PostToolUse,
}

impl HookEvent {
    /// Every event that the hook answers.
    pub const ALL: [Self; 6] = [
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::PreCompact,
        Self::PreToolUse,
        Self::PostToolUseFailure,
        Self::PostToolUse,
    ];

    /// Returns the events for which an agent gets the hook unless others are chosen.
    pub fn default_for(agent: Agent) -> [Self; 4] {
        let after_tool = match agent {
            Agent::Codex => Self::PostToolUse,
            Agent::Claude | Agent::OpenCode => Self::PostToolUseFailure,
        };
        [
            Self::UserPromptSubmit,
            Self::SessionStart,
            Self::PreToolUse,
            after_tool,
        ]
    }

    /// Returns the name of the event in settings and payloads.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::PreCompact => "PreCompact",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PostToolUse => "PostToolUse",
        }
    }

    /// Returns the tools for which an agent runs the hook, as settings name them; `None` for all.
    pub fn matcher(self, agent: Agent) -> Option<&'static str> {
        match self {
            Self::PreToolUse if agent == Agent::Claude => Some(CLAUDE_TOOLS),
            Self::PreToolUse => Some(TOOLS),
            Self::PostToolUse => Some(COMMAND_TOOL),
            _ => None,
        }
    }

    /// Returns the event with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

impl Serialize for HookEvent {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl std::fmt::Display for HookEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
