//! Cuts texts into terms, and knows the runs of letters that it has seen.

use super::fts5_tokenizer::Fts5Tokenizer;
use super::term_table::{SharedTerms, TermId, TermTable};
use super::turn_words::TurnScratch;
use crate::error::Result;
use crate::word_search::lexical::TOKENIZER;
use session_core::text::{WordCache, WordHead};
use std::sync::Arc;

/// Runs that are looked up together, so that their entries are prefetched together.
const RUNS_AT_ONCE: usize = 32;

/// Cuts texts into the terms of the word index, as FTS5 does. One for each thread.
pub(crate) struct WordTokenizer {
    fts5: Fts5Tokenizer,
    shared: SharedTerms,
    terms: Arc<TermTable>,
    /// The term of each run of letters seen before that has one.
    known: WordCache,
    /// Taken for the turn that is being cut.
    pub(super) scratch: TurnScratch,
}

impl WordTokenizer {
    pub(crate) fn new(shared: &SharedTerms) -> Result<Self> {
        Ok(Self {
            fts5: Fts5Tokenizer::new(TOKENIZER)?,
            terms: shared.current(),
            shared: shared.clone(),
            known: WordCache::default(),
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
        let mut runs = [LetterRun::default(); RUNS_AT_ONCE];
        while !rest.is_empty() {
            let mut count = 0;
            for (slot, run) in runs
                .iter_mut()
                .zip(std::iter::from_fn(|| LetterRun::next(&mut rest)))
            {
                run.short.iter().for_each(|run| self.known.prefetch(*run));
                *slot = run;
                count += 1;
            }
            for run in runs.iter().take(count) {
                match run.short.and_then(|run| self.known.get(run)) {
                    Some(term) => each(term as TermId),
                    None => self.tokenize_run(run)?.into_iter().for_each(&mut each),
                }
            }
        }
        Ok(())
    }

    fn tokenize_run(&mut self, run: &LetterRun<'_>) -> Result<Vec<TermId>> {
        let mut terms = Vec::new();
        let table = &self.terms;
        self.fts5
            .tokenize(run.bytes, |token| terms.push(table.intern(token)))?;
        if let (Some(short), [term]) = (run.short, terms.as_slice()) {
            self.known.insert(short, (*term).into());
        }
        Ok(terms)
    }
}

/// A run of characters between two separators.
#[derive(Clone, Copy, Default)]
struct LetterRun<'t> {
    bytes: &'t [u8],
    /// `None` for a long one.
    short: Option<WordHead>,
}

impl<'t> LetterRun<'t> {
    /// Takes the next run off a text.
    #[inline]
    fn next(rest: &mut &'t [u8]) -> Option<Self> {
        loop {
            let (_, after_first) = rest.split_first()?;
            let head = WordHead::up_to_separator(rest);
            if head.len == 0 {
                *rest = after_first;
                continue;
            }
            let bytes;
            (bytes, *rest) = rest.split_at(head.whole_len(rest));
            let short = (head.len < WordHead::MAX_LEN).then_some(head);
            return Some(Self { bytes, short });
        }
    }
}
