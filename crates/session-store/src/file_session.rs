//! A session as a history file has it.

use crate::error::Result;
use crate::id::{FileId, SessionId};
use crate::row::{GONE, PROMPTS_ONLY};
use crate::sql::Statements;
use rusqlite::{Connection, params};
use session_core::SessionMeta;

/// A session that a file has, which the index may know.
#[derive(Clone, Copy)]
pub(crate) struct FileSession<'s> {
    pub(crate) file: FileId,
    pub(crate) source: &'s str,
    pub(crate) meta: &'s SessionMeta,
}

/// A session of a file with the title of its history.
pub(crate) struct TitledSession {
    pub(crate) id: SessionId,
    pub(crate) title: Option<String>,
}

impl FileSession<'_> {
    /// Finds it among the sessions of its file, by the agent's id.
    pub(crate) fn find_known(self, db: &Connection) -> Result<Option<TitledSession>> {
        let select = "SELECT id, title FROM sessions WHERE file = ?1 AND uid = ?2";
        db.first(select, params![self.file, self.meta.id], |row| {
            Ok(TitledSession {
                id: row.get(0)?,
                title: row.get(1)?,
            })
        })
    }

    /// Finds the session of a transcript of which only prompts were known, or that another file no longer
    /// holds: an agent may move its sessions from a tree of files to a database.
    pub(crate) fn find_adoptable(self, db: &Connection) -> Result<Option<SessionId>> {
        let Self { file, source, meta } = self;
        if meta.prompts_only {
            return Ok(None);
        }
        let select = "SELECT id FROM sessions s WHERE uid = ?2 AND source = ?3
               AND (gone & ?4 OR (gone & ?5 AND EXISTS (SELECT 1 FROM files f WHERE f.id = s.file AND NOT f.gone)))
               AND NOT EXISTS (SELECT 1 FROM sessions WHERE uid = ?2 AND file = ?1)
             ORDER BY gone & ?4 DESC LIMIT 1";
        let values = params![file, meta.id, source, PROMPTS_ONLY, GONE];
        db.first(select, values, |row| row.get(0))
    }
}
