//! Finds the sessions that models have yet to embed.
//!
//! `models.complete` says that a model has embedded all sessions but for those in `changed_sessions`: to look at each
//! session takes longer than to list its file.

use crate::error::Result;
use crate::id::{ModelId, SessionId};
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::Row;

/// A session whose current revision none of the given models has embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PendingSession {
    /// Number of the session.
    pub session: SessionId,
    /// Revision of the session when it was read.
    pub revision: i64,
    /// Its turns, copies included: about as many texts.
    pub turns: u32,
}

/// Returns SQL that selects the rows of `embedded` for the current revision of
/// the session `s` by any of these models.
fn embedded_at_revision_sql(models: &[ModelId]) -> String {
    format!(
        "SELECT 1 FROM embedded e WHERE e.model IN ({}) AND e.session = s.id AND e.revision = s.revision",
        sql_list(models)
    )
}

/// Returns the models as a list in SQL.
fn sql_list(models: &[ModelId]) -> String {
    let models: Vec<String> = models.iter().map(ModelId::to_string).collect();
    models.join(",")
}

fn pending_session(row: &Row<'_>) -> rusqlite::Result<PendingSession> {
    Ok(PendingSession {
        session: row.get(0)?,
        revision: row.get(1)?,
        turns: row.get(2)?,
    })
}

impl Reader {
    /// Returns the sessions whose current revision none of these models has embedded,
    /// newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub fn pending_sessions(&self, models: &[ModelId]) -> Result<Vec<PendingSession>> {
        let select = format!(
            "SELECT s.id, s.revision, s.turns FROM {} WHERE NOT EXISTS ({}) ORDER BY s.ended_ms DESC, s.id DESC",
            self.candidates_sql(models)?,
            embedded_at_revision_sql(models)
        );
        self.db.rows(&select, [], pending_session)
    }

    /// Returns a session with its current revision.
    pub(crate) fn pending_session(&self, id: SessionId) -> Result<Option<PendingSession>> {
        let select = "SELECT id, revision, turns FROM sessions WHERE id = ?1";
        self.db.first(select, [id], pending_session)
    }

    /// Returns true when a session's current revision is embedded by none of these models.
    ///
    /// # Errors
    /// When the database fails.
    pub fn has_pending_sessions(&self, models: &[ModelId]) -> Result<bool> {
        let select = format!(
            "SELECT EXISTS(SELECT 1 FROM {} WHERE NOT EXISTS ({}))",
            self.candidates_sql(models)?,
            embedded_at_revision_sql(models)
        );
        self.db.single(&select, [], |row| row.get(0))
    }

    /// Returns SQL for the sessions `s` that may not be embedded by these models.
    fn candidates_sql(&self, models: &[ModelId]) -> Result<&'static str> {
        let select = format!(
            "SELECT EXISTS(SELECT 1 FROM models WHERE complete AND id IN ({}))",
            sql_list(models)
        );
        Ok(if self.db.single(&select, [], |row| row.get(0))? {
            "changed_sessions c CROSS JOIN sessions s ON s.id = c.session"
        } else {
            "sessions s"
        })
    }
}

impl Writer {
    /// Notes that a model has embedded all sessions, where it has; returns whether it has.
    ///
    /// # Errors
    /// When the database fails.
    pub fn note_if_complete(&mut self, model: ModelId) -> Result<bool> {
        self.begin()?;
        let is_complete = !self.reader.has_pending_sessions(&[model])?;
        if is_complete {
            let update = "UPDATE models SET complete = 1 WHERE id = ?1 AND NOT complete";
            self.db().run(update, [model])?;
            self.delete_embedded_changes()?;
        }
        Ok(is_complete)
    }

    /// Deletes from `changed_sessions` those that all models have embedded that are noted as complete.
    fn delete_embedded_changes(&self) -> Result<()> {
        let delete = "DELETE FROM changed_sessions WHERE NOT EXISTS (
             SELECT 1 FROM models m JOIN sessions s ON s.id = changed_sessions.session
             WHERE m.complete AND NOT EXISTS (
               SELECT 1 FROM embedded e WHERE e.model = m.id AND e.session = s.id AND e.revision = s.revision))";
        self.session_progress.noted_session.set(None);
        self.db().run(delete, [])
    }

    /// Notes that a session may be pending by any model. To be called with each change of a session's
    /// revision.
    pub(crate) fn note_changed(&self, session: SessionId) -> Result<()> {
        if self.session_progress.noted_session.replace(Some(session)) != Some(session) {
            let insert = "INSERT OR IGNORE INTO changed_sessions(session) VALUES(?1)";
            self.db().run(insert, [session])?;
        }
        Ok(())
    }
}
