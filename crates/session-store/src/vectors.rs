//! Which row of a matrix stands for which turn or session.

use crate::content::hash;
use crate::error::Result;
use crate::model::{Level, ModelId, ModelRow};
use crate::reader::Reader;
use crate::writer::Writer;
use rusqlite::{OptionalExtension, params};
use session_core::TurnContent;
use std::collections::HashMap;

/// A session whose vectors are not those of its present text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// Number of the session.
    pub session: i64,
    /// State of the session that was looked at.
    pub revision: i64,
    /// Its turns, copies included: about as many texts.
    pub turns: u32,
}

/// How much of a session is handed over to [`Writer::put_documents`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All documents: others that stood for the session no longer do, and the
    /// session is no longer pending.
    Whole,
    /// Some, for the work not to be lost: the session stays pending.
    Part,
}

/// Selects the rows of `embedded` that say of a session `s` that one of these
/// models has embedded it as it is now.
fn current_by(models: &[ModelId]) -> String {
    let models: Vec<String> = models.iter().map(ModelId::to_string).collect();
    format!(
        "SELECT 1 FROM embedded e WHERE e.model IN ({}) AND e.session = s.id AND e.revision = s.revision",
        models.join(",")
    )
}

/// A text to be found by its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What it stands for.
    pub level: Level,
    /// Number of the turn; 0 for a session's chunk.
    pub turn: i64,
    /// The text.
    pub text: String,
}

/// What a session's documents are made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionContents {
    /// Its title in the history.
    pub title: Option<String>,
    /// Its turns that are not copies, in order, with their numbers.
    pub turns: Vec<(i64, TurnContent)>,
}

/// The row of a matrix and what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Row.
    pub row: usize,
    /// Number of the session.
    pub session: i64,
    /// Number of the turn; 0 for a session's chunk.
    pub turn: i64,
}

impl Reader {
    /// Sessions that none of these models has embedded as they are now, newest
    /// first.
    ///
    /// # Errors
    /// When the database fails.
    pub fn pending(&self, models: &[ModelId]) -> Result<Vec<Pending>> {
        let mut find = self.db.prepare_cached(&format!(
            "SELECT s.id, s.revision, s.turns FROM sessions s
             WHERE NOT EXISTS ({}) ORDER BY s.ended_ms DESC, s.id DESC",
            current_by(models)
        ))?;
        let rows = find.query_map([], |row| {
            Ok(Pending {
                session: row.get(0)?,
                revision: row.get(1)?,
                turns: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// A session's title and the contents of its turns that are not copies, in
    /// order, with their numbers: what its documents are made of.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_contents(&self, session: i64) -> Result<SessionContents> {
        let mut title = self
            .db
            .prepare_cached("SELECT coalesce(title, given_title) FROM sessions WHERE id = ?1")?;
        let title = title
            .query_row([session], |row| row.get(0))
            .optional()?
            .flatten();
        let turns = self.own_contents(session)?;
        Ok(SessionContents { title, turns })
    }

    /// True when the index holds a vector of this text by this model.
    ///
    /// # Errors
    /// When the database fails.
    pub fn has_vector(&self, model: ModelId, text: &str) -> Result<bool> {
        Ok(self.vector_of(model, hash(text))?.is_some())
    }

    fn vector_of(&self, model: ModelId, hash: i64) -> Result<Option<(Level, u64)>> {
        let mut find = self.db.prepare_cached(
            "SELECT level, row FROM vectors WHERE model = ?1 AND hash = ?2 LIMIT 1",
        )?;
        let found = find.query_row(params![model, hash], |row| {
            let level = if row.get::<_, i64>(0)? == Level::Session.number() {
                Level::Session
            } else {
                Level::Turn
            };
            Ok((level, row.get::<_, i64>(1)?.cast_unsigned()))
        });
        Ok(found.optional()?)
    }

    /// What each row of a model's matrix stands for, by row; rows that stand
    /// for nothing are left out.
    ///
    /// # Errors
    /// When the database fails.
    pub fn owners(&self, model: ModelId, level: Level) -> Result<Vec<Owner>> {
        let mut find = self.db.prepare_cached(
            "SELECT row, session, turn FROM vectors WHERE model = ?1 AND level = ?2 ORDER BY row",
        )?;
        let rows = find.query_map(params![model, level.number()], |row| {
            Ok(Owner {
                row: row.get::<_, u32>(0)? as usize,
                session: row.get(1)?,
                turn: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Sessions that a model has embedded as they are now.
    ///
    /// # Errors
    /// When the database fails.
    pub fn embedded_sessions(&self, model: ModelId) -> Result<u64> {
        let mut count = self.db.prepare_cached(
            "SELECT count(*) FROM embedded e JOIN sessions s ON s.id = e.session
             WHERE e.model = ?1 AND e.revision = s.revision",
        )?;
        Ok(count
            .query_row([model], |row| row.get::<_, i64>(0))?
            .cast_unsigned())
    }
}

/// A row that a session has now.
struct Row {
    number: i64,
    turn: i64,
}

/// Rows by level and hash of their text.
type OldRows = HashMap<(i64, i64), Vec<Row>>;

impl Writer {
    /// Makes `documents` the ones that stand for a session. Each comes with its
    /// vector, or without one where [`Reader::has_vector`] said that the index
    /// has it. A zero vector stands for nothing and is left out. Where the
    /// session has changed since it was looked at, nothing is done: it is
    /// pending anyway.
    ///
    /// # Errors
    /// When the disk or the database fails.
    pub fn put_documents(
        &mut self,
        model: &ModelRow,
        pending: Pending,
        documents: &[(Document, Option<Vec<f32>>)],
        extent: Extent,
    ) -> Result<()> {
        self.begin()?;
        if !self.is_at(pending)? {
            return Ok(());
        }
        // The caller's row may be of before a commit; a file must not be cut to it.
        let Some(model) = &self.model(&model.fingerprint)? else {
            return Ok(());
        };
        let mut old = self.rows_of(model.id, pending.session)?;
        let mut all_there = true;
        for (document, vector) in documents {
            let hash = hash(&document.text);
            let same = old
                .get_mut(&(document.level.number(), hash))
                .and_then(Vec::pop);
            all_there &= match same {
                Some(row) => self.keep_row(model.id, document, &row).map(|()| true)?,
                None => self.add_row(model, pending.session, document, hash, vector.as_deref())?,
            };
        }
        Level::ALL
            .iter()
            .try_for_each(|level| self.save_rows(model.id, *level))?;
        match extent {
            Extent::Whole if all_there => self.finish(model.id, pending, &old),
            Extent::Whole | Extent::Part => Ok(()),
        }
    }

    /// True when a session is as it was when it was looked at.
    fn is_at(&self, pending: Pending) -> Result<bool> {
        let mut find = self
            .db
            .prepare_cached("SELECT revision FROM sessions WHERE id = ?1")?;
        let revision: Option<i64> = find
            .query_row([pending.session], |row| row.get(0))
            .optional()?;
        Ok(revision == Some(pending.revision))
    }

    /// Lets go of what no longer stands for a session, which is done with that.
    fn finish(&self, model: ModelId, pending: Pending, old: &OldRows) -> Result<()> {
        for ((level, _), rows) in old {
            rows.iter()
                .try_for_each(|row| self.let_go(model, *level, row))?;
        }
        self.db
            .prepare_cached(
                "INSERT OR REPLACE INTO embedded(model, session, revision) VALUES(?1, ?2, ?3)",
            )?
            .execute(params![model, pending.session, pending.revision])?;
        Ok(())
    }

    /// Takes a row from its session. Until the commit it still lends its vector
    /// to other sessions: their callers may have been told that it is there.
    fn let_go(&self, model: ModelId, level: i64, row: &Row) -> Result<()> {
        self.db
            .prepare_cached(
                "UPDATE vectors SET session = 0 WHERE model = ?1 AND level = ?2 AND row = ?3",
            )?
            .execute(params![model, level, row.number])?;
        Ok(())
    }

    /// Lets go of all that stands for a session, which no longer says a part of it.
    pub(crate) fn forget_vectors_of(&self, session: i64) -> Result<()> {
        self.db
            .prepare_cached("UPDATE vectors SET session = 0 WHERE session = ?1")?
            .execute([session])?;
        Ok(())
    }

    /// Forgets the rows that stand for nothing any more.
    pub(crate) fn drop_let_go(&self) -> Result<()> {
        self.db
            .prepare_cached("DELETE FROM vectors WHERE session = 0")?
            .execute([])?;
        Ok(())
    }

    fn rows_of(&self, model: ModelId, session: i64) -> Result<OldRows> {
        let mut find = self.db.prepare_cached(
            "SELECT level, hash, row, turn FROM vectors WHERE session = ?2 AND model = ?1 ORDER BY row DESC",
        )?;
        let mut found = OldRows::new();
        let mut rows = find.query([model, session])?;
        while let Some(row) = rows.next()? {
            let entry = found.entry((row.get(0)?, row.get(1)?)).or_default();
            entry.push(Row {
                number: row.get(2)?,
                turn: row.get(3)?,
            });
        }
        Ok(found)
    }

    fn keep_row(&self, model: ModelId, document: &Document, row: &Row) -> Result<()> {
        if row.turn != document.turn {
            self.db
                .prepare_cached(
                    "UPDATE vectors SET turn = ?4 WHERE model = ?1 AND level = ?2 AND row = ?3",
                )?
                .execute(params![
                    model,
                    document.level.number(),
                    row.number,
                    document.turn
                ])?;
        }
        Ok(())
    }

    /// False when a vector that was said to be there has gone meanwhile.
    fn add_row(
        &mut self,
        model: &ModelRow,
        session: i64,
        document: &Document,
        hash: i64,
        vector: Option<&[f32]>,
    ) -> Result<bool> {
        let copied;
        let vector = match vector {
            Some(vector) => vector,
            None => match self.copy_of(model, hash)? {
                Some(vector) => {
                    copied = vector;
                    &copied
                }
                None => return Ok(false),
            },
        };
        if vector.iter().all(|x| *x == 0.0) {
            return Ok(true);
        }
        let root = self.root().to_owned();
        let row = self.appends.push(&root, model, document.level, vector)?;
        self.db
            .prepare_cached("INSERT INTO vectors(model, level, row, session, turn, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![model.id, document.level.number(), row.cast_signed(), session, document.turn, hash])?;
        Ok(true)
    }

    /// The vector of a text that the index has: committed, or appended since.
    fn copy_of(&mut self, model: &ModelRow, hash: i64) -> Result<Option<Vec<f32>>> {
        let Some((level, row)) = self.vector_of(model.id, hash)? else {
            return Ok(None);
        };
        let root = self.root().to_owned();
        self.appends.read(&root, model, level, row).map(Some)
    }
}
