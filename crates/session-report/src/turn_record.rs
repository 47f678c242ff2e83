//! Turns of a session with their content, as the reports read them.

use session_core::TurnContent;
use session_store::{Reader, SessionId, StoreError, TurnRow};

/// A turn's row in the index together with its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnRecord {
    /// The turn's row in the index.
    pub row: TurnRow,
    /// The turn's prompt, answer and tool calls.
    pub content: TurnContent,
}

impl TurnRecord {
    /// Returns when the turn started, else when it ended, in milliseconds since 1970.
    pub(crate) fn timestamp_ms(&self) -> Option<i64> {
        self.row.started_ms.or(self.row.ended_ms)
    }
}

/// Reads the turns of a session from the index, in order.
///
/// # Errors
/// When the index fails.
pub fn read_turns(index: &Reader, session: SessionId) -> Result<Vec<TurnRecord>, StoreError> {
    let rows = index.turns(session)?.into_iter();
    let contents = index.contents(session)?.into_iter();
    let records = rows.zip(contents).filter(|(row, _)| !row.is_blank());
    Ok(records
        .map(|(row, stored)| TurnRecord {
            row,
            content: stored.content,
        })
        .collect())
}
