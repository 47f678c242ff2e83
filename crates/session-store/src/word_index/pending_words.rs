//! The words that are not yet in the database.

use super::COLUMNS;
use super::segment_rows::StoredSegment;
use super::structure::{WordSegment, WordStructure};
use super::term_table::{SharedTerms, TermTable};
use super::turn_words::TurnWords;
use super::word_sorter::{WordBatch, WordSorter};
use super::word_tokenizer::WordTokenizer;
use crate::error::{Result, StoreError};
use crate::id::TurnId;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::varint::{push_varint, read_varints};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Leaves that FTS5 writes between two looks for what to merge.
const WORK_LEAVES: u64 = 64;
/// The id of the record of sums in `words_data`.
const AVERAGES: i64 = 1;

/// The treatment of words by their amount.
pub(super) struct WordLimits {
    /// Bytes of words from which on they are sorted before the commit.
    pub(super) batch_bytes: usize,
    /// Batches from which on they are written before the commit: each has an open file.
    pub(super) batches: usize,
    /// Leaves from which on a segment is large: what FTS5 would have merged several times.
    pub(super) large_leaves: u32,
}

impl Default for WordLimits {
    fn default() -> Self {
        Self {
            batch_bytes: 8 << 20,
            batches: 64,
            large_leaves: 256,
        }
    }
}

/// Words of turns that [`PendingWords::flush`] writes to the database, mostly as one segment.
#[derive(Default)]
pub(crate) struct PendingWords {
    turns: BTreeMap<TurnId, TurnWords>,
    terms: Option<Arc<TermTable>>,
    bytes: usize,
    /// Those that came before, where they are many.
    sorting: Option<SortingWords>,
    pub(super) limits: WordLimits,
    /// The table that further turns use.
    shared: SharedTerms,
    /// Cuts the texts that the writer itself indexes, made when it is needed.
    tokenizer: Option<WordTokenizer>,
}

/// Words that another thread sorts.
struct SortingWords {
    sorter: WordSorter,
    batches: usize,
    /// The origin of their segment, which is in the rows of their sizes: by it one knows whether a turn is among them.
    origin: u64,
    turns: u64,
    /// Turns that were deleted since. Their words may have come again, and wait until the others are written.
    deleted: BTreeSet<TurnId>,
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
        let has_other_terms = !self.terms.as_ref().is_none_or(is_same);
        if self.bytes >= self.limits.batch_bytes || has_other_terms {
            self.sort(index)?;
        }
        if has_other_terms && !self.turns.is_empty() {
            self.store_rest(index)?;
        }
        self.terms = Some(Arc::clone(&words.terms));
        self.bytes += words.bytes();
        self.turns.insert(turn, words);
        Ok(())
    }

    /// Deletes the words of a turn, if there are any.
    pub(crate) fn delete(&mut self, index: &Reader, turn: TurnId) -> Result<()> {
        if let Some(words) = self.turns.remove(&turn) {
            self.bytes -= words.bytes();
            return Ok(());
        }
        if let Some(sorting) = &mut self.sorting
            && sorting.holds(&index.db, turn)?
        {
            sorting.deleted.insert(turn);
            return Ok(());
        }
        delete_indexed(&index.db, turn)
    }

    /// Writes the words to the database. To be called before each commit, and before the word index is read.
    pub(crate) fn flush(&mut self, index: &Reader) -> Result<()> {
        if self.sorting.is_some() {
            self.sort(index)?;
        }
        self.store_rest(index)
    }

    /// Passes the words on to the thread that sorts, but for those of turns that it has already.
    fn sort(&mut self, index: &Reader) -> Result<()> {
        let mut turns = std::mem::take(&mut self.turns);
        if let Some(sorting) = &self.sorting {
            let again = sorting.deleted.iter();
            self.turns = again.filter_map(|turn| turns.remove_entry(turn)).collect();
        }
        self.bytes = self.turns.values().map(TurnWords::bytes).sum();
        if let Some(terms) = self.terms.clone().filter(|_| !turns.is_empty()) {
            let sorting = match &mut self.sorting {
                Some(sorting) => sorting,
                none => none.insert(SortingWords::begin(index)?),
            };
            sorting.push(index, WordBatch { turns, terms })?;
        }
        let is_full = |s: &SortingWords| s.batches >= self.limits.batches;
        if self.bytes > self.limits.batch_bytes / 2 || self.sorting.as_ref().is_some_and(is_full) {
            self.store_rest(index)?;
        }
        Ok(())
    }

    /// Writes the words that are being sorted, then deletes those of turns that were deleted since, and writes those that
    /// were added again.
    fn store_rest(&mut self, index: &Reader) -> Result<()> {
        if let Some(sorting) = self.sorting.take() {
            sorting.store(index, self.limits.large_leaves)?;
        }
        self.bytes = 0;
        let turns = std::mem::take(&mut self.turns);
        match self.terms.take().filter(|_| !turns.is_empty()) {
            Some(terms) => store_batch(index, WordBatch { turns, terms }, self.limits.large_leaves),
            None => Ok(()),
        }
    }
}

impl SortingWords {
    fn begin(index: &Reader) -> Result<Self> {
        Ok(Self {
            sorter: WordSorter::start(index.root().to_owned())?,
            batches: 0,
            origin: read_structure(index)?.next_origin(),
            turns: 0,
            deleted: BTreeSet::new(),
        })
    }

    /// Returns true for a turn that is in one of the batches.
    fn holds(&self, db: &Connection, turn: TurnId) -> Result<bool> {
        let find = "SELECT EXISTS(SELECT 1 FROM words_docsize WHERE id = ?1 AND origin = ?2)";
        db.single(find, params![turn, self.origin.cast_signed()], |row| {
            row.get(0)
        })
    }

    fn push(&mut self, index: &Reader, batch: WordBatch) -> Result<()> {
        release_structure(&index.db)?;
        note_sizes(&index.db, &batch.turns, self.origin)?;
        self.batches += 1;
        self.turns += batch.turns.len() as u64;
        self.sorter.push(batch);
        Ok(())
    }

    fn store(self, index: &Reader, large_leaves: u32) -> Result<()> {
        let structure = read_structure(index)?;
        let mut segment = StoredSegment::new(&index.db, structure.free_id());
        self.sorter.finish(&mut segment)?;
        let segment = segment.to_record(self.origin, self.turns);
        add_segment(&index.db, structure, segment, large_leaves)?;
        let mut deleted = self.deleted.into_iter();
        deleted.try_for_each(|turn| delete_indexed(&index.db, turn))
    }
}

fn store_batch(index: &Reader, batch: WordBatch, large_leaves: u32) -> Result<()> {
    let db = &index.db;
    let structure = read_structure(index)?;
    let (origin, turns) = (structure.next_origin(), batch.turns.len() as u64);
    note_sizes(db, &batch.turns, origin)?;
    let mut segment = StoredSegment::new(db, structure.free_id());
    batch.store(&mut segment)?;
    add_segment(
        db,
        structure,
        segment.to_record(origin, turns),
        large_leaves,
    )
}

/// Reads the record of the segments, which nobody holds in memory.
fn read_structure(index: &Reader) -> Result<WordStructure> {
    release_structure(&index.db)?;
    WordStructure::read(&index.db)?.ok_or_else(|| {
        StoreError::corrupt(
            index.root(),
            "the record of the word index's segments is damaged",
        )
    })
}

/// Makes a segment known to FTS5, if it has any term.
fn add_segment(
    db: &Connection,
    mut structure: WordStructure,
    segment: WordSegment,
    large_leaves: u32,
) -> Result<()> {
    match segment.last_leaf {
        0 => Ok(()),
        leaves if leaves >= u64::from(large_leaves) => {
            structure.leaves_written += leaves;
            structure.push_large(segment);
            structure.write(db)
        }
        _ => insert_small(db, structure, segment),
    }
}

/// Deletes the words of a turn from the database.
fn delete_indexed(db: &Connection, turn: TurnId) -> Result<()> {
    db.run("DELETE FROM words WHERE rowid = ?1", [turn])
}

/// Writes the number of tokens of each turn.
fn note_sizes(db: &Connection, turns: &BTreeMap<TurnId, TurnWords>, origin: u64) -> Result<()> {
    insert_sizes(db, turns, origin)?;
    add_to_averages(db, turns)
}

/// Makes FTS5 write what it holds back, and read the structure again when it needs it next: after a
/// rollback it does.
fn release_structure(db: &Connection) -> Result<()> {
    db.run("INSERT INTO words(words) VALUES('flush')", [])?;
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
    let select = "SELECT block FROM words_data WHERE id = ?1";
    let record: Option<Vec<u8>> = db.first(select, [AVERAGES], |row| row.get(0))?;
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
    db.run(write, params![AVERAGES, pack_numbers(numbers.into_iter())])
}

fn pack_numbers(numbers: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut packed = Vec::new();
    numbers.for_each(|number| push_varint(&mut packed, number));
    packed
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
    db.run(merge, [leaves.cast_signed()])
}
