//! The replacement of a session's turns, where its history is read from its beginning once more.

use crate::error::Result;
use crate::id::{FileId, SessionId, TurnId};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;

/// The offset, in bytes, of a turn that its history holds no longer: beyond every file.
pub(crate) const LOST: i64 = 1 << 62;

/// A session that is being delivered from its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionReplacement {
    pub(crate) session: SessionId,
    /// Turns delivered so far: at the end, stored turns with a greater index are stale.
    pub(crate) turns: u32,
    pub(crate) missing: MissingTurns,
    /// More turns come, after a commit, too: until they have, stored ones beyond stay.
    pub(crate) is_unfinished: bool,
}

/// Says what becomes of stored turns that a history does not deliver when it is read from its beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MissingTurns {
    /// They are deleted: the history took them back.
    #[default]
    Delete,
    /// They are kept as lost where no turn at all is delivered: the history is damaged.
    KeepIfNoneComes,
    /// They are kept as lost: the history was cut off, is damaged, or an older copy.
    Keep,
}

impl SessionReplacement {
    /// Makes the replacement of a session of which no turn was delivered yet.
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            turns: 0,
            missing: MissingTurns::default(),
            is_unfinished: false,
        }
    }

    fn keeps_missing_turns(self) -> bool {
        match self.missing {
            MissingTurns::Delete => false,
            MissingTurns::KeepIfNoneComes => self.turns == 0,
            MissingTurns::Keep => true,
        }
    }
}

impl Writer {
    /// Sets what becomes of the session's stored turns beyond those that come.
    /// To be called after [`Writer::open_session`]; without effect where its turns are not replaced.
    pub fn set_missing_turns(&mut self, missing: MissingTurns) {
        if let Some(replacing) = &mut self.session_progress.replacing {
            replacing.missing = missing;
        }
    }

    /// Sets whether more turns come of the session whose turns are replaced, after checkpoints and commits, too: until
    /// they have, what the index has beyond them stays. A process that is killed before leaves it there.
    pub fn set_unfinished(&mut self, is_unfinished: bool) {
        if let Some(replacing) = &mut self.session_progress.replacing {
            replacing.is_unfinished = is_unfinished;
        }
    }

    /// Ends the replacement of an unfinished session of which no more turns come for now, and keeps those beyond.
    ///
    /// # Errors
    /// When the database fails.
    pub fn abandon_replacement(&mut self) -> Result<()> {
        let replacing = &mut self.session_progress.replacing;
        match replacing.take_if(|replacing| replacing.is_unfinished) {
            Some(abandoned) => self.keep_rest(abandoned),
            None => Ok(()),
        }
    }

    /// Ends the replacement of a session that its file holds and that could not be read, or not to its end: it is not gone,
    /// and turns beyond those that came stay.
    ///
    /// # Errors
    /// When the database fails.
    pub fn break_off_session(&mut self, file: FileId, uid: &str) -> Result<()> {
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
            self.keep_rest(broken)?;
        }
        self.unmark_sessions_gone(&[session])
    }

    /// Keeps what a session has that did not come again: turns, and its title.
    fn keep_rest(&mut self, replacing: SessionReplacement) -> Result<()> {
        self.begin()?;
        self.count_replaced(replacing, false)?;
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
    pub(crate) fn end_finished_replacement(&mut self) -> Result<()> {
        match self.session_progress.replacing {
            Some(replacing) if replacing.is_unfinished => Ok(()),
            _ => self.delete_stale_turns(),
        }
    }

    /// Ends the replacement of a session and deletes the turns after the last new one.
    pub(crate) fn delete_stale_turns(&mut self) -> Result<()> {
        let Some(done) = self.session_progress.replacing.take() else {
            return Ok(());
        };
        if done.keeps_missing_turns() {
            self.mark_as_lost(done)?;
        }
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
        self.count_replaced(done, !old.is_empty())
    }

    /// Marks the stored turns beyond the delivered ones as missing from the history.
    fn mark_as_lost(&mut self, done: SessionReplacement) -> Result<()> {
        let update = "UPDATE turns SET start = ?3, stop = ?3 + (stop > start) WHERE session = ?1 AND idx >= ?2 AND start < ?3";
        self.db()
            .run(update, params![done.session, done.turns, LOST])
    }

    /// Marks the stored turns of a file's sessions that lie beyond its new size as missing from the history.
    ///
    /// # Errors
    /// When the database fails.
    pub fn mark_turns_as_lost(&mut self, file: FileId, size: u64) -> Result<()> {
        self.begin()?;
        let update =
            "UPDATE turns SET start = ?3, stop = ?3 + (stop > start) WHERE start < ?3 AND stop > ?2
            AND session IN (SELECT id FROM sessions WHERE file = ?1)";
        self.db()
            .run(update, params![file, size.cast_signed(), LOST])
    }

    /// Sets what a replaced session derives from its turns, where not all of them came just now.
    fn count_replaced(&mut self, done: SessionReplacement, is_shorter: bool) -> Result<()> {
        let select = "SELECT EXISTS(SELECT 1 FROM turns WHERE session = ?1 AND idx >= ?2)";
        let has_rest: bool =
            self.db()
                .single(select, params![done.session, done.turns], |row| row.get(0))?;
        if has_rest || is_shorter {
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
