//! Memories that answer the query of a search: they are printed beside its sessions.

use crate::memories::{self, ProjectMemories};
use crate::output::notes::print_note;
use crate::output::terminal_width;
use anyhow::Result;
use session_config::current_directory_or_home;
use session_memory::{Memory, MemoryState};
use session_output::{JsonMemoryMatch, format_matches};
use session_project_memories::BestMemories;

/// The memories that answer a query.
pub struct RelatedMemories {
    found: BestMemories,
    listed: Vec<Memory>,
}

impl RelatedMemories {
    /// Returns true when no memory answers.
    pub fn is_empty(&self) -> bool {
        self.found.matches.is_empty()
    }

    /// Returns the memories as JSON.
    pub fn json(&self) -> Vec<JsonMemoryMatch<'_>> {
        JsonMemoryMatch::from_matches(&self.found.matches, &self.listed)
    }

    /// Formats the memories for people; empty where none was found.
    pub fn format(&self, explain: bool) -> String {
        if self.is_empty() {
            String::new()
        } else {
            format!(
                "{}\n",
                format_matches(&self.found.matches, &self.listed, explain, terminal_width())
            )
        }
    }
}

/// Looks for memories of this folder's project and of this user; none where they are
/// switched off.
pub fn find_related(query: &str) -> Result<RelatedMemories> {
    let memories = ProjectMemories::for_directory(&current_directory_or_home()?)?;
    if !memories.home.config.enabled {
        print_note("memories are switched off (`enabled`); `session-search config` says where")?;
        return Ok(RelatedMemories {
            found: BestMemories::default(),
            listed: Vec::new(),
        });
    }
    let listed = memories::print_damaged(memories.list_recent(&[MemoryState::Active]))?;
    let found = memories.find_best(query, &listed, None)?;
    Ok(RelatedMemories { found, listed })
}
