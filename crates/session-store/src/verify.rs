//! Checks whether an index is whole.

use crate::error::{Result, StoreError};
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::{Level, ModelRow};
use crate::reader::Reader;
use std::path::Path;

/// How often an index is verified in which another process rewrites matrices meanwhile.
const MAX_ATTEMPTS: usize = 4;

impl Reader {
    /// Opens a snapshot of the index and verifies it. Another process may have replaced a matrix since the snapshot: the
    /// next one sees the new one.
    ///
    /// # Errors
    /// As [`Reader::open`] and [`Reader::verify`].
    pub fn open_verified(root: &Path) -> Result<Self> {
        let open = || {
            let index = Self::open(root)?;
            index.snapshot()?;
            index.verify().map(|()| index)
        };
        let mut opened = open();
        for _ in 1..MAX_ATTEMPTS {
            match opened {
                Err(error) if error.needs_rebuild() => opened = open(),
                _ => break,
            }
        }
        opened
    }

    /// Checks the database's own structure, that each session and turn is in the blocks that queries read, and that every
    /// row of every matrix is a unit vector.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] with what was found.
    pub fn verify(&self) -> Result<()> {
        self.verify_database()?;
        self.verify_blocks()?;
        let models = self.models()?;
        models.iter().try_for_each(|m| self.verify_matrices(m))
    }

    /// Checks the database's own structure.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] with what was found.
    pub fn verify_database(&self) -> Result<()> {
        let found: String = self
            .db
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            let first = found.lines().next().unwrap_or_default();
            return Err(self.corrupt(format!("the database check says `{first}`")));
        }
        Ok(())
    }

    /// Returns the models of which a matrix is missing or damaged.
    ///
    /// # Errors
    /// When the database fails.
    pub fn models_with_damaged_vectors(&self) -> Result<Vec<ModelId>> {
        let mut damaged = Vec::new();
        for model in self.models()? {
            match self.verify_matrices(&model) {
                Err(error) if error.needs_rebuild() => damaged.push(model.id),
                other => other?,
            }
        }
        Ok(damaged)
    }

    /// Returns the models of which a matrix is missing, cut off, or another file. Rows are not looked at.
    ///
    /// # Errors
    /// When the database or the disk fails; [`StoreError::Corrupt`] as of [`Reader::has_lost_matrix`].
    pub fn models_with_lost_matrices(&self) -> Result<Vec<ModelId>> {
        let mut lost = Vec::new();
        for model in self.models()? {
            if self.has_lost_matrix(&model)? {
                lost.push(model.id);
            }
        }
        Ok(lost)
    }

    /// Returns true where a matrix of a model is missing, cut off, or another file.
    ///
    /// # Errors
    /// When the disk fails. [`StoreError::Corrupt`] where another process has replaced the matrix since this snapshot: the
    /// next one has it.
    pub fn has_lost_matrix(&self, model: &ModelRow) -> Result<bool> {
        let mut matrices = Level::ALL
            .into_iter()
            .map(|level| self.matrix(model, level));
        match matrices.find_map(|matrix| matrix.err()) {
            None => Ok(false),
            Some(error @ StoreError::Corrupt { .. }) => match self.is_current_model(model)? {
                true => Ok(true),
                false => Err(error),
            },
            Some(error) => Err(error),
        }
    }

    /// Returns true where a model's matrices are of the same generation for who opens the index now.
    fn is_current_model(&self, model: &ModelRow) -> Result<bool> {
        let now = Self::open(self.root())?.model(&model.fingerprint)?;
        let generations = |model: &ModelRow| Level::ALL.map(|level| model.generation(level));
        Ok(now.is_some_and(|now| generations(&now) == generations(model)))
    }

    /// Compares blocks with the rows that they repeat.
    fn verify_blocks(&self) -> Result<()> {
        let found = self.sessions()?.len();
        let wanted = self.count_sessions()?;
        if found != wanted {
            return Err(self.corrupt(format!("{found} of {wanted} sessions are in its blocks")));
        }
        let columns = self.turn_columns()?;
        let mut turns = self.db.prepare("SELECT id, session FROM turns")?;
        let mut turns = turns.query([])?;
        while let Some(row) = turns.next()? {
            let (turn, session): (TurnId, SessionId) = (row.get(0)?, row.get(1)?);
            if columns.session_of(turn) != Some(session) {
                return Err(self.corrupt("a turn is missing in its blocks".to_owned()));
            }
        }
        Ok(())
    }

    fn verify_matrices(&self, model: &ModelRow) -> Result<()> {
        for level in Level::ALL {
            if let Some(row) = self.matrix(model, level)?.first_damaged_row() {
                let name = level.name();
                return Err(self.corrupt(format!(
                    "row {row} of the {name} vectors of `{}`",
                    model.name
                )));
            }
        }
        Ok(())
    }
}
