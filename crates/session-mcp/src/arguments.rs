//! Arguments of the tools.

use serde::Deserialize;
use session_memory::{Importance, MemoryKind, Triggers, deserialize_string_list};
use session_search::Level;

/// The level at which a search finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SearchLevel {
    #[default]
    Session,
    Turn,
}

impl From<SearchLevel> for Level {
    fn from(level: SearchLevel) -> Self {
        match level {
            SearchLevel::Session => Self::Session,
            SearchLevel::Turn => Self::Turn,
        }
    }
}

/// Arguments of `search`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArguments {
    pub(crate) query: String,
    #[serde(default)]
    pub(crate) level: SearchLevel,
    pub(crate) project: Option<String>,
    pub(crate) since: Option<String>,
    pub(crate) session: Option<String>,
    #[serde(default)]
    pub(crate) subagents: bool,
    pub(crate) limit: Option<usize>,
}

/// Arguments of `show`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowArguments {
    pub(crate) id: String,
    pub(crate) turns: Option<String>,
    #[serde(default)]
    pub(crate) brief: bool,
}

/// The kind of act by which `history` lists turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HistoryKind {
    Files,
    Commands,
    Errors,
    Fixes,
}

impl HistoryKind {
    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Commands => "commands",
            Self::Errors => "errors",
            Self::Fixes => "fixes",
        }
    }
}

/// Arguments of `history`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryArguments {
    pub(crate) what: HistoryKind,
    pub(crate) pattern: String,
    pub(crate) project: Option<String>,
    pub(crate) limit: Option<usize>,
}

/// Arguments of `recall`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallArguments {
    pub(crate) query: String,
}

/// Arguments of `remember`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberArguments {
    pub(crate) topic: String,
    #[serde(deserialize_with = "deserialize_string_list")]
    pub(crate) info: Vec<String>,
    #[serde(default)]
    pub(crate) kind: MemoryKind,
    #[serde(default)]
    pub(crate) importance: Importance,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    pub(crate) tags: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    pub(crate) cues: Vec<String>,
    #[serde(default)]
    pub(crate) when: Triggers,
    #[serde(default)]
    pub(crate) global: bool,
}
