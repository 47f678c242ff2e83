//! Reads turns of a session together with their contents.

use crate::error::Result;
use crate::frames::contents::TurnFrame;
use crate::id::SessionId;
use crate::reader::Reader;
use crate::row::{TURN_COLUMNS, TurnRow, turn_row};
use session_core::TurnContent;

/// A turn's row in the index together with its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnRecord {
    /// The turn's row in the index.
    pub row: TurnRow,
    /// The turn's prompt, answer and tool calls; empty where they are damaged.
    pub content: TurnContent,
}

impl Reader {
    /// Reads the turns of a session whose rows `is_wanted` accepts, in order, each with its content. Contents of other
    /// turns are not read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turn_records(
        &self,
        session: SessionId,
        mut is_wanted: impl FnMut(&TurnRow) -> bool,
    ) -> Result<Vec<TurnRecord>> {
        let query =
            format!("SELECT {TURN_COLUMNS}, frame FROM turns WHERE session = ?1 ORDER BY idx");
        let mut find = self.db.prepare_cached(&query)?;
        let mut found = find.query([session])?;
        let (mut rows, mut frames) = (Vec::new(), Vec::new());
        while let Some(columns) = found.next()? {
            let row = turn_row(columns)?;
            if is_wanted(&row) {
                frames.push(TurnFrame {
                    turn: row.id,
                    frame: columns.get("frame")?,
                });
                rows.push(row);
            }
        }
        // One content for each turn, whatever its frame holds.
        let contents = self.contents_of(&frames)?.into_iter();
        let records = rows.into_iter().zip(contents);
        Ok(records
            .map(|(row, stored)| TurnRecord {
                row,
                content: stored.content,
            })
            .collect())
    }
}
