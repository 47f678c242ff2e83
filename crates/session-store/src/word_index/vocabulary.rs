//! The terms of the word index: those that begin alike, and which of some it holds.
//!
//! FTS5's `fts5vocab` counts the rows of each term, which takes as long as to read their postings: 64 ms for the 21,000
//! terms of `con` in a table of 200,000 rows. Here the lists of terms are read alone, from the leaves that hold them.

use super::leaf_reader::LeafReader;
use super::segment::{LEAF_BYTES, MAIN_INDEX};
use super::structure::{WordSegment, WordStructure};
use crate::error::Result;
use crate::sql::Statements;
use rusqlite::{Connection, Row, params};
use std::collections::{BTreeMap, BTreeSet};

/// Most leaves of a segment that are read: they hold some 6,000 terms of few turns, and take some 4 ms.
const MAX_LEAVES: u32 = 250;

/// Terms, each with about the bytes of its postings.
pub(crate) type TermSizes = BTreeMap<Vec<u8>, usize>;

/// The terms of the word index.
pub(crate) struct Vocabulary<'d> {
    db: &'d Connection,
    structure: WordStructure,
}

impl<'d> Vocabulary<'d> {
    pub(crate) fn read(db: &'d Connection) -> Result<Self> {
        let structure = WordStructure::read(db)?.unwrap_or_default();
        Ok(Self { db, structure })
    }

    /// Returns the terms that begin with a prefix, in all segments.
    pub(crate) fn terms_with_prefix(&self, prefix: &str) -> Result<TermSizes> {
        let mut sizes = TermSizes::new();
        for segment in self.structure.segments() {
            let range = TermRange::new(self.db, segment, prefix.as_bytes());
            range.read(&mut sizes)?;
        }
        Ok(sizes)
    }

    /// Returns those of some terms that the index holds.
    pub(crate) fn term_sizes(&self, terms: &BTreeSet<&str>) -> Result<TermSizes> {
        let mut sizes = TermSizes::new();
        for segment in self.structure.segments() {
            let (mut leaf, mut end) = (TermSizes::new(), Some(Vec::new()));
            for term in terms {
                let range = TermRange::new(self.db, segment, term.as_bytes());
                // In their order most terms stand on the leaf of the one before.
                if end.as_ref().is_some_and(|end| range.start >= *end) {
                    (leaf, end) = range.read_first_leaf()?;
                }
                if let Some(bytes) = leaf.get(term.as_bytes()) {
                    *sizes.entry(term.as_bytes().to_vec()).or_default() += bytes;
                }
            }
        }
        Ok(sizes)
    }
}

/// The terms of a segment that begin with a prefix.
struct TermRange<'d> {
    db: &'d Connection,
    segment: &'d WordSegment,
    /// The prefix with [`MAIN_INDEX`] before it.
    start: Vec<u8>,
    /// The least bytes behind all terms that begin so.
    end: Vec<u8>,
}

/// A leaf on which a term begins.
struct TermLeaf {
    page: u64,
    /// The number of leaves behind it on which none does: its last list goes on there.
    filled: u64,
}

impl<'d> TermRange<'d> {
    fn new(db: &'d Connection, segment: &'d WordSegment, prefix: &[u8]) -> Self {
        let start = [&[MAIN_INDEX], prefix].concat();
        let mut end = start.clone();
        // No byte of UTF-8 is the greatest.
        if let Some(last) = end.last_mut() {
            *last = last.saturating_add(1);
        }
        Self {
            db,
            segment,
            start,
            end,
        }
    }

    fn read(&self, sizes: &mut TermSizes) -> Result<()> {
        for leaf in self.leaves()? {
            self.read_leaf(&leaf, &self.start, sizes)?;
        }
        Ok(())
    }

    /// Returns the terms of the leaf that holds the prefix as a term, if the segment does, and the beginning of the
    /// next leaf's.
    fn read_first_leaf(&self) -> Result<(TermSizes, Option<Vec<u8>>)> {
        let page = self.first_page()?;
        let select = "SELECT pgno >> 1, term FROM words_idx WHERE segid = ?1 AND term > ?2 ORDER BY term LIMIT 1";
        let next = |row: &Row<'_>| Ok((self::page(row)?, row.get(1)?));
        let (next_page, end) = match self.db.first(
            select,
            params![self.segment.id.cast_signed(), self.start],
            next,
        )? {
            Some((page, end)) => (page, Some(end)),
            None => (self.segment.last_leaf + 1, None),
        };
        let filled = next_page.saturating_sub(page + 1);
        let mut sizes = TermSizes::new();
        self.read_leaf(&TermLeaf { page, filled }, &[MAIN_INDEX], &mut sizes)?;
        Ok((sizes, end))
    }

    /// Adds the terms of a leaf that begin with a prefix.
    fn read_leaf(&self, leaf: &TermLeaf, prefix: &[u8], sizes: &mut TermSizes) -> Result<()> {
        let id = self.segment.id << 37 | leaf.page;
        let select = "SELECT block FROM words_data WHERE id = ?1";
        if let Some(bytes) = self
            .db
            .first(select, [id.cast_signed()], |row| row.get(0))?
        {
            add_terms(LeafReader::new(bytes), leaf.filled, prefix, sizes);
        }
        Ok(())
    }

    /// Returns the leaves on which the terms begin.
    fn leaves(&self) -> Result<Vec<TermLeaf>> {
        let mut pages = vec![self.first_page()?];
        let select = "SELECT pgno >> 1, term < ?3 FROM words_idx WHERE segid = ?1 AND term > ?2 ORDER BY term LIMIT ?4";
        let mut find = self.db.prepare_cached(select)?;
        let segment = self.segment.id.cast_signed();
        let mut rows = find.query(params![segment, self.start, self.end, MAX_LEAVES])?;
        let mut is_within = true;
        while let (true, Some(row)) = (is_within, rows.next()?) {
            pages.push(page(row)?);
            is_within = row.get(1)?;
        }
        if is_within && pages.len() <= MAX_LEAVES as usize {
            pages.push(self.segment.last_leaf + 1);
        }
        let leaf = |pages: &[u64]| TermLeaf {
            page: pages[0],
            filled: pages[1].saturating_sub(pages[0] + 1),
        };
        Ok(pages.windows(2).map(leaf).collect())
    }

    /// Returns the leaf with the greatest terms up to the prefix, behind which others begin with it.
    fn first_page(&self) -> Result<u64> {
        let select = "SELECT pgno >> 1 FROM words_idx WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1";
        Ok(self
            .db
            .first(
                select,
                params![self.segment.id.cast_signed(), self.start],
                page,
            )?
            .unwrap_or(self.segment.first_leaf))
    }
}

/// Adds the terms of a leaf that begin with a prefix; `filled` leaves behind it hold the rest of its last list.
fn add_terms(mut leaf: LeafReader, filled: u64, prefix: &[u8], sizes: &mut TermSizes) {
    let mut term = Vec::new();
    let mut last = None;
    while leaf.next_term(&mut term) {
        last = None;
        if term.starts_with(prefix) {
            let size = sizes.entry(term[1..].to_vec()).or_default();
            *size += leaf.list_bytes();
            last = Some(size);
        }
    }
    if let Some(size) = last {
        *size += usize::try_from(filled).unwrap_or_default() * LEAF_BYTES;
    }
}

fn page(row: &Row<'_>) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(0)?.cast_unsigned())
}
