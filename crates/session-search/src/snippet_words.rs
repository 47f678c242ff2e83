//! The words of a query, as they are looked for in the text of a turn.

use memchr::memmem::Finder;
use rust_stemmers::{Algorithm, Stemmer};
use session_core::text::{fold_word, is_unspaced};
use session_store::TermStats;

/// Fewest letters of a stem by which other forms of a word are found: too many words begin with fewer.
const MIN_STEM_BYTES: usize = 4;

/// The terms of a query, each with the forms in which a text may hold it.
#[derive(Default)]
pub(crate) struct SnippetWords {
    terms: Vec<Vec<WordFinder>>,
}

/// A range of bytes of a text that a word of the query matches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordMatch {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number of the term.
    pub(crate) word: usize,
}

impl SnippetWords {
    /// Makes the words from the terms that were searched in the word index.
    pub(crate) fn from_stats(terms: &[TermStats]) -> Self {
        Self::new(terms.iter().map(TermStats::words))
    }

    /// Makes the words from the forms of each term.
    pub(crate) fn new<'w>(terms: impl Iterator<Item = impl Iterator<Item = &'w str>>) -> Self {
        let english = Stemmer::create(Algorithm::English);
        let finders =
            |forms| Iterator::map(forms, |form| WordFinder::new(form, &english)).collect();
        Self {
            terms: terms.map(finders).collect(),
        }
    }

    /// Returns all matches in a folded text, in order of their start.
    pub(crate) fn find_in(&self, folded: &str) -> Vec<WordMatch> {
        let mut all = Vec::new();
        for (word, forms) in self.terms.iter().enumerate() {
            for form in forms {
                let length = form.finder.needle().len();
                all.extend(form.find_in(folded).map(|start| WordMatch {
                    start,
                    end: start + length,
                    word,
                }));
            }
        }
        all.sort_unstable();
        all
    }
}

/// A word, folded.
struct WordFinder {
    finder: Finder<'static>,
    /// It matches at the beginning of a word alone, since its script puts spaces between words: `or` is not in
    /// `error`.
    begins: bool,
}

impl WordFinder {
    fn new(word: &str, english: &Stemmer) -> Self {
        let folded = fold_word(word);
        let needle = match folded.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            true => shared_with_stem(&folded, english),
            false => &folded,
        };
        Self {
            begins: folded.starts_with(|c: char| c.is_alphanumeric() && !is_unspaced(c)),
            finder: Finder::new(needle).into_owned(),
        }
    }

    /// Returns the offsets at which it matches.
    fn find_in(&self, text: &str) -> impl Iterator<Item = usize> {
        let begins = |at: &usize| {
            let before = text.get(..*at).and_then(|t| t.chars().next_back());
            !self.begins || !before.is_some_and(char::is_alphanumeric)
        };
        self.finder.find_iter(text.as_bytes()).filter(begins)
    }
}

/// Returns the beginning that an ASCII word has in common with its stem, so that it is found in its other forms: all of the
/// word where that is short.
fn shared_with_stem<'w>(word: &'w str, english: &Stemmer) -> &'w str {
    let stem = english.stem(word);
    let pairs = word.bytes().zip(stem.bytes());
    let shared = pairs.take_while(|(a, b)| a == b).count();
    match shared >= MIN_STEM_BYTES {
        true => &word[..shared],
        false => word,
    }
}
