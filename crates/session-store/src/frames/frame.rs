//! Compresses the contents of turns together, those of several sessions where they are short: a third smaller
//! than one by one, and with less waste on the database's pages.

use crate::frames::codec::{compress, with_decompressed};
use crate::frames::contents::StoredContent;
use crate::frames::packed_content::PackedContent;
use crate::id::TurnId;
use rustc_hash::FxHashMap;
use session_core::TurnContent;
use std::io::{self, Read};
use std::ops::Range;

/// Bytes of JSON after which a frame takes no more turns: each turn that a query reads unpacks one. Frames of 64 KiB would
/// save 6 % of an index, and take a seventh of a query's time instead of a twentieth.
const FULL_BYTES: usize = 16 * 1024;

/// Most turns of a frame: one that claims more is damaged.
const MAX_TURNS: u32 = 1 << 28;

/// The contents of turns as JSON, by the turn's number.
///
/// On disk a zstd frame of the number of turns (`<u4`), each turn's number
/// (`<i8`) and length (`<u4`), and their JSON, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContentFrame {
    entries: Vec<FrameEntry>,
    /// The JSON of all turns, one after the other.
    json: Vec<u8>,
}

/// A turn of a frame.
#[derive(Debug, Clone, Copy)]
struct FrameEntry {
    turn: TurnId,
    /// Bytes of its JSON.
    length: usize,
}

/// A turn of a decompressed frame, with its JSON.
struct RawEntry<'r> {
    turn: TurnId,
    json: &'r [u8],
}

/// The position of a turn in a frame.
struct EntryPosition {
    /// Its index among the entries.
    index: usize,
    /// Where its JSON lies.
    json: Range<usize>,
}

impl ContentFrame {
    /// Decompresses a packed frame; a damaged one has the contents before the damage.
    pub(crate) fn unpack(packed: &[u8]) -> Self {
        with_decompressed(packed, |raw| {
            let mut frame = Self::default();
            for RawEntry { turn, json } in raw_entries(raw) {
                frame.push(turn, json);
            }
            frame
        })
    }

    pub(crate) fn pack(&self) -> io::Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(self.json.len() + 16 * (self.entries.len() + 1));
        raw.extend(length_u32(self.entries.len())?.to_le_bytes());
        for entry in &self.entries {
            raw.extend(i64::from(entry.turn).to_le_bytes());
            raw.extend(length_u32(entry.length)?.to_le_bytes());
        }
        raw.extend(&self.json);
        compress(&raw)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.json.len() >= FULL_BYTES
    }

    pub(crate) fn get(&self, turn: TurnId) -> Option<TurnContent> {
        let position = self.find(turn)?;
        self.json.get(position.json).map(parse_content)
    }

    /// Inserts the content of a turn, or replaces it.
    pub(crate) fn insert(&mut self, turn: TurnId, json: &[u8]) {
        self.remove(turn);
        self.push(turn, json);
    }

    fn push(&mut self, turn: TurnId, json: &[u8]) {
        let length = json.len();
        self.entries.push(FrameEntry { turn, length });
        self.json.extend_from_slice(json);
    }

    pub(crate) fn remove(&mut self, turn: TurnId) {
        if let Some(position) = self.find(turn) {
            self.entries.remove(position.index);
            self.json.drain(position.json);
        }
    }

    fn find(&self, turn: TurnId) -> Option<EntryPosition> {
        let index = self.entries.iter().position(|entry| entry.turn == turn)?;
        let (before, rest) = self.entries.split_at(index);
        let start: usize = before.iter().map(|entry| entry.length).sum();
        let end = start + rest.first()?.length;
        Some(EntryPosition {
            index,
            json: start..end,
        })
    }
}

/// Returns the contents of turns from a decompressed frame, in order. A content that is damaged or missing is empty.
pub(crate) fn raw_contents(raw: &[u8], turns: &[TurnId]) -> Vec<StoredContent> {
    let entries = raw_entries(raw);
    let stored = |turn: &TurnId| StoredContent {
        turn: *turn,
        content: entry_content(&entries, *turn),
    };
    turns.iter().map(stored).collect()
}

/// Returns the JSON of each turn of a decompressed frame; of a damaged one what lies before the damage.
fn raw_entries(raw: &[u8]) -> Vec<RawEntry<'_>> {
    let mut from = raw;
    let entries = read_directory(&mut from).unwrap_or_default();
    let entries = entries.into_iter().map_while(|entry| {
        let (json, rest) = from.split_at_checked(entry.length)?;
        from = rest;
        Some(RawEntry {
            turn: entry.turn,
            json,
        })
    });
    entries.collect()
}

/// Returns those of the turns of a packed frame whose contents are damaged or missing.
pub(crate) fn damaged_turns(packed: &[u8], turns: &[TurnId]) -> Vec<TurnId> {
    with_decompressed(packed, |raw| {
        let entries = raw_entries(raw).into_iter();
        let entries: FxHashMap<TurnId, &[u8]> = entries.map(|e| (e.turn, e.json)).collect();
        let is_whole = |turn: &TurnId| {
            let json = entries.get(turn);
            json.is_some_and(|json| serde_json::from_slice::<PackedContent<'_>>(json).is_ok())
        };
        turns
            .iter()
            .copied()
            .filter(|turn| !is_whole(turn))
            .collect()
    })
}

/// Returns the contents of all turns of a packed frame, but for damaged ones.
pub(crate) fn whole_contents(packed: &[u8]) -> Vec<StoredContent> {
    with_decompressed(packed, |raw| {
        let entries = raw_entries(raw).into_iter();
        let whole = entries.filter_map(|RawEntry { turn, json }| {
            let content: PackedContent<'_> = serde_json::from_slice(json).ok()?;
            Some(StoredContent {
                turn,
                content: content.into(),
            })
        });
        whole.collect()
    })
}

/// Returns a content as a frame holds it.
pub(crate) fn content_json(content: &TurnContent) -> io::Result<Vec<u8>> {
    let mut json =
        Vec::with_capacity(content.prompt.len() + content.answer.len() + SMALL_JSON_BYTES);
    serde_json::to_writer(&mut json, &PackedContent::from(content))?;
    Ok(json)
}

/// Bytes of JSON of a small content beside its prompt and answer, about.
const SMALL_JSON_BYTES: usize = 256;

fn entry_content(entries: &[RawEntry<'_>], turn: TurnId) -> TurnContent {
    let found = entries.iter().find(|entry| entry.turn == turn);
    found.map_or_else(TurnContent::default, |entry| parse_content(entry.json))
}

/// Reads the numbers of a frame's turns and the bytes of JSON of each.
fn read_directory(from: &mut impl Read) -> io::Result<Vec<FrameEntry>> {
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    let count = u32::from_le_bytes(count);
    if count > MAX_TURNS {
        return Err(io::ErrorKind::InvalidData.into());
    }
    (0..count).map(|_| read_entry(from)).collect()
}

fn read_entry(from: &mut impl Read) -> io::Result<FrameEntry> {
    let (mut turn, mut length) = ([0; 8], [0; 4]);
    from.read_exact(&mut turn)?;
    from.read_exact(&mut length)?;
    Ok(FrameEntry {
        turn: TurnId::new(i64::from_le_bytes(turn)),
        length: u32::from_le_bytes(length) as usize,
    })
}

/// Reads a content as a frame holds it; an empty one where it is damaged.
pub(crate) fn parse_content(json: &[u8]) -> TurnContent {
    let packed: PackedContent<'_> = serde_json::from_slice(json).unwrap_or_default();
    packed.into()
}

fn length_u32(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::ErrorKind::InvalidInput.into())
}
