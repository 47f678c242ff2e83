//! Removing from an index what is excluded.

use crate::exclusions::{Exclusions, item};
use crate::records::ForgetError;
use serde::Serialize;
use session_store::{SessionRow, TurnRow, Writer};
use std::ops::AddAssign;

/// Key of the index's settings under which it notes the exclusions that were applied.
const SETTING: &str = "exclusions";

/// Counts of what was removed from an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Sessions.
    pub sessions: usize,
    /// Turns of sessions that stay.
    pub turns: usize,
}

impl AddAssign for Removed {
    fn add_assign(&mut self, more: Self) {
        self.sessions += more.sessions;
        self.turns += more.turns;
    }
}

impl Exclusions {
    /// Returns true when an index may hold what is excluded since.
    ///
    /// # Errors
    /// When the index fails.
    pub fn differ_from(&self, index: &session_store::Reader) -> Result<bool, ForgetError> {
        Ok(index.setting(SETTING)?.unwrap_or_default() != self.fingerprint())
    }

    /// Removes from an index what is excluded, and notes that it was. It is committed, but what was
    /// removed leaves the disk by [`Writer::purge`].
    ///
    /// # Errors
    /// When the index fails; the next call takes it up.
    pub fn apply(&self, writer: &mut Writer) -> Result<Removed, ForgetError> {
        let mut removed = Removed::default();
        let sessions = writer.reader()?.sessions()?;
        let (excluded, kept): (Vec<&SessionRow>, Vec<&SessionRow>) = sessions
            .iter()
            .partition(|session| self.excludes_row(session));
        // Turns first: copies of a deleted turn would be indexed in its place.
        for session in kept {
            removed.turns += self.blank_turns(writer, session)?;
        }
        for session in excluded {
            writer.delete_session(session.id)?;
            removed.sessions += 1;
        }
        writer.set_setting(SETTING, &self.fingerprint())?;
        writer.commit()?;
        Ok(removed)
    }

    fn blank_turns(&self, writer: &mut Writer, session: &SessionRow) -> Result<usize, ForgetError> {
        let index = writer.reader()?;
        let turns = index.turns(session.id)?;
        let contents = match self.has_patterns() || session.prompts_only {
            true => index.contents(session.id)?,
            false => Vec::new(),
        };
        let mut blanked = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let keys = index.dedup_keys(turn.id)?;
            let prompt = || index.content(turn.id).unwrap_or_default().prompt;
            let content = contents.get(at).map(|(_, content)| content);
            let by_content = content.is_some_and(|content| {
                self.matches_content(content)
                    || (session.prompts_only && self.records.holds(&item::prompt(&content.prompt)))
            });
            if self.excludes_keys(&session.uid, turn.index, keys, prompt) || by_content {
                blanked.push(turn);
            }
        }
        let blanked: Vec<&TurnRow> = blanked
            .into_iter()
            .filter(|turn| turn.span.start < turn.span.end || turn.owner.is_some())
            .collect();
        blanked
            .iter()
            .try_for_each(|turn| writer.blank_turn(turn.id))?;
        Ok(blanked.len())
    }
}
