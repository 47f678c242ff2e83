//! The memories that answer a query, and the record that they did.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use jiff::Timestamp;
use session_memory::{Memory, MemoryMatch, record_recall};

/// The matches of a query, the best first.
#[derive(Debug, Clone, Default)]
pub struct BestMemories {
    /// The matches, with those that are no results for want of room.
    pub candidates: Vec<MemoryMatch>,
    results: usize,
}

impl BestMemories {
    /// Returns those that are an answer.
    pub fn results(&self) -> &[MemoryMatch] {
        &self.candidates[..self.results]
    }
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
        let settings = &self.home.config.retrieval;
        let limit = limit.unwrap_or(settings.max_results);
        let mut candidates = self.search(query, listed)?;
        candidates.truncate(settings.max_candidates.max(limit));
        Ok(BestMemories {
            results: candidates.len().min(limit),
            candidates,
        })
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
        memories.home.config.retrieval.max_candidates = 3;
        let listed = memories.store.list(&[MemoryState::Active]).memories;
        let count = |limit| {
            let found = memories.find_best("lantern", &listed, limit).unwrap();
            (found.results().len(), found.candidates.len())
        };
        assert_eq!(count(None), (2, 3));
        assert_eq!(count(Some(1)), (1, 3));
        assert_eq!(count(Some(9)), (4, 4));
    }
}
