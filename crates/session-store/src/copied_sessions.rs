//! Sessions that two files hold under one id: those of a file that is gone, of which another file holds all, are deleted.

use crate::copies::is_part_of;
use crate::error::Result;
use crate::id::{FileId, SessionId};
use crate::row::{GONE, PROMPTS_ONLY, REPEATED, TurnRow};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use session_core::TurnContent;
use std::collections::{BTreeSet, HashMap};

/// Joins the session `o` of the same agent and id that another file `f` holds, where that is there, to a session `s`. `?2` are
/// the bits of [`GONE`] and [`PROMPTS_ONLY`].
pub(crate) const HELD_ELSEWHERE: &str = "JOIN sessions o ON o.uid = s.uid AND o.source = s.source
       AND o.file <> s.file AND NOT o.gone & ?2
     JOIN files f ON f.id = o.file AND f.gone = 0";

/// A session of a file, with one of the same agent and id in another file that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTwin {
    /// The session.
    pub session: SessionId,
    /// Whether the agent keeps its prompts alone.
    pub prompts_only: bool,
    /// Whether one of the two is marked as [repeated](crate::SessionRow::is_repeated).
    pub is_marked: bool,
    /// The session in the other file.
    pub other: SessionId,
    /// The other file.
    pub other_file: FileId,
    /// The path of the other file.
    pub other_path: String,
}

impl Writer {
    /// Returns the sessions of a file that other files hold, too, as far as these still hold them.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_twins(&self, path: &str) -> Result<Vec<SessionTwin>> {
        let select = format!(
            "SELECT s.id, s.gone & ?3, o.id, f.id, f.path, (s.gone | o.gone) & ?4
             FROM sessions s {HELD_ELSEWHERE}
             WHERE s.file = (SELECT id FROM files WHERE path = ?1) ORDER BY s.id, o.id"
        );
        let values = params![path, GONE | PROMPTS_ONLY, PROMPTS_ONLY, REPEATED];
        self.db().rows(&select, values, |row| {
            Ok(SessionTwin {
                session: row.get(0)?,
                prompts_only: row.get::<_, i64>(1)? != 0,
                other: row.get(2)?,
                other_file: row.get(3)?,
                other_path: row.get(4)?,
                is_marked: row.get::<_, i64>(5)? != 0,
            })
        })
    }

    /// Deletes a session that another file of its agent holds, but not its turns' copies. The file itself stays known as it
    /// was read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_repeated_session(&mut self, session: SessionId) -> Result<()> {
        self.begin()?;
        self.delete_moved_session(session)
    }

    /// Deletes the only session of a file as [`Self::delete_repeated_session`] does. Should the file grow, it is read from its
    /// beginning.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_only_repeated_session(&mut self, session: SessionId) -> Result<()> {
        self.begin()?;
        let delete = "DELETE FROM cursors WHERE file = (SELECT file FROM sessions WHERE id = ?1)";
        self.db().run(delete, [session])?;
        self.delete_moved_session(session)
    }

    /// Marks a session as [repeated](crate::SessionRow::is_repeated), until it is read again.
    ///
    /// # Errors
    /// When the database fails.
    pub fn mark_repeated_session(&mut self, session: SessionId) -> Result<()> {
        self.begin()?;
        let update = "UPDATE sessions SET gone = gone | ?2 WHERE id = ?1 AND NOT gone & ?2";
        self.db().run(update, params![session, REPEATED])
    }

    /// Deletes the sessions of a file of which a file that is there holds all turns, as it does where a history was copied
    /// and its original deleted. The file goes with its last session: should it come back, it is read.
    pub(crate) fn delete_copied_sessions(&mut self, file: FileId) -> Result<()> {
        if self.delete_sessions_held_by_others(file)? {
            self.delete_file_without_sessions(file)
        } else {
            Ok(())
        }
    }

    /// Deletes the sessions of a file of which another file that is there holds all turns; returns true if there are
    /// some.
    fn delete_sessions_held_by_others(&mut self, file: FileId) -> Result<bool> {
        let mut is_deleted = false;
        for session in self.sessions_of_file(file)? {
            if self.is_held_by_others(session)? {
                self.delete_moved_session(session)?;
                is_deleted = true;
            }
        }
        Ok(is_deleted)
    }

    /// Deletes a session that another file of its agent holds, but not its turns' copies.
    pub(crate) fn delete_moved_session(&mut self, session: SessionId) -> Result<()> {
        for turn in self.reader.turns(session)? {
            self.delete_owner(turn.id)?;
        }
        self.delete_session_rows(session)
    }

    /// Returns the sessions of a file.
    pub(crate) fn sessions_of_file(&self, file: FileId) -> Result<Vec<SessionId>> {
        let select = "SELECT id FROM sessions WHERE file = ?1 ORDER BY id";
        self.db().rows(select, [file], |row| row.get(0))
    }

    fn is_held_by_others(&self, session: SessionId) -> Result<bool> {
        let select = format!("SELECT o.id FROM sessions s {HELD_ELSEWHERE} WHERE s.id = ?1");
        let values = params![session, GONE | PROMPTS_ONLY];
        let others: Vec<SessionId> = self.db().rows(&select, values, |row| row.get(0))?;
        for other in others {
            if self.holds_all_turns(other, session)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if each turn of `copied` that is not forgotten is in `holder`, and no longer than there.
    ///
    /// # Errors
    /// When the database fails.
    pub fn holds_all_turns(&self, holder: SessionId, copied: SessionId) -> Result<bool> {
        let root = |turn: &TurnRow| turn.owner.unwrap_or(turn.id);
        let held = self.reader.turns(holder)?;
        let held: HashMap<_, _> = held.iter().map(|turn| (root(turn), turn.id)).collect();
        let turns = self.reader.turns(copied)?;
        for turn in turns.into_iter().filter(|turn| !turn.is_excluded()) {
            let Some(other) = held.get(&root(&turn)) else {
                return Ok(false);
            };
            let is_copy_of_it = turn.owner == Some(*other);
            if !is_copy_of_it && !is_equal(self.content(turn.id)?, self.content(*other)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns true for contents that are equal but for the order of what results hold.
fn is_equal(one: TurnContent, other: TurnContent) -> bool {
    let ordered = |content| TurnContent {
        prompt: String::new(),
        errors: Vec::new(),
        run_errors: Vec::new(),
        ..content
    };
    is_part_of(&one, &other)
        && is_part_of(&other, &one)
        && errors_by_run(&one) == errors_by_run(&other)
        && ordered(one) == ordered(other)
}

fn errors_by_run(content: &TurnContent) -> BTreeSet<(usize, &str)> {
    let entries = content.run_errors.iter();
    let errors = entries.filter_map(|entry| Some((entry.run, content.errors.get(entry.error)?)));
    errors.map(|(run, error)| (run, error.as_str())).collect()
}
