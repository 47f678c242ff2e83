//! Arguments of the tools.

use serde::Deserialize;
use session_memory::{Importance, MemoryKind, Triggers, deserialize_string_list};
use session_output::TurnItemKind;
use session_search::Level;

/// Arguments of `search`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArguments {
    pub(crate) query: String,
    #[serde(default = "default_level")]
    pub(crate) level: Level,
    pub(crate) project: Option<String>,
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) when: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) file: Option<String>,
    #[serde(alias = "source")]
    pub(crate) agent: Option<String>,
    pub(crate) session: Option<String>,
    #[serde(default)]
    pub(crate) subagents: bool,
    pub(crate) limit: Option<i64>,
    pub(crate) offset: Option<i64>,
}

fn default_level() -> Level {
    Level::Session
}

/// Arguments of `show`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowArguments {
    pub(crate) id: String,
    pub(crate) turns: Option<String>,
    #[serde(default)]
    pub(crate) brief: bool,
    /// The only items of the turns that are shown.
    pub(crate) only: Option<TurnItemKind>,
}

/// The list of `history`: turns by the kind of an act, or work that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HistoryKind {
    Files,
    Edits,
    Commands,
    Errors,
    Fixes,
    Digest,
}

impl HistoryKind {
    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Edits => "edits",
            Self::Commands => "commands",
            Self::Errors => "errors",
            Self::Fixes => "fixes",
            Self::Digest => "digest",
        }
    }
}

/// Returns a limit within its bounds, 1 to `max`; one beyond them counts as the nearest.
pub(crate) fn clamp_limit(limit: Option<i64>, default: usize, max: usize) -> usize {
    let limit = limit.map(|limit| usize::try_from(limit.max(1)).unwrap_or(max));
    limit.unwrap_or(default).min(max)
}

/// Returns true for a text that finds all: nothing, or `*` however often and in whatever quotes.
pub(crate) fn is_for_all(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || ['*', '"', '\'', '`'].contains(&c))
}

/// Most items that a page leaves out.
const MAX_OFFSET: usize = 100_000;

/// Returns the number of items before a page, 0 to a bound.
pub(crate) fn clamp_offset(offset: Option<i64>) -> usize {
    let offset = offset.unwrap_or_default().max(0);
    usize::try_from(offset)
        .unwrap_or(MAX_OFFSET)
        .min(MAX_OFFSET)
}

/// Arguments of `history`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryArguments {
    pub(crate) what: HistoryKind,
    /// Empty for all that the filters let through.
    #[serde(default)]
    pub(crate) pattern: String,
    /// The command that failed, for fixes.
    pub(crate) command: Option<String>,
    /// Only commands that failed, for commands.
    #[serde(default)]
    pub(crate) failed: bool,
    pub(crate) project: Option<String>,
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) when: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) file: Option<String>,
    #[serde(alias = "source")]
    pub(crate) agent: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) limit: Option<i64>,
    pub(crate) offset: Option<i64>,
}

/// Arguments of `recall`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallArguments {
    /// Empty for all.
    #[serde(default)]
    pub(crate) query: String,
}

/// Arguments of `remember`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberArguments {
    pub(crate) topic: String,
    #[serde(deserialize_with = "deserialize_string_list")]
    pub(crate) info: Vec<String>,
    pub(crate) kind: Option<MemoryKind>,
    pub(crate) importance: Option<Importance>,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    pub(crate) tags: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    pub(crate) cues: Vec<String>,
    #[serde(default)]
    pub(crate) when: Triggers,
    #[serde(default)]
    pub(crate) global: bool,
    /// The ids of the memories that it replaces.
    #[serde(default, deserialize_with = "deserialize_string_list")]
    pub(crate) replaces: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{MAX_OFFSET, clamp_limit, clamp_offset, is_for_all};

    #[test]
    fn stars_and_quotes_alone_are_for_all() {
        for text in ["", " ", "*", "**", "* *", "\"*\"", "`*`"] {
            assert!(is_for_all(text), "{text}");
        }
        assert!(!is_for_all("*.rs"));
    }

    #[test]
    fn a_limit_beyond_its_bounds_is_the_nearest() {
        let clamp = |limit| clamp_limit(limit, 5, 30);
        let limits = [None, Some(7), Some(0), Some(-3), Some(31), Some(i64::MAX)];
        assert_eq!(limits.map(clamp), [5, 7, 1, 1, 30, 30]);
        let offsets = [None, Some(7), Some(-3), Some(i64::MAX)];
        assert_eq!(offsets.map(clamp_offset), [0, 7, 0, MAX_OFFSET]);
    }
}
