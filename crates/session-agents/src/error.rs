//! Errors of reading and changing the files of agents.

use crate::agent::Agent;
use crate::hook_event::HookEvent;
use session_core::text::path_line;
use session_files::FileError;
use std::error::Error;
use std::path::PathBuf;

/// A failure to read or change a file of an agent.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The file was refused, or the file system failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The settings hold something that the change does not fit.
    #[error("{} cannot be changed", path_line(path))]
    Settings {
        /// The settings file.
        path: PathBuf,
        /// The error in its text.
        #[source]
        reason: SettingsError,
    },
    /// Events were chosen for an agent whose plugin answers all.
    #[error("the plugin of {} answers all events", .0.title())]
    AllEvents(Agent),
    /// The agent has no event of this name.
    #[error("{} has no event {event}", agent.title())]
    NoEvent {
        /// The agent.
        agent: Agent,
        /// The event that was chosen.
        event: HookEvent,
    },
    /// The agent has the event, but its input tells nothing that could be answered.
    #[error("the hook does not answer {event} of {}", agent.title())]
    UnansweredEvent {
        /// The agent.
        agent: Agent,
        /// The event that was chosen.
        event: HookEvent,
    },
    /// The program lies where a tool keeps packages that it runs without installing them.
    #[error("{} is in a cache that may be emptied: the agent would have nothing to run then", path_line(.0))]
    CachedProgram(PathBuf),
    /// The skill's manifest cannot be written as JSON.
    #[error("the manifest of the skill cannot be written")]
    Manifest(#[source] serde_json::Error),
}

impl AgentError {
    /// Formats the error with its reason.
    pub fn full_message(&self) -> String {
        match self.source() {
            Some(reason) => format!("{self}: {reason}"),
            None => self.to_string(),
        }
    }

    /// Returns what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File(error) => error.hint(),
            Self::Settings { .. } => Some("correct it first"),
            Self::AllEvents(_) => Some("leave out --event"),
            Self::NoEvent { .. } => Some("PostToolUse comes after each call there"),
            Self::UnansweredEvent { .. } => {
                Some("PostToolUseFailure comes after a call that failed")
            }
            Self::CachedProgram(_) => {
                Some("install it, as by `uv tool install session-search-cli`, and run that")
            }
            Self::Manifest(_) => None,
        }
    }
}

/// A mistake in the text of settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The text is not JSON: Claude Code, unlike OpenCode, allows neither comments nor trailing
    /// commas.
    #[error("not valid JSON: {0}")]
    Json(String),
    /// The text is not TOML.
    #[error("not valid TOML: {0}")]
    Toml(String),
    /// The text is a JSON value other than an object.
    #[error("not a JSON object")]
    NotObject,
    /// The text begins with a byte order mark, which is no JSON.
    #[error("it begins with a byte order mark: save it without")]
    ByteOrderMark,
    /// An object has a key more than once.
    #[error("`{key}` is there twice: remove one of them")]
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// A key holds a value of another type than the agent reads there.
    #[error("`{key}` is not {expected}")]
    WrongType {
        /// Path of the key, such as `hooks.UserPromptSubmit`.
        key: String,
        /// The type that it should have, with its article.
        expected: &'static str,
    },
    /// An MCP server of this program's name runs another program.
    #[error("`{key}` is another program's server")]
    OtherServer {
        /// Path of the key, such as `mcp.session-search`.
        key: String,
    },
    /// The plugin's file holds something else.
    #[error("it is another plugin")]
    OtherPlugin,
    /// The paragraph of this program has lost its last line.
    #[error("the line `{end}` is missing")]
    UnendedBlock {
        /// The missing line.
        end: &'static str,
    },
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, AgentError>;

/// The result of a change to the text of settings.
pub(crate) type SettingsResult<T> = std::result::Result<T, SettingsError>;
