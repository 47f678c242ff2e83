//! Titles of sessions whose first turn is excluded, which may tell of it: they are not stored.

use super::{FileState, HistoryWriter, Result};
use crate::discover::ChangedHistory;
use session_core::{KnownTurns, SessionMeta};
use session_sources::Cursor;
use session_store::{FirstTurn, PreparedTurn};

impl HistoryWriter<'_> {
    /// Takes the title of a session that is about to be opened where the index knows that its first turn is excluded, or does
    /// not know this turn: then until the turn has come.
    pub(super) fn hold_title(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        meta: &mut SessionMeta,
        turns: KnownTurns,
    ) -> Result<()> {
        if self.exclusions.is_empty() {
            return Ok(());
        }
        let is_same = state.untitled.as_ref().is_some_and(|h| h.id == meta.id);
        if !is_same {
            self.set_held_title(change, state)?;
        }
        let awaits_first = is_same || turns.are_replaced();
        if awaits_first {
            state.untitled = Some(meta.clone());
        }
        if meta.title.is_none() {
            return Ok(());
        }
        let first = self.first_turn(change, state, meta)?;
        if first == FirstTurn::Excluded || (awaits_first && first == FirstTurn::Unknown) {
            meta.title = None;
        }
        Ok(())
    }

    /// Sets the title that was held, and takes it from a session whose first turn, which is this one, is excluded.
    pub(super) fn settle_title(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        turn: &PreparedTurn,
    ) -> Result<()> {
        let Some(mut held) = state.untitled.take() else {
            return Ok(());
        };
        held.title.take_if(|_| turn.is_excluded());
        self.open_titled(change, state, &held)
    }

    /// Sets the title that was held of a session of which no turn came.
    pub(super) fn set_held_title(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
    ) -> Result<()> {
        match state.untitled.take() {
            Some(held) if self.first_turn(change, state, &held)? != FirstTurn::Excluded => {
                self.open_titled(change, state, &held)
            }
            _ => Ok(()),
        }
    }

    fn open_titled(
        &mut self,
        change: &ChangedHistory,
        state: &FileState,
        meta: &SessionMeta,
    ) -> Result<()> {
        let source = change.file.source.name();
        let turns = KnownTurns::Keep;
        self.writer.open_session(state.file, source, meta, turns)?;
        Ok(())
    }

    fn first_turn(
        &self,
        change: &ChangedHistory,
        state: &FileState,
        meta: &SessionMeta,
    ) -> Result<FirstTurn> {
        let source = change.file.source.name();
        Ok(self.writer.known_first_turn(state.file, source, meta)?)
    }

    /// Removes from the cursor of a file of one session the titles where its first turn is excluded, and the branch where
    /// its last one is.
    pub(super) fn clear_cursor(
        &self,
        change: &ChangedHistory,
        state: &FileState,
        cursor: String,
    ) -> Result<String> {
        let session = state.session.filter(|_| change.file.holds_one_session());
        let Some(session) = session.filter(|_| !self.exclusions.is_empty()) else {
            return Ok(cursor);
        };
        let (source, path) = (change.file.source, &change.file.location.path);
        let exclusions = &self.exclusions;
        let mut cleared = Cursor(cursor);
        if self.writer.is_first_turn_excluded(session)? {
            cleared = exclusions.redact_cursor_titles(source, path, &cleared);
        }
        if self.writer.is_last_turn_excluded(session)? {
            cleared = exclusions.redact_cursor_branch(source, path, &cleared);
        }
        Ok(cleared.0)
    }
}
