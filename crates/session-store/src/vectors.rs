//! Maps rows of the matrices to turns and sessions, and finds the sessions to embed.

use crate::codec::text_hash;
use crate::error::Result;
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::{Level, ModelRow, text_index};
use crate::pending_sessions::PendingSession;
use crate::quantized_row::quantize_row;
use crate::reader::Reader;
use crate::writer::Writer;
use rusqlite::{OptionalExtension, Row, params};
use session_core::TurnContent;
use std::borrow::Cow;
use std::collections::HashMap;

/// Says whether all documents of a session are passed to [`Writer::store_documents`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentBatch {
    /// All documents: other rows of the session become orphans, and the session
    /// is no longer pending.
    Complete,
    /// Some documents, so that a kill loses less work: the session stays pending.
    Partial,
    /// Documents that no other part has, of a session of which all come in parts, one after the other, the last as
    /// [`DocumentBatch::Complete`].
    Part,
}

/// A text that is embedded as one vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Number of the turn; `None` for a chunk of the session.
    pub turn: Option<TurnId>,
    /// The text.
    pub text: String,
}

/// A document as it is stored: its turn, the hash of its text and its vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentRow {
    pub(crate) turn: Option<TurnId>,
    /// Hash of the text.
    hash: i64,
    pub(crate) vector: DocumentVector,
}

/// The vector of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DocumentVector {
    /// As a matrix holds it.
    Quantized(Vec<u8>),
    /// All zeros, which is not stored.
    Zero,
    /// That of the same text, to be copied.
    Stored,
}

impl DocumentVector {
    /// Returns the bytes that it takes beside its own size.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Quantized(row) => row.len(),
            Self::Zero | Self::Stored => 0,
        }
    }
}

impl DocumentRow {
    /// Makes what is stored of a text; without a vector that of the same text is copied.
    pub(crate) fn new(turn: Option<TurnId>, text: &str, vector: Option<&[f32]>) -> Self {
        Self {
            turn,
            hash: text_hash(text),
            vector: match vector {
                Some(vector) if vector.iter().all(|x| *x == 0.0) => DocumentVector::Zero,
                Some(vector) => DocumentVector::Quantized(quantize_row(vector)),
                None => DocumentVector::Stored,
            },
        }
    }

    /// Returns the level of the matrix that holds its vector.
    fn level(&self) -> Level {
        match self.turn {
            None => Level::Session,
            Some(_) => Level::Turn,
        }
    }
}

/// The title and the contents of turns from which a session's documents are built.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionContents {
    /// Its title in the history.
    pub title: Option<String>,
    /// Its turns that are not copies, in order, with their numbers.
    pub turns: Vec<(TurnId, TurnContent)>,
}

impl Reader {
    /// Returns a session's title and the contents of its turns that are not copies,
    /// in order, with their numbers.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_contents(&self, session: SessionId) -> Result<SessionContents> {
        let title = self.session_title(session)?;
        let turns = self.contents_without_copies(session)?;
        Ok(SessionContents { title, turns })
    }

    /// Returns a session's title in its history.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_title(&self, session: SessionId) -> Result<Option<String>> {
        let mut title = self
            .db
            .prepare_cached("SELECT coalesce(title, given_title) FROM sessions WHERE id = ?1")?;
        let title = title.query_row([session], |row| row.get(0));
        Ok(title.optional()?.flatten())
    }

    /// Returns true when the index holds a vector of this text by this model in this session, or in any where the model's
    /// [texts are indexed](Writer::index_texts).
    ///
    /// # Errors
    /// When the database fails.
    pub fn has_vector(&self, model: &ModelRow, session: SessionId, text: &str) -> Result<bool> {
        let found = self.find_vector(model, session, text_hash(text))?;
        Ok(found.is_some())
    }

    fn find_vector(
        &self,
        model: &ModelRow,
        session: SessionId,
        hash: i64,
    ) -> Result<Option<VectorPosition>> {
        let mut find = self.db.prepare_cached(
            "SELECT level, row FROM vectors WHERE session = ?1 AND hash = ?2 AND model = ?3 LIMIT 1",
        )?;
        let found = find.query_row(params![session, hash, model.id], VectorPosition::from_row);
        match found.optional()? {
            None if model.finds_texts => self.find_vector_in_all(model.id, hash),
            found => Ok(found),
        }
    }

    fn find_vector_in_all(&self, model: ModelId, hash: i64) -> Result<Option<VectorPosition>> {
        // The index is for one model, whose number the statement has to name.
        let select = format!(
            "SELECT level, row FROM vectors INDEXED BY {} WHERE model = {model} AND hash = ?1 LIMIT 1",
            text_index(model)
        );
        let mut find = self.db.prepare_cached(&select)?;
        let found = find.query_row([hash], VectorPosition::from_row);
        Ok(found.optional()?)
    }

    /// Returns the number of dead rows of a model's matrix as deletions have noted it: to count them takes 10 ms of a
    /// million.
    pub(crate) fn noted_dead_rows(&self, model: ModelId, level: Level) -> Result<usize> {
        let select = format!("SELECT {}_dead FROM models WHERE id = ?1", level.name());
        let mut find = self.db.prepare_cached(&select)?;
        let dead: i64 = find.query_row([model], |row| row.get(0))?;
        Ok(usize::try_from(dead).unwrap_or_default())
    }

    /// Counts the rows of a model's matrix that belong to no turn or session any more: for a purge, which does not
    /// rely on what was noted.
    pub(crate) fn count_dead_rows(&self, model: &ModelRow, level: Level) -> Result<usize> {
        let live = self.vector_owners(model.id, level)?.count();
        Ok(model.rows(level).saturating_sub(live))
    }

    /// Counts the sessions whose current revision a model has embedded.
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

/// Returns the value of `vectors.turn`: 0 for a chunk of the session.
fn turn_to_db(turn: Option<TurnId>) -> TurnId {
    turn.unwrap_or_default()
}

/// Returns the turn of a value of `vectors.turn`.
fn turn_from_db(turn: TurnId) -> Option<TurnId> {
    Some(turn).filter(|turn| *turn != TurnId::default())
}

/// Where a vector is stored: a matrix and its row, from 0.
struct VectorPosition {
    level: Level,
    row: u64,
}

impl VectorPosition {
    /// Reads a row of `level, row`.
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number: i64 = row.get(0)?;
        let is_session = number == Level::Session.number();
        Ok(Self {
            level: if is_session {
                Level::Session
            } else {
                Level::Turn
            },
            row: row.get::<_, i64>(1)?.cast_unsigned(),
        })
    }
}

/// A row of a matrix that belongs to a session.
struct StoredRow {
    number: i64,
    turn: Option<TurnId>,
}

/// The rows of a session by level and hash of their text.
type StoredRows = HashMap<(i64, i64), Vec<StoredRow>>;

/// A session whose documents come in parts.
pub(crate) struct DocumentSeries {
    model: ModelId,
    pending: PendingSession,
    /// Rows from before the first part that no document so far has.
    old: StoredRows,
    all_stored: bool,
}

impl DocumentSeries {
    fn is_of(&self, model: ModelId, pending: PendingSession) -> bool {
        (self.model, self.pending) == (model, pending)
    }
}

impl Writer {
    /// Stores the documents of a session with their vectors. A document has no vector
    /// where [`Reader::has_vector`] returned true; the stored one is copied. A zero
    /// vector is not stored. Nothing is stored when the session's revision has
    /// changed since it was read: it is still pending.
    ///
    /// # Errors
    /// When the disk or the database fails.
    pub fn store_documents(
        &mut self,
        model: &ModelRow,
        pending: PendingSession,
        documents: &[(Document, Option<Vec<f32>>)],
        extent: DocumentBatch,
    ) -> Result<()> {
        let rows: Vec<DocumentRow> = documents
            .iter()
            .map(|(document, vector)| {
                DocumentRow::new(document.turn, &document.text, vector.as_deref())
            })
            .collect();
        self.store_rows(model, pending, &rows, extent)
    }

    pub(crate) fn store_rows<'d>(
        &mut self,
        model: &ModelRow,
        pending: PendingSession,
        documents: impl IntoIterator<Item = &'d DocumentRow>,
        extent: DocumentBatch,
    ) -> Result<()> {
        self.begin()?;
        if !self.is_at_revision(pending)? {
            return Ok(());
        }
        // The caller's row may be from before a commit: its row count would truncate the file.
        let Some(model) = &self.reader.model(&model.fingerprint)? else {
            return Ok(());
        };
        let mut series = match self.document_series.take() {
            Some(series) if series.is_of(model.id, pending) => series,
            _ => DocumentSeries {
                model: model.id,
                pending,
                old: self.stored_rows(model.id, pending.session)?,
                all_stored: true,
            },
        };
        for document in documents {
            series.all_stored &=
                self.store_document(model, pending.session, document, &mut series.old)?;
        }
        Level::ALL
            .iter()
            .try_for_each(|level| self.update_row_count(model.id, *level))?;
        match extent {
            DocumentBatch::Complete if series.all_stored => {
                self.finish_session(model.id, pending, &series.old)
            }
            DocumentBatch::Part => {
                self.document_series = Some(series);
                Ok(())
            }
            DocumentBatch::Complete | DocumentBatch::Partial => Ok(()),
        }
    }

    /// Stores a document; returns false when its vector was to be copied and is no longer stored.
    fn store_document(
        &mut self,
        model: &ModelRow,
        session: SessionId,
        document: &DocumentRow,
        old: &mut StoredRows,
    ) -> Result<bool> {
        let same = old
            .get_mut(&(document.level().number(), document.hash))
            .and_then(Vec::pop);
        match same {
            Some(row) => self
                .update_row_turn(model.id, document, &row)
                .map(|()| true),
            None => self.append_document(model, session, document),
        }
    }

    /// Returns true when a session still has the revision that was read.
    fn is_at_revision(&self, pending: PendingSession) -> Result<bool> {
        let mut find = self
            .reader
            .db
            .prepare_cached("SELECT revision FROM sessions WHERE id = ?1")?;
        let revision: Option<i64> = find
            .query_row([pending.session], |row| row.get(0))
            .optional()?;
        Ok(revision == Some(pending.revision))
    }

    /// Orphans the rows that remain of a session's old documents and marks it as embedded.
    fn finish_session(
        &mut self,
        model: ModelId,
        pending: PendingSession,
        old: &StoredRows,
    ) -> Result<()> {
        for ((level, _), rows) in old {
            rows.iter()
                .try_for_each(|row| self.orphan_row(model, *level, row))?;
        }
        self.reader
            .db
            .prepare_cached(
                "INSERT OR REPLACE INTO embedded(model, session, revision) VALUES(?1, ?2, ?3)",
            )?
            .execute(params![model, pending.session, pending.revision])?;
        Ok(())
    }

    /// Orphans a row by setting its session to 0. Until the commit its vector can still
    /// be copied: [`Reader::has_vector`] may have returned true for its text.
    fn orphan_row(&mut self, model: ModelId, level: i64, row: &StoredRow) -> Result<()> {
        self.stale_owners.insert(model, level, row.number);
        self.reader
            .db
            .prepare_cached(
                "UPDATE vectors SET session = 0 WHERE model = ?1 AND level = ?2 AND row = ?3",
            )?
            .execute(params![model, level, row.number])?;
        Ok(())
    }

    /// Orphans all rows of a session, some of whose turns were deleted.
    pub(crate) fn orphan_session_rows(&mut self, session: SessionId) -> Result<()> {
        self.mark_owners_of_session(session)?;
        self.reader
            .db
            .prepare_cached("UPDATE vectors SET session = 0 WHERE session = ?1")?
            .execute([session])?;
        Ok(())
    }

    /// Deletes the rows of `vectors` that belong to no session, and notes how many.
    pub(crate) fn delete_orphans(&self) -> Result<()> {
        let note = "UPDATE models SET
               session_dead = session_dead + (SELECT count(*) FROM vectors v WHERE v.session = 0 AND v.model = models.id AND v.level = 0),
               turn_dead = turn_dead + (SELECT count(*) FROM vectors v WHERE v.session = 0 AND v.model = models.id AND v.level = 1)
             WHERE id IN (SELECT v.model FROM vectors v WHERE v.session = 0)";
        self.reader.db.prepare_cached(note)?.execute([])?;
        self.reader
            .db
            .prepare_cached("DELETE FROM vectors WHERE session = 0")?
            .execute([])?;
        Ok(())
    }

    fn stored_rows(&self, model: ModelId, session: SessionId) -> Result<StoredRows> {
        let mut find = self.reader.db.prepare_cached(
            // Without the name all rows of the model would be read.
            "SELECT level, hash, row, turn FROM vectors INDEXED BY vectors_session
             WHERE session = ?2 AND model = ?1 ORDER BY row DESC",
        )?;
        let mut found = StoredRows::new();
        let mut rows = find.query(params![model, session])?;
        while let Some(row) = rows.next()? {
            let entry = found.entry((row.get(0)?, row.get(1)?)).or_default();
            entry.push(StoredRow {
                number: row.get(2)?,
                turn: turn_from_db(row.get(3)?),
            });
        }
        Ok(found)
    }

    fn update_row_turn(
        &mut self,
        model: ModelId,
        document: &DocumentRow,
        row: &StoredRow,
    ) -> Result<()> {
        if row.turn != document.turn {
            self.stale_owners
                .insert(model, document.level().number(), row.number);
            self.reader
                .db
                .prepare_cached(
                    "UPDATE vectors SET turn = ?4 WHERE model = ?1 AND level = ?2 AND row = ?3",
                )?
                .execute(params![
                    model,
                    document.level().number(),
                    row.number,
                    turn_to_db(document.turn)
                ])?;
        }
        Ok(())
    }

    /// Appends a document's vector; returns false when it was to be copied and is no
    /// longer stored.
    fn append_document(
        &mut self,
        model: &ModelRow,
        session: SessionId,
        document: &DocumentRow,
    ) -> Result<bool> {
        let row = match &document.vector {
            DocumentVector::Zero => return Ok(true),
            DocumentVector::Quantized(row) => Cow::Borrowed(row),
            DocumentVector::Stored => match self.read_stored_row(model, session, document.hash)? {
                Some(row) => Cow::Owned(row),
                None => return Ok(false),
            },
        };
        let root = self.reader.root().to_owned();
        let row = self
            .appenders
            .append_row(&root, model, document.level(), &row)?;
        self.stale_owners
            .insert(model.id, document.level().number(), row.cast_signed());
        self.reader.db
            .prepare_cached("INSERT INTO vectors(model, level, row, session, turn, hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![model.id, document.level().number(), row.cast_signed(), session, turn_to_db(document.turn), document.hash])?;
        Ok(true)
    }

    /// Reads the vector of a text as it is stored, committed or appended since.
    fn read_stored_row(
        &mut self,
        model: &ModelRow,
        session: SessionId,
        hash: i64,
    ) -> Result<Option<Vec<u8>>> {
        let found = self.reader.find_vector(model, session, hash)?;
        let Some(VectorPosition { level, row }) = found else {
            return Ok(None);
        };
        let root = self.reader.root().to_owned();
        self.appenders.read_row(&root, model, level, row).map(Some)
    }
}
