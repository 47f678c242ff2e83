//! Contents of one session's turns, compressed together: a fifth smaller than
//! one by one, and with less waste on the database's pages.

use crate::content::{deflate, inflate};
use session_core::TurnContent;
use std::io::{self, Read, sink};
use zstd::stream::read::Decoder;

/// Bytes of JSON after which a frame takes no more turns: a hit unpacks one.
const FULL: usize = 32 * 1024;

/// More turns or bytes than any frame has: what claims more is damaged.
const GREATEST: u32 = 1 << 28;

/// Turns' numbers with their contents as JSON.
///
/// On disk a zstd frame of the number of turns (`<u4`), each turn's number
/// (`<i8`) and length (`<u4`), and their JSON, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame(Vec<(i64, Vec<u8>)>);

impl Frame {
    /// What [`Frame::pack`] made. A damaged one gives what is whole before the
    /// damage.
    pub(crate) fn of(packed: &[u8]) -> Self {
        let raw = inflate(packed);
        let mut from = raw.as_slice();
        let turns = directory(&mut from).unwrap_or_default();
        let contents = turns.iter().map_while(|&(turn, length)| {
            let (json, rest) = from.split_at_checked(length as usize)?;
            from = rest;
            Some((turn, json.to_vec()))
        });
        Self(contents.collect())
    }

    pub(crate) fn pack(&self) -> io::Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(self.bytes() + 16 * (self.0.len() + 1));
        raw.extend(length(self.0.len())?.to_le_bytes());
        for (turn, json) in &self.0 {
            raw.extend(turn.to_le_bytes());
            raw.extend(length(json.len())?.to_le_bytes());
        }
        self.0.iter().for_each(|(_, json)| raw.extend(json));
        deflate(&raw)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes() >= FULL
    }

    pub(crate) fn get(&self, turn: i64) -> Option<TurnContent> {
        let (_, json) = self.0.iter().find(|(number, _)| *number == turn)?;
        Some(parse(json))
    }

    /// Adds a turn, or replaces it.
    pub(crate) fn put(&mut self, turn: i64, content: &TurnContent) -> io::Result<()> {
        let json = serde_json::to_vec(content)?;
        match self.0.iter_mut().find(|(number, _)| *number == turn) {
            Some((_, old)) => *old = json,
            None => self.0.push((turn, json)),
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, turn: i64) {
        self.0.retain(|(number, _)| *number != turn);
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(_, json)| json.len()).sum()
    }
}

/// One turn out of a packed frame, of which no more is unpacked than lies
/// before it. What is damaged or missing is empty: it costs itself.
pub(crate) fn content(packed: &[u8], turn: i64) -> TurnContent {
    find(packed, turn).unwrap_or_default()
}

fn find(packed: &[u8], turn: i64) -> io::Result<TurnContent> {
    let mut from = Decoder::with_buffer(packed)?;
    let turns = directory(&mut from)?;
    let before = turns.iter().take_while(|(number, _)| *number != turn);
    let skipped: u64 = before.map(|(_, length)| u64::from(*length)).sum();
    io::copy(&mut from.by_ref().take(skipped), &mut sink())?;
    let found = turns.iter().find(|(number, _)| *number == turn);
    let length = found.map_or(0, |(_, length)| u64::from(*length));
    let mut json = Vec::new();
    from.take(length).read_to_end(&mut json)?;
    Ok(parse(&json))
}

/// The turns of a frame, and how long each is.
fn directory(from: &mut impl Read) -> io::Result<Vec<(i64, u32)>> {
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    let count = u32::from_le_bytes(count);
    if count > GREATEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    (0..count).map(|_| entry(from)).collect()
}

fn entry(from: &mut impl Read) -> io::Result<(i64, u32)> {
    let (mut turn, mut length) = ([0; 8], [0; 4]);
    from.read_exact(&mut turn)?;
    from.read_exact(&mut length)?;
    Ok((i64::from_le_bytes(turn), u32::from_le_bytes(length)))
}

fn parse(json: &[u8]) -> TurnContent {
    serde_json::from_slice(json).unwrap_or_default()
}

fn length(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::ErrorKind::InvalidInput.into())
}
