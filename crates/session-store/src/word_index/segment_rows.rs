//! The rows of a segment of FTS5 in the database.

use super::structure::WordSegment;
use crate::error::Result;
use crate::sql::Statements;
use rusqlite::{Connection, params};

/// A row of a segment, without the segment's number.
pub(super) enum SegmentRow {
    /// A leaf, in `words_data`.
    Leaf {
        /// From 1.
        page: u32,
        bytes: Vec<u8>,
    },
    /// A page of an index of a doclist, in `words_data`.
    Index {
        height: usize,
        page: u32,
        bytes: Vec<u8>,
    },
    /// The first term of a leaf, cut after what tells it from the term before, in `words_idx`.
    Term {
        term: Vec<u8>,
        leaf: u32,
        has_index: bool,
    },
}

/// A segment that is being written to the database.
pub(super) struct StoredSegment<'d> {
    db: &'d Connection,
    id: u64,
    last_leaf: u32,
}

impl<'d> StoredSegment<'d> {
    /// Begins a segment of which the database has nothing.
    pub(super) fn new(db: &'d Connection, id: u64) -> Self {
        Self {
            db,
            id,
            last_leaf: 0,
        }
    }

    /// Returns what the record of all segments has of this one.
    pub(super) fn to_record(&self, origin: u64, rows: u64) -> WordSegment {
        WordSegment {
            id: self.id,
            first_leaf: 1,
            last_leaf: self.last_leaf.into(),
            first_origin: origin,
            last_origin: origin,
            rows,
            ..WordSegment::default()
        }
    }

    /// Inserts rows.
    pub(super) fn insert(&mut self, rows: &[SegmentRow]) -> Result<()> {
        rows.iter().try_for_each(|row| match row {
            SegmentRow::Leaf { page, bytes } => {
                self.last_leaf = *page;
                self.insert_page(u64::from(*page), bytes)
            }
            SegmentRow::Index {
                height,
                page,
                bytes,
            } => {
                let position = 1 << 36 | (*height as u64) << 31 | u64::from(*page);
                self.insert_page(position, bytes)
            }
            SegmentRow::Term {
                term,
                leaf,
                has_index,
            } => self.insert_term(term, *leaf, *has_index),
        })
    }

    fn insert_page(&self, position: u64, bytes: &[u8]) -> Result<()> {
        let insert = "INSERT OR REPLACE INTO words_data(id, block) VALUES(?1, ?2)";
        let id = self.id << 37 | position;
        self.db.run(insert, params![id.cast_signed(), bytes])
    }

    fn insert_term(&self, term: &[u8], leaf: u32, has_index: bool) -> Result<()> {
        let insert = "INSERT INTO words_idx(segid, term, pgno) VALUES(?1, ?2, ?3)";
        let page = i64::from(leaf) << 1 | i64::from(has_index);
        self.db
            .run(insert, params![self.id.cast_signed(), term, page])
    }
}
