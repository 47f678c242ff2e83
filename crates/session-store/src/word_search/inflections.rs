//! Other forms of a word, from the vocabulary of the word index.
//!
//! FTS5 has one stemmer for a table, the English one. Russian words of one stem are found by Snowball's stemmer. The
//! forms of a word of another language are made by changing its ending for the others of the same [`Paradigm`](crate::word_search::paradigms::Paradigm), since
//! the vocabulary has lost accents, and the endings that the English stemmer takes away: Snowball's stemmers need both.
//! A short query does not tell its language, so that all are tried; few wrong forms exist. A word in Latin letters that no
//! turn holds may be an English one or a name, so that its forms are doubtful where nothing shows another language.

use crate::error::Result;
use crate::word_index::{TermSizes, Vocabulary};
use crate::word_search::paradigms::{LanguageEvidence, is_cyrillic, paradigms_of};
use rust_stemmers::{Algorithm, Stemmer};
use session_core::{Query, QueryLanguage, Term, text};
use std::cmp::Reverse;

/// Most forms of a word that are searched, the commonest of all.
const MAX_FORMS: usize = 12;
/// Most terms of a query whose forms are looked up: nobody types more.
const MAX_TERMS: usize = 12;
/// Fewest letters of a Russian stem.
const MIN_STEM_CHARS: usize = 3;

/// The other forms of a term that some turn holds.
#[derive(Debug)]
pub(crate) struct Inflections {
    /// The commonest first.
    pub(crate) forms: Vec<String>,
    /// The sign that the term may be of the language of which these are forms.
    pub(crate) evidence: LanguageEvidence,
}

impl Inflections {
    fn none() -> Self {
        Self {
            forms: Vec::new(),
            evidence: LanguageEvidence::OtherLanguage,
        }
    }
}

impl Vocabulary<'_> {
    /// Returns the other forms of each term of a query that some turn holds: none of an exact one, and in an English query
    /// only those of words that no turn holds as typed.
    pub(crate) fn inflections(&self, query: &Query) -> Result<Vec<Inflections>> {
        let (only_missing, evidence) = match query.language {
            QueryLanguage::Unknown => (false, LanguageEvidence::Unknown),
            QueryLanguage::English => (true, LanguageEvidence::English),
            QueryLanguage::Other => (false, LanguageEvidence::OtherLanguage),
            QueryLanguage::EnglishAndOther => (true, LanguageEvidence::OtherLanguage),
        };
        let finder = InflectionFinder {
            vocabulary: self,
            english: Stemmer::create(Algorithm::English),
            only_missing,
            evidence,
        };
        let terms = query.terms.iter().enumerate();
        terms
            .map(|(at, term)| {
                if is_inflected(term) && at < MAX_TERMS {
                    finder.find(&text::fold_word(&term.text))
                } else {
                    Ok(Inflections::none())
                }
            })
            .collect()
    }
}

/// Returns true for a word of letters alone.
fn is_inflected(term: &Term) -> bool {
    !term.exact && term.text.chars().all(char::is_alphabetic)
}

struct InflectionFinder<'r> {
    vocabulary: &'r Vocabulary<'r>,
    /// The stemmer of the index, nearly.
    english: Stemmer,
    /// Words that some turn holds as typed have no other forms.
    only_missing: bool,
    evidence: LanguageEvidence,
}

impl InflectionFinder<'_> {
    /// Returns the other forms of a folded word.
    fn find(&self, word: &str) -> Result<Inflections> {
        let mut forms = self.forms_by_ending(word)?;
        if word.chars().any(is_cyrillic) {
            let of_stem = self.russian_forms(word)?;
            forms.retain(|form| of_stem.iter().all(|other| other.word != form.word));
            forms.extend(of_stem);
        }
        forms.sort_by_key(|form| Reverse(form.bytes));
        forms.truncate(MAX_FORMS);
        let is_latin = word.starts_with(|c: char| c.is_ascii_alphabetic());
        Ok(Inflections {
            evidence: if is_latin && !forms.is_empty() {
                self.evidence
            } else {
                // Forms in another script are never doubtful.
                LanguageEvidence::OtherLanguage
            },
            forms: forms.into_iter().map(|form| form.word).collect(),
        })
    }

    fn russian_forms(&self, word: &str) -> Result<Vec<HeldForm>> {
        let stemmer = Stemmer::create(Algorithm::Russian);
        let stem = stemmer.stem(word);
        if stem.chars().count() < MIN_STEM_CHARS {
            return Ok(Vec::new());
        }
        let held = self.vocabulary.terms_with_prefix(&stem)?;
        let held = held.into_iter().filter_map(|(term, bytes)| {
            let word = String::from_utf8(term).ok()?;
            Some(HeldForm { word, bytes })
        });
        let is_form = |form: &HeldForm| form.word != word && stemmer.stem(&form.word) == stem;
        Ok(held.filter(is_form).collect())
    }

    fn forms_by_ending(&self, word: &str) -> Result<Vec<HeldForm>> {
        let of_script = || paradigms_of(word, self.evidence);
        let prefixes = of_script().flat_map(|paradigm| paradigm.shared_prefixes(word));
        let mut held = self.held_terms(prefixes.collect())?;
        let own_term = self.english.stem(word);
        let is_held = held.remove(own_term.as_bytes()).is_some();
        if is_held && self.only_missing {
            return Ok(Vec::new());
        }
        let evidence = if is_held {
            LanguageEvidence::HeldAsTyped
        } else {
            self.evidence
        };
        let held = held.into_iter().filter_map(|(term, bytes)| {
            let term = String::from_utf8(term).ok()?;
            let is_form = |form: &str| self.english.stem(form) == term;
            let mut forms = of_script().filter_map(|p| p.find_form(word, &term, evidence, is_form));
            let word = forms.next()?;
            Some(HeldForm { word, bytes })
        });
        Ok(held.collect())
    }

    /// Returns the terms of the index that begin with one of some prefixes.
    fn held_terms(&self, mut prefixes: Vec<String>) -> Result<TermSizes> {
        prefixes.sort_unstable();
        let mut held = TermSizes::new();
        let mut last: Option<String> = None;
        for prefix in prefixes {
            let is_read = |last: &String| prefix.starts_with(last.as_str());
            if !last.as_ref().is_some_and(is_read) {
                held.extend(self.vocabulary.terms_with_prefix(&prefix)?);
                last = Some(prefix);
            }
        }
        Ok(held)
    }
}

/// Another form of a word, that some turn holds.
struct HeldForm {
    word: String,
    /// About the bytes of its postings.
    bytes: usize,
}
