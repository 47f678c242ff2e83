//! The record of a word index's segments, by which FTS5 reads and merges them.

use crate::error::Result;
use crate::sql::Statements;
use crate::varint::{push_varint, read_varint};
use rusqlite::{Connection, params};

/// The id of the record in `words_data`.
const STRUCTURE: i64 = 10;
/// Marks a record that counts origins, as that of a table with `contentless_delete` does.
const VERSION_2: [u8; 4] = [0xff, 0, 0, 1];
/// Segments of a level that FTS5 does not yet merge.
const MAX_CALM_SEGMENTS: usize = 3;
/// Levels up to which a large segment gets one of its own.
const MAX_LEVELS: usize = 40;

/// All segments by level, small and new ones first.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct WordStructure {
    /// Changes with the table's configuration.
    cookie: [u8; 4],
    /// Leaves ever written to new segments.
    pub(super) leaves_written: u64,
    levels: Vec<WordLevel>,
}

#[derive(Debug, Default, Clone, PartialEq)]
struct WordLevel {
    /// Its first segments that are being merged into the last one of the next level.
    merging: u64,
    /// Oldest first.
    segments: Vec<WordSegment>,
}

/// A segment of FTS5.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct WordSegment {
    pub(super) id: u64,
    pub(super) first_leaf: u64,
    pub(super) last_leaf: u64,
    /// The origins of its rows, by which FTS5 knows which segments hold a row that is deleted.
    pub(super) first_origin: u64,
    pub(super) last_origin: u64,
    pub(super) tombstone_pages: u64,
    pub(super) tombstones: u64,
    pub(super) rows: u64,
}

impl WordSegment {
    fn fields(&self) -> [u64; 8] {
        [
            self.id,
            self.first_leaf,
            self.last_leaf,
            self.first_origin,
            self.last_origin,
            self.tombstone_pages,
            self.tombstones,
            self.rows,
        ]
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let mut next = || read_varint(from);
        Some(Self {
            id: next()?,
            first_leaf: next()?,
            last_leaf: next()?,
            first_origin: next()?,
            last_origin: next()?,
            tombstone_pages: next()?,
            tombstones: next()?,
            rows: next()?,
        })
    }
}

impl WordStructure {
    /// Reads the record; none where it is damaged.
    pub(super) fn read(db: &Connection) -> Result<Option<Self>> {
        let select = "SELECT block FROM words_data WHERE id = ?1";
        let record: Option<Vec<u8>> = db.first(select, [STRUCTURE], |row| row.get(0))?;
        Ok(record.and_then(|record| Self::unpack(&record)))
    }

    pub(super) fn write(&self, db: &Connection) -> Result<()> {
        let write = "INSERT OR REPLACE INTO words_data(id, block) VALUES(?1, ?2)";
        db.run(write, params![STRUCTURE, self.pack()])
    }

    fn unpack(record: &[u8]) -> Option<Self> {
        let (cookie, rest) = record.split_first_chunk()?;
        let (version, mut rest) = rest.split_first_chunk()?;
        if *version != VERSION_2 {
            return None;
        }
        let levels = read_varint(&mut rest)?;
        let _segments = read_varint(&mut rest)?;
        let leaves_written = read_varint(&mut rest)?;
        let levels = (0..levels).map(|_| WordLevel::read(&mut rest));
        Some(Self {
            cookie: *cookie,
            leaves_written,
            levels: levels.collect::<Option<_>>()?,
        })
    }

    fn pack(&self) -> Vec<u8> {
        let mut record = [self.cookie, VERSION_2].concat();
        let segments: usize = self.levels.iter().map(|level| level.segments.len()).sum();
        push_varint(&mut record, self.levels.len() as u64);
        push_varint(&mut record, segments as u64);
        push_varint(&mut record, self.leaves_written);
        for level in &self.levels {
            push_varint(&mut record, level.merging);
            push_varint(&mut record, level.segments.len() as u64);
            let fields = level.segments.iter().flat_map(WordSegment::fields);
            fields.for_each(|field| push_varint(&mut record, field));
        }
        record
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &WordSegment> {
        self.levels.iter().flat_map(|level| &level.segments)
    }

    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Returns the origin of the rows of the next segment.
    pub(super) fn next_origin(&self) -> u64 {
        self.segments().map(|s| s.last_origin).max().unwrap_or(0) + 1
    }

    /// Returns a number that no segment has.
    pub(super) fn free_id(&self) -> u64 {
        let is_used = |id: &u64| self.segments().any(|segment| segment.id == *id);
        (1..).find(|id| !is_used(id)).unwrap_or_default()
    }

    /// Inserts the newest segment as FTS5 does: into the first level.
    pub(super) fn push(&mut self, segment: WordSegment) {
        if self.levels.is_empty() {
            self.levels.push(WordLevel::default());
        }
        self.levels[0].segments.push(segment);
    }

    /// Inserts the newest segment, which is large, where FTS5 would have it after merges: small segments
    /// that come later are not merged with it before they are as large together.
    ///
    /// A lower level counts as newer, so that what stands below moves up to its level.
    pub(super) fn push_large(&mut self, segment: WordSegment) {
        let leaves = (segment.last_leaf + 1 - segment.first_leaf).max(1);
        let level = leaves.ilog2() as usize / 2;
        let merging = self.levels.iter().position(|level| level.merging > 0);
        let level = merging.map_or(level, |merging| merging.min(level));
        while self.levels.len() <= level {
            self.levels.push(WordLevel::default());
        }
        let below = self.levels[..level].iter_mut().rev();
        let moved: Vec<_> = below
            .flat_map(|l| std::mem::take(&mut l.segments))
            .collect();
        self.levels[level].segments.extend(moved);
        let is_calm = self.levels[level].segments.len() < MAX_CALM_SEGMENTS;
        if !is_calm && self.levels.len() < MAX_LEVELS {
            self.levels.insert(level, WordLevel::default());
        }
        self.levels[level].segments.push(segment);
    }
}

impl WordLevel {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let merging = read_varint(from)?;
        let segments = read_varint(from)?;
        let segments = (0..segments).map(|_| WordSegment::read(from));
        Some(Self {
            merging,
            segments: segments.collect::<Option<_>>()?,
        })
    }
}
