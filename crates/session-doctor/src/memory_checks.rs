//! Checks of a project's memories.

use crate::finding::DoctorFinding;
use session_memory::{MemoryState, MemoryStore};

/// Checks which memories of the project at hand are not trusted, and which files are damaged.
pub fn examine_memories(store: &MemoryStore) -> Vec<DoctorFinding> {
    let listing = store.list(&MemoryState::ALL);
    let memories = listing.memories.iter();
    let untrusted = memories.filter(|memory| !memory.trust.is_trusted()).count();
    let waiting = (untrusted > 0).then(|| {
        DoctorFinding::note(
            "memories",
            format!("{untrusted} memories of this project are not trusted"),
            "`session-search trust` shows them, and asks",
        )
    });
    let damaged = listing.damaged.iter();
    let damaged = damaged.map(|damage| {
        let hint = damage.hint.as_deref().unwrap_or("correct the file");
        DoctorFinding::problem("memories", damage.to_string(), hint)
    });
    waiting.into_iter().chain(damaged).collect()
}
