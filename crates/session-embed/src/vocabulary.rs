//! The tokens of a WordPiece model, in a file that is ready for use as it is:
//! no parsing, no allocation, no hash map to fill.
//!
//! After the [header](crate::header) (sizes: tokens, slots, length of the
//! longest token) come
//!
//! 1. `slots` × `u32`, an open-addressing hash table with linear probing: 0
//!    for an empty slot, else the token's id plus one in the low half and 16
//!    bits of its hash in the high half;
//! 2. `tokens + 1` × `u32`, where each token starts in
//! 3. the tokens' text in the order of their ids, UTF-8, `##` included.

use crate::EmbedError;
use crate::header::{self, FileFormat, u32_at};
use std::borrow::Cow;

const FORMAT: FileFormat = FileFormat {
    name: "vocabulary",
    magic: b"SSWPVOC\0",
    version: 1,
};

/// The first slot, counted in `u32`s.
const SLOTS_AT: usize = header::LEN / 4;

/// The mark of a token that continues a word.
const CONTINUES: &str = "##";

/// Longest token, in bytes without `##`.
pub(crate) const PIECE_LIMIT: usize = 64;

/// The position of a piece in its word, part of its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PiecePosition {
    /// At the beginning.
    First,
    /// Later.
    Later,
}

/// FNV-1a over the bytes of a piece, one byte at a time, so that the hash of
/// every prefix comes for free.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceHash(u64);

impl PieceHash {
    pub(crate) const fn new(position: PiecePosition) -> Self {
        Self(match position {
            PiecePosition::First => 0xcbf2_9ce4_8422_2325,
            PiecePosition::Later => 0x84bc_a1bb_6c5f_9d21,
        })
    }

    #[inline]
    #[must_use]
    pub(crate) const fn with(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
    }

    fn from_piece(position: PiecePosition, piece: &[u8]) -> Self {
        piece
            .iter()
            .fold(Self::new(position), |hash, &byte| hash.with(byte))
    }

    /// Returns the first slot to look at, among `slots`, a power of two.
    #[inline]
    fn slot(self, slots: usize) -> usize {
        (self.0 ^ (self.0 >> 32)) as usize & (slots - 1)
    }

    /// Returns 16 bits that the slot does not depend on, at the offset of a slot's tag.
    #[inline]
    fn tag(self) -> u32 {
        (self.0 >> 32) as u32 & 0xffff_0000
    }
}

/// A vocabulary, used where its bytes are.
#[derive(Debug, Clone)]
pub struct TokenVocabulary {
    bytes: Cow<'static, [u8]>,
    tokens: usize,
    slots: usize,
    longest: usize,
}

impl TokenVocabulary {
    /// Makes the file of a vocabulary from its tokens in the order of their
    /// ids, which is the order of the lines of a `vocab.txt`.
    ///
    /// # Errors
    /// [`EmbedError::File`] for more than 65,535 tokens or one over 64 bytes.
    pub fn compile<T: AsRef<str>>(tokens: &[T]) -> Result<Vec<u8>, EmbedError> {
        let longest = tokens
            .iter()
            .map(|t| split_position(t.as_ref()).1.len())
            .max()
            .unwrap_or(0);
        if tokens.len() >= usize::from(u16::MAX) || longest > PIECE_LIMIT {
            return Err(FORMAT.error("it has too many or too long tokens"));
        }
        let slots = hash_slots(tokens);
        let sizes = [tokens.len() as u32, slots.len() as u32, longest as u32];
        let mut body: Vec<u8> = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
        body.extend(starts(tokens).flat_map(u32::to_le_bytes));
        tokens
            .iter()
            .for_each(|token| body.extend_from_slice(token.as_ref().as_bytes()));
        Ok(FORMAT.write(sizes, &body))
    }

    /// Opens a file that [`TokenVocabulary::compile`] made. Looks at its header and
    /// length alone.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, EmbedError> {
        let bytes = bytes.into();
        let [tokens, slots, longest] = FORMAT.read(&bytes)?;
        let text_at = header::LEN + 4 * (slots + tokens + 1);
        if !slots.is_power_of_two() || longest > PIECE_LIMIT || bytes.len() < text_at {
            return Err(FORMAT.error("its sizes are wrong"));
        }
        Ok(Self {
            bytes,
            tokens,
            slots,
            longest,
        })
    }

    /// Reads the whole file and compares its checksum.
    ///
    /// # Errors
    /// [`EmbedError::File`] when they differ.
    pub fn verify(&self) -> Result<(), EmbedError> {
        FORMAT.verify(&self.bytes)
    }

    /// Returns the number of tokens; ids are below.
    pub fn len(&self) -> usize {
        self.tokens
    }

    /// Returns true for a vocabulary without tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens == 0
    }

    /// Returns the text of a token, `##` included.
    pub fn token(&self, id: u32) -> Option<&str> {
        std::str::from_utf8(self.token_bytes(id)?).ok()
    }

    /// Returns the id of a token, `##` included.
    pub fn id(&self, token: &str) -> Option<u32> {
        let (position, piece) = split_position(token);
        self.find(
            position,
            piece.as_bytes(),
            PieceHash::from_piece(position, piece.as_bytes()),
        )
    }

    /// Returns the length in bytes of the longest token without `##`.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the id of a piece of a word whose hash is known.
    #[inline]
    pub(crate) fn find(
        &self,
        position: PiecePosition,
        piece: &[u8],
        hash: PieceHash,
    ) -> Option<u32> {
        let bytes = &*self.bytes;
        let mut slot = hash.slot(self.slots);
        for _ in 0..self.slots {
            let entry = u32_at(bytes, SLOTS_AT + slot)?;
            let id = (entry & 0xffff).checked_sub(1)?;
            if entry & 0xffff_0000 == hash.tag() && is_same(self.token_bytes(id)?, position, piece)
            {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots - 1);
        }
        None
    }

    #[inline]
    fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        let id = id as usize;
        if id >= self.tokens {
            return None;
        }
        let bytes = &*self.bytes;
        let starts_at = SLOTS_AT + self.slots;
        let text = bytes.get(4 * (starts_at + self.tokens + 1)..)?;
        text.get(
            u32_at(bytes, starts_at + id)? as usize..u32_at(bytes, starts_at + id + 1)? as usize,
        )
    }
}

/// Compares a token with a piece. Words are short: a loop is quicker than a call of `memcmp`.
#[inline]
fn is_same(token: &[u8], position: PiecePosition, piece: &[u8]) -> bool {
    let text = match position {
        PiecePosition::First => Some(token),
        PiecePosition::Later => token.strip_prefix(CONTINUES.as_bytes()),
    };
    text.is_some_and(|text| text.len() == piece.len() && text.iter().eq(piece))
}

/// Splits `##` off. A bare `##` is a token of two signs, not a continuation.
fn split_position(token: &str) -> (PiecePosition, &str) {
    match token.strip_prefix(CONTINUES) {
        Some(piece) if !piece.is_empty() => (PiecePosition::Later, piece),
        _ => (PiecePosition::First, token),
    }
}

fn hash_slots<T: AsRef<str>>(tokens: &[T]) -> Vec<u32> {
    let count = (tokens.len() * 2).next_power_of_two();
    let mut slots = vec![0; count];
    for (id, token) in tokens.iter().enumerate() {
        let (position, piece) = split_position(token.as_ref());
        let hash = PieceHash::from_piece(position, piece.as_bytes());
        let mut slot = hash.slot(count);
        while slots[slot] != 0 {
            slot = (slot + 1) & (count - 1);
        }
        slots[slot] = hash.tag() | (id as u32 + 1);
    }
    slots
}

fn starts<T: AsRef<str>>(tokens: &[T]) -> impl Iterator<Item = u32> {
    let ends = tokens.iter().scan(0, |at, token| {
        *at += token.as_ref().len() as u32;
        Some(*at)
    });
    std::iter::once(0).chain(ends)
}
