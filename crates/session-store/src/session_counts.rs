//! Counts the turns of a session, which come one after the other, for its row.

use crate::error::Result;
use crate::id::SessionId;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::{Connection, params};
use session_core::Turn;

/// The counts of the turns of a session that are not yet in its row: one update a session, not one a turn.
#[derive(Debug)]
pub(crate) struct SessionCounts {
    session: SessionId,
    turns: u32,
    started_ms: Option<i64>,
    ended_ms: Option<i64>,
    /// By so many its revision rises.
    changes: u32,
}

impl SessionCounts {
    fn new(session: SessionId) -> Self {
        Self {
            session,
            turns: 0,
            started_ms: None,
            ended_ms: None,
            changes: 0,
        }
    }

    fn add(&mut self, turn: &Turn, is_changed: bool) {
        self.turns = self.turns.max(turn.index + 1);
        let started = [self.started_ms, turn.started_ms].into_iter().flatten();
        self.started_ms = started.min();
        self.ended_ms = self.ended_ms.max(turn.ended_ms);
        self.changes += u32::from(is_changed);
    }

    /// Writes the counts into the row of the session.
    pub(crate) fn write(&self, db: &Connection) -> Result<()> {
        let Self {
            session,
            turns,
            started_ms,
            ended_ms,
            changes,
        } = self;
        let update = "UPDATE sessions SET turns = max(turns, ?2),
               started_ms = min(coalesce(started_ms, ?3), coalesce(?3, started_ms)),
               ended_ms = max(coalesce(ended_ms, ?4), coalesce(?4, ended_ms)), revision = revision + ?5
             WHERE id = ?1";
        let values = params![session, turns, started_ms, ended_ms, changes];
        db.run(update, values)
    }
}

impl Writer {
    /// Counts a turn that was stored.
    pub(crate) fn count_turn(
        &mut self,
        session: SessionId,
        turn: &Turn,
        is_changed: bool,
    ) -> Result<()> {
        let counted = self.pending.counts.as_ref();
        if counted.is_some_and(|counted| counted.session != session) {
            self.write_session_counts()?;
        }
        let counts = self
            .pending
            .counts
            .get_or_insert_with(|| SessionCounts::new(session));
        counts.add(turn, is_changed);
        if is_changed {
            self.note_changed(session)
        } else {
            Ok(())
        }
    }

    /// Writes the counts into the row of their session. To be called before anything else is written or read of it.
    pub(crate) fn write_session_counts(&mut self) -> Result<()> {
        let written = self.pending.flush_counts(&self.reader.db);
        self.note_failure(written)
    }
}
