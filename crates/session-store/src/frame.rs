//! Compresses the contents of turns together, those of several sessions where they are short: a third smaller
//! than one by one, and with less waste on the database's pages.

use crate::codec::{compress, with_decompressed};
use crate::id::TurnId;
use crate::packed_content::PackedContent;
use rustc_hash::FxHashMap;
use session_core::TurnContent;
use std::io::{self, Read};
use std::ops::Range;

/// Bytes of JSON after which a frame takes no more turns: each hit unpacks one, in 0.04 ms. Twice as much would save
/// 6 %, and take three times as long, since it no longer fits a cache.
const FULL_BYTES: usize = 64 * 1024;

/// Most turns of a frame: one that claims more is damaged.
const MAX_TURNS: u32 = 1 << 28;

/// The contents of turns as JSON, by the turn's number.
///
/// On disk a zstd frame of the number of turns (`<u4`), each turn's number
/// (`<i8`) and length (`<u4`), and their JSON, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContentFrame {
    /// The length of each turn's JSON.
    turns: Vec<(TurnId, usize)>,
    /// The JSON of all turns, one after the other.
    json: Vec<u8>,
}

impl ContentFrame {
    /// Decompresses a packed frame; a damaged one has the contents before the damage.
    pub(crate) fn unpack(packed: &[u8]) -> Self {
        with_decompressed(packed, |raw| {
            let mut frame = Self::default();
            for (turn, json) in raw_entries(raw) {
                frame.push(turn, json);
            }
            frame
        })
    }

    pub(crate) fn pack(&self) -> io::Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(self.json.len() + 16 * (self.turns.len() + 1));
        raw.extend(length_u32(self.turns.len())?.to_le_bytes());
        for (turn, length) in &self.turns {
            raw.extend(i64::from(*turn).to_le_bytes());
            raw.extend(length_u32(*length)?.to_le_bytes());
        }
        raw.extend(&self.json);
        compress(&raw)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.json.len() >= FULL_BYTES
    }

    pub(crate) fn get(&self, turn: TurnId) -> Option<TurnContent> {
        let (_, place) = self.place(turn)?;
        self.json.get(place).map(parse_content)
    }

    /// Inserts the content of a turn, or replaces it.
    pub(crate) fn insert(&mut self, turn: TurnId, json: &[u8]) {
        self.remove(turn);
        self.push(turn, json);
    }

    fn push(&mut self, turn: TurnId, json: &[u8]) {
        self.turns.push((turn, json.len()));
        self.json.extend_from_slice(json);
    }

    pub(crate) fn remove(&mut self, turn: TurnId) {
        if let Some((at, place)) = self.place(turn) {
            self.turns.remove(at);
            self.json.drain(place);
        }
    }

    /// Returns the number of a turn in the frame, and the place of its JSON.
    fn place(&self, turn: TurnId) -> Option<(usize, Range<usize>)> {
        let at = self.turns.iter().position(|(number, _)| *number == turn)?;
        let (before, rest) = self.turns.split_at(at);
        let start: usize = before.iter().map(|(_, length)| length).sum();
        let (_, length) = rest.first()?;
        Some((at, start..start + length))
    }
}

/// Returns the contents of turns from a decompressed frame, in order; one is empty where it is damaged or missing.
pub(crate) fn raw_contents(raw: &[u8], turns: impl Iterator<Item = TurnId>) -> Vec<TurnContent> {
    let entries = raw_entries(raw);
    turns.map(|turn| entry_content(&entries, turn)).collect()
}

/// Returns the JSON of each turn of a decompressed frame; of a damaged one what lies before the damage.
fn raw_entries(raw: &[u8]) -> Vec<(TurnId, &[u8])> {
    let mut from = raw;
    let turns = read_directory(&mut from).unwrap_or_default();
    let entries = turns.into_iter().map_while(|(turn, length)| {
        let (json, rest) = from.split_at_checked(length as usize)?;
        from = rest;
        Some((turn, json))
    });
    entries.collect()
}

/// Returns those of the turns of a packed frame whose contents are damaged or missing.
pub(crate) fn damaged_turns(packed: &[u8], turns: &[TurnId]) -> Vec<TurnId> {
    with_decompressed(packed, |raw| {
        let entries: FxHashMap<TurnId, &[u8]> = raw_entries(raw).into_iter().collect();
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

/// Returns a content as a frame holds it.
pub(crate) fn content_json(content: &TurnContent) -> io::Result<Vec<u8>> {
    let mut json =
        Vec::with_capacity(content.prompt.len() + content.answer.len() + SMALL_JSON_BYTES);
    serde_json::to_writer(&mut json, &PackedContent::from(content))?;
    Ok(json)
}

/// Bytes of JSON of a small content beside its prompt and answer, about.
const SMALL_JSON_BYTES: usize = 256;

fn entry_content(entries: &[(TurnId, &[u8])], turn: TurnId) -> TurnContent {
    let found = entries.iter().find(|(number, _)| *number == turn);
    found.map_or_else(TurnContent::default, |(_, json)| parse_content(json))
}

/// Reads the numbers of a frame's turns and the bytes of JSON of each.
fn read_directory(from: &mut impl Read) -> io::Result<Vec<(TurnId, u32)>> {
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    let count = u32::from_le_bytes(count);
    if count > MAX_TURNS {
        return Err(io::ErrorKind::InvalidData.into());
    }
    (0..count).map(|_| read_entry(from)).collect()
}

fn read_entry(from: &mut impl Read) -> io::Result<(TurnId, u32)> {
    let (mut turn, mut length) = ([0; 8], [0; 4]);
    from.read_exact(&mut turn)?;
    from.read_exact(&mut length)?;
    Ok((
        TurnId::new(i64::from_le_bytes(turn)),
        u32::from_le_bytes(length),
    ))
}

/// Reads a content as a frame holds it; an empty one where it is damaged.
pub(crate) fn parse_content(json: &[u8]) -> TurnContent {
    let packed: PackedContent<'_> = serde_json::from_slice(json).unwrap_or_default();
    packed.into()
}

fn length_u32(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::ErrorKind::InvalidInput.into())
}
