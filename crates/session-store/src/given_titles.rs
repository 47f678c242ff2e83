//! Reads and deletes titles that agents and users gave to sessions.

use crate::error::Result;
use crate::file_session::FileSession;
use crate::id::{FileId, SessionId};
use crate::reader::Reader;
use crate::row::{EXCLUDED_TURN, GONE};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use session_core::SessionMeta;
use std::collections::BTreeSet;
use std::path::Path;

/// A title that an agent or a user gave to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenTitle {
    /// The session.
    pub session: SessionId,
    /// The title.
    pub title: String,
}

/// A title that a file gives to a message, perhaps of another file.
#[derive(Debug)]
pub(crate) struct ExternalTitle {
    /// Hash of the message's id.
    pub(crate) leaf: i64,
    pub(crate) title: String,
}

impl Reader {
    /// Returns the titles that files give to messages.
    pub(crate) fn external_titles(&self) -> Result<Vec<ExternalTitle>> {
        let select = "SELECT leaf, title FROM titles ORDER BY leaf";
        self.db.rows(select, [], |row| {
            Ok(ExternalTitle {
                leaf: row.get(0)?,
                title: row.get(1)?,
            })
        })
    }

    /// Returns the titles that were given to sessions: by their own histories, and by other files, also where a
    /// session is named by another one.
    ///
    /// # Errors
    /// When the database fails.
    pub fn given_titles(&self) -> Result<Vec<GivenTitle>> {
        let select = "SELECT id, title FROM sessions WHERE title IS NOT NULL
             UNION SELECT id, given_title FROM sessions WHERE given_title IS NOT NULL
             UNION SELECT u.session, t.title FROM titles t JOIN turns u ON u.leaf = t.leaf";
        self.db.rows(select, [], |row| {
            Ok(GivenTitle {
                session: row.get(0)?,
                title: row.get(1)?,
            })
        })
    }

    /// Returns the titles of sessions whose first turn is excluded: agents make a title of the first prompt. A session whose
    /// history is gone keeps its titles: the user may have given one, and it could not be read again.
    fn titles_without_first_turn(&self) -> Result<Vec<GivenTitle>> {
        let without_first_turn = format_without_first_turn();
        let select = format!(
            "SELECT s.id, g.title, f.path FROM sessions s JOIN files f ON f.id = s.file
              JOIN (SELECT id, title FROM sessions UNION SELECT id, given_title FROM sessions) g ON g.id = s.id
             WHERE g.title IS NOT NULL AND NOT s.gone & {GONE} AND NOT f.gone AND {without_first_turn}"
        );
        let titles: Vec<(GivenTitle, String)> = self.db.rows(&select, [], |row| {
            let given = GivenTitle {
                session: row.get(0)?,
                title: row.get(1)?,
            };
            Ok((given, row.get(2)?))
        })?;
        // Files that are gone are marked after what is excluded was removed.
        let there = titles
            .into_iter()
            .filter(|(_, path)| Path::new(path).exists());
        Ok(there.map(|(given, _)| given).collect())
    }

    /// Returns the titles that a file gives to messages of no turn of the index.
    ///
    /// # Errors
    /// When the database fails.
    pub fn unheld_titles(&self) -> Result<Vec<String>> {
        let select = format!("SELECT title FROM titles WHERE {UNHELD}");
        self.db.rows(&select, [], |row| row.get(0))
    }
}

/// Is met by a title whose message no turn holds; the indexed turns are read once.
const UNHELD: &str = "leaf NOT IN (SELECT leaf FROM turns WHERE leaf IS NOT NULL)";

/// The first turn of a session as the index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstTurn {
    /// None.
    Unknown,
    /// The turn.
    Stored,
    /// The number of an excluded one.
    Excluded,
}

/// Formats the condition that a session `s` meets whose first turn is excluded.
pub(crate) fn format_without_first_turn() -> String {
    format!("EXISTS (SELECT 1 FROM turns WHERE session = s.id AND idx = 0 AND {EXCLUDED_TURN})")
}

impl Writer {
    /// Returns true if the first turn of a session is excluded.
    ///
    /// # Errors
    /// When the database fails.
    pub fn is_first_turn_excluded(&self, session: SessionId) -> Result<bool> {
        Ok(self.first_turn(session)? == FirstTurn::Excluded)
    }

    /// Returns what the index has as the first turn of a session that [`Writer::open_session`] would update.
    ///
    /// # Errors
    /// When the database fails.
    pub fn known_first_turn(
        &self,
        file: FileId,
        source: &str,
        meta: &SessionMeta,
    ) -> Result<FirstTurn> {
        match (FileSession { file, source, meta }).find_known(self.db())? {
            Some(known) => self.first_turn(known.id),
            None => Ok(FirstTurn::Unknown),
        }
    }

    fn first_turn(&self, session: SessionId) -> Result<FirstTurn> {
        let select = format!("SELECT {EXCLUDED_TURN} FROM turns WHERE session = ?1 AND idx = 0");
        let is_excluded = self.db().first(&select, [session], |row| row.get(0))?;
        Ok(match is_excluded {
            None => FirstTurn::Unknown,
            Some(false) => FirstTurn::Stored,
            Some(true) => FirstTurn::Excluded,
        })
    }

    /// Deletes the titles that a file gives to messages of no turn of the index: the transcript of another session would
    /// reveal a forgotten one. To be called when all histories are read, since a title may come before its turn.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_unheld_titles(&mut self) -> Result<()> {
        self.begin()?;
        let delete = format!("DELETE FROM titles WHERE {UNHELD}");
        match self.db().execute(&delete, [])? {
            0 => Ok(()),
            _ => self.request_purge(),
        }
    }

    /// Deletes the titles of sessions of which `is_deleted` returns true, and those whose first turn is excluded, also
    /// where cursors hold them: their files are read again. Returns how many sessions had one.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_given_titles(
        &mut self,
        is_deleted: impl Fn(&GivenTitle) -> bool,
    ) -> Result<usize> {
        self.begin()?;
        let mut titles = self.reader.given_titles()?;
        titles.retain(is_deleted);
        titles.extend(self.reader.titles_without_first_turn()?);
        for GivenTitle { session, title } in &titles {
            self.delete_given_title(*session, title)?;
        }
        let sessions: BTreeSet<SessionId> = titles.iter().map(|given| given.session).collect();
        Ok(sessions.len())
    }

    fn delete_given_title(&mut self, session: SessionId, title: &str) -> Result<()> {
        self.request_purge()?;
        for delete in [
            "UPDATE sessions SET title = NULL WHERE id = ?1 AND title = ?2",
            "UPDATE sessions SET given_title = NULL WHERE id = ?1 AND given_title = ?2",
        ] {
            self.db().run(delete, params![session, title])?;
        }
        self.orphan_session_rows(session)?;
        self.bump_revision(session)?;
        self.index_title(session)?;
        let select = "SELECT file FROM sessions WHERE id = ?1";
        let file = self.db().single(select, [session], |row| row.get(0))?;
        self.delete_cursor(file)
    }

    /// Deletes the titles of which `is_deleted` returns true of those that a file gives to messages of others. Sessions keep
    /// what they were given.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_external_titles(&mut self, is_deleted: impl Fn(&str) -> bool) -> Result<()> {
        self.begin()?;
        let titles = self.reader.external_titles()?;
        for external in titles.iter().filter(|external| is_deleted(&external.title)) {
            self.request_purge()?;
            let delete = "DELETE FROM titles WHERE leaf = ?1";
            self.db().run(delete, [external.leaf])?;
        }
        Ok(())
    }

    /// Deletes the cursor of a file, so that it is read from its beginning.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_cursor(&mut self, file: FileId) -> Result<()> {
        self.begin()?;
        for change in [
            "DELETE FROM cursors WHERE file = ?1",
            "UPDATE files SET mtime_ns = 0, inode = 0 WHERE id = ?1 AND gone = 0",
        ] {
            self.db().run(change, [file])?;
        }
        Ok(())
    }
}
