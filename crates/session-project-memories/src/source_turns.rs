//! The turns that a memory comes from.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use session_core::TurnContent;
use session_core::prompt_content::lacks_content;
use session_memory::{MemoryDraft, MemorySource};
use session_store::{SessionRow, TurnRow};
use std::cmp::Reverse;

/// The most commands whose turns are visited, newest sessions first.
const MAX_COMMANDS: usize = 5_000;

fn is_source(session: &SessionRow, source: &MemorySource) -> bool {
    source.session.as_deref() == Some(&session.uid)
        && source
            .agent
            .as_deref()
            .is_none_or(|agent| agent == session.source)
}

impl ProjectMemories {
    /// Reads the turns from which a memory was saved, in order; none where it names no session, or the index does not have
    /// them.
    pub(crate) fn read_source_turns(&self, source: Option<&MemorySource>) -> Vec<TurnContent> {
        let turns = source.and_then(|source| self.try_source_turns(source).ok());
        turns.unwrap_or_default()
    }

    fn try_source_turns(
        &self,
        source: &MemorySource,
    ) -> Result<Vec<TurnContent>, ProjectMemoriesError> {
        let Some(range) = source.turn_range() else {
            return Ok(Vec::new());
        };
        let index = self.home.index()?;
        let sessions = index.sessions()?;
        let Some(session) = sessions.iter().find(|session| is_source(session, source)) else {
            return Ok(Vec::new());
        };
        let is_in_range = |turn: &TurnRow| !turn.is_excluded() && range.contains(&turn.index);
        let turns = index.turn_records(session.id, is_in_range)?.into_iter();
        Ok(turns.map(|turn| turn.content).collect())
    }

    /// Reads the user's prompts in the turns that a draft comes from; none where the index does not have them.
    pub(crate) fn source_prompts(&self, draft: &MemoryDraft) -> Vec<String> {
        let turns = self.read_source_turns(draft.source.as_ref()).into_iter();
        turns
            .map(|turn| turn.prompt)
            .filter(|prompt| !lacks_content(prompt))
            .collect()
    }

    /// Visits the turns of the newest sessions of the index as it is.
    ///
    /// # Errors
    /// When the index fails.
    pub(crate) fn visit_newest_turns(
        &self,
        mut visit: impl FnMut(&TurnContent),
    ) -> Result<(), ProjectMemoriesError> {
        let index = self.home.index()?;
        let mut sessions = index.sessions()?;
        sessions.sort_by_key(|session| Reverse(session.ended_ms));
        let mut commands = 0;
        for session in sessions {
            if commands >= MAX_COMMANDS {
                break;
            }
            for stored in index.contents(session.id)? {
                commands += stored.content.runs.len();
                visit(&stored.content);
            }
        }
        Ok(())
    }
}
