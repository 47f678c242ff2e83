//! Compacts matrices: drops the rows that no turn or session has any more.

use crate::error::Result;
use crate::matrix::{MatrixAppenders, VectorMatrix};
use crate::model::{Level, ModelRow};
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
        for level in Level::ALL {
            let dead = self.reader.noted_dead_rows(model.id, level)?;
            if dead >= MIN_DEAD_ROWS && dead * 4 > model.rows(level) {
                self.rewrite_matrix(&model, level)?;
            }
        }
        self.commit()
    }

    pub(crate) fn rewrite_matrix(&mut self, model: &ModelRow, level: Level) -> Result<()> {
        self.begin()?;
        let old = self.reader.matrix(model, level)?;
        let next = model.next_generation(level);
        let mut new = MatrixAppenders::default();
        let owners = self.reader.vector_owners(model.id, level)?;
        for (row, owner) in owners.rows().enumerate() {
            self.move_row(&mut new, &next, level, &old, owner.row, row)?;
        }
        new.flush()?;
        let update = format!(
            "UPDATE models SET {0}_rows = ?2, {0}_dead = 0, {0}_generation = {0}_generation + 1 WHERE id = ?1",
            level.name()
        );
        self.reader.db.execute(
            &update,
            params![model.id, owners.count().cast_signed() as i64],
        )?;
        self.compacted = true;
        Ok(())
    }

    /// Rows only move towards the front, so a moved number is free.
    fn move_row(
        &mut self,
        new: &mut MatrixAppenders,
        model: &ModelRow,
        level: Level,
        old: &VectorMatrix,
        from: usize,
        to: usize,
    ) -> Result<()> {
        new.append_row(self.reader.root(), model, level, old.row_bytes(from))?;
        for row in [from, to] {
            self.stale_owners
                .insert(model.id, level.number(), row.cast_signed() as i64);
        }
        self.reader
            .db
            .prepare_cached(
                "UPDATE vectors SET row = ?4 WHERE model = ?1 AND level = ?2 AND row = ?3",
            )?
            .execute(params![
                model.id,
                level.number(),
                from.cast_signed() as i64,
                to.cast_signed() as i64
            ])?;
        Ok(())
    }
}
