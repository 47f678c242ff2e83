//! Counts of saved memories, and sizes of their views.

use crate::content::keywords::most_common_keywords;
use crate::content::memory::{Memory, MemoryState};
use crate::context_sheet::render_context_sheet;
use crate::storage::memory_store::MemoryStore;
use crate::storage::views::render_index;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts of all memories of a store.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryStats {
    /// Active memories.
    pub active: usize,
    /// Archived memories.
    pub archived: usize,
    /// Memories in the trash.
    pub trash: usize,
    /// Files that could not be read.
    pub damaged: usize,
    /// Memories of the repository that are not trusted.
    pub waiting: usize,
    /// Directories by the label of their scope.
    #[serde(rename = "places")]
    pub directories: BTreeMap<&'static str, DirectoryStats>,
    /// Active memories by kind.
    pub kinds: BTreeMap<&'static str, usize>,
    /// Active memories by importance.
    pub importance: BTreeMap<&'static str, usize>,
    /// Most common keywords of the active memories.
    pub keywords: Vec<String>,
    /// Size of each view of the active memories.
    #[serde(rename = "layers")]
    pub view_sizes: ViewSizes,
}

/// One directory of memories.
#[derive(Debug, Clone, Serialize)]
pub struct DirectoryStats {
    /// Path of the directory.
    pub path: String,
    /// Number of memories in it.
    pub memories: usize,
}

/// Characters of each view, from the shortest to the whole.
#[derive(Debug, Clone, Serialize)]
pub struct ViewSizes {
    /// The keywords of the skill's description.
    pub keywords: usize,
    /// The index, a line a memory.
    pub index: usize,
    /// The context sheet.
    pub context: usize,
    /// The memories themselves.
    pub summaries: usize,
    /// The conversations that were saved with them.
    pub conversations: usize,
}

impl MemoryStats {
    /// Counts the memories of a store. `keyword_limit` is the most keywords of a skill's description.
    pub fn read(store: &MemoryStore, keyword_limit: usize) -> Self {
        let listing = store.list(&MemoryState::ALL);
        let all = &listing.memories;
        let in_state = |state| all.iter().filter(|m| m.state == state).count();
        let active = all.iter().filter(|m| m.state == MemoryState::Active);
        let active: Vec<Memory> = active.cloned().collect();
        let keywords = most_common_keywords(&active, keyword_limit);
        Self {
            active: active.len(),
            archived: in_state(MemoryState::Archive),
            trash: in_state(MemoryState::Trash),
            damaged: listing.damaged.len(),
            waiting: all.iter().filter(|m| !m.trust.is_trusted()).count(),
            directories: count_by_directory(store, all),
            kinds: count_by(active.iter().map(|m| m.front.kind.name())),
            importance: count_by(active.iter().map(|m| m.front.importance.label())),
            view_sizes: ViewSizes::measure(store, &active, &keywords),
            keywords,
        }
    }
}

fn count_by_directory(
    store: &MemoryStore,
    all: &[Memory],
) -> BTreeMap<&'static str, DirectoryStats> {
    let directories = store.directories().iter();
    directories
        .map(|directory| {
            let stats = DirectoryStats {
                path: directory.path.display().to_string(),
                memories: all.iter().filter(|m| m.scope == directory.scope).count(),
            };
            (directory.scope.label(), stats)
        })
        .collect()
}

fn count_by(labels: impl Iterator<Item = &'static str>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for label in labels {
        *counts.entry(label).or_default() += 1;
    }
    counts
}

impl ViewSizes {
    fn measure(store: &MemoryStore, active: &[Memory], keywords: &[String]) -> Self {
        let chars = |text: &str| text.chars().count();
        let conversation = |memory| {
            let raw = store.read_conversation(memory).ok().flatten();
            raw.map_or(0, |raw| chars(&raw.text))
        };
        Self {
            keywords: chars(&keywords.join(", ")),
            index: chars(&render_index(&active.iter().collect::<Vec<_>>())),
            context: chars(&render_context_sheet(active)),
            summaries: active.iter().map(|m| chars(&m.raw_text)).sum(),
            conversations: active.iter().map(conversation).sum(),
        }
    }
}
