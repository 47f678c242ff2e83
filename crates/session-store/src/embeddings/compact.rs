//! Compacts matrices: drops the rows that no turn or session has any more.

use crate::embeddings::matrix::MatrixAppenders;
use crate::error::Result;
use crate::model::{DocumentKind, ModelRow};
use crate::writer::Writer;
use rusqlite::params;

/// A matrix is rewritten when more than a quarter of it is dead, and at least
/// this many rows.
const MIN_DEAD_ROWS: usize = 512;

impl Writer {
    /// Rewrites matrices with many dead rows as a new generation, switched in
    /// one commit. What was written before is committed first.
    ///
    /// # Errors
    /// When the disk or the database fails; the old generation stays then.
    pub fn compact(&mut self, fingerprint: &str) -> Result<()> {
        self.commit()?;
        let Some(model) = self.reader.model(fingerprint)? else {
            return Ok(());
        };
        for kind in DocumentKind::ALL {
            let dead = self.reader.noted_dead_rows(model.id, kind)?;
            if dead >= MIN_DEAD_ROWS && dead * 4 > model.rows(kind) {
                self.rewrite_matrix(&model, kind)?;
            }
        }
        self.commit()
    }

    pub(crate) fn rewrite_matrix(&mut self, model: &ModelRow, kind: DocumentKind) -> Result<()> {
        self.begin()?;
        let old = self.reader.matrix(model, kind)?;
        let next = model.next_generation(kind);
        let mut new = MatrixAppenders::default();
        let live = self.reader.live_rows(model, kind)?;
        for row in &live {
            let row = old.row_bytes(usize::try_from(*row).unwrap_or(usize::MAX));
            new.append_row(self.reader.root(), &next, kind, row)?;
        }
        new.flush()?;
        self.move_rows(model, kind, &live)?;
        let update = format!(
            "UPDATE models SET {0}_rows = ?2, {0}_dead = 0, {0}_generation = {0}_generation + 1 WHERE id = ?1",
            kind.name()
        );
        let rows = live.len().cast_signed() as i64;
        self.db().execute(&update, params![model.id, rows])?;
        self.matrices.has_new_generation = true;
        match self.reader.model(&model.fingerprint)? {
            Some(rewritten) => self.note_checksum(&rewritten, kind),
            None => Ok(()),
        }
    }

    /// Gives the rows of a matrix their new numbers: positions in the list of those that are left.
    fn move_rows(&mut self, model: &ModelRow, kind: DocumentKind, live: &[u64]) -> Result<()> {
        self.abandon_series()?;
        self.delete_owner_blocks(model.id, kind)?;
        for session in self.reader.sessions_with_vectors(model.id)? {
            let mut entries = self.reader.vector_entries(model, session)?;
            for entry in entries.iter_mut().filter(|e| e.row.kind == kind) {
                let row = live.partition_point(|row| *row < entry.row.index);
                entry.row.index = row as u64;
                self.set_owner_of_row(model.id, session, entry)?;
            }
            self.write_vector_entries(model.id, session, &entries)?;
        }
        if model.finds_texts {
            self.insert_all_texts(model)
        } else {
            Ok(())
        }
    }
}
