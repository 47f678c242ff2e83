//! The conditions on the hits of a search.

use serde::Serialize;
use session_store::SessionId;

/// Conditions on hits, all of which must hold. The default excludes subagents alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// Name, path or part of a path of the project.
    pub project: Option<String>,
    /// Agent, as [`session_core::SourceName`].
    pub source: Option<String>,
    /// Earliest time, inclusive, milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Latest time, exclusive, milliseconds since 1970.
    pub until_ms: Option<i64>,
    /// Git branch, whole.
    pub branch: Option<String>,
    /// Part of a path that the turn names.
    pub file: Option<String>,
    /// The only sessions to search; empty for all.
    pub only: Vec<SessionId>,
    /// Sessions to leave out.
    pub exclude: Vec<SessionId>,
    /// Includes the sessions of subagents.
    pub subagents: bool,
}

impl Filter {
    /// Returns true when a condition judges single turns, not whole sessions.
    pub fn by_turn(&self) -> bool {
        self.since_ms.is_some()
            || self.until_ms.is_some()
            || self.branch.is_some()
            || self.file.is_some()
    }
}
