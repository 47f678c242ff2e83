//! The hashes by which copies of a turn are found.

use crate::error::Result;
use crate::hash::text_hash;
use crate::id::TurnId;
use crate::reader::Reader;
use rusqlite::Row;
use session_core::Turn;

/// The dedup keys of a turn: two turns that share either may be copies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DedupKeys {
    /// Hash of the origin.
    pub origin: Option<i64>,
    /// Hash of the start time and the prompt, which is the same in every copy of a history, also where
    /// copies have new ids.
    pub prompt_time: Option<i64>,
}

impl DedupKeys {
    /// Returns the keys of a turn as a source delivers it.
    pub fn from_turn(turn: &Turn) -> Self {
        Self {
            origin: turn.origin.as_deref().map(text_hash),
            // An excluded turn has its start alone, by which it would be found.
            prompt_time: if turn.prompt.is_empty() && turn.parts.is_empty() {
                None
            } else {
                hash_prompt_time(turn.started_ms, &turn.prompt)
            },
        }
    }

    /// Reads the keys from a row that begins with `origin, prompt_time`.
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            origin: row.get(0)?,
            prompt_time: row.get(1)?,
        })
    }
}

impl Reader {
    /// Returns the dedup keys of a stored turn.
    ///
    /// # Errors
    /// When the database fails.
    pub fn dedup_keys(&self, turn: TurnId) -> Result<DedupKeys> {
        Ok(self.turn_hashes(turn)?.dedup_keys)
    }
}

/// Returns the hash of a turn's start time and prompt; none without a time.
pub(crate) fn hash_prompt_time(started_ms: Option<i64>, prompt: &str) -> Option<i64> {
    started_ms.map(|at| {
        let at = at.to_string();
        text_hash(&[at.as_str(), "\n", prompt].concat())
    })
}
