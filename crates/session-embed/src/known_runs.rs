//! Encodes texts run by run, and remembers what runs gave.
//!
//! A run of letters between two characters that end a word gives the same tokens wherever it stands. In a
//! history most were met before, so that neither normalizing nor WordPiece is needed.

use crate::WordPiece;
use session_core::text::{HeadRun, RunMemo};

/// Pieces that are looked up together, so that what is known of them is loaded together.
const PIECES_AT_ONCE: usize = 32;

/// Ids that fit in a number of a [`RunMemo`].
const PACKED_IDS: usize = 4;

/// A part of a text whose tokens do not depend on what stands beside it.
#[derive(Clone, Copy)]
enum Piece<'t> {
    /// A short run of letters.
    Run(&'t str, HeadRun),
    /// A punctuation character's token.
    Token(u32),
    /// All else.
    Text(&'t str),
}

impl WordPiece {
    /// As [`WordPiece::encode`], with a memory of the runs of other texts that this tokenizer encoded.
    pub fn encode_known(&self, text: &str, limit: usize, known: &mut RunMemo, ids: &mut Vec<u32>) {
        ids.clear();
        let mut rest = text;
        let mut pieces = [Piece::Token(0); PIECES_AT_ONCE];
        while !rest.is_empty() && ids.len() < limit {
            let mut count = 0;
            let next = std::iter::from_fn(|| self.next_piece(&mut rest));
            for (place, piece) in pieces.iter_mut().zip(next) {
                if let Piece::Run(_, head) = piece {
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
    fn next_piece<'t>(&self, rest: &mut &'t str) -> Option<Piece<'t>> {
        loop {
            let bytes = rest.as_bytes();
            let first = *bytes.first()?;
            let head = HeadRun::up_to_separator(bytes);
            if head.len > 0 {
                return Some(run(rest, head));
            }
            if !is_end(first) || self.special_token(rest).is_some() {
                return Some(Piece::Text(up_to_space(rest)));
            }
            *rest = &rest[1..];
            if first.is_ascii_punctuation() {
                return Some(Piece::Token(self.ascii_id(first)));
            }
        }
    }

    fn push_piece(&self, piece: Piece<'_>, limit: usize, known: &mut RunMemo, ids: &mut Vec<u32>) {
        match piece {
            Piece::Token(id) => ids.push(id),
            Piece::Text(text) => self.append(text, limit, ids),
            Piece::Run(text, head) => match known.get(head) {
                Some(packed) => ids.extend(unpacked(packed)),
                None => {
                    let before = ids.len();
                    self.append(text, usize::MAX, ids);
                    if let Some(packed) = packed(&ids[before..]) {
                        known.insert(head, packed);
                    }
                }
            },
        }
    }
}

/// Takes the run that a text begins with.
#[inline]
fn run<'t>(rest: &mut &'t str, head: HeadRun) -> Piece<'t> {
    let len = head.whole_len(rest.as_bytes());
    if rest
        .as_bytes()
        .get(len)
        .is_some_and(|after| !is_end(*after))
    {
        return Piece::Text(up_to_space(rest));
    }
    let text;
    (text, *rest) = rest.split_at(len);
    if head.len == HeadRun::MAX_LEN {
        Piece::Text(text)
    } else {
        Piece::Run(text, head)
    }
}

/// Takes what stands before the next space, at which any word ends.
fn up_to_space<'t>(rest: &mut &'t str) -> &'t str {
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
fn packed(ids: &[u32]) -> Option<u64> {
    let fits = ids.len() <= PACKED_IDS;
    fits.then(|| {
        let pack = |packed, id: &u32| packed << 16 | u64::from(id + 1);
        ids.iter().rev().fold(0, pack)
    })
}

fn unpacked(mut packed: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let id = (packed as u32 & 0xffff).checked_sub(1)?;
        packed >>= 16;
        Some(id)
    })
}
