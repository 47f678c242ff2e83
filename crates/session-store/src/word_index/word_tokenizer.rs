//! Cuts texts into terms, and knows the runs of letters that it has seen.

use super::fts5_tokenizer::Fts5Tokenizer;
use super::term_table::{SharedTerms, TermId, TermTable};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Runs that are remembered: then all are forgotten.
const MAX_KNOWN_RUNS: usize = 100_000;
/// Longest run that is remembered, in bytes.
const MAX_KNOWN_BYTES: usize = 48;

/// Cuts texts into the terms of the word index, as FTS5 does. One for each thread.
pub(crate) struct WordTokenizer {
    fts5: Fts5Tokenizer,
    shared: SharedTerms,
    terms: Arc<TermTable>,
    /// Terms of the runs of letters seen before, by their bytes.
    known: FxHashMap<Box<[u8]>, RunTerms>,
}

/// The terms of a run of letters: nearly always one.
enum RunTerms {
    One(TermId),
    Many(Box<[TermId]>),
}

impl WordTokenizer {
    pub(crate) fn new(shared: &SharedTerms) -> Result<Self> {
        Ok(Self {
            fts5: Fts5Tokenizer::new()?,
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
            match self.known.get(run) {
                Some(RunTerms::One(term)) => each(*term),
                Some(RunTerms::Many(terms)) => terms.iter().for_each(|term| each(*term)),
                None => self.tokenize_run(run)?.into_iter().for_each(&mut each),
            }
        }
        Ok(())
    }

    fn tokenize_run(&mut self, run: &[u8]) -> Result<Vec<TermId>> {
        let mut terms = Vec::new();
        let table = &self.terms;
        self.fts5
            .tokenize(run, |token| terms.push(table.intern(token)))?;
        if run.len() <= MAX_KNOWN_BYTES {
            if self.known.len() >= MAX_KNOWN_RUNS {
                self.known.clear();
            }
            let known = match terms.as_slice() {
                [term] => RunTerms::One(*term),
                many => RunTerms::Many(many.into()),
            };
            self.known.insert(run.into(), known);
        }
        Ok(terms)
    }
}
