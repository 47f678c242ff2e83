//! Encodes texts run by run, with a cache of the tokens of runs.
//!
//! A run of letters between two characters that end a word gives the same tokens wherever it stands. In a
//! history most were seen before, so that neither normalizing nor WordPiece is needed.

use crate::WordPiece;
use session_core::text::{HeadRun, RunMemo};

/// Pieces that are looked up together, so that what is known of them is loaded together.
const PIECES_AT_ONCE: usize = 32;

/// Ids that fit in a number of a [`RunMemo`].
const PACKED_IDS: usize = 4;

/// A part of a text whose tokens do not depend on what stands beside it.
#[derive(Clone, Copy)]
enum TextPiece<'t> {
    /// A short run of letters.
    Run(&'t str, HeadRun),
    /// A punctuation character's token.
    Token(u32),
    /// All else.
    Text(&'t str),
}

impl WordPiece {
    /// Encodes as [`WordPiece::encode`], with a cache of the runs of other texts that this tokenizer encoded.
    pub fn encode_known(&self, text: &str, limit: usize, known: &mut RunMemo, ids: &mut Vec<u32>) {
        ids.clear();
        let mut rest = text;
        let mut pieces = [TextPiece::Token(0); PIECES_AT_ONCE];
        while !rest.is_empty() && ids.len() < limit {
            let mut count = 0;
            let next = std::iter::from_fn(|| self.next_piece(&mut rest));
            for (place, piece) in pieces.iter_mut().zip(next) {
                if let TextPiece::Run(_, head) = piece {
                    known.prefetch(head);
                }
                *place = piece;
                count += 1;
            }
            for piece in pieces.iter().take(count) {
                self.push_piece(*piece, limit, known, ids);
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
            let head = HeadRun::up_to_separator(bytes);
            if head.len > 0 {
                return Some(take_run(rest, head));
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
        known: &mut RunMemo,
        ids: &mut Vec<u32>,
    ) {
        match piece {
            TextPiece::Token(id) => ids.push(id),
            TextPiece::Text(text) => self.append(text, limit, ids),
            TextPiece::Run(text, head) => match known.get(head) {
                Some(pack_ids) => ids.extend(unpack_ids(pack_ids)),
                None => {
                    let before = ids.len();
                    self.append(text, usize::MAX, ids);
                    if let Some(packed) = pack_ids(&ids[before..]) {
                        known.insert(head, packed);
                    }
                }
            },
        }
    }
}

/// Takes the run that a text begins with.
#[inline]
fn take_run<'t>(rest: &mut &'t str, head: HeadRun) -> TextPiece<'t> {
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
    if head.len == HeadRun::MAX_LEN {
        TextPiece::Text(text)
    } else {
        TextPiece::Run(text, head)
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
