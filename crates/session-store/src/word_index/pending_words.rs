//! The words that are not yet in the database.

use super::COLUMNS;
use super::doclists::Doclists;
use super::segment::SegmentWriter;
use super::segment_merge::SegmentRun;
use super::structure::{WordSegment, WordStructure};
use super::term_table::{SharedTerms, TermId, TermTable};
use super::turn_words::TurnWords;
use super::word_tokenizer::WordTokenizer;
use crate::error::{Result, StoreError};
use crate::id::TurnId;
use crate::reader::Reader;
use crate::varint::{push_varint, read_varints};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of words from which on they are written before the commit.
const MAX_BYTES: usize = 16 << 20;
/// Leaves that FTS5 writes between two looks for what to merge.
const WORK_LEAVES: u64 = 64;
/// The id of the record of sums in `words_data`.
const AVERAGES: i64 = 1;

/// The treatment of segments by their size.
pub(super) struct SegmentLimits {
    /// Leaves from which on a segment is large: what FTS5 would have merged several times.
    pub(super) large_leaves: u32,
    /// Large segments after one another that are merged.
    pub(super) run_segments: usize,
}

impl Default for SegmentLimits {
    fn default() -> Self {
        Self {
            large_leaves: 256,
            run_segments: 8,
        }
    }
}

/// Words of turns that [`PendingWords::flush`] writes to the database as one segment.
#[derive(Default)]
pub(crate) struct PendingWords {
    turns: BTreeMap<TurnId, TurnWords>,
    terms: Option<Arc<TermTable>>,
    bytes: usize,
    run: SegmentRun,
    pub(super) limits: SegmentLimits,
    /// The table that further turns use.
    shared: SharedTerms,
    /// Cuts the texts that the writer itself indexes, made when it is needed.
    tokenizer: Option<WordTokenizer>,
}

impl PendingWords {
    pub(crate) fn terms(&self) -> &SharedTerms {
        &self.shared
    }

    /// Returns the tokenizer of this thread.
    pub(crate) fn tokenizer(&mut self) -> Result<&mut WordTokenizer> {
        match &mut self.tokenizer {
            Some(tokenizer) => Ok(tokenizer),
            none => Ok(none.insert(WordTokenizer::new(&self.shared)?)),
        }
    }

    /// Returns true when words have terms of the table of those before, or of the one that comes after it.
    /// Others came late.
    pub(crate) fn accepts(&self, words: &TurnWords) -> bool {
        let is_same = |terms: &Arc<TermTable>| Arc::ptr_eq(terms, &words.terms);
        self.terms.as_ref().is_none_or(is_same) || is_same(&self.shared.current())
    }

    /// Inserts the words of a turn that the index has none of.
    pub(crate) fn insert(&mut self, index: &Reader, turn: TurnId, words: TurnWords) -> Result<()> {
        let is_same = |terms: &Arc<TermTable>| Arc::ptr_eq(terms, &words.terms);
        if self.bytes >= MAX_BYTES || !self.terms.as_ref().is_none_or(is_same) {
            self.flush(index)?;
        }
        self.terms = Some(Arc::clone(&words.terms));
        self.bytes += words.bytes();
        self.turns.insert(turn, words);
        Ok(())
    }

    /// Removes the words of a turn; returns false where it has none.
    pub(crate) fn remove(&mut self, turn: TurnId) -> bool {
        let removed = self.turns.remove(&turn);
        self.bytes -= removed.as_ref().map_or(0, TurnWords::bytes);
        removed.is_some()
    }

    /// Writes the words to the database. To be called before each commit, and before the word index is read.
    pub(crate) fn flush(&mut self, index: &Reader) -> Result<()> {
        let turns = std::mem::take(&mut self.turns);
        self.bytes = 0;
        let Some(terms) = self.terms.take().filter(|_| !turns.is_empty()) else {
            return Ok(());
        };
        let db = &index.db;
        release_structure(db)?;
        let structure = WordStructure::read(db)?.ok_or_else(|| StoreError::Corrupt {
            root: index.root().to_owned(),
            what: "the record of the word index's segments is damaged".to_owned(),
        })?;
        let origin = structure.next_origin();
        insert_sizes(db, &turns, origin)?;
        add_to_averages(db, &turns)?;
        let id = structure.free_id();
        let leaves = write_segment(db, id, &turns, &terms)?;
        let segment = WordSegment {
            id,
            first_leaf: 1,
            last_leaf: leaves.into(),
            first_origin: origin,
            last_origin: origin,
            rows: turns.len() as u64,
            ..WordSegment::default()
        };
        let ends = [turns.first_key_value(), turns.last_key_value()];
        let ends = ends.map(|end| end.map_or(0, |(turn, _)| turn.as_index() as u64));
        drop(turns);
        match leaves {
            0 => Ok(()),
            leaves if leaves >= self.limits.large_leaves => {
                self.insert_large(db, structure, segment, ends)
            }
            _ => {
                self.run.clear();
                insert_small(db, structure, segment)
            }
        }
    }

    /// Makes a large segment known to FTS5, and merges it with those before it where these are many.
    fn insert_large(
        &mut self,
        db: &Connection,
        mut structure: WordStructure,
        segment: WordSegment,
        turns: [u64; 2],
    ) -> Result<()> {
        self.run.push(segment.clone(), turns);
        structure.leaves_written += segment.last_leaf;
        structure.push_large(segment);
        if self.run.len() >= self.limits.run_segments {
            self.run.merge(db, &mut structure)?;
        }
        structure.write(db)
    }

    /// Merges the large segments that came last, after which no more are to come.
    pub(crate) fn merge_last(&mut self, index: &Reader) -> Result<()> {
        self.flush(index)?;
        if self.run.len() < 2 {
            return Ok(());
        }
        release_structure(&index.db)?;
        if let Some(mut structure) = WordStructure::read(&index.db)? {
            self.run.merge(&index.db, &mut structure)?;
            structure.write(&index.db)?;
        }
        Ok(())
    }
}

/// Makes FTS5 write what it holds back, and read the structure again when it needs it next: after a
/// rollback it does.
fn release_structure(db: &Connection) -> Result<()> {
    db.prepare_cached("INSERT INTO words(words) VALUES('flush')")?
        .execute([])?;
    Ok(db.execute_batch("SAVEPOINT words; ROLLBACK TO words; RELEASE words")?)
}

fn insert_sizes(db: &Connection, turns: &BTreeMap<TurnId, TurnWords>, origin: u64) -> Result<()> {
    let insert = "INSERT INTO words_docsize(id, sz, origin) VALUES(?1, ?2, ?3)";
    let mut insert = db.prepare_cached(insert)?;
    for (turn, words) in turns {
        let sizes = pack_numbers(words.lengths.iter().map(|length| u64::from(*length)));
        insert.execute(params![turn, sizes, origin.cast_signed()])?;
    }
    Ok(())
}

/// Adds to the record of the number of turns and of the tokens of each column.
fn add_to_averages(db: &Connection, turns: &BTreeMap<TurnId, TurnWords>) -> Result<()> {
    let mut find = db.prepare_cached("SELECT block FROM words_data WHERE id = ?1")?;
    let record: Option<Vec<u8>> = find.query_row([AVERAGES], |row| row.get(0)).optional()?;
    let record = record.unwrap_or_default();
    let mut numbers = [0; COLUMNS + 1];
    for (number, known) in numbers.iter_mut().zip(read_varints(&record)) {
        *number = known;
    }
    numbers[0] += turns.len() as u64;
    for words in turns.values() {
        for (number, length) in numbers[1..].iter_mut().zip(words.lengths) {
            *number += u64::from(length);
        }
    }
    let write = "INSERT OR REPLACE INTO words_data(id, block) VALUES(?1, ?2)";
    db.prepare_cached(write)?
        .execute(params![AVERAGES, pack_numbers(numbers.into_iter())])?;
    Ok(())
}

fn pack_numbers(numbers: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut packed = Vec::new();
    numbers.for_each(|number| push_varint(&mut packed, number));
    packed
}

/// Writes a segment and returns the number of its leaves.
fn write_segment(
    db: &Connection,
    id: u64,
    turns: &BTreeMap<TurnId, TurnWords>,
    terms: &TermTable,
) -> Result<u32> {
    let terms = terms.terms();
    let doclists = Doclists::new(turns.iter().map(|(id, words)| (*id, words)), terms.len());
    let ids = 0..TermId::try_from(terms.len()).unwrap_or(TermId::MAX);
    let mut ids: Vec<TermId> = ids.filter(|id| !doclists.get(*id).is_empty()).collect();
    ids.sort_unstable_by_key(|id| terms.get_index(*id as usize));
    let mut writer = SegmentWriter::new(db, id);
    for id in ids {
        if let Some(term) = terms.get_index(id as usize) {
            writer.push(term, doclists.get(id))?;
        }
    }
    writer.finish()
}

/// Makes a small segment known to FTS5, and has it merge small ones as after an `INSERT` of its own.
fn insert_small(db: &Connection, mut structure: WordStructure, segment: WordSegment) -> Result<()> {
    let written = structure.leaves_written;
    structure.leaves_written += segment.last_leaf;
    structure.push(segment);
    structure.write(db)?;
    let units = structure.leaves_written / WORK_LEAVES - written / WORK_LEAVES;
    match units * WORK_LEAVES * structure.levels() as u64 {
        0 => Ok(()),
        work => merge(db, work),
    }
}

fn merge(db: &Connection, leaves: u64) -> Result<()> {
    let merge = "INSERT INTO words(words, rank) VALUES('merge', ?1)";
    db.prepare_cached(merge)?.execute([leaves.cast_signed()])?;
    Ok(())
}
