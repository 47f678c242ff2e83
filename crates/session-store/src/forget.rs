//! Deletes sessions and single turns, with their copies.

use crate::error::Result;
use crate::id::{FileId, SessionId, TurnId};
use crate::reader::Reader;
use crate::row::{EXCLUDED_TURN, prompt_kind_to_db};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use session_core::{PromptKind, TurnContent};
use std::collections::{BTreeSet, HashMap};

/// Is met by the last turn `t` of a session.
const IS_LAST_TURN: &str =
    "NOT EXISTS (SELECT 1 FROM turns l WHERE l.session = t.session AND l.idx > t.idx)";

impl Reader {
    /// Returns a turn with all turns that are copies of it, or that it is a copy of.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turn_copies(&self, turn: TurnId) -> Result<Vec<TurnId>> {
        let select = "SELECT id FROM turns, (SELECT coalesce(owner, id) AS root FROM turns WHERE id = ?1) AS me
             WHERE id = me.root OR owner = me.root ORDER BY id";
        self.db.rows(select, [turn], |row| row.get(0))
    }

    /// Returns the files with a session whose last turn is excluded.
    ///
    /// # Errors
    /// When the database fails.
    pub fn files_with_excluded_last_turn(&self) -> Result<BTreeSet<FileId>> {
        let select = format!(
            "SELECT s.file FROM turns t JOIN sessions s ON s.id = t.session
             WHERE {EXCLUDED_TURN} AND {IS_LAST_TURN}"
        );
        self.db.rows(&select, [], |row| row.get(0))
    }

    /// Counts the excluded turns of each session that has some.
    ///
    /// # Errors
    /// When the database fails.
    pub fn count_excluded_turns(&self) -> Result<HashMap<SessionId, u32>> {
        let count =
            format!("SELECT session, count(*) FROM turns WHERE {EXCLUDED_TURN} GROUP BY session");
        self.db
            .rows(&count, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

impl Writer {
    /// Deletes a session with its turns, their words and vectors, and its file where that holds no other
    /// session. Copies of its turns in other sessions are to be [excluded](Writer::exclude_turn) before.
    /// Deleted content leaves the disk by [`Writer::purge`].
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_session(&mut self, session: SessionId) -> Result<()> {
        self.request_purge()?;
        for turn in self.reader.turns(session)? {
            self.delete_title_of_leaf(turn.id)?;
        }
        let select = "SELECT file FROM sessions WHERE id = ?1";
        let file: Option<FileId> = self.db().first(select, [session], |row| row.get(0))?;
        self.delete_session_rows(session)?;
        file.map_or(Ok(()), |file| self.delete_file_without_sessions(file))
    }

    /// Deletes a session with its turns, their words and vectors. Copies of its turns in other sessions are not
    /// indexed by it.
    pub(crate) fn delete_session_rows(&mut self, session: SessionId) -> Result<()> {
        for turn in self.reader.turns(session)? {
            self.delete_turn(turn.id)?;
        }
        self.orphan_session_rows(session)?;
        self.clear_first_prompt(session)?;
        self.session_progress.noted_session.set(None);
        self.session_progress.owner_ranks.get_mut().clear();
        for change in [
            "DELETE FROM embedded WHERE session = ?1",
            "DELETE FROM changed_sessions WHERE session = ?1",
            "DELETE FROM sessions WHERE id = ?1",
            "INSERT INTO settings(key, value) VALUES('next_session', ?1 + 1) ON CONFLICT(key)
               DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))",
        ] {
            self.db().run(change, [session])?;
        }
        Ok(())
    }

    /// Deletes the title that another file gives by the last message of a turn.
    fn delete_title_of_leaf(&self, turn: TurnId) -> Result<()> {
        let delete = "DELETE FROM titles WHERE leaf = (SELECT leaf FROM turns WHERE id = ?1)";
        self.db().run(delete, [turn])
    }

    /// Deletes a file that holds no session, with its cursor and problems.
    pub(crate) fn delete_file_without_sessions(&mut self, file: FileId) -> Result<()> {
        const UNUSED: &str = "NOT EXISTS (SELECT 1 FROM sessions WHERE file = ?1)";
        for delete in [
            format!(
                "DELETE FROM problems WHERE path = (SELECT path FROM files WHERE id = ?1) AND {UNUSED}"
            ),
            format!("DELETE FROM cursors WHERE file = ?1 AND {UNUSED}"),
            format!("DELETE FROM files WHERE id = ?1 AND {UNUSED}"),
        ] {
            self.db().run(&delete, [file])?;
        }
        Ok(())
    }

    /// Deletes the content of a turn and all by which it could be known. Its number in its session stays.
    ///
    /// # Errors
    /// When the database fails.
    pub fn exclude_turn(&mut self, turn: TurnId) -> Result<()> {
        self.request_purge()?;
        let Some(row) = self.reader.turn(turn)? else {
            return Ok(());
        };
        self.delete_words(turn)?;
        self.pending
            .frames
            .replace(&self.reader, turn, &TurnContent::default())?;
        self.delete_title_of_leaf(turn)?;
        let kind = prompt_kind_to_db(PromptKind::None);
        let hashes = self.reader.turn_hashes(turn)?;
        let update = "UPDATE turns SET origin = NULL, prompt_time = NULL, leaf = NULL, owner = NULL, kind = ?2,
                   branch = NULL, ended_ms = NULL, stop = start WHERE id = ?1";
        self.db().run(update, params![turn, kind])?;
        self.update_turn_keys(turn, hashes)?;
        self.recount_session(row.session)?;
        self.set_branches("s.id = ?1", row.session.into())?;
        self.orphan_session_rows(row.session)?;
        self.renew_opening(row.session)?;
        self.index_title(row.session)?;
        self.bump_revision(row.session)
    }

    /// Returns true if the last turn of a session is excluded.
    ///
    /// # Errors
    /// When the database fails.
    pub fn is_last_turn_excluded(&self, session: SessionId) -> Result<bool> {
        let select = format!(
            "SELECT {EXCLUDED_TURN} FROM turns WHERE session = ?1 ORDER BY idx DESC LIMIT 1"
        );
        let is_excluded = self.db().first(&select, [session], |row| row.get(0))?;
        Ok(is_excluded.unwrap_or_default())
    }

    /// Takes the branches of excluded turns, which a history still tells, from the sessions of its file.
    ///
    /// # Errors
    /// When the database fails.
    pub fn clear_excluded_branches(&mut self, file: FileId) -> Result<()> {
        self.begin()?;
        self.set_branches("s.file = ?1", file.into())
    }

    /// Sets the branch of each session that has excluded turns to the last branch of its other turns, unless one of them
    /// has the session's branch.
    fn set_branches(&self, condition: &str, id: i64) -> Result<()> {
        let update = format!(
            "UPDATE sessions AS s SET branch = (SELECT branch FROM turns
               WHERE session = s.id AND branch IS NOT NULL ORDER BY idx DESC LIMIT 1)
             WHERE {condition} AND branch IS NOT NULL
               AND EXISTS (SELECT 1 FROM turns
                 WHERE session = s.id AND {EXCLUDED_TURN})
               AND NOT EXISTS (SELECT 1 FROM turns t
                 WHERE t.session = s.id AND t.branch = s.branch)"
        );
        self.db().run(&update, [id])
    }
}
