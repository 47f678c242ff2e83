//! Completions of a word that is still being typed, from the vocabulary of the word index.
//!
//! The vocabulary has stems. A stem completes a typed beginning in two cases: it begins with what is typed (`lamplight` for
//! `lampl`), or what is typed is the stem with the beginning of an ending (`connect` for `connectio`).

use crate::error::Result;
use crate::word_index::{Fts5Tokenizer, Vocabulary};
use crate::word_search::lexical::{FOLDING_TOKENIZER, TOKENIZER};
use session_core::{Query, text};
use std::cmp::Reverse;

/// Most completions that are searched, the commonest of all: each takes some 0.1 ms beside its postings.
const MAX_COMPLETIONS: usize = 16;
/// Most bytes of the postings of all completions but the commonest: some 5 ms to read.
const MAX_POSTINGS_BYTES: usize = 256 << 10;
/// Fewest characters before an ending.
const MIN_STEM_CHARS: usize = 3;

/// Endings that Porter's stemmer cuts off, after which a word is taken for one with that stem.
const ENDINGS: [&str; 40] = [
    "e", "s", "es", "ed", "ing", "ings", "ion", "ions", "ation", "ations", "ational", "ization",
    "izations", "ize", "izing", "izer", "ity", "ities", "ability", "ibility", "ment", "ments",
    "able", "ible", "ive", "iveness", "ful", "fulness", "fully", "ness", "ous", "ously", "al",
    "ally", "ance", "ence", "ency", "encies", "ication", "ically",
];

impl Vocabulary<'_> {
    /// Returns the last term of a query that is still being typed with each of its completions.
    pub(crate) fn complete_last_term(&self, query: &Query) -> Result<Vec<String>> {
        let (Some(prefix), Some(term)) = (&query.prefix, query.terms.last()) else {
            return Ok(Vec::new());
        };
        let before = term.text.strip_suffix(prefix.as_str()).unwrap_or_default();
        let words = self.complete_word(prefix)?;
        Ok(words.iter().map(|word| format!("{before}{word}")).collect())
    }

    /// Returns words that begin with what is typed, the commonest first.
    pub(crate) fn complete_word(&self, typed: &str) -> Result<Vec<String>> {
        let mut stemmer = WordStemmer::new()?;
        let folded = stemmer.fold(typed)?;
        let stem = stemmer.stem(&folded)?;
        let mut sizes = self.terms_with_prefix(&folded)?;
        sizes.remove(stem.as_bytes());
        let mut terms: Vec<(Vec<u8>, usize)> = sizes.into_iter().collect();
        terms.sort_by_key(|(_, bytes)| Reverse(*bytes));
        let (mut words, mut room) = (Vec::new(), MAX_POSTINGS_BYTES);
        for (term, bytes) in terms.into_iter().take(MAX_COMPLETIONS) {
            let term = String::from_utf8(term).unwrap_or_default();
            if let (true, Some(word)) = (words.is_empty() || bytes <= room, stemmer.word_of(&term)?)
            {
                room = room.saturating_sub(bytes);
                words.push(word);
            }
        }
        words.extend(stemmer.words_with_begun_ending(&folded)?);
        Ok(words)
    }
}

/// The tokenizer of the word index, with and without stems.
pub(crate) struct WordStemmer {
    stems: Fts5Tokenizer,
    folds: Fts5Tokenizer,
}

impl WordStemmer {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            stems: Fts5Tokenizer::new(TOKENIZER)?,
            folds: Fts5Tokenizer::new(FOLDING_TOKENIZER)?,
        })
    }

    /// Returns the last token of a text without its case and accents, but with its ending.
    pub(crate) fn fold(&mut self, word: &str) -> Result<String> {
        last_token(&mut self.folds, &text::filter_chars(word))
    }

    /// Returns the last token of a text as the index has it.
    pub(crate) fn stem(&mut self, word: &str) -> Result<String> {
        last_token(&mut self.stems, &text::filter_chars(word))
    }

    /// Returns a word that has this stem: that itself mostly, but the stem of `databas` is another.
    fn word_of(&mut self, stem: &str) -> Result<Option<String>> {
        for ending in std::iter::once("").chain(ENDINGS) {
            let word = format!("{stem}{ending}");
            if self.stem(&word)? == stem {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }

    /// Returns a word for each stem behind which what is typed stops: within an ending, or before it, behind the second of two
    /// consonants (`mapp`, `map`).
    fn words_with_begun_ending(&mut self, typed: &str) -> Result<Vec<String>> {
        let (mut words, mut stems) = (Vec::new(), vec![self.stem(typed)?]);
        if !typed.is_ascii() {
            return Ok(words);
        }
        for at in MIN_STEM_CHARS..=typed.len() {
            let (before, begun) = typed.split_at(at);
            for ending in ENDINGS.iter().filter(|e| e.starts_with(begun)) {
                let word = format!("{before}{ending}");
                let stem = self.stem(&word)?;
                let is_before = typed.starts_with(stem.trim_end_matches('e'));
                if is_before && !stem.starts_with(typed) && !stems.contains(&stem) {
                    stems.push(stem);
                    words.push(word);
                }
            }
        }
        Ok(words)
    }
}

/// Returns the last token of a text; none where it has none.
fn last_token(tokenizer: &mut Fts5Tokenizer, text: &str) -> Result<String> {
    let mut last = Vec::new();
    tokenizer.tokenize(text.as_bytes(), |token| last = token.to_vec())?;
    Ok(String::from_utf8(last).unwrap_or_default())
}
