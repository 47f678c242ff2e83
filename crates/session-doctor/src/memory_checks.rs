//! Checks of a project's memories.

use crate::finding::{DoctorCheck, DoctorFinding};
use session_display::pluralize;
use session_memory::{MemoryState, MemoryStore};

/// Checks which memories of the project at hand are not trusted, which files are damaged, and which conversations have
/// no memory.
pub fn examine_memories(store: &MemoryStore) -> Vec<DoctorFinding> {
    let listing = store.list(&MemoryState::ALL);
    let memories = listing.memories.iter();
    let untrusted = memories.filter(|memory| !memory.trust.is_trusted()).count();
    let waiting = (untrusted > 0).then(|| {
        DoctorFinding::note(
            DoctorCheck::Memories,
            format!(
                "{} of this project not trusted",
                pluralize(untrusted, "memory")
            ),
            "`session-search trust` shows them, and asks",
        )
    });
    let damaged = listing.damaged.iter();
    let damaged = damaged.map(|damage| {
        let hint = damage.hint.as_deref().unwrap_or("correct the file");
        DoctorFinding::problem(DoctorCheck::Memories, damage.to_string(), hint)
    });
    let orphaned = store.list_orphaned_conversations();
    let orphaned = orphaned.first().map(|first| {
        DoctorFinding::note(
            DoctorCheck::Memories,
            format!(
                "{} in {} without a memory",
                pluralize(orphaned.len(), "conversation"),
                first.parent().unwrap_or(first).display()
            ),
            format!(
                "remove {} and the like, unless their memories are on another branch",
                first.display()
            ),
        )
    });
    waiting.into_iter().chain(damaged).chain(orphaned).collect()
}
