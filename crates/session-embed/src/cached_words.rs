//! Encodes texts word by word, with a cache of the tokens of words.
//!
//! A word between two characters that end one gives the same tokens everywhere. In a
//! history most words were seen before, so that neither normalizing nor WordPiece is needed.

use crate::WordPiece;
use session_core::text::{WordCache, WordHead};

/// Pieces that are looked up together, so that their entries are prefetched together.
const PIECES_AT_ONCE: usize = 32;

/// Ids that fit in a number of a [`WordCache`].
const PACKED_IDS: usize = 4;

/// A part of a text whose tokens do not depend on what stands beside it.
#[derive(Clone, Copy)]
enum TextPiece<'t> {
    /// A short word.
    Word(&'t str, WordHead),
    /// A punctuation character's token.
    Token(u32),
    /// All else.
    Text(&'t str),
}

impl WordPiece {
    /// Encodes as [`WordPiece::encode`], with a cache of the words of other texts that this tokenizer encoded.
    pub fn encode_cached(
        &self,
        text: &str,
        limit: usize,
        cache: &mut WordCache,
        ids: &mut Vec<u32>,
    ) {
        ids.clear();
        let mut rest = text;
        let mut pieces = [TextPiece::Token(0); PIECES_AT_ONCE];
        while !rest.is_empty() && ids.len() < limit {
            let mut count = 0;
            let next = std::iter::from_fn(|| self.next_piece(&mut rest));
            for (place, piece) in pieces.iter_mut().zip(next) {
                if let TextPiece::Word(_, head) = piece {
                    cache.prefetch(head);
                }
                *place = piece;
                count += 1;
            }
            for piece in pieces.iter().take(count) {
                self.push_piece(*piece, limit, cache, ids);
            }
        }
        ids.truncate(limit);
    }

    /// Takes the next piece off a text.
    #[inline]
    fn next_piece<'t>(&self, rest: &mut &'t str) -> Option<TextPiece<'t>> {
        loop {
            let bytes = rest.as_bytes();
            let first = *bytes.first()?;
            let head = WordHead::up_to_separator(bytes);
            if head.len > 0 {
                return Some(take_word(rest, head));
            }
            if !is_end(first) || self.special_token(rest).is_some() {
                return Some(TextPiece::Text(take_until_space(rest)));
            }
            *rest = &rest[1..];
            if first.is_ascii_punctuation() {
                return Some(TextPiece::Token(self.ascii_id(first)));
            }
        }
    }

    fn push_piece(
        &self,
        piece: TextPiece<'_>,
        limit: usize,
        cache: &mut WordCache,
        ids: &mut Vec<u32>,
    ) {
        match piece {
            TextPiece::Token(id) => ids.push(id),
            TextPiece::Text(text) => self.append(text, limit, ids),
            TextPiece::Word(text, head) => match cache.get(head) {
                Some(pack_ids) => ids.extend(unpack_ids(pack_ids)),
                None => {
                    let before = ids.len();
                    self.append(text, usize::MAX, ids);
                    if let Some(packed) = pack_ids(&ids[before..]) {
                        cache.insert(head, packed);
                    }
                }
            },
        }
    }
}

/// Takes the word that a text begins with.
#[inline]
fn take_word<'t>(rest: &mut &'t str, head: WordHead) -> TextPiece<'t> {
    let len = head.whole_len(rest.as_bytes());
    if rest
        .as_bytes()
        .get(len)
        .is_some_and(|after| !is_end(*after))
    {
        return TextPiece::Text(take_until_space(rest));
    }
    let text;
    (text, *rest) = rest.split_at(len);
    if head.len == WordHead::MAX_LEN {
        TextPiece::Text(text)
    } else {
        TextPiece::Word(text, head)
    }
}

/// Takes what stands before the next space, at which any word ends.
fn take_until_space<'t>(rest: &mut &'t str) -> &'t str {
    let end = rest.find([' ', '\n']).unwrap_or(rest.len());
    let text;
    (text, *rest) = rest.split_at(end);
    text
}

/// Returns true for an ASCII character at which a word ends. Other control characters are dropped within words.
#[inline]
fn is_end(byte: u8) -> bool {
    byte.is_ascii_punctuation() || matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// Packs ids, each plus one; a vocabulary has less than 65,535.
fn pack_ids(ids: &[u32]) -> Option<u64> {
    let fits = ids.len() <= PACKED_IDS;
    fits.then(|| {
        let pack = |packed, id: &u32| packed << 16 | u64::from(id + 1);
        ids.iter().rev().fold(0, pack)
    })
}

fn unpack_ids(mut packed: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let id = (packed as u32 & 0xffff).checked_sub(1)?;
        packed >>= 16;
        Some(id)
    })
}
