//! The index of a doclist that spans many leaves: the first turn of each.

use super::segment::LEAF_BYTES;
use super::segment_rows::SegmentRow;
use crate::varint::{push_varint, read_varint};

/// Leaves without a term from which on a doclist has an index.
const MIN_LEAVES: u32 = 4;

/// Is written beside the leaves of one doclist, as a tree whose root is its last level.
#[derive(Default)]
pub(super) struct DoclistIndex {
    levels: Vec<IndexLevel>,
    /// Leaves since that of the term.
    leaves: u32,
}

#[derive(Default)]
struct IndexLevel {
    page: u32,
    bytes: Vec<u8>,
    before: Option<u64>,
}

impl DoclistIndex {
    /// Begins the doclist of the term that stands last on a leaf.
    pub(super) fn begin(&mut self, leaf: u32) {
        if self.levels.is_empty() {
            self.levels.push(IndexLevel::default());
        }
        self.levels[0].page = leaf;
    }

    /// Notes a leaf that continues the doclist, where it holds the first row of no turn.
    pub(super) fn skip_leaf(&mut self, has_row: bool) {
        if let Some(level) = self.levels.first_mut()
            && !has_row
            && !level.bytes.is_empty()
        {
            push_varint(&mut level.bytes, 0);
        }
        self.leaves += 1;
    }

    /// Notes the first turn on a leaf.
    pub(super) fn push(&mut self, rows: &mut Vec<SegmentRow>, leaf: u32, turn: u64) {
        if self.levels.is_empty() {
            self.levels.push(IndexLevel::default());
        }
        let mut child = leaf;
        for height in 0.. {
            let is_full = self.levels[height].bytes.len() >= LEAF_BYTES;
            if is_full {
                self.split(rows, height);
            }
            let level = &mut self.levels[height];
            level.push(turn, child, is_full);
            child = level.page;
            if !is_full {
                break;
            }
        }
    }

    /// Writes the full page of a level, below another one from now on.
    fn split(&mut self, rows: &mut Vec<SegmentRow>, height: usize) {
        if self.levels.len() < height + 2 {
            self.levels.push(IndexLevel::default());
        }
        let [level, parent] = &mut self.levels[height..height + 2] else {
            return;
        };
        level.bytes[0] = 1;
        rows.push(level.to_row(height));
        if parent.bytes.is_empty() {
            parent.page = level.page;
            parent.push(level.first_turn(), level.page, false);
        }
        level.bytes.clear();
        level.before = None;
        level.page += 1;
    }

    /// Ends the doclist; returns true if its index is worth its pages and was written.
    pub(super) fn end(&mut self, rows: &mut Vec<SegmentRow>) -> bool {
        let has_rows = self.levels.first().is_some_and(|l| !l.bytes.is_empty());
        let is_written = has_rows && self.leaves >= MIN_LEAVES;
        for (height, level) in self.levels.iter_mut().enumerate() {
            if is_written && !level.bytes.is_empty() {
                rows.push(level.to_row(height));
            }
            level.bytes.clear();
            level.before = None;
        }
        self.leaves = 0;
        is_written
    }
}

impl IndexLevel {
    fn to_row(&self, height: usize) -> SegmentRow {
        SegmentRow::Index {
            height,
            page: self.page,
            bytes: self.bytes.clone(),
        }
    }

    fn push(&mut self, turn: u64, child: u32, is_below: bool) {
        let number = match self.before {
            Some(before) => turn - before,
            None => {
                push_varint(&mut self.bytes, u64::from(is_below));
                push_varint(&mut self.bytes, u64::from(child));
                turn
            }
        };
        push_varint(&mut self.bytes, number);
        self.before = Some(turn);
    }

    /// Returns the first turn of its page, after the flag and the page.
    fn first_turn(&self) -> u64 {
        let mut numbers = self.bytes.get(1..).unwrap_or_default();
        read_varint(&mut numbers);
        read_varint(&mut numbers).unwrap_or_default()
    }
}
