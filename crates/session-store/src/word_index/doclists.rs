//! The words of many turns, by term.

use super::byte_lists::ByteLists;
use super::term_table::TermId;
use super::turn_words::TurnWords;
use crate::id::TurnId;
use crate::varint::{push_varint, varint_bytes};

/// FTS5's lists of the turns that hold each term.
pub(super) struct Doclists {
    /// By term; empty where no turn holds it.
    lists: ByteLists,
    /// The last turn of each list.
    last_turns: Vec<u64>,
}

/// The turns that hold a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TermTurns<'d> {
    pub(super) term: &'d [u8],
    /// FTS5's list of them: not empty.
    pub(super) doclist: &'d [u8],
    pub(super) last_turn: u64,
}

/// The header of a turn in a list: the difference of its number to the turn before, and twice the bytes of its
/// positions.
struct EntryHeader {
    turn: u64,
    positions: u64,
}

impl EntryHeader {
    fn bytes(&self) -> usize {
        varint_bytes(self.turn) + varint_bytes(self.positions)
    }
}

impl Doclists {
    /// Inverts the words of turns, which come in order.
    pub(super) fn new<'w>(
        turns: impl Iterator<Item = (TurnId, &'w TurnWords)> + Clone,
        terms: usize,
    ) -> Self {
        let mut sizes = vec![0_usize; terms];
        for_each_entry(turns.clone(), terms, |term, header, positions| {
            sizes[term] += header.bytes() + positions.len();
        });
        let mut total = 0;
        for size in &mut sizes {
            (*size, total) = (total, total + *size);
        }
        let mut bytes = vec![0; total];
        let mut header_bytes = Vec::new();
        let last_turns = for_each_entry(turns, terms, |term, header, positions| {
            header_bytes.clear();
            push_varint(&mut header_bytes, header.turn);
            push_varint(&mut header_bytes, header.positions);
            for part in [&header_bytes, positions] {
                let end = sizes[term] + part.len();
                bytes[sizes[term]..end].copy_from_slice(part);
                sizes[term] = end;
            }
        });
        Self {
            lists: ByteLists { ends: sizes, bytes },
            last_turns,
        }
    }

    /// Returns the terms that have turns, in order of their bytes.
    pub(super) fn in_order<'d>(
        &'d self,
        terms: &'d ByteLists,
    ) -> impl Iterator<Item = TermTurns<'d>> {
        let ids = (0..).take(terms.len());
        let mut ids: Vec<TermId> = ids.filter(|id| !self.lists.get(*id).is_empty()).collect();
        ids.sort_unstable_by_key(|id| terms.get(*id));
        ids.into_iter().map(|id| TermTurns {
            term: terms.get(id),
            doclist: self.lists.get(id),
            last_turn: self.last_turns[id as usize],
        })
    }
}

/// Calls `each` with the term, header and positions of each term of each turn, and returns the last turn of each term.
fn for_each_entry<'w>(
    turns: impl Iterator<Item = (TurnId, &'w TurnWords)>,
    terms: usize,
    mut each: impl FnMut(usize, &EntryHeader, &[u8]),
) -> Vec<u64> {
    let mut before = vec![0_u64; terms];
    for (turn, words) in turns {
        let turn = turn.as_index() as u64;
        for entry in words.iter() {
            let term = entry.term as usize;
            let header = EntryHeader {
                turn: turn - before[term],
                positions: entry.positions.len() as u64 * 2,
            };
            before[term] = turn;
            each(term, &header, entry.positions);
        }
    }
    before
}
