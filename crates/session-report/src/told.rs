//! Turns as reports read them.

use session_core::TurnContent;
use session_store::{Reader, StoreError, TurnRow};

/// A turn with its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// The turn as the index has it.
    pub row: TurnRow,
    /// What it says and did.
    pub content: TurnContent,
}

impl Told {
    /// When it began, or else ended, milliseconds since 1970.
    pub(crate) fn at(&self) -> Option<i64> {
        self.row.started_ms.or(self.row.ended_ms)
    }
}

/// The turns of a session, in order.
///
/// # Errors
/// When the index fails.
pub fn turns(index: &Reader, session: i64) -> Result<Vec<Told>, StoreError> {
    let rows = index.turns(session)?.into_iter();
    let contents = index.contents(session)?.into_iter();
    let told = rows.zip(contents);
    Ok(told
        .map(|(row, (_, content))| Told { row, content })
        .collect())
}
