//! Cursors of files that grow: an offset, a hash of what stands before it, and the reader's state.

use crate::Cursor;
use crate::lines::{self, LineFiles, TAIL_BYTES, is_content_error};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;

/// Ids whose repetition is noticed. They are part of each file's cursor.
pub(crate) const SEEN: usize = 24;

/// Returns true for what a cursor need not say.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Hashes a text, an id or bytes, to compare them with others.
pub(crate) fn fingerprint(content: impl AsRef<[u8]>) -> u64 {
    let hash = blake3::hash(content.as_ref());
    u64::from_le_bytes(std::array::from_fn(|at| hash.as_bytes()[at]))
}

/// The last ids met, to find what is written twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenIds(Vec<u64>);

impl SeenIds {
    /// Notes an id, and returns true if it is one of the last 24.
    pub(crate) fn repeats(&mut self, id: &str) -> bool {
        let id = fingerprint(id);
        if self.0.contains(&id) {
            return true;
        }
        if self.0.len() == SEEN {
            self.0.remove(0);
        }
        self.0.push(id);
        false
    }
}

/// The state of a reader with the offset in the file that it belongs to: the content of a [`Cursor`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CursorState<S> {
    version: u32,
    /// Everything before is done.
    pub offset: u64,
    /// Hash of the bytes just before.
    tail: String,
    pub state: S,
}

impl<S: Serialize + DeserializeOwned> CursorState<S> {
    /// Makes the state for an offset of a file, and hashes the bytes before it. A cursor of another `version` is not
    /// resumed.
    pub(crate) fn read_at<'p>(
        files: impl Into<LineFiles<'p>>,
        version: u32,
        offset: u64,
        state: S,
    ) -> io::Result<Self> {
        let tail = read_tail(files.into(), offset)?;
        Ok(Self::after_bytes(&tail, version, offset, state))
    }

    /// Makes the state for an offset, from the bytes that were read before it.
    pub(crate) fn after_bytes(tail: &[u8], version: u32, offset: u64, state: S) -> Self {
        Self {
            version,
            offset,
            tail: hash_tail(tail),
            state,
        }
    }

    /// Reads the state of a cursor, if there is one and the file is unchanged up to its offset.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn resume<'p>(
        from: Option<&Cursor>,
        files: impl Into<LineFiles<'p>>,
        version: u32,
    ) -> io::Result<Option<Self>> {
        let Some(state) = from.and_then(|cursor| Self::parse(cursor, version)) else {
            return Ok(None);
        };
        let is_current = state.matches_file(files)?;
        Ok(is_current.then_some(state))
    }

    /// Reads a cursor's state, whatever the file is now.
    pub(crate) fn parse(cursor: &Cursor, version: u32) -> Option<Self> {
        let state: Self = serde_json::from_str(&cursor.0).ok()?;
        (state.version == version).then_some(state)
    }

    /// Returns a cursor whose state is changed by `redact`: the same where that changes nothing, an empty one for another
    /// version, from which no read goes on.
    pub(crate) fn redact(cursor: &Cursor, version: u32, redact: impl FnOnce(&mut S)) -> Cursor {
        let Some(mut state) = Self::parse(cursor, version) else {
            return Cursor::default();
        };
        let before = state.cursor();
        redact(&mut state.state);
        let after = state.cursor();
        if before == after {
            cursor.clone()
        } else {
            after
        }
    }

    /// Returns true when the file is still what it was up to the offset.
    ///
    /// # Errors
    /// When the file cannot be read, which tells nothing of its content.
    pub(crate) fn matches_file<'p>(&self, files: impl Into<LineFiles<'p>>) -> io::Result<bool> {
        match read_tail(files.into(), self.offset) {
            Err(error) if is_content_error(&error) => Ok(false),
            tail => Ok(hash_tail(&tail?) == self.tail),
        }
    }

    pub(crate) fn cursor(&self) -> Cursor {
        Cursor(serde_json::to_string(self).unwrap_or_default())
    }
}

/// Returns the last bytes before an offset; an error when the file is shorter.
fn read_tail(files: LineFiles<'_>, offset: u64) -> io::Result<Vec<u8>> {
    let from = offset.saturating_sub(TAIL_BYTES as u64);
    let mut bytes = vec![0; usize::try_from(offset - from).unwrap_or_default()];
    lines::open_at(files, from)?.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn hash_tail(tail: &[u8]) -> String {
    blake3::hash(tail).to_hex().as_str()[..16].to_owned()
}
