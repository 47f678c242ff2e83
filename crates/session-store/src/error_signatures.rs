//! Stores the signatures of errors, by which the turns that met one are found.

use crate::error::Result;
use crate::id::{SessionTurn, TurnId};
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use session_core::ErrorSignature;

impl Reader {
    /// Returns the turns in which a command failed with an error of this signature, by number. Copies are
    /// left out.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turns_with_error(&self, signature: ErrorSignature) -> Result<Vec<SessionTurn>> {
        let select = "SELECT t.id, t.session FROM error_signatures e JOIN turns t ON t.id = e.turn
             WHERE e.signature = ?1 ORDER BY t.id";
        self.db
            .rows(select, [signature.number()], SessionTurn::from_row)
    }
}

impl Writer {
    /// Stores the signatures of a turn's errors.
    pub(crate) fn insert_error_signatures(
        &mut self,
        turn: TurnId,
        signatures: &[ErrorSignature],
    ) -> Result<()> {
        for signature in signatures {
            let insert = "INSERT OR IGNORE INTO error_signatures(signature, turn) VALUES(?1, ?2)";
            self.db().run(insert, params![signature.number(), turn])?;
        }
        Ok(())
    }

    /// Deletes the signatures of a turn's errors.
    pub(crate) fn delete_error_signatures(&mut self, turn: TurnId) -> Result<()> {
        self.db()
            .run("DELETE FROM error_signatures WHERE turn = ?1", [turn])
    }
}
