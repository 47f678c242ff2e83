//! Writes a segment of FTS5: its leaves, and the terms by which they are found.

use super::doclist_index::DoclistIndex;
use crate::error::Result;
use crate::varint::{push_varint, read_varint, varint_bytes};
use rusqlite::{Connection, params};

/// Bytes of a leaf, FTS5's default.
pub(super) const LEAF_BYTES: usize = 4050;

/// Bytes of a leaf's header: the offset of its first row, where that belongs to the term of the leaf before, and
/// that of its list of terms, both `>u2`.
pub(super) const HEADER_BYTES: usize = 4;

/// The byte that FTS5 puts before a term: the number of the index, of which there is one.
pub(super) const MAIN_INDEX: u8 = b'0';

/// The pages of a segment in `words_data`.
pub(super) struct PageStore<'d> {
    db: &'d Connection,
    segment: u64,
}

impl PageStore<'_> {
    fn write_leaf(&self, page: u32, bytes: &[u8]) -> Result<()> {
        self.write(self.segment << 37 | u64::from(page), bytes)
    }

    /// Writes a page of an index of a doclist.
    pub(super) fn write_index(&self, height: usize, page: u32, bytes: &[u8]) -> Result<()> {
        let position = 1 << 36 | (height as u64) << 31 | u64::from(page);
        self.write(self.segment << 37 | position, bytes)
    }

    fn write(&self, id: u64, bytes: &[u8]) -> Result<()> {
        let write = "INSERT OR REPLACE INTO words_data(id, block) VALUES(?1, ?2)";
        let mut write = self.db.prepare_cached(write)?;
        write.execute(params![id.cast_signed(), bytes])?;
        Ok(())
    }

    /// Writes the first term of a leaf, cut after what tells it from the term before.
    fn write_term(&self, term: &[u8], page: u32, has_index: bool) -> Result<()> {
        let write = "INSERT INTO words_idx(segid, term, pgno) VALUES(?1, ?2, ?3)";
        let mut write = self.db.prepare_cached(write)?;
        let page = i64::from(page) << 1 | i64::from(has_index);
        write.execute(params![self.segment.cast_signed(), term, page])?;
        Ok(())
    }
}

/// A segment that is being written, term by term in order of their bytes.
pub(super) struct SegmentWriter<'d> {
    pages: PageStore<'d>,
    leaf: Leaf,
    index: DoclistIndex,
    /// The last term, with [`MAIN_INDEX`] before it.
    term: Vec<u8>,
    /// The leaf whose first term is to be written, when the doclist of its last one has ended.
    found: Option<FoundLeaf>,
}

/// A leaf that is found by its first term.
struct FoundLeaf {
    term: Vec<u8>,
    page: u32,
}

struct Leaf {
    page: u32,
    bytes: Vec<u8>,
    /// Offsets of its terms, each less the one before.
    terms: Vec<u8>,
    last_term: usize,
    has_row: bool,
}

impl Leaf {
    fn new(page: u32) -> Self {
        Self {
            page,
            bytes: vec![0; HEADER_BYTES],
            terms: Vec::new(),
            last_term: 0,
            has_row: false,
        }
    }

    fn bytes(&self) -> usize {
        self.bytes.len() + self.terms.len()
    }

    fn is_full(&self) -> bool {
        self.bytes() >= LEAF_BYTES
    }

    fn put_header(&mut self, position: usize, offset: usize) {
        let offset = u16::try_from(offset).unwrap_or_default();
        self.bytes[position..position + 2].copy_from_slice(&offset.to_be_bytes());
    }

    /// Appends the offset of the term that comes now.
    fn push_term_offset(&mut self) {
        let offset = self.bytes.len();
        push_varint(&mut self.terms, (offset - self.last_term) as u64);
        self.last_term = offset;
    }
}

impl<'d> SegmentWriter<'d> {
    pub(super) fn new(db: &'d Connection, segment: u64) -> Self {
        Self {
            pages: PageStore { db, segment },
            leaf: Leaf::new(1),
            index: DoclistIndex::default(),
            term: Vec::new(),
            found: Some(FoundLeaf {
                term: Vec::new(),
                page: 1,
            }),
        }
    }

    /// Appends a term with its list of turns.
    pub(super) fn push(&mut self, term: &[u8], doclist: &[u8]) -> Result<()> {
        self.push_term(term)?;
        if self.leaf.bytes() + doclist.len() < LEAF_BYTES {
            self.leaf.bytes.extend_from_slice(doclist);
            return Ok(());
        }
        self.push_doclist(doclist)
    }

    fn push_term(&mut self, bare: &[u8]) -> Result<()> {
        let mut term = Vec::with_capacity(bare.len() + 1);
        term.push(MAIN_INDEX);
        term.extend_from_slice(bare);
        if self.leaf.bytes() + term.len() + 2 >= LEAF_BYTES && self.leaf.bytes.len() > HEADER_BYTES
        {
            self.flush_leaf()?;
        }
        let is_first = self.leaf.terms.is_empty();
        self.leaf.push_term_offset();
        let shared = common_prefix(&self.term, &term);
        if is_first {
            if self.leaf.page > 1 {
                let end = (shared + 1).min(term.len());
                self.find_leaf_by(&term[..end])?;
            }
            push_varint(&mut self.leaf.bytes, term.len() as u64);
            self.leaf.bytes.extend_from_slice(&term);
        } else {
            push_varint(&mut self.leaf.bytes, shared as u64);
            push_varint(&mut self.leaf.bytes, (term.len() - shared) as u64);
            self.leaf.bytes.extend_from_slice(&term[shared..]);
        }
        self.leaf.has_row = true; // what follows is no first row of a leaf
        self.index.begin(self.leaf.page);
        self.term = term;
        Ok(())
    }

    /// Writes the term of the last leaf that has one, and notes that of this leaf.
    fn find_leaf_by(&mut self, term: &[u8]) -> Result<()> {
        self.write_found()?;
        self.found = Some(FoundLeaf {
            term: term.to_vec(),
            page: self.leaf.page,
        });
        Ok(())
    }

    fn write_found(&mut self) -> Result<()> {
        if let Some(found) = self.found.take() {
            let has_index = self.index.end(&self.pages)?;
            self.pages.write_term(&found.term, found.page, has_index)?;
        }
        Ok(())
    }

    /// Appends a list of turns that goes beyond the leaf.
    fn push_doclist(&mut self, mut doclist: &[u8]) -> Result<()> {
        let (mut turn, mut before) = (0, 0);
        while let Some(difference) = read_varint(&mut doclist) {
            turn += difference;
            if self.leaf.has_row {
                push_varint(&mut self.leaf.bytes, turn - before);
            } else {
                self.push_first_row(turn)?;
            }
            before = turn;
            self.push_positions(&mut doclist)?;
        }
        Ok(())
    }

    /// Appends the first turn of a leaf, whole.
    fn push_first_row(&mut self, turn: u64) -> Result<()> {
        let offset = self.leaf.bytes.len();
        self.leaf.put_header(0, offset);
        push_varint(&mut self.leaf.bytes, turn);
        self.leaf.has_row = true;
        self.index.push(&self.pages, self.leaf.page, turn)
    }

    /// Moves the size and positions of a turn from the front of a doclist to leaves; none of their numbers is cut.
    fn push_positions(&mut self, doclist: &mut &[u8]) -> Result<()> {
        let mut after_size = *doclist;
        let positions = read_varint(&mut after_size).unwrap_or_default() / 2;
        let size = doclist.len() - after_size.len();
        let bytes = size + usize::try_from(positions).unwrap_or(usize::MAX);
        let mut rest = doclist.split_off(..bytes).unwrap_or_default();
        loop {
            let space = LEAF_BYTES.saturating_sub(self.leaf.bytes());
            let length = match rest.len() <= space {
                true => rest.len(),
                false => numbers_within(rest, space),
            };
            let part = rest.split_off(..length).unwrap_or_default();
            self.leaf.bytes.extend_from_slice(part);
            if self.leaf.is_full() {
                self.flush_leaf()?;
            }
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    fn flush_leaf(&mut self) -> Result<()> {
        let next = Leaf::new(self.leaf.page + 1);
        let mut leaf = std::mem::replace(&mut self.leaf, next);
        leaf.put_header(2, leaf.bytes.len());
        if leaf.terms.is_empty() {
            self.index.skip_leaf(leaf.has_row);
        }
        leaf.bytes.extend_from_slice(&leaf.terms);
        self.pages.write_leaf(leaf.page, &leaf.bytes)
    }

    /// Writes what is left and returns the number of leaves.
    pub(super) fn finish(mut self) -> Result<u32> {
        if self.leaf.bytes.len() > HEADER_BYTES {
            self.flush_leaf()?;
        }
        let leaves = self.leaf.page - 1;
        if leaves > 0 {
            self.write_found()?;
        }
        Ok(leaves)
    }
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Returns the bytes of the varints that end within `space`; at least one is taken.
fn numbers_within(bytes: &[u8], space: usize) -> usize {
    let mut rest = bytes;
    let mut taken = 0;
    while let Some(number) = read_varint(&mut rest) {
        let end = taken + varint_bytes(number);
        if end > space && taken > 0 {
            break;
        }
        taken = end;
    }
    taken
}
