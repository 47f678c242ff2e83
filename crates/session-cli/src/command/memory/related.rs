//! Memories that answer the query of a search: they are printed beside its sessions.

use crate::command::memory::note;
use crate::memories::{self, Memories};
use crate::output::width;
use anyhow::Result;
use session_config::current_directory;
use session_memory::{Memory, MemoryMatch, MemoryState};
use session_output::{JsonMemoryCandidate, format_matches};

/// The memories that answer a query.
pub struct RelatedMemories {
    found: Vec<MemoryMatch>,
    all: Vec<Memory>,
}

impl RelatedMemories {
    /// True when no memory answers.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// As JSON.
    pub fn candidates(&self) -> Vec<JsonMemoryCandidate<'_>> {
        JsonMemoryCandidate::list(&self.found, &self.all)
    }

    /// For people; empty where nothing was found.
    pub fn text(&self, explain: bool) -> String {
        match self.found.is_empty() {
            true => String::new(),
            false => format!(
                "{}\n",
                format_matches(&self.found, &self.all, explain, width())
            ),
        }
    }
}

/// Looks for memories of this folder's project and of this user; none where they are
/// switched off.
///
/// # Errors
/// When the model fails.
pub fn related(query: &str) -> Result<RelatedMemories> {
    let memories = Memories::for_folder(&current_directory()?)?;
    if !memories.home.config.enabled {
        note("memories are switched off (`enabled`); `session-search config` says where")?;
        return Ok(RelatedMemories {
            found: Vec::new(),
            all: Vec::new(),
        });
    }
    let all = memories::list(&memories, &[MemoryState::Active], None)?;
    let mut found = memories.search(query, &all)?;
    found.truncate(memories.home.config.retrieval.max_results);
    Ok(RelatedMemories { found, all })
}
