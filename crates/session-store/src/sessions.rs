//! Writes sessions: their metadata, and titles that other files give them.

use crate::copied_sessions::HELD_ELSEWHERE;
use crate::error::Result;
use crate::file_session::{FileSession, TitledSession};
use crate::given_titles::{ExternalTitle, GivenTitle, format_without_first_turn};
use crate::hash::text_hash;
use crate::id::{FileId, SessionId, TurnId};
use crate::new_session::NewSession;
use crate::replacement::SessionReplacement;
use crate::row::{GONE, PROMPTS_ONLY, UNNAMED_FORK};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use session_core::{KnownTurns, SessionMeta};
use std::collections::BTreeMap;

impl Writer {
    /// Opens a session for its turns, or brings its metadata up to date, and returns its number.
    ///
    /// A session of which only prompts were known, or that left another file which is still there,
    /// becomes the one that its transcript tells: its turns are replaced. Where they are, what is left over at the next
    /// checkpoint is treated as [`UndeliveredTurns`](crate::UndeliveredTurns) says.
    ///
    /// # Errors
    /// When the database fails.
    pub fn open_session(
        &mut self,
        file: FileId,
        source: &str,
        meta: &SessionMeta,
        turns: KnownTurns,
    ) -> Result<SessionId> {
        self.begin()?;
        let opened = FileSession { file, source, meta };
        let is_adopted = self.adopt_session(opened)?;
        let TitledSession { id, title } = self.upsert_session(opened)?;
        if self
            .session_progress
            .replacing
            .is_some_and(|r| r.session != id)
        {
            self.finish_replacement()?;
        }
        if is_adopted || turns.are_replaced() {
            if !self.session_progress.new_session.is_without_turns(id) {
                self.clear_derived_fields(id)?;
            }
            self.session_progress.replacing = Some(SessionReplacement::new(id));
            self.session_progress.replaced_title = title;
        }
        Ok(id)
    }

    /// Returns the project of a session that [`Writer::open_session`] would update, where it is known to have the same
    /// working directory.
    ///
    /// # Errors
    /// When the database fails.
    pub fn known_project(
        &self,
        file: FileId,
        source: &str,
        meta: &SessionMeta,
    ) -> Result<Option<String>> {
        let db = self.db();
        let opened = FileSession { file, source, meta };
        let known = match opened.find_known(db)? {
            Some(known) => Some(known.id),
            None => opened.find_adoptable(db)?,
        };
        let select = "SELECT project FROM sessions WHERE id = ?1 AND cwd = ?2";
        let project = db.first(select, params![known, meta.cwd], |row| row.get(0))?;
        Ok(project.flatten())
    }

    /// Clears what was derived from a session's turns, which are about to be read again.
    fn clear_derived_fields(&mut self, session: SessionId) -> Result<()> {
        self.clear_first_prompt(session)?;
        let update = "UPDATE sessions SET started_ms = NULL, ended_ms = NULL WHERE id = ?1";
        self.db().run(update, [session])
    }

    /// Brings the row of a session up to date, or inserts it. Returns it with the title that it had.
    fn upsert_session(&mut self, opened: FileSession<'_>) -> Result<TitledSession> {
        let meta = opened.meta;
        let known = opened.find_known(self.db())?;
        let TitledSession { id, title } = match known {
            Some(known) => known,
            None => TitledSession {
                id: self.insert_session(opened)?,
                title: None,
            },
        };
        let update = "UPDATE sessions SET parent = ?2, title = ?3, cwd = coalesce(?4, cwd),
               project = CASE WHEN ?4 IS NULL THEN coalesce(?5, project) ELSE ?5 END,
               branch = ?6, forked_from = ?7, gone = ?8 WHERE id = ?1";
        self.db().run(
            update,
            params![
                id,
                meta.parent,
                meta.title,
                meta.cwd,
                meta.project,
                meta.branch,
                meta.forked_from,
                gone_bits(meta),
            ],
        )?;
        self.session_progress.owner_ranks.get_mut().clear();
        if title != meta.title {
            self.bump_revision(id)?;
            self.index_title(id)?;
        }
        Ok(TitledSession { id, title })
    }

    fn insert_session(&mut self, opened: FileSession<'_>) -> Result<SessionId> {
        // A number is not given again: who embeds beside this writer knows a session by it.
        let insert = "INSERT INTO sessions(id, file, source, uid) VALUES(max(
               coalesce((SELECT max(id) + 1 FROM sessions), 1),
               coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE key = 'next_session'), 1)
             ), ?1, ?2, ?3)";
        let FileSession { file, source, meta } = opened;
        let values = params![file, source, meta.id];
        let id = SessionId::new(self.db().insert(insert, values)?);
        self.note_changed(id)?;
        self.session_progress.new_session = NewSession::new(id);
        Ok(id)
    }

    /// Increments a session's revision, so that its vectors are out of date.
    pub(crate) fn bump_revision(&self, session: SessionId) -> Result<()> {
        let update = "UPDATE sessions SET revision = revision + 1 WHERE id = ?1";
        self.db().run(update, [session])?;
        self.note_changed(session)
    }

    /// Marks a session of this file that its history no longer holds: what was
    /// indexed stays, unless the agent has moved it to another file.
    ///
    /// # Errors
    /// When the database fails.
    pub fn mark_session_gone(&mut self, file: FileId, uid: &str) -> Result<()> {
        self.begin()?;
        if let Some(moved) = self.find_moved(file, uid)? {
            return self.delete_moved_session(moved);
        }
        let update =
            format!("UPDATE sessions SET gone = gone | {GONE} WHERE file = ?1 AND uid = ?2");
        self.db().run(&update, params![file, uid])
    }

    /// Returns the number of a session of this file that the history of another file holds.
    fn find_moved(&self, file: FileId, uid: &str) -> Result<Option<SessionId>> {
        let select = format!(
            "SELECT s.id FROM sessions s {HELD_ELSEWHERE} WHERE s.file = ?1 AND s.uid = ?3"
        );
        let values = params![file, GONE | PROMPTS_ONLY, uid];
        self.db().first(&select, values, |row| row.get(0))
    }

    /// Gives a title to the session that holds message `leaf`, now or when it
    /// comes. The session's own title in its history goes before it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn store_external_title(&mut self, leaf: &str, title: &str) -> Result<()> {
        self.begin()?;
        let insert = "INSERT OR REPLACE INTO titles(leaf, title) VALUES(?1, ?2)";
        self.db().run(insert, params![text_hash(leaf), title])
    }

    /// Joins titles that came from other files to their sessions. To be called
    /// before a commit that follows new turns or titles.
    ///
    /// # Errors
    /// When the database fails.
    pub fn apply_external_titles(&mut self) -> Result<()> {
        self.begin()?;
        for GivenTitle { session, title } in self.new_external_titles()? {
            self.db().run(
                "UPDATE sessions SET given_title = ?2 WHERE id = ?1",
                params![session, title],
            )?;
            self.bump_revision(session)?;
            self.index_title(session)?;
        }
        Ok(())
    }

    /// Returns the sessions whose last titled message has another title than they have.
    fn new_external_titles(&self) -> Result<Vec<GivenTitle>> {
        let mut last: BTreeMap<SessionId, TitledTurn> = BTreeMap::new();
        for ExternalTitle { leaf, title } in self.reader.external_titles()? {
            for turn in self.pending.turn_keys.find(self.db(), leaf)? {
                let Some(titled) = self.titled_turn(turn, leaf, &title)? else {
                    continue;
                };
                match last.get_mut(&titled.session) {
                    Some(before) if before.index > titled.index => {}
                    Some(before) => *before = titled,
                    None => drop(last.insert(titled.session, titled)),
                }
            }
        }
        let changed = last.into_values().filter(|titled| titled.is_new);
        let title = |TitledTurn { session, title, .. }| GivenTitle { session, title };
        Ok(changed.map(title).collect())
    }

    /// Returns a turn that ends with message `leaf`, is no copy, and whose session has its first turn and no title of its own.
    fn titled_turn(&self, turn: TurnId, leaf: i64, title: &str) -> Result<Option<TitledTurn>> {
        let without_first_turn = format_without_first_turn();
        let select = format!(
            "SELECT s.id, u.idx, s.given_title IS NOT ?3 FROM turns u JOIN sessions s ON s.id = u.session
             WHERE u.id = ?1 AND u.leaf = ?2 AND u.owner IS NULL AND s.title IS NULL AND NOT {without_first_turn}"
        );
        self.db().first(&select, params![turn, leaf, title], |row| {
            Ok(TitledTurn {
                session: row.get(0)?,
                index: row.get(1)?,
                title: title.to_owned(),
                is_new: row.get(2)?,
            })
        })
    }
}

/// A turn whose last message has a title in another file.
struct TitledTurn {
    session: SessionId,
    index: u32,
    title: String,
    /// Its session has another title, or none.
    is_new: bool,
}

/// Returns the bits of `sessions.gone` of a session that its history holds.
fn gone_bits(meta: &SessionMeta) -> i64 {
    let prompts_only = if meta.prompts_only { PROMPTS_ONLY } else { 0 };
    let unnamed_fork = if meta.is_unnamed_fork {
        UNNAMED_FORK
    } else {
        0
    };
    prompts_only | unnamed_fork
}
