//! Cuts texts into terms, and knows the runs of letters that it has seen.

use super::fts5_tokenizer::Fts5Tokenizer;
use super::term_table::{SharedTerms, TermId, TermTable};
use crate::error::Result;
use crate::lexical::TOKENIZER;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Runs that are remembered: then all are forgotten.
const MAX_KNOWN_RUNS: usize = 100_000;

/// Cuts texts into the terms of the word index, as FTS5 does. One for each thread.
pub(crate) struct WordTokenizer {
    fts5: Fts5Tokenizer,
    shared: SharedTerms,
    terms: Arc<TermTable>,
    /// The term of each run of letters seen before that has one.
    known: FxHashMap<RunKey, TermId>,
}

/// The bytes of a short run of letters, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RunKey {
    head: u64,
    /// The ninth byte and those after it, then the number of bytes.
    tail: u64,
}

impl RunKey {
    /// Returns the key of a run, where it is short.
    fn new(run: &[u8]) -> Option<Self> {
        if run.len() >= size_of::<Self>() {
            return None;
        }
        let pack = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte))
        };
        let (head, tail) = run.split_at_checked(8).unwrap_or((run, &[]));
        Some(Self {
            head: pack(head),
            tail: pack(tail) << 8 | run.len() as u64,
        })
    }
}

impl WordTokenizer {
    pub(crate) fn new(shared: &SharedTerms) -> Result<Self> {
        Ok(Self {
            fts5: Fts5Tokenizer::new(TOKENIZER)?,
            terms: shared.current(),
            shared: shared.clone(),
            known: FxHashMap::default(),
        })
    }

    /// Returns the table whose terms the next turn uses.
    pub(super) fn begin_turn(&mut self) -> Arc<TermTable> {
        let current = self.shared.current();
        if !Arc::ptr_eq(&current, &self.terms) {
            self.known.clear();
            self.terms = Arc::clone(&current);
        }
        current
    }

    /// Calls `each` with the terms of a text, in order.
    ///
    /// FTS5 ends a token at each ASCII character that is no letter or digit: what stands between two of
    /// these gives the same tokens by itself, and mostly has been seen before.
    pub(super) fn tokenize(&mut self, text: &str, mut each: impl FnMut(TermId)) -> Result<()> {
        let is_separator = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
        let runs = text.as_bytes().split(is_separator);
        for run in runs.filter(|run| !run.is_empty()) {
            let key = RunKey::new(run);
            match key.and_then(|key| self.known.get(&key)) {
                Some(term) => each(*term),
                None => self.tokenize_run(run, key)?.into_iter().for_each(&mut each),
            }
        }
        Ok(())
    }

    fn tokenize_run(&mut self, run: &[u8], key: Option<RunKey>) -> Result<Vec<TermId>> {
        let mut terms = Vec::new();
        let table = &self.terms;
        self.fts5
            .tokenize(run, |token| terms.push(table.intern(token)))?;
        if let (Some(key), [term]) = (key, terms.as_slice()) {
            if self.known.len() >= MAX_KNOWN_RUNS {
                self.known.clear();
            }
            self.known.insert(key, *term);
        }
        Ok(terms)
    }
}
