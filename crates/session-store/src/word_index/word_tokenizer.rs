//! Cuts texts into terms, and knows the runs of letters that it has seen.

use super::fts5_tokenizer::Fts5Tokenizer;
use super::term_table::{SharedTerms, TermId, TermTable};
use super::turn_words::TurnScratch;
use crate::error::Result;
use crate::lexical::TOKENIZER;
use rustc_hash::FxHashMap;
use session_core::text::{HeadRun, is_separator};
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
    /// Taken for the turn that is being cut.
    pub(super) scratch: TurnScratch,
}

/// The bytes of a short run of letters. As two halves, which hash sooner than one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RunKey {
    head: u64,
    tail: u64,
}

impl RunKey {
    fn new(run: HeadRun) -> Self {
        Self {
            head: run.bytes as u64,
            tail: (run.bytes >> 64) as u64,
        }
    }
}

impl WordTokenizer {
    pub(crate) fn new(shared: &SharedTerms) -> Result<Self> {
        Ok(Self {
            fts5: Fts5Tokenizer::new(TOKENIZER)?,
            terms: shared.current(),
            shared: shared.clone(),
            known: FxHashMap::default(),
            scratch: TurnScratch::default(),
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
        let mut rest = text.as_bytes();
        while let Some((_, after_first)) = rest.split_first() {
            let head = HeadRun::up_to_separator(rest);
            if head.len == 0 {
                rest = after_first;
                continue;
            }
            let (mut len, mut key) = (head.len, Some(RunKey::new(head)));
            if len == HeadRun::MAX_LEN {
                let end = rest.iter().position(is_separator);
                (len, key) = (end.unwrap_or(rest.len()), None);
            }
            match key.and_then(|key| self.known.get(&key)) {
                Some(term) => each(*term),
                None => {
                    let terms = self.tokenize_run(&rest[..len], key)?;
                    terms.into_iter().for_each(&mut each);
                }
            }
            rest = &rest[len..];
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
