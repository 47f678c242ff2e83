//! Checks whether an index is whole.

use crate::error::Result;
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::{Level, ModelRow};
use crate::reader::Reader;

impl Reader {
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
