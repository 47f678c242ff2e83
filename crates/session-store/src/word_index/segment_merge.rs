//! Merges the segments of a first index.

use super::segment::SegmentWriter;
use super::segment_reader::{Doclist, SegmentReader};
use super::structure::{WordSegment, WordStructure};
use crate::error::Result;
use rusqlite::{Connection, params};

/// Large segments that came one after the other, each with later turns than the one before.
///
/// Such segments are merged by appending lists, which takes a tenth of what FTS5's merge of any segments does.
#[derive(Debug, Default)]
pub(super) struct SegmentRun {
    segments: Vec<WordSegment>,
    last_turn: u64,
}

impl SegmentRun {
    /// Notes a segment with its first and last turn.
    pub(super) fn push(&mut self, segment: WordSegment, turns: [u64; 2]) {
        if turns[0] <= self.last_turn {
            self.clear();
        }
        self.segments.push(segment);
        self.last_turn = turns[1];
    }

    /// Ends the run, since another segment comes after it.
    pub(super) fn clear(&mut self) {
        self.segments.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Merges the run to one segment, unless it has changed since, and begins another.
    pub(super) fn merge(&mut self, db: &Connection, structure: &mut WordStructure) -> Result<()> {
        let parts = std::mem::take(&mut self.segments);
        if parts.len() < 2 || !structure.holds_unchanged(&parts) {
            return Ok(());
        }
        let ids: Vec<u64> = parts.iter().map(|part| part.id).collect();
        let id = structure.free_id();
        let leaves = append_lists(db, &ids, id)?;
        delete_segments(db, &ids)?;
        structure.remove(&ids);
        structure.push_large(WordSegment::merged(id, leaves, &parts));
        Ok(())
    }
}

/// Writes a segment with all lists of some segments, whose leaves it deletes, and returns the number of its leaves.
fn append_lists(db: &Connection, from: &[u64], id: u64) -> Result<u32> {
    let mut readers = Vec::new();
    for segment in from {
        let mut reader = SegmentReader::new(db, *segment);
        if reader.next_term()? {
            readers.push(reader);
        }
    }
    let mut writer = SegmentWriter::new(db, id);
    let mut list = Doclist::default();
    while let Some(first) = readers.iter().map(SegmentReader::term).min() {
        let term = first.to_vec();
        list.clear();
        let mut has_ended = false;
        for reader in readers.iter_mut().filter(|reader| reader.term() == term) {
            reader.read_doclist(&mut list)?;
            has_ended |= !reader.next_term()?;
        }
        writer.push(term.get(1..).unwrap_or_default(), &list.bytes)?;
        if has_ended {
            readers.retain(|reader| reader.term() > term.as_slice());
        }
    }
    writer.finish()
}

/// Deletes what is left of segments: indexes of their lists and of their terms.
fn delete_segments(db: &Connection, ids: &[u64]) -> Result<()> {
    let mut leaves = db.prepare_cached("DELETE FROM words_data WHERE id >= ?1 AND id < ?2")?;
    let mut terms = db.prepare_cached("DELETE FROM words_idx WHERE segid = ?1")?;
    for id in ids {
        let range = [id << 37, (id + 1) << 37].map(u64::cast_signed);
        leaves.execute(params![range[0], range[1]])?;
        terms.execute([id.cast_signed()])?;
    }
    Ok(())
}
