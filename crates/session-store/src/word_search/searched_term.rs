//! The terms of a query as they are searched.

use crate::word_search::inflections::Inflections;
use crate::word_search::lexical::fts5_string;
use crate::word_search::paradigms::LanguageEvidence;
use session_core::{
    ErrorSignature, Query, Term, other_version_spelling, text, without_question_words,
};

/// A term of a query, or a pair of characters of one.
pub(crate) struct SearchedTerm {
    pub(super) text: String,
    /// The FTS5 string by which it is found.
    phrase: String,
    /// A version with a `v` before it, or without: the same one.
    pub(super) spelling: Option<String>,
    /// Its other forms, words that `-` or `_` joins as one, and the same text with completions in the place of its last
    /// word.
    pub(super) variants: Vec<String>,
    /// The ends of a path, the longest first: where nothing holds the path, it stands in another directory there.
    pub(super) path_ends: Vec<String>,
    /// The sign that the word is of the language of which these would be forms.
    pub(super) evidence: LanguageEvidence,
    /// Its pairs of characters, or its words, are searched, too: it counts only where some turn holds it.
    pub(super) is_optional: bool,
    /// Where nothing holds it, other spellings and longer names are searched in its place.
    pub(super) has_substitutes: bool,
    /// The signatures of the error that it is a line of: turns that failed of the error stand for those that hold the line.
    pub(super) signatures: Vec<ErrorSignature>,
    /// The factor of its score and idf, where it is words of the query in a row.
    pub(super) run_weight: Option<f32>,
}

impl SearchedTerm {
    fn new(term: Term, is_optional: bool) -> Self {
        let joined = term.is_word_or_name().then_some(&term.text);
        let joined = joined.and_then(|name| text::join_name_parts(name));
        Self {
            spelling: other_version_spelling(&term.text),
            variants: joined.into_iter().collect(),
            phrase: fts5_string(&term.text),
            path_ends: if term.exact && !is_optional && is_path(&term.text) {
                path_ends(&term.text)
            } else {
                Vec::new()
            },
            // The term as typed is never doubtful.
            evidence: LanguageEvidence::OtherLanguage,
            has_substitutes: !is_optional && term.is_word_or_name(),
            text: term.text,
            is_optional,
            signatures: Vec::new(),
            run_weight: None,
        }
    }

    /// Makes the term of words of the query that count where they stand in a row. Those of a part of it have less weight.
    pub(crate) fn word_run(words: &str, weight: f32) -> Self {
        Self {
            run_weight: Some(weight),
            ..Self::phrase(words)
        }
    }

    fn phrase(words: &str) -> Self {
        let text = words.to_owned();
        Self::new(Term { text, exact: true }, true)
    }

    fn error_line(line: &str) -> Self {
        Self {
            signatures: ErrorSignature::read_all(line),
            ..Self::phrase(line)
        }
    }

    /// Returns the FTS5 strings of the term, then those of its other spelling, of its variants and of the ends of its path.
    pub(crate) fn all_phrases(&self) -> impl Iterator<Item = String> {
        let others = self.spelling.iter().chain(&self.variants);
        let others = others.chain(&self.path_ends);
        let others = others.map(|text| fts5_string(text));
        std::iter::once(self.phrase.clone()).chain(others)
    }
}

/// Returns true for a path, not for an address, a phrase or the line of an error.
fn is_path(text: &str) -> bool {
    !text.contains(char::is_whitespace) && !text.contains("://")
}

/// Returns the last two components of a path of three or more, and the last one where it names a file.
fn path_ends(text: &str) -> Vec<String> {
    let is_separator = |c: char| c == '/' || c == '\\';
    let starts = text.rmatch_indices(is_separator).map(|(at, _)| at + 1);
    let ends: Vec<&str> = starts
        .take(2)
        .filter_map(|start| text.get(start..))
        .collect();
    let [last, last_two] = ends[..] else {
        return Vec::new();
    };
    let file = last.contains('.').then_some(last);
    let ends = [Some(last_two), file].into_iter().flatten();
    ends.map(str::to_owned).collect()
}

/// Returns the pairs of characters by which a run of them is found, too: none of a run that is one pair. Of a question they
/// are those of its subject.
fn character_pairs(run: &str) -> Vec<String> {
    let subject = without_question_words(run).unwrap_or_default();
    let pairs = text::character_bigrams(&subject);
    if !pairs.is_empty() {
        return pairs;
    }
    let pairs = text::character_bigrams(run);
    if pairs.len() < 2 { Vec::new() } else { pairs }
}

/// Returns what is searched for a query, with the other forms of each of its terms, and the completions of the last. A
/// sentence without spaces is one phrase, which an inflection keeps from being found: its pairs of characters are found
/// beside it.
pub(crate) fn searched_terms(
    query: &Query,
    inflections: Vec<Inflections>,
    completions: Vec<String>,
) -> Vec<SearchedTerm> {
    let mut searched = Vec::new();
    for (term, inflections) in query.terms.iter().zip(inflections) {
        let pairs = if term.exact {
            Vec::new()
        } else {
            character_pairs(&term.text)
        };
        let mut term = SearchedTerm::new(term.clone(), !pairs.is_empty());
        term.evidence = inflections.evidence;
        term.variants.extend(inflections.forms);
        searched.push(term);
        let pairs = pairs.into_iter().map(|text| Term { text, exact: false });
        searched.extend(pairs.map(|pair| SearchedTerm::new(pair, false)));
    }
    if let Some(last) = searched.last_mut() {
        let known = last.variants.clone();
        let new = completions.into_iter().filter(|text| !known.contains(text));
        last.variants.extend(new);
        // A completion is no form of another language.
        if last.variants != known {
            last.evidence = LanguageEvidence::OtherLanguage;
        }
    }
    let line = query.error_line.as_deref();
    searched.extend(line.map(SearchedTerm::error_line));
    searched
}
