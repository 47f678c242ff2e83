//! Turns as reports read them.

use session_core::{PromptKind, TurnContent};
use session_store::{Reader, StoreError, TurnRow};

/// A turn with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Number of its session in the index.
    pub session: i64,
    /// Position in the session, from 0.
    pub index: u32,
    /// Who wrote the prompt.
    pub kind: PromptKind,
    /// Time it began, milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// Greatest time met in it.
    pub ended_ms: Option<i64>,
    /// Git branch at the time.
    pub branch: Option<String>,
    /// Another turn holds it already.
    pub is_copy: bool,
    /// What it says and did.
    pub content: TurnContent,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            session: 0,
            index: 0,
            kind: PromptKind::None,
            started_ms: None,
            ended_ms: None,
            branch: None,
            is_copy: false,
            content: TurnContent::default(),
        }
    }
}

impl Told {
    fn of(row: TurnRow, content: TurnContent) -> Self {
        Self {
            session: row.session,
            index: row.index,
            kind: row.kind,
            started_ms: row.started_ms,
            ended_ms: row.ended_ms,
            branch: row.branch,
            is_copy: row.owner.is_some(),
            content,
        }
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
        .map(|(row, (_, content))| Told::of(row, content))
        .collect())
}
