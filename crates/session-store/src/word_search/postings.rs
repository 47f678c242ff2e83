//! Reads the postings of phrases from FTS5 by its own interface for auxiliary functions.
//!
//! SQL gives postings a row at a time, and `bm25()` looks up the length of each document and reads the
//! postings of each phrase a second time for its frequency. An auxiliary function is called with the whole
//! query at its first row: it lets FTS5 walk the postings of each phrase once and keeps them
//! (`xQueryPhrase`, <https://sqlite.org/fts5.html#custom_auxiliary_functions>).

use crate::error::Result;
use crate::sql::Statements;
use crate::word_index::COLUMNS;
use rusqlite::Connection;
use rusqlite::ffi::{self, Fts5Context, Fts5ExtensionApi, Fts5PhraseIter, fts5_api};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A turn that holds a phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Posting {
    pub(crate) turn: u32,
    /// Occurrences of the phrase, each by the weight of its column.
    pub(crate) frequency: f32,
}

/// Where a phrase begins: turn, column and offset among the words of the column, in this order of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordPosition(u64);

impl WordPosition {
    const COLUMN_BITS: u32 = 4;
    const OFFSET_BITS: u32 = 28;

    pub(crate) fn new(turn: u32, column: u32, offset: u32) -> Self {
        let column = u64::from(turn) << Self::COLUMN_BITS | u64::from(column);
        Self(column << Self::OFFSET_BITS | u64::from(offset))
    }

    pub(crate) fn turn(self) -> u32 {
        let turn = self.0 >> (Self::COLUMN_BITS + Self::OFFSET_BITS);
        u32::try_from(turn).unwrap_or(u32::MAX)
    }

    /// Returns the position that many words further on. No column has so many words that it would be in the next.
    pub(crate) fn plus(self, words: usize) -> Self {
        Self(self.0.saturating_add(words as u64))
    }
}

/// How many positions of a phrase are kept. Of a phrase with more none is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PositionLimit {
    pub(crate) max: usize,
    /// A phrase with more is not read on: its postings are not wanted.
    pub(crate) ends_reading: bool,
}

impl PositionLimit {
    /// Reads all postings and keeps the positions of phrases with at most `max`.
    pub(crate) fn keep(max: usize) -> Self {
        Self {
            max,
            ends_reading: false,
        }
    }
}

/// The postings of a phrase, and its positions in these turns.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PostingList {
    /// By turn.
    pub(crate) postings: Vec<Posting>,
    /// Where it begins in these turns, in order; none where they were more than were wanted.
    pub(crate) positions: Vec<WordPosition>,
}

/// The lists of a query's phrases, in their order.
type QueryPostings = Vec<PostingList>;

/// The task of a connection's auxiliary function, and its results.
#[derive(Default)]
struct PostingsRequest {
    limit: PositionLimit,
    read: QueryPostings,
}

/// Weights of the columns of `words`: answer, prompt, title, commands, paths,
/// errors, parts of identifiers.
const COLUMN_WEIGHTS: [f32; COLUMNS] = [1.0, 1.2, 0.5, 0.8, 0.8, 1.0, 0.4];

/// Where the auxiliary function of a connection leaves what it reads.
type Shared = Mutex<PostingsRequest>;

/// The auxiliary function of a connection.
pub(crate) struct PostingsReader(Arc<Shared>);

impl PostingsReader {
    /// Registers the function with FTS5.
    pub(crate) fn register(db: &Connection) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let api = find_api(db)?;
        let user_data = Arc::into_raw(Arc::clone(&shared))
            .cast_mut()
            .cast::<c_void>();
        // SAFETY: `api` is of this open connection. FTS5 calls `release` once, when the connection
        // closes, and gives `user_data` to `collect` alone until then.
        let code = unsafe {
            match (*api).xCreateFunction {
                Some(create) => create(
                    api,
                    c"postings".as_ptr(),
                    user_data,
                    Some(collect),
                    Some(release),
                ),
                None => ffi::SQLITE_ERROR,
            }
        };
        check(code)?;
        Ok(Self(shared))
    }

    /// Reads the postings of `phrases`, each an FTS5 string, by the connection of the function.
    pub(crate) fn read(
        &self,
        db: &Connection,
        phrases: &[String],
        limit: PositionLimit,
    ) -> Result<QueryPostings> {
        lock(&self.0).limit = limit;
        let select = "SELECT postings(words) FROM words WHERE words MATCH ?1 LIMIT 1";
        let any_matches = db.first(select, [phrases.join(" OR ")], |_| Ok(()))?;
        let mut read = std::mem::take(&mut lock(&self.0).read);
        if any_matches.is_none() {
            read = QueryPostings::default();
        }
        read.resize(phrases.len(), PostingList::default());
        Ok(read)
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, PostingsRequest> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn check(code: c_int) -> Result<()> {
    match code {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()),
    }
}

/// Returns FTS5's interface of a connection (<https://sqlite.org/fts5.html#extending_fts5>).
pub(crate) fn find_api(db: &Connection) -> Result<*mut fts5_api> {
    let mut api: *mut fts5_api = ptr::null_mut();
    let mut statement = ptr::null_mut();
    // SAFETY: the connection is open; the statement is finalized before `api`, to which it writes, is read;
    // the type of the pointer is the one that FTS5 asks for.
    unsafe {
        let select = c"SELECT fts5(?1)";
        check(ffi::sqlite3_prepare_v2(
            db.handle(),
            select.as_ptr(),
            -1,
            &raw mut statement,
            ptr::null_mut(),
        ))?;
        let pointer = (&raw mut api).cast::<c_void>();
        ffi::sqlite3_bind_pointer(statement, 1, pointer, c"fts5_api_ptr".as_ptr(), None);
        ffi::sqlite3_step(statement);
        check(ffi::sqlite3_finalize(statement))?;
    }
    if api.is_null() {
        check(ffi::SQLITE_ERROR).map(|()| api)
    } else {
        Ok(api)
    }
}

/// Releases the function's reference to the shared postings.
unsafe extern "C" fn release(user_data: *mut c_void) {
    // SAFETY: it is the pointer that `register` made, given back once.
    drop(unsafe { Arc::from_raw(user_data.cast::<Shared>()) });
}

/// Reads the postings of all phrases of the query at hand.
unsafe extern "C" fn collect(
    api: *const Fts5ExtensionApi,
    query: *mut Fts5Context,
    context: *mut ffi::sqlite3_context,
    _: c_int,
    _: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: FTS5 calls with its own interface, all of whose functions are there since their version 2,
    // which is older than contentless tables that delete; `user_data` lives as long as the connection.
    unsafe {
        let Some(user_data) = (*api).xUserData else {
            return ffi::sqlite3_result_error_code(context, ffi::SQLITE_ERROR);
        };
        let shared = &*user_data(query).cast::<Shared>();
        let limit = lock(shared).limit;
        match read_phrases(&*api, query, limit) {
            Ok(read) => lock(shared).read = read,
            Err(code) => ffi::sqlite3_result_error_code(context, code),
        }
    }
}

/// Reads the postings of all phrases of a query, or gives SQLite's error code.
///
/// # Safety
/// `query` is what FTS5 gave to an auxiliary function together with `api`.
unsafe fn read_phrases(
    api: &Fts5ExtensionApi,
    query: *mut Fts5Context,
    limit: PositionLimit,
) -> std::result::Result<QueryPostings, c_int> {
    let missing = || ffi::SQLITE_ERROR;
    let count = api.xPhraseCount.ok_or_else(missing)?;
    let visit = api.xQueryPhrase.ok_or_else(missing)?;
    let mut read = QueryPostings::default();
    // SAFETY: as the caller promises; `add_posting` gets the collector that outlives the call.
    unsafe {
        for phrase in 0..count(query) {
            let mut collector = PostingCollector::new(limit);
            let into = (&raw mut collector).cast::<c_void>();
            match visit(query, phrase, into, Some(add_posting)) {
                ffi::SQLITE_OK => read.push(collector.list),
                code => return Err(code),
            }
        }
    }
    Ok(read)
}

/// Collects the postings of a phrase.
struct PostingCollector {
    list: PostingList,
    limit: PositionLimit,
    /// More positions were read than are kept.
    is_over: bool,
}

impl PostingCollector {
    fn new(limit: PositionLimit) -> Self {
        Self {
            list: PostingList::default(),
            limit,
            is_over: limit.max == 0,
        }
    }

    fn add_position(&mut self, turn: u32, column: c_int, offset: c_int) {
        let positions = &mut self.list.positions;
        if self.is_over {
            return;
        }
        if positions.len() == self.limit.max {
            *positions = Vec::new();
            self.is_over = true;
            return;
        }
        let (column, offset) = (column.unsigned_abs(), offset.unsigned_abs());
        positions.push(WordPosition::new(turn, column, offset));
    }
}

/// Adds the row at hand, in which phrase 0 is the one that is visited.
unsafe extern "C" fn add_posting(
    api: *const Fts5ExtensionApi,
    row: *mut Fts5Context,
    collector: *mut c_void,
) -> c_int {
    // SAFETY: FTS5 calls with its own interface and the pointer that `read_phrases` gave, which nothing else
    // uses meanwhile.
    unsafe {
        let collector = &mut *collector.cast::<PostingCollector>();
        let (Some(id), Some(first), Some(next)) =
            ((*api).xRowid, (*api).xPhraseFirst, (*api).xPhraseNext)
        else {
            return ffi::SQLITE_ERROR;
        };
        let Ok(turn) = u32::try_from(id(row)) else {
            return ffi::SQLITE_CORRUPT;
        };
        let mut position = Fts5PhraseIter {
            a: ptr::null(),
            b: ptr::null(),
        };
        let (mut column, mut offset) = (0, 0);
        let mut frequency = 0.0;
        let code = first(row, 0, &raw mut position, &raw mut column, &raw mut offset);
        while code == ffi::SQLITE_OK && column >= 0 {
            let weight = usize::try_from(column)
                .ok()
                .and_then(|column| COLUMN_WEIGHTS.get(column));
            frequency += weight.copied().unwrap_or_default();
            collector.add_position(turn, column, offset);
            next(row, &raw mut position, &raw mut column, &raw mut offset);
        }
        let posting = Posting { turn, frequency };
        collector.list.postings.push(posting);
        if collector.is_over && collector.limit.ends_reading {
            ffi::SQLITE_DONE
        } else {
            code
        }
    }
}
