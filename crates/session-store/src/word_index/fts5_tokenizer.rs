//! FTS5's tokenizer without a table.

use crate::error::Result;
use crate::word_search::postings::{check, find_api};
use rusqlite::Connection;
use rusqlite::ffi::{self, fts5_tokenizer};
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

/// Longest token in bytes: FTS5 cuts off what is longer.
const MAX_TOKEN_BYTES: usize = 32_768;

/// A tokenizer of FTS5.
pub(crate) struct Fts5Tokenizer {
    functions: fts5_tokenizer,
    instance: *mut ffi::Fts5Tokenizer,
    /// Has the functions registered.
    _db: Connection,
}

// SAFETY: an instance holds tables of its own and nothing of a thread; it is used by one at a time, since
// `tokenize` takes it exclusively.
unsafe impl Send for Fts5Tokenizer {}

/// Is called with each token. A panic in it ends the process, since it must not pass through C.
type TokenSink<'s> = &'s mut dyn FnMut(&[u8]);

impl Fts5Tokenizer {
    /// Makes a tokenizer from its name and its arguments, as they stand in a table's definition.
    pub(crate) fn new(definition: &str) -> Result<Self> {
        let db = Connection::open_in_memory()?;
        let names = definition.split(' ').map(CString::new);
        let names: Vec<CString> = names
            .collect::<std::result::Result<_, _>>()
            .unwrap_or_default();
        let mut arguments: Vec<*const c_char> = names.iter().skip(1).map(|n| n.as_ptr()).collect();
        let name = names.first().map_or(ptr::null(), |name| name.as_ptr());
        let mut functions = fts5_tokenizer {
            xCreate: None,
            xDelete: None,
            xTokenize: None,
        };
        let mut user_data = ptr::null_mut();
        let mut instance = ptr::null_mut();
        let api = find_api(&db)?;
        // SAFETY: `api` is of the open connection, which is kept; the names end with NUL and outlive the
        // calls, and both results are read after they were checked.
        unsafe {
            let find = (*api).xFindTokenizer;
            let code = find.map(|find| find(api, name, &raw mut user_data, &raw mut functions));
            check(code.unwrap_or(ffi::SQLITE_ERROR))?;
            let count = c_int::try_from(arguments.len()).unwrap_or_default();
            let create = functions.xCreate;
            let code = create
                .map(|create| create(user_data, arguments.as_mut_ptr(), count, &raw mut instance));
            check(code.unwrap_or(ffi::SQLITE_ERROR))?;
        }
        Ok(Self {
            functions,
            instance,
            _db: db,
        })
    }

    /// Calls `sink` with each token of a text, in order.
    pub(crate) fn tokenize(&mut self, text: &[u8], mut sink: impl FnMut(&[u8])) -> Result<()> {
        let mut sink: TokenSink<'_> = &mut sink;
        let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
        let context = (&raw mut sink).cast::<c_void>();
        // SAFETY: the instance is of these functions; `pass_token` gets `sink`, which outlives the call.
        let code = unsafe {
            let tokenize = self.functions.xTokenize;
            tokenize.map(|tokenize| {
                tokenize(
                    self.instance,
                    context,
                    FTS5_TOKENIZE_DOCUMENT,
                    text.as_ptr().cast(),
                    length,
                    Some(pass_token),
                )
            })
        };
        check(code.unwrap_or(ffi::SQLITE_ERROR))
    }
}

/// The text is of a document, not of a query.
const FTS5_TOKENIZE_DOCUMENT: c_int = 4;

impl Drop for Fts5Tokenizer {
    fn drop(&mut self) {
        if let Some(delete) = self.functions.xDelete {
            // SAFETY: the instance was made by these functions, and is used no more.
            unsafe { delete(self.instance) };
        }
    }
}

/// Passes a token on.
unsafe extern "C" fn pass_token(
    sink: *mut c_void,
    _: c_int,
    token: *const c_char,
    bytes: c_int,
    _: c_int,
    _: c_int,
) -> c_int {
    let bytes = usize::try_from(bytes).unwrap_or_default();
    // SAFETY: `tokenize` gave `sink`, and FTS5 so many bytes.
    unsafe {
        let token = std::slice::from_raw_parts(token.cast::<u8>(), bytes.min(MAX_TOKEN_BYTES));
        (*sink.cast::<TokenSink<'_>>())(token);
    }
    ffi::SQLITE_OK
}
