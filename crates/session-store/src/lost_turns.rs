//! Orders turns that their history lost after those that take their indexes.
//!
//! A history file that was cut off, or put back from an older copy, grows again with other turns. Those that it lost
//! stand after all that it holds: they are the last of their session.

use crate::dedup_keys::DedupKeys;
use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::replacement::LOST;
use crate::sql::Statements;
use crate::turns::DeliveredTurn;
use crate::writer::Writer;
use rusqlite::params;
use std::ops::Range;

/// A lost turn with its index in its session.
#[derive(Debug, Clone, Copy)]
struct LostTurn {
    id: TurnId,
    index: u32,
}

impl Writer {
    /// Brings a session's lost turns into the order in which a turn can be stored: the lost turn that it
    /// is takes its index, else the lost ones from its index on move by one. Returns true if indexes changed.
    pub(crate) fn make_room_before_lost(&mut self, delivered: DeliveredTurn<'_>) -> Result<bool> {
        let DeliveredTurn { session, turn, .. } = delivered;
        let (index, keys) = (turn.index, delivered.hashes.dedup_keys);
        if turn.continues
            || keys == DedupKeys::default()
            || self.session_progress.new_session.is_beyond(session, index)
            || !self.ends_with_lost(session)?
        {
            return Ok(false);
        }
        let at_index = self.lost_turn_at(session, index)?;
        match (self.find_lost(session, index, keys)?, at_index) {
            (Some(lost), _) if lost.index == index => return Ok(false),
            (Some(lost), Some(_)) => self.move_lost_to(session, lost, index)?,
            (Some(lost), None) => self.delete_lost(session, lost)?,
            // Where an agent notes no times, a start is the last change of the file.
            (None, Some(lost)) if self.content(lost)?.typed_prompt() == turn.prompt => {
                return Ok(false);
            }
            (None, Some(_)) => self.shift_turns(session, index..u32::MAX, 1)?,
            (None, None) => return Ok(false),
        }
        Ok(true)
    }

    /// Derives again what follows from the order of a session's turns.
    pub(crate) fn renew_after_shift(&mut self, session: SessionId) -> Result<()> {
        self.write_session_counts()?;
        self.recount_session(session)?;
        self.renew_opening(session)?;
        self.index_title(session)?;
        self.bump_revision(session)
    }

    /// Returns true if the session's last turn is lost.
    fn ends_with_lost(&self, session: SessionId) -> Result<bool> {
        let select = "SELECT start >= ?2 FROM turns WHERE session = ?1 ORDER BY idx DESC LIMIT 1";
        Ok(self
            .db()
            .first(select, params![session, LOST], |row| row.get(0))?
            .unwrap_or_default())
    }

    fn lost_turn_at(&self, session: SessionId, index: u32) -> Result<Option<TurnId>> {
        let select = "SELECT id FROM turns WHERE session = ?1 AND idx = ?2 AND start >= ?3";
        self.db()
            .first(select, params![session, index, LOST], |row| row.get(0))
    }

    /// Returns the first lost turn from an index on that has one of the keys.
    fn find_lost(
        &self,
        session: SessionId,
        index: u32,
        keys: DedupKeys,
    ) -> Result<Option<LostTurn>> {
        let values = params![session, index, LOST, keys.origin, keys.prompt_time];
        let select = "SELECT id, idx FROM turns WHERE session = ?1 AND idx >= ?2 AND start >= ?3
               AND (origin = ?4 OR prompt_time = ?5) ORDER BY idx LIMIT 1";
        self.db().first(select, values, |row| {
            Ok(LostTurn {
                id: row.get(0)?,
                index: row.get(1)?,
            })
        })
    }

    /// Moves a lost turn to an index before it, and those between by one.
    fn move_lost_to(&mut self, session: SessionId, lost: LostTurn, index: u32) -> Result<()> {
        let set = "UPDATE turns SET idx = ?2 WHERE id = ?1";
        self.db().run(set, params![lost.id, -1])?;
        self.shift_turns(session, index..lost.index, 1)?;
        self.db().run(set, params![lost.id, index])
    }

    /// Deletes a lost turn that is to be stored at the index of one that is not lost, and closes its gap.
    fn delete_lost(&mut self, session: SessionId, lost: LostTurn) -> Result<()> {
        self.delete_owner(lost.id)?;
        self.orphan_session_rows(session)?;
        self.shift_turns(session, lost.index + 1..u32::MAX, -1)
    }

    /// Adds to the indexes of some turns of a session. No two may have the same one meanwhile, also not while the
    /// statement runs: they are negative in between.
    fn shift_turns(&mut self, session: SessionId, indexes: Range<u32>, by: i32) -> Result<()> {
        self.session_progress.new_session.note_change(session);
        let Range { start, end } = indexes;
        let negate =
            "UPDATE turns SET idx = -idx - 2 WHERE session = ?1 AND idx >= ?2 AND idx < ?3";
        self.db().run(negate, params![session, start, end])?;
        let shift = "UPDATE turns SET idx = -idx - 2 + ?2 WHERE session = ?1 AND idx < -1";
        self.db().run(shift, params![session, by])
    }
}
