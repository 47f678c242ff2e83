//! How much of each turn is code.

use crate::error::Result;
use crate::reader::Reader;
use crate::writer::Writer;
use rusqlite::params;
use session_core::{TurnContent, code_share};

impl Writer {
    /// Keeps how much of a turn is code: nothing where that is less than a hundredth.
    pub(crate) fn put_code(&self, turn: i64, content: &TurnContent) -> Result<()> {
        #[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
        let percent = (code_share(content) * 100.0).round() as i64;
        if percent == 0 {
            return Ok(());
        }
        self.db
            .prepare_cached("INSERT OR REPLACE INTO code(turn, share) VALUES(?1, ?2)")?
            .execute(params![turn, percent])?;
        Ok(())
    }

    pub(crate) fn drop_code(&self, turn: i64) -> Result<()> {
        self.db
            .prepare_cached("DELETE FROM code WHERE turn = ?1")?
            .execute([turn])?;
        Ok(())
    }
}

impl Reader {
    /// The turns that hold code, each with the part of it that is, 0 to 1.
    ///
    /// # Errors
    /// When the database fails.
    pub fn code_shares(&self) -> Result<Vec<(i64, f32)>> {
        let mut find = self
            .db
            .prepare_cached("SELECT turn, share / 100.0 FROM code")?;
        let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
