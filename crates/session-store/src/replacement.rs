//! The replacement of a session's turns, where its history is read from its beginning once more.

use crate::error::Result;
use crate::id::{FileId, SessionId, TurnId};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;

/// The span start from which turns are lost: greater than any offset in a file.
pub(crate) const LOST: i64 = 1 << 62;

/// Gives a turn a span from [`LOST`], the third parameter, which stays empty where it was.
const SET_LOST: &str = "UPDATE turns SET start = ?3, stop = ?3 + (stop > start)";

/// A session that is being delivered from its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionReplacement {
    pub(crate) session: SessionId,
    /// Turns delivered so far: at the end, stored turns beyond them count as not delivered.
    pub(crate) turns: u32,
    /// The treatment of stored turns that are not delivered.
    pub(crate) undelivered: UndeliveredTurns,
    pub(crate) delivery: SessionDelivery,
}

/// Says what becomes of stored turns that a history does not deliver when it is read from its beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UndeliveredTurns {
    /// They are deleted: the history took them back.
    #[default]
    Delete,
    /// They are kept as lost where no turn at all is delivered: the history is damaged.
    KeepIfNoneComes,
    /// They are kept as lost: the history was cut off, is damaged, or an older copy.
    Keep,
}

/// Says whether a session was delivered to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionDelivery {
    /// No turn is left: what the index has beyond the delivered ones ends with the next commit.
    Complete,
    /// More turns come, after a commit, too: until they have, stored ones beyond stay.
    Unfinished,
}

impl SessionReplacement {
    /// Makes the replacement of a session of which no turn was delivered yet.
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            turns: 0,
            undelivered: UndeliveredTurns::default(),
            delivery: SessionDelivery::Complete,
        }
    }

    fn is_unfinished(self) -> bool {
        self.delivery == SessionDelivery::Unfinished
    }

    fn keeps_undelivered_turns(self) -> bool {
        match self.undelivered {
            UndeliveredTurns::Delete => false,
            UndeliveredTurns::KeepIfNoneComes => self.turns == 0,
            UndeliveredTurns::Keep => true,
        }
    }
}

impl Writer {
    /// Sets what becomes of the session's stored turns beyond those that come.
    /// To be called after [`Writer::open_session`]; without effect where its turns are not replaced.
    pub fn set_undelivered_turns(&mut self, undelivered: UndeliveredTurns) {
        if let Some(replacing) = &mut self.session_progress.replacing {
            replacing.undelivered = undelivered;
        }
    }

    /// Sets whether more turns come of the session whose turns are replaced, after checkpoints and commits, too: until
    /// they have, what the index has beyond them stays. A process that is killed before leaves it there.
    pub fn set_delivery(&mut self, delivery: SessionDelivery) {
        if let Some(replacing) = &mut self.session_progress.replacing {
            replacing.delivery = delivery;
        }
    }

    /// Ends the replacement of an unfinished session of which no more turns come for now, and keeps those beyond.
    ///
    /// # Errors
    /// When the database fails.
    pub fn abandon_replacement(&mut self) -> Result<()> {
        let replacing = &mut self.session_progress.replacing;
        match replacing.take_if(|replacing| replacing.is_unfinished()) {
            Some(abandoned) => self.keep_undelivered(abandoned),
            None => Ok(()),
        }
    }

    /// Ends the replacement of a session that its file holds and that could not be read, or not to its end: it is not gone,
    /// and turns beyond those that came stay.
    ///
    /// # Errors
    /// When the database fails.
    pub fn abandon_unreadable_session(&mut self, file: FileId, uid: &str) -> Result<()> {
        self.begin()?;
        let select = "SELECT id FROM sessions WHERE file = ?1 AND uid = ?2";
        let known = self
            .db()
            .first(select, params![file, uid], |row| row.get(0))?;
        let Some(session) = known else {
            return Ok(());
        };
        let replacing = &mut self.session_progress.replacing;
        if let Some(broken) = replacing.take_if(|replacing| replacing.session == session) {
            self.keep_undelivered(broken)?;
        }
        self.unmark_sessions_gone(&[session])
    }

    /// Keeps what a session has that did not come again: turns, and its title.
    fn keep_undelivered(&mut self, replacing: SessionReplacement) -> Result<()> {
        self.begin()?;
        self.recount_replaced_session(replacing, false)?;
        let session = replacing.session;
        let title = self.session_progress.replaced_title.take();
        let set =
            "UPDATE sessions SET title = ?2 WHERE id = ?1 AND title IS NULL AND ?2 IS NOT NULL";
        if self.db().change(set, params![session, title])? == 0 {
            return Ok(());
        }
        self.bump_revision(session)?;
        self.index_title(session)
    }

    /// Ends the replacement of a session, unless more of its turns come after this commit.
    pub(crate) fn finish_replacement_unless_unfinished(&mut self) -> Result<()> {
        match self.session_progress.replacing {
            Some(replacing) if replacing.is_unfinished() => Ok(()),
            _ => self.finish_replacement(),
        }
    }

    /// Ends the replacement of a session: turns that were not delivered become lost or are deleted, as `undelivered` says.
    pub(crate) fn finish_replacement(&mut self) -> Result<()> {
        let Some(done) = self.session_progress.replacing.take() else {
            return Ok(());
        };
        if done.keeps_undelivered_turns() {
            self.mark_undelivered_as_lost(done)?;
        }
        let has_deleted = self.delete_undelivered_turns(done)?;
        self.recount_replaced_session(done, has_deleted)
    }

    /// Deletes the turns after the last delivered one, but for lost ones; returns true if there were any.
    fn delete_undelivered_turns(&mut self, done: SessionReplacement) -> Result<bool> {
        let select = "SELECT id FROM turns WHERE session = ?1 AND idx >= ?2 AND start < ?3";
        let old: Vec<TurnId> =
            self.db()
                .rows(select, params![done.session, done.turns, LOST], |row| {
                    row.get(0)
                })?;
        for &id in &old {
            self.delete_owner(id)?;
        }
        if !old.is_empty() {
            self.session_progress.new_session.note_change(done.session);
            self.orphan_session_rows(done.session)?;
            self.bump_revision(done.session)?;
        }
        Ok(!old.is_empty())
    }

    /// Marks the stored turns beyond the delivered ones as lost.
    fn mark_undelivered_as_lost(&mut self, done: SessionReplacement) -> Result<()> {
        let update = format!("{SET_LOST} WHERE session = ?1 AND idx >= ?2 AND start < ?3");
        self.db()
            .run(&update, params![done.session, done.turns, LOST])
    }

    /// Marks the stored turns of a file's sessions that lie beyond its new size as lost.
    ///
    /// # Errors
    /// When the database fails.
    pub fn mark_turns_beyond_size_as_lost(&mut self, file: FileId, size: u64) -> Result<()> {
        self.begin()?;
        let update = format!(
            "{SET_LOST} WHERE start < ?3 AND stop > ?2
            AND session IN (SELECT id FROM sessions WHERE file = ?1)"
        );
        self.db()
            .run(&update, params![file, size.cast_signed(), LOST])
    }

    /// Sets what a replaced session derives from its turns, where not all of them were delivered or some were deleted.
    fn recount_replaced_session(
        &mut self,
        done: SessionReplacement,
        has_deleted: bool,
    ) -> Result<()> {
        let select = "SELECT EXISTS(SELECT 1 FROM turns WHERE session = ?1 AND idx >= ?2)";
        let has_rest: bool =
            self.db()
                .single(select, params![done.session, done.turns], |row| row.get(0))?;
        if has_rest || has_deleted {
            self.recount_session(done.session)?;
        }
        if has_rest && done.turns == 0 {
            self.renew_opening(done.session)
        } else {
            Ok(())
        }
    }

    /// Counts the turns of a session again, and sets its times from theirs.
    pub(crate) fn recount_session(&self, session: SessionId) -> Result<()> {
        let update = "UPDATE sessions SET (turns, started_ms, ended_ms) =
               (SELECT coalesce(max(idx) + 1, 0), min(started_ms), max(ended_ms)
                FROM turns WHERE session = ?1) WHERE id = ?1";
        self.db().run(update, [session])
    }
}
