//! Removing from an index what is excluded.

use crate::exclusions::{Exclusions, item};
use crate::records::ForgetError;
use serde::Serialize;
use session_core::TurnContent;
use session_store::{Reader, SessionRow, TurnId, TurnRow, Writer};
use std::collections::HashMap;
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
    pub fn differ_from(&self, index: &Reader) -> Result<bool, ForgetError> {
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

    /// Blanks the excluded turns of a session that stays; returns how many were not blank before.
    fn blank_turns(&self, writer: &mut Writer, session: &SessionRow) -> Result<usize, ForgetError> {
        let excluded = self.excluded_turns(writer.reader()?, session)?;
        let is_blank = |turn: &TurnRow| turn.span.start >= turn.span.end && turn.owner.is_none();
        let mut blanked = 0;
        for turn in excluded.iter().filter(|turn| !is_blank(turn)) {
            writer.blank_turn(turn.id)?;
            blanked += 1;
        }
        Ok(blanked)
    }

    fn excluded_turns(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<Vec<TurnRow>, ForgetError> {
        let contents: HashMap<TurnId, TurnContent> =
            match self.has_patterns() || session.prompts_only {
                true => index.contents(session.id)?.into_iter().collect(),
                false => HashMap::new(),
            };
        let is_excluded_by_content = |content: &TurnContent| {
            self.matches_content(content)
                || (session.prompts_only && self.records.holds(&item::prompt(&content.prompt)))
        };
        let mut turns = Vec::new();
        for turn in index.turns(session.id)? {
            let keys = index.dedup_keys(turn.id)?;
            let prompt = || index.content(turn.id).unwrap_or_default().prompt;
            if self.excludes_keys(&session.uid, turn.index, keys, prompt)
                || contents.get(&turn.id).is_some_and(is_excluded_by_content)
            {
                turns.push(turn);
            }
        }
        Ok(turns)
    }
}
