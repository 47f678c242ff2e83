//! Reads the terms of a leaf of FTS5.

use super::segment::HEADER_BYTES;
use crate::varint::{read_varint, varint_bytes};
use std::collections::VecDeque;

/// A leaf as far as it was read.
pub(super) struct LeafReader {
    bytes: Vec<u8>,
    /// Offset of what comes next.
    at: usize,
    /// Offset of the list of terms.
    end: usize,
    /// Offset of the first term, which is stored whole.
    first_term: usize,
    /// Offsets of the terms to come.
    terms: VecDeque<usize>,
}

impl LeafReader {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let end = bytes.get(2..4);
        let end = end.map_or(0, |end| usize::from(u16::from_be_bytes([end[0], end[1]])));
        let end = end.min(bytes.len());
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
        let shared = if self.first_term == offset {
            0
        } else {
            usize::try_from(self.number()).unwrap_or_default()
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
