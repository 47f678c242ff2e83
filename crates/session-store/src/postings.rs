//! Reads the postings of phrases from FTS5 by its own interface for auxiliary functions.
//!
//! SQL gives postings a row at a time, and `bm25()` looks up the length of each document and reads the
//! postings of each phrase a second time for its frequency. An auxiliary function is called with the whole
//! query at its first row: it lets FTS5 walk the postings of each phrase once and keeps them
//! (`xQueryPhrase`, <https://sqlite.org/fts5.html#custom_auxiliary_functions>).

use crate::error::Result;
use crate::word_index::COLUMNS;
use rusqlite::ffi::{self, Fts5Context, Fts5ExtensionApi, Fts5PhraseIter, fts5_api};
use rusqlite::{Connection, OptionalExtension};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// A turn that holds a phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Posting {
    pub(crate) turn: u32,
    /// Occurrences of the phrase, each by the weight of its column.
    pub(crate) frequency: f32,
}

/// The postings of a query's phrases, in their order; each by turn.
type QueryPostings = Vec<Vec<Posting>>;

/// Weights of the columns of `words`: answer, prompt, title, commands, paths,
/// errors, parts of identifiers.
const COLUMN_WEIGHTS: [f32; COLUMNS] = [1.0, 1.2, 0.5, 0.8, 0.8, 1.0, 0.4];

/// Where the auxiliary function of a connection leaves what it reads.
type Shared = Mutex<QueryPostings>;

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
    pub(crate) fn read(&self, db: &Connection, phrases: &[String]) -> Result<QueryPostings> {
        let mut find =
            db.prepare_cached("SELECT postings(words) FROM words WHERE words MATCH ?1 LIMIT 1")?;
        let any_matches = find
            .query_row([phrases.join(" OR ")], |_| Ok(()))
            .optional()?;
        let mut read = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if any_matches.is_none() {
            read = QueryPostings::default();
        }
        read.resize(phrases.len(), Vec::new());
        Ok(read)
    }
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
    match api.is_null() {
        true => check(ffi::SQLITE_ERROR).map(|()| api),
        false => Ok(api),
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
        let read = read_phrases(&*api, query);
        match ((*api).xUserData, read) {
            (Some(user_data), Ok(read)) => {
                let shared = &*user_data(query).cast::<Shared>();
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = read;
            }
            (_, read) => {
                ffi::sqlite3_result_error_code(context, read.err().unwrap_or(ffi::SQLITE_ERROR));
            }
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
) -> std::result::Result<QueryPostings, c_int> {
    let missing = || ffi::SQLITE_ERROR;
    let count = api.xPhraseCount.ok_or_else(missing)?;
    let visit = api.xQueryPhrase.ok_or_else(missing)?;
    let mut read = QueryPostings::default();
    // SAFETY: as the caller promises; `add_posting` gets the vector that outlives the call.
    unsafe {
        for phrase in 0..count(query) {
            let mut postings: Vec<Posting> = Vec::new();
            let into = (&raw mut postings).cast::<c_void>();
            match visit(query, phrase, into, Some(add_posting)) {
                ffi::SQLITE_OK => read.push(postings),
                code => return Err(code),
            }
        }
    }
    Ok(read)
}

/// Adds the row at hand, in which phrase 0 is the one that is visited.
unsafe extern "C" fn add_posting(
    api: *const Fts5ExtensionApi,
    row: *mut Fts5Context,
    postings: *mut c_void,
) -> c_int {
    // SAFETY: FTS5 calls with its own interface and the pointer that `read_phrases` gave, which nothing else
    // uses meanwhile.
    unsafe {
        let postings = &mut *postings.cast::<Vec<Posting>>();
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
            next(row, &raw mut position, &raw mut column, &raw mut offset);
        }
        postings.push(Posting { turn, frequency });
        code
    }
}
