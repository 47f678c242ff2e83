//! Makes a segment of FTS5: its leaves, and the terms by which they are found.

use super::doclist_index::DoclistIndex;
use super::segment_rows::SegmentRow;
use crate::varint::{push_varint, read_varint, varint_bytes};

/// Bytes of a leaf, FTS5's default.
pub(super) const LEAF_BYTES: usize = 4050;

/// Bytes of a leaf's header: the offset of its first row, where that belongs to the term of the leaf before, and
/// that of its list of terms, both `>u2`.
pub(super) const HEADER_BYTES: usize = 4;

/// Rows that are passed on together.
const MANY_ROWS: usize = 64;

/// The byte that FTS5 puts before a term: the number of the index, of which there is one.
pub(super) const MAIN_INDEX: u8 = b'0';

/// A segment that is being made, term by term in order of their bytes.
pub(super) struct SegmentBuilder {
    /// The rows that are complete and were not taken.
    rows: Vec<SegmentRow>,
    leaf: Leaf,
    index: DoclistIndex,
    /// The last term, with [`MAIN_INDEX`] before it.
    term: Vec<u8>,
    /// The leaf whose first term is to be written, when the doclist of its last one has ended.
    found: Option<LeafTerm>,
}

/// A leaf that is found by its first term.
struct LeafTerm {
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

impl SegmentBuilder {
    pub(super) fn new() -> Self {
        Self {
            rows: Vec::new(),
            leaf: Leaf::new(1),
            index: DoclistIndex::default(),
            term: Vec::new(),
            found: Some(LeafTerm {
                term: Vec::new(),
                page: 1,
            }),
        }
    }

    /// Takes the rows that are complete, once there are enough of them to be worth it.
    pub(super) fn take_many_rows(&mut self) -> Option<Vec<SegmentRow>> {
        (self.rows.len() >= MANY_ROWS).then(|| std::mem::take(&mut self.rows))
    }

    /// Appends a term with its list of turns.
    pub(super) fn push(&mut self, term: &[u8], doclist: &[u8]) {
        self.push_term(term);
        if self.leaf.bytes() + doclist.len() < LEAF_BYTES {
            self.leaf.bytes.extend_from_slice(doclist)
        } else {
            self.push_doclist(doclist)
        }
    }

    fn push_term(&mut self, bare: &[u8]) {
        let mut term = Vec::with_capacity(bare.len() + 1);
        term.push(MAIN_INDEX);
        term.extend_from_slice(bare);
        if self.leaf.bytes() + term.len() + 2 >= LEAF_BYTES && self.leaf.bytes.len() > HEADER_BYTES
        {
            self.flush_leaf();
        }
        let is_first = self.leaf.terms.is_empty();
        self.leaf.push_term_offset();
        let shared = common_prefix(&self.term, &term);
        if is_first {
            if self.leaf.page > 1 {
                let end = (shared + 1).min(term.len());
                self.find_leaf_by(&term[..end]);
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
    }

    /// Writes the term of the last leaf that has one, and notes that of this leaf.
    fn find_leaf_by(&mut self, term: &[u8]) {
        self.write_found();
        self.found = Some(LeafTerm {
            term: term.to_vec(),
            page: self.leaf.page,
        });
    }

    fn write_found(&mut self) {
        if let Some(found) = self.found.take() {
            let has_index = self.index.end(&mut self.rows);
            self.rows.push(SegmentRow::Term {
                term: found.term,
                leaf: found.page,
                has_index,
            });
        }
    }

    /// Appends a list of turns that goes beyond the leaf.
    fn push_doclist(&mut self, mut doclist: &[u8]) {
        let (mut turn, mut before) = (0, 0);
        while let Some(difference) = read_varint(&mut doclist) {
            turn += difference;
            if self.leaf.has_row {
                push_varint(&mut self.leaf.bytes, turn - before);
            } else {
                self.push_first_row(turn);
            }
            before = turn;
            self.push_positions(&mut doclist);
        }
    }

    /// Appends the first turn of a leaf, whole.
    fn push_first_row(&mut self, turn: u64) {
        let offset = self.leaf.bytes.len();
        self.leaf.put_header(0, offset);
        push_varint(&mut self.leaf.bytes, turn);
        self.leaf.has_row = true;
        self.index.push(&mut self.rows, self.leaf.page, turn);
    }

    /// Moves the size and positions of a turn from the front of a doclist to leaves; none of their numbers is cut.
    fn push_positions(&mut self, doclist: &mut &[u8]) {
        let mut after_size = *doclist;
        let positions = read_varint(&mut after_size).unwrap_or_default() / 2;
        let size = doclist.len() - after_size.len();
        let bytes = size + usize::try_from(positions).unwrap_or(usize::MAX);
        let mut rest = doclist.split_off(..bytes).unwrap_or_default();
        loop {
            let space = LEAF_BYTES.saturating_sub(self.leaf.bytes());
            let length = if rest.len() <= space {
                rest.len()
            } else {
                numbers_within(rest, space)
            };
            let part = rest.split_off(..length).unwrap_or_default();
            self.leaf.bytes.extend_from_slice(part);
            if self.leaf.is_full() {
                self.flush_leaf();
            }
            if rest.is_empty() {
                return;
            }
        }
    }

    fn flush_leaf(&mut self) {
        let next = Leaf::new(self.leaf.page + 1);
        let mut leaf = std::mem::replace(&mut self.leaf, next);
        leaf.put_header(2, leaf.bytes.len());
        if leaf.terms.is_empty() {
            self.index.skip_leaf(leaf.has_row);
        }
        leaf.bytes.extend_from_slice(&leaf.terms);
        self.rows.push(SegmentRow::Leaf {
            page: leaf.page,
            bytes: leaf.bytes,
        });
    }

    /// Returns the rows that were not taken.
    pub(super) fn finish(mut self) -> Vec<SegmentRow> {
        if self.leaf.bytes.len() > HEADER_BYTES {
            self.flush_leaf();
        }
        if self.leaf.page > 1 {
            self.write_found();
        }
        self.rows
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
