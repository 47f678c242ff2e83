//! The state that a reader keeps from one line to the next, and from one read
//! to the next.

use super::calls::TurnCalls;
use super::fingerprint;
use super::queue::PromptQueue;
use super::reply::ReplyBlocks;
use super::session_facts::SessionFacts;
use crate::{Cursor, file};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

const VERSION: u32 = 3;
/// Bytes before the cursor that must be the same for it to hold.
const TAIL: u64 = 4096;
/// Lines whose repetition is noticed. It is part of each file's cursor.
pub(super) const SEEN: usize = 24;

/// All that the next line needs to know of those before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TranscriptState {
    /// Index of the next turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub next: u32,
    #[serde(rename = "standing", default, skip_serializing_if = "is_default")]
    pub turn_state: TurnState,
    /// Count of turns up to the last read's end, those of prompts that waited there included.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivered: u32,
    /// Offset of the summary that came before the first turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub preface: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub seen: SeenIds,
    #[serde(default, skip_serializing_if = "is_default")]
    pub reply: ReplyBlocks,
    #[serde(default, skip_serializing_if = "is_default")]
    pub calls: TurnCalls,
    /// Greatest time of the turn at hand.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: Option<i64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue: PromptQueue,
    #[serde(default, skip_serializing_if = "is_default")]
    pub facts: SessionFacts,
}

/// True for what a cursor need not say.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether there is a turn that the next line belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TurnState {
    /// None yet.
    #[default]
    Before,
    /// The turn `next - 1`.
    Open,
    /// A warm-up, of which nothing is told.
    Muted,
}

/// The last messages' ids, to tell lines that are written twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenIds(Vec<u64>);

impl SeenIds {
    /// True when the id was there already.
    pub(super) fn repeats(&mut self, uuid: &str) -> bool {
        let id = fingerprint(uuid);
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

/// A state with the place in the file that it belongs to: what a cursor says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CursorState<S = TranscriptState> {
    version: u32,
    /// Everything before is done.
    pub offset: u64,
    /// Hash of the bytes just before.
    tail: String,
    pub state: S,
}

impl<S: Serialize + DeserializeOwned> CursorState<S> {
    /// Marks a place of a file.
    pub(super) fn at(path: &Path, offset: u64, state: S) -> io::Result<Self> {
        Ok(Self {
            version: VERSION,
            offset,
            tail: tail(path, offset)?,
            state,
        })
    }

    /// Reads a cursor's state, if the file is unchanged up to its offset.
    pub(super) fn from_cursor(cursor: &Cursor, path: &Path) -> Option<Self> {
        Self::parse(cursor).filter(|mark| mark.matches_file(path))
    }

    /// Reads a cursor's state, whatever the file is now.
    pub(super) fn parse(cursor: &Cursor) -> Option<Self> {
        let mark: Self = serde_json::from_str(&cursor.0).ok()?;
        (mark.version == VERSION).then_some(mark)
    }

    /// True when the file is still what it was up to the offset.
    pub(super) fn matches_file(&self, path: &Path) -> bool {
        tail(path, self.offset).is_ok_and(|tail| tail == self.tail)
    }

    pub(super) fn cursor(&self) -> Cursor {
        Cursor(serde_json::to_string(self).unwrap_or_default())
    }
}

/// Hash of the last bytes before an offset; an error when the file is shorter.
fn tail(path: &Path, offset: u64) -> io::Result<String> {
    let from = offset.saturating_sub(TAIL);
    let mut bytes = vec![0; usize::try_from(offset - from).unwrap_or_default()];
    let mut file = file::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(&mut bytes)?;
    Ok(blake3::hash(&bytes).to_hex().as_str()[..16].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cursors lie in every index: a key that changes would be read as its default.
    #[test]
    fn a_cursor_of_an_earlier_version_is_read_as_it_was_meant() {
        let cursor = r#"{"version":3,"offset":7,"tail":"t","state":{"next":2,"standing":"Open","delivered":2,"seen":[1],
            "facts":{"cwd":"/home/ann","custom_title":"Lamp"}}}"#;
        let read = CursorState::<TranscriptState>::parse(&Cursor(cursor.into())).unwrap();
        assert_eq!((read.state.next, read.state.delivered), (2, 2));
        assert_eq!(read.state.turn_state, TurnState::Open);
        let compact: String = cursor.split_whitespace().collect();
        assert_eq!(read.cursor().0.replace(' ', ""), compact);
    }
}
