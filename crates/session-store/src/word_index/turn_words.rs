//! The words of one turn, by term.

use super::COLUMNS;
use super::term_table::{TermId, TermTable};
use super::word_tokenizer::WordTokenizer;
use crate::error::Result;
use crate::varint::{push_varint, read_varint};
use std::sync::Arc;

/// The terms of a turn, each with its positions.
#[derive(Debug, Clone)]
pub(crate) struct TurnWords {
    pub(super) terms: Arc<TermTable>,
    /// Tokens of each column.
    pub(super) lengths: [u32; COLUMNS],
    /// For each term, in order: the difference of its number to the one before, the bytes of its
    /// positions, both as varints, and FTS5's list of positions.
    packed: Vec<u8>,
}

/// A term of a turn.
pub(super) struct TurnTerm<'w> {
    pub(super) term: TermId,
    /// Its columns and offsets, as FTS5 lists them.
    pub(super) positions: &'w [u8],
}

/// An occurrence of a term, in order of terms, columns and offsets: 32, 3 and 29 bits.
type Occurrence = u64;

impl TurnWords {
    /// Cuts the columns of a turn into terms.
    pub(crate) fn new<T: AsRef<str>>(
        tokenizer: &mut WordTokenizer,
        columns: &[T; COLUMNS],
    ) -> Result<Self> {
        let terms = tokenizer.begin_turn();
        let mut scratch = std::mem::take(&mut tokenizer.scratch);
        scratch.occurrences.clear();
        let mut lengths = [0; COLUMNS];
        for ((column, text), length) in (0..).zip(columns).zip(&mut lengths) {
            tokenizer.tokenize(text.as_ref(), |term| {
                let offset: u32 = *length;
                let position: u32 = column << 29 | offset;
                let occurrence = u64::from(term) << 32 | u64::from(position);
                scratch.occurrences.push(occurrence);
                *length += 1;
            })?;
        }
        scratch.occurrences.sort_unstable();
        scratch.pack();
        let packed = scratch.packed.clone();
        tokenizer.scratch = scratch;
        Ok(Self {
            terms,
            lengths,
            packed,
        })
    }

    /// Moves the words out, and leaves none.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            terms: Arc::clone(&self.terms),
            lengths: std::mem::take(&mut self.lengths),
            packed: std::mem::take(&mut self.packed),
        }
    }

    /// Returns the number of its tokens.
    pub(crate) fn tokens(&self) -> u32 {
        self.lengths.iter().sum()
    }

    /// Returns the bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.packed.len() + size_of::<Self>()
    }

    /// Returns the terms in order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = TurnTerm<'_>> {
        let mut rest = self.packed.as_slice();
        let mut term = 0;
        std::iter::from_fn(move || {
            term += read_varint(&mut rest)?;
            let bytes = read_varint(&mut rest)?;
            let positions = rest.split_off(..usize::try_from(bytes).ok()?)?;
            Some(TurnTerm {
                term: TermId::try_from(term).ok()?,
                positions,
            })
        })
    }
}

/// Memory that serves one turn after the other.
#[derive(Debug, Default)]
pub(super) struct TurnScratch {
    occurrences: Vec<Occurrence>,
    /// As [`TurnWords::packed`].
    packed: Vec<u8>,
    /// The positions of a term.
    positions: Vec<u8>,
}

impl TurnScratch {
    /// Packs the occurrences, which are in order.
    fn pack(&mut self) {
        self.packed.clear();
        let mut before = 0;
        for of_term in self.occurrences.chunk_by(|a, b| a >> 32 == b >> 32) {
            let term = of_term[0] >> 32;
            self.positions.clear();
            push_positions(&mut self.positions, of_term);
            push_varint(&mut self.packed, term - before);
            push_varint(&mut self.packed, self.positions.len() as u64);
            self.packed.extend_from_slice(&self.positions);
            before = term;
        }
    }
}

/// Appends FTS5's list of positions: differences of offsets, + 2, in the first column; 1 and
/// the number of a column before those of another.
fn push_positions(positions: &mut Vec<u8>, of_term: &[Occurrence]) {
    const OFFSET_BITS: u64 = (1 << 29) - 1;
    let (mut column, mut before) = (0, 0);
    for occurrence in of_term {
        let next = occurrence >> 29 & 7;
        if next != column {
            positions.push(1);
            push_varint(positions, next);
            (column, before) = (next, 0);
        }
        let offset = occurrence & OFFSET_BITS;
        push_varint(positions, offset - before + 2);
        before = offset;
    }
}
