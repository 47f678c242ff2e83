//! Reads a segment of FTS5 term by term, and deletes what was read.

use super::segment::HEADER_BYTES;
use crate::error::Result;
use crate::varint::{push_varint, read_varint, varint_bytes};
use rusqlite::{Connection, OptionalExtension};
use std::collections::VecDeque;

/// A segment that is read from its first term to the last. Each leaf is deleted once it is read, so that the
/// segment that is written meanwhile takes its pages, rather than leave a hole of its size in the database.
pub(super) struct SegmentReader<'d> {
    db: &'d Connection,
    segment: u64,
    next_leaf: u64,
    leaf: Leaf,
    /// The term at hand, with the number of the index before it.
    term: Vec<u8>,
}

/// A leaf as far as it was read.
#[derive(Default)]
pub(super) struct Leaf {
    bytes: Vec<u8>,
    /// Offset of what comes next.
    at: usize,
    /// Offset of the list of terms.
    end: usize,
    /// Offset of the first row of a list that began on an earlier leaf.
    first_row: usize,
    /// Offset of the first term, which is stored whole.
    first_term: usize,
    /// Offsets of the terms to come.
    terms: VecDeque<usize>,
}

/// A list of turns that is made of those of several segments, whose turns come after one another.
#[derive(Default)]
pub(super) struct Doclist {
    pub(super) bytes: Vec<u8>,
    last_turn: u64,
}

impl Doclist {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.last_turn = 0;
    }

    fn push_turn(&mut self, turn: u64) {
        push_varint(&mut self.bytes, turn.saturating_sub(self.last_turn));
        self.last_turn = turn;
    }
}

/// The next entry of a list of turns.
#[derive(Clone, Copy)]
enum Expected {
    Turn,
    Size,
    /// So many bytes of positions.
    Positions(usize),
}

impl Leaf {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let offset = |at: usize| {
            let offset = bytes.get(at..at + 2);
            offset.map_or(0, |o| usize::from(u16::from_be_bytes([o[0], o[1]])))
        };
        let (first_row, end) = (offset(0), offset(2).min(bytes.len()));
        let mut list = bytes.get(end..).unwrap_or_default();
        let mut terms = VecDeque::new();
        let mut last = 0;
        while let Some(difference) = read_varint(&mut list) {
            last += usize::try_from(difference).unwrap_or_default();
            terms.push_back(last.min(end));
        }
        Self {
            bytes,
            at: HEADER_BYTES,
            end,
            first_row,
            first_term: terms.front().copied().unwrap_or_default(),
            terms,
        }
    }

    /// Goes on to the next term that begins on this leaf, and writes it over the one before, whose beginning it may
    /// share; returns false where there is none.
    pub(super) fn next_term(&mut self, term: &mut Vec<u8>) -> bool {
        let Some(offset) = self.terms.pop_front() else {
            return false;
        };
        self.at = offset;
        let shared = match self.first_term == offset {
            true => 0,
            false => usize::try_from(self.number()).unwrap_or_default(),
        };
        let length = usize::try_from(self.number()).unwrap_or_default();
        term.truncate(shared);
        let end = self.end;
        term.extend_from_slice(self.take(length, end));
        true
    }

    /// Returns the bytes of the list of the term at hand on this leaf.
    pub(super) fn list_bytes(&self) -> usize {
        self.list_end().saturating_sub(self.at)
    }

    /// Returns the offset at which the list at hand ends on this leaf.
    fn list_end(&self) -> usize {
        self.terms.front().copied().unwrap_or(self.end)
    }

    fn number(&mut self) -> u64 {
        let mut rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let number = read_varint(&mut rest).unwrap_or_default();
        self.at = (self.at + varint_bytes(number)).min(self.end);
        number
    }

    fn take(&mut self, count: usize, end: usize) -> &[u8] {
        let start = self.at;
        self.at = start.saturating_add(count).min(end).max(start);
        self.bytes.get(start..self.at).unwrap_or_default()
    }
}

impl<'d> SegmentReader<'d> {
    pub(super) fn new(db: &'d Connection, segment: u64) -> Self {
        Self {
            db,
            segment,
            next_leaf: 1,
            leaf: Leaf::default(),
            term: Vec::new(),
        }
    }

    /// Returns the term at hand, with the number of the index before it.
    pub(super) fn term(&self) -> &[u8] {
        &self.term
    }

    /// Goes on to the next term, once the list of the one before was read; returns false at the end.
    pub(super) fn next_term(&mut self) -> Result<bool> {
        while !self.leaf.next_term(&mut self.term) {
            if !self.load_leaf()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Appends the list of the term at hand.
    pub(super) fn read_doclist(&mut self, list: &mut Doclist) -> Result<()> {
        let mut expected = Expected::Turn;
        let mut turn = None;
        loop {
            let end = self.leaf.list_end();
            while self.leaf.at < end {
                expected = self.read_part(expected, end, &mut turn, list);
            }
            let is_done = !self.leaf.terms.is_empty() || !self.load_leaf()?;
            if is_done || self.leaf.list_end() == HEADER_BYTES {
                return Ok(());
            }
        }
    }

    fn read_part(
        &mut self,
        expected: Expected,
        end: usize,
        turn: &mut Option<u64>,
        list: &mut Doclist,
    ) -> Expected {
        match expected {
            Expected::Turn => {
                let is_whole = self.leaf.at == self.leaf.first_row;
                let number = self.leaf.number();
                let before = turn.filter(|_| !is_whole).unwrap_or_default();
                let number = number.saturating_add(before);
                *turn = Some(number);
                list.push_turn(number);
                Expected::Size
            }
            Expected::Size => {
                let size = self.leaf.number();
                push_varint(&mut list.bytes, size);
                after_positions(usize::try_from(size / 2).unwrap_or_default())
            }
            Expected::Positions(left) => {
                let taken = self.leaf.take(left, end);
                list.bytes.extend_from_slice(taken);
                after_positions(left - taken.len())
            }
        }
    }

    fn load_leaf(&mut self) -> Result<bool> {
        let id = self.segment << 37 | self.next_leaf;
        let mut find = self
            .db
            .prepare_cached("SELECT block FROM words_data WHERE id = ?1")?;
        let leaf = find.query_row([id.cast_signed()], |row| row.get(0));
        let Some(bytes) = leaf.optional()? else {
            return Ok(false);
        };
        let delete = "DELETE FROM words_data WHERE id = ?1";
        self.db
            .prepare_cached(delete)?
            .execute([id.cast_signed()])?;
        self.leaf = Leaf::new(bytes);
        self.next_leaf += 1;
        Ok(true)
    }
}

fn after_positions(left: usize) -> Expected {
    match left {
        0 => Expected::Turn,
        left => Expected::Positions(left),
    }
}
