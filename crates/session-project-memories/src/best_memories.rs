//! The memories that answer a query, and the record that they did.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use jiff::Timestamp;
use session_memory::{Memory, MemoryMatch, record_recall};

/// The best matches of a query.
#[derive(Debug, Clone, Default)]
pub struct BestMemories {
    /// The matches that are the answer, the best first.
    pub matches: Vec<MemoryMatch>,
    /// The number of all memories that match, with those for which there was no room.
    pub total: usize,
}

impl ProjectMemories {
    /// Finds the memories of `listed` that answer a query best: at most `limit`, or else as many as are configured.
    ///
    /// # Errors
    /// When the model fails.
    pub fn find_best(
        &self,
        query: &str,
        listed: &[Memory],
        limit: Option<usize>,
    ) -> Result<BestMemories, ProjectMemoriesError> {
        let limit = limit.unwrap_or(self.home.config.retrieval.max_results);
        let mut matches = self.search(query, listed)?;
        let total = matches.len();
        matches.truncate(limit);
        Ok(BestMemories { matches, total })
    }

    /// Records that memories were of use now.
    pub fn record_recall(&self, memories: &[&Memory]) {
        record_recall(&self.store, memories, Timestamp::now());
    }
}

#[cfg(test)]
mod tests {
    use crate::project_memories::tests::memories;
    use jiff::Zoned;
    use session_memory::{MemoryDraft, MemoryState};

    #[test]
    fn an_answer_has_as_many_memories_as_are_wanted_or_configured() {
        let home = tempfile::tempdir().unwrap();
        let mut memories = memories(home.path());
        for number in 0..4 {
            let draft = MemoryDraft {
                topic: format!("Lantern {number}"),
                key_info: vec!["in the harbour".into()],
                ..MemoryDraft::default()
            };
            memories.store.save(&draft, None, &Zoned::now()).unwrap();
        }
        memories.home.config.retrieval.max_results = 2;
        let listed = memories.store.list(&[MemoryState::Active]).memories;
        let count = |limit| {
            let found = memories.find_best("lantern", &listed, limit).unwrap();
            (found.matches.len(), found.total)
        };
        assert_eq!(count(None), (2, 4));
        assert_eq!(count(Some(1)), (1, 4));
        assert_eq!(count(Some(9)), (4, 4));
    }
}
