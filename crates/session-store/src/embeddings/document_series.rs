//! Stores the documents of sessions: their vectors, and to which session each row belongs.

use crate::embeddings::vector_entries::{MatrixRow, VectorEntry};
use crate::embeddings::vectors::{DocumentExtent, DocumentRow, DocumentVector, EmbeddedDocument};
use crate::error::Result;
use crate::id::{ModelId, SessionId};
use crate::model::{DocumentKind, ModelRow};
use crate::pending_sessions::PendingSession;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The documents of a session, which may come in slices.
pub(crate) struct DocumentSeries {
    model: ModelRow,
    pending: PendingSession,
    /// Rows from before the first slice that no document so far has, by kind and hash of their text, the first one last.
    old: FxHashMap<(DocumentKind, i64), Vec<VectorEntry>>,
    /// Rows of the documents so far.
    current: Vec<VectorEntry>,
    /// The rows with the session's vectors, by the hashes of their texts.
    rows_by_hash: FxHashMap<i64, MatrixRow>,
    all_stored: bool,
}

impl DocumentSeries {
    fn new(model: ModelRow, pending: PendingSession, stored: Vec<VectorEntry>) -> Self {
        let rows = stored.iter().map(|entry| (entry.hash, entry.row));
        let mut series = Self {
            model,
            pending,
            rows_by_hash: rows.collect(),
            old: FxHashMap::default(),
            current: Vec::new(),
            all_stored: true,
        };
        for entry in stored.into_iter().rev() {
            let key = (entry.row.kind, entry.hash);
            series.old.entry(key).or_default().push(entry);
        }
        series
    }

    pub(crate) fn is_of_session(&self, session: SessionId) -> bool {
        self.pending.session == session
    }

    fn is_of(&self, model: ModelId, pending: PendingSession) -> bool {
        (self.model.id, self.pending) == (model, pending)
    }

    /// Takes the old row of a document.
    fn take_old(&mut self, document: &DocumentRow) -> Option<VectorEntry> {
        let key = (document.kind(), document.hash);
        self.old.get_mut(&key).and_then(Vec::pop)
    }

    fn keep(&mut self, entry: VectorEntry) {
        self.rows_by_hash.insert(entry.hash, entry.row);
        self.current.push(entry);
    }

    fn old(&self) -> impl Iterator<Item = &VectorEntry> {
        self.old.values().flatten()
    }

    /// Returns the rows of the session as they are now, in order.
    fn entries(&self) -> Vec<VectorEntry> {
        let mut entries: Vec<VectorEntry> =
            self.current.iter().chain(self.old()).copied().collect();
        entries.sort_unstable_by_key(|entry| entry.row);
        entries
    }
}

impl Writer {
    /// Stores the documents of a session with their vectors. Nothing is stored when the session's revision has
    /// changed since it was read: it is still pending.
    ///
    /// # Errors
    /// When the disk or the database fails.
    pub fn store_documents(
        &mut self,
        model: &ModelRow,
        pending: PendingSession,
        documents: &[EmbeddedDocument],
        extent: DocumentExtent,
    ) -> Result<()> {
        let row = |EmbeddedDocument { document, vector }: &EmbeddedDocument| {
            DocumentRow::new(document.turn, &document.text, vector.as_deref())
        };
        let rows: Vec<DocumentRow> = documents.iter().map(row).collect();
        self.store_rows(model, pending, &rows, extent)
    }

    /// Stores documents as [`Writer::store_documents`] does.
    pub(crate) fn store_rows<'d>(
        &mut self,
        model: &ModelRow,
        pending: PendingSession,
        documents: impl IntoIterator<Item = &'d DocumentRow>,
        extent: DocumentExtent,
    ) -> Result<()> {
        self.begin()?;
        let stored = self.store_in_series(model, pending, documents, extent);
        self.note_failure(stored)
    }

    fn store_in_series<'d>(
        &mut self,
        model: &ModelRow,
        pending: PendingSession,
        documents: impl IntoIterator<Item = &'d DocumentRow>,
        extent: DocumentExtent,
    ) -> Result<()> {
        if !self.is_at_revision(pending)? {
            return Ok(());
        }
        // The caller's row may be from before a commit: its row count would truncate the file.
        let Some(model) = self.reader.model(&model.fingerprint)? else {
            return Ok(());
        };
        let mut series = self.series(model, pending)?;
        for document in documents {
            series.all_stored &= self.store_document(&mut series, document)?;
        }
        if extent == DocumentExtent::Complete && series.all_stored {
            self.finish_session(&mut series)?;
        }
        let model = series.model.id;
        self.write_vector_entries(model, pending.session, &series.entries())?;
        self.matrices.series = (extent == DocumentExtent::Slice).then_some(series);
        DocumentKind::ALL
            .iter()
            .try_for_each(|kind| self.update_row_count(model, *kind))
    }

    /// Returns the series that goes on, or begins one.
    fn series(&mut self, model: ModelRow, pending: PendingSession) -> Result<DocumentSeries> {
        match self.matrices.series.take() {
            Some(series) if series.is_of(model.id, pending) => {
                Ok(DocumentSeries { model, ..series })
            }
            _ => {
                let stored = self.reader.vector_entries(&model, pending.session)?;
                Ok(DocumentSeries::new(model, pending, stored))
            }
        }
    }

    /// Gives up the session whose documents are stored in slices, as rows get other numbers: it is to be embedded again.
    pub(crate) fn abandon_series(&mut self) -> Result<()> {
        match self.matrices.series.take() {
            Some(series) => self.bump_revision(series.pending.session),
            None => Ok(()),
        }
    }

    /// Returns true when a session still has the revision that was read.
    fn is_at_revision(&self, pending: PendingSession) -> Result<bool> {
        let select = "SELECT revision FROM sessions WHERE id = ?1";
        let revision: Option<i64> = self
            .db()
            .first(select, [pending.session], |row| row.get(0))?;
        Ok(revision == Some(pending.revision))
    }

    /// Stores a document; returns false when its vector was to be copied and is no longer stored.
    fn store_document(
        &mut self,
        series: &mut DocumentSeries,
        document: &DocumentRow,
    ) -> Result<bool> {
        let old = series.take_old(document);
        let entry = match old {
            Some(old) => VectorEntry {
                turn: document.turn,
                ..old
            },
            None => {
                let row = match &document.vector {
                    DocumentVector::Zero => return Ok(true),
                    DocumentVector::Quantized(row) => Cow::Borrowed(row),
                    DocumentVector::Stored => match self.read_stored_row(series, document.hash)? {
                        Some(row) => Cow::Owned(row),
                        None => return Ok(false),
                    },
                };
                self.append_row(&series.model, document, &row)?
            }
        };
        series.keep(entry);
        if old != Some(entry) {
            self.set_owner_of_row(series.model.id, series.pending.session, &entry)?;
        }
        Ok(true)
    }

    /// Appends a document's vector to its matrix.
    fn append_row(
        &mut self,
        model: &ModelRow,
        document: &DocumentRow,
        row: &[u8],
    ) -> Result<VectorEntry> {
        let root = self.reader.root().to_owned();
        let kind = document.kind();
        let index = self
            .matrices
            .appenders
            .append_row(&root, model, kind, row)?;
        let entry = VectorEntry {
            row: MatrixRow { kind, index },
            turn: document.turn,
            hash: document.hash,
        };
        if model.finds_texts {
            self.insert_text(model.id, &entry)?;
        }
        Ok(entry)
    }

    /// Reads the vector of a text as it is stored, committed or appended since.
    fn read_stored_row(&mut self, series: &DocumentSeries, hash: i64) -> Result<Option<Vec<u8>>> {
        let model = &series.model;
        let row = match series.rows_by_hash.get(&hash) {
            Some(row) => Some(*row),
            None => self.reader.find_text(model.id, hash)?,
        };
        let Some(MatrixRow { kind, index }) = row else {
            return Ok(None);
        };
        let root = self.reader.root().to_owned();
        self.matrices
            .appenders
            .read_row(&root, model, kind, index)
            .map(Some)
    }

    /// Orphans the rows that remain of a session's old documents and marks it as embedded.
    fn finish_session(&mut self, series: &mut DocumentSeries) -> Result<()> {
        let DocumentSeries { model, pending, .. } = series;
        let (model, pending) = (model.id, *pending);
        for entry in std::mem::take(&mut series.old).values().flatten() {
            self.orphan_row(model, pending.session, entry)?;
        }
        let insert = "INSERT OR REPLACE INTO embedded(model, session, revision) VALUES(?1, ?2, ?3)";
        self.db()
            .run(insert, params![model, pending.session, pending.revision])
    }
}
