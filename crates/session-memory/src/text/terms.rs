//! Terms of memories and queries: English stems, and character bigrams of scripts without spaces. Letters that are typed in
//! several ways are one, as in the index of sessions: without case, accents and width.

use crate::text::stop_words::{CHINESE_STOP_WORDS, PROMPT_STOP_WORDS};
use rust_stemmers::{Algorithm, Stemmer};
use session_core::Query;
use session_core::text::{
    camel_case_parts, compose, filtered_chars, fold_word, is_unspaced, segment_by_glossary,
};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

static PROMPT_STOP_STEMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| PROMPT_STOP_WORDS.split_whitespace().map(stem).collect());

/// The fewest terms of a prompt that shows its subject: "go on" and "save this" do not.
pub(crate) const MIN_PROMPT_TERMS: usize = 3;

/// A term of a query, with the variants that match it in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryTerm {
    /// The stem, or the word of the glossary as it was typed.
    pub(crate) text: String,
    /// Each variant is a set of stems or bigrams.
    pub(crate) variants: Vec<Vec<String>>,
}

/// Returns the terms of a text in order, stop words included, with the English of words of the
/// glossary.
pub(crate) fn document_terms(text: &str) -> Vec<String> {
    let text = &*filter_letters(text);
    let mut out = Vec::new();
    for run in split_runs(text) {
        match run {
            TextRun::Word(word) => out.push(stem(word)),
            TextRun::Unspaced(text) => {
                push_bigrams(text, &mut out);
                let known = segment_by_glossary(text)
                    .into_iter()
                    .filter_map(|segment| segment.english);
                out.extend(known.flat_map(str::split_whitespace).map(stem));
            }
        }
    }
    out.extend(join_hyphenated_words(text));
    out
}

/// Returns the distinct terms of a query, without stop words where others remain.
pub(crate) fn query_terms(text: &str) -> Vec<QueryTerm> {
    let query = Query::new(text);
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for term in &query.terms {
        let text = filter_letters(&term.text);
        let runs = split_runs(&text);
        let is_alone = runs.len() == 1;
        for run in runs {
            match run {
                TextRun::Word(word) if !is_alone && is_stop_part(word) => {}
                TextRun::Word(word) => out.push(single_term(stem(word))),
                TextRun::Unspaced(text) => push_unspaced_terms(&remove_stop_words(text), &mut out),
            }
        }
    }
    out.retain(|term| seen.insert(term.text.clone()));
    let is_distinctive = |term: &&QueryTerm| !PROMPT_STOP_STEMS.contains(&term.text);
    if out.iter().any(|term| is_distinctive(&term)) {
        out.iter().filter(is_distinctive).cloned().collect()
    } else {
        out
    }
}

/// Returns the distinct terms of a text without stop words, parts of identifiers included.
pub(crate) fn distinctive_terms(text: &str) -> HashSet<String> {
    let parts = camel_case_parts(std::iter::once(text));
    let terms = [text, &parts].into_iter().flat_map(document_terms);
    terms
        .filter(|term| term.chars().nth(1).is_some() && !PROMPT_STOP_STEMS.contains(term))
        .collect()
}

/// Returns a text with letters that are typed in several ways as one. Marks of decomposed letters would split words.
fn filter_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let composed = compose(text);
    let filtered = filtered_chars(&composed).map(|filtered| filtered.c);
    Cow::Owned(filtered.collect())
}

/// Returns true for a part of a word such as the `s` of `partner's` or the `0` of `0.1`.
fn is_stop_part(part: &str) -> bool {
    part.len() == 1 || !Query::new(part).has_content_words
}

fn single_term(text: String) -> QueryTerm {
    QueryTerm {
        variants: vec![vec![text.clone()]],
        text,
    }
}

/// Appends words of the glossary with their translation as a variant, and bigrams of all else.
fn push_unspaced_terms(text: &str, out: &mut Vec<QueryTerm>) {
    for segment in text.split_whitespace().flat_map(segment_by_glossary) {
        let mut own = Vec::new();
        push_bigrams(segment.text, &mut own);
        match segment.english {
            Some(english) => out.push(QueryTerm {
                text: segment.text.to_owned(),
                variants: vec![own, english.split_whitespace().map(stem).collect()],
            }),
            None => out.extend(own.into_iter().map(single_term)),
        }
    }
}

/// Replaces Chinese stop words by spaces.
pub(crate) fn remove_stop_words(text: &str) -> String {
    let mut out = text.to_owned();
    for word in CHINESE_STOP_WORDS {
        if out.contains(word) {
            out = out.replace(word, " ");
        }
    }
    out
}

/// A part of a text that consists of characters of one kind.
enum TextRun<'a> {
    Word(&'a str),
    Unspaced(&'a str),
}

/// The kind of a character: whether its script has spaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptKind {
    /// Neither a letter nor a digit.
    Separator,
    /// A letter or digit of a script with spaces.
    Word,
    /// A character of a script without spaces.
    Unspaced,
}

impl ScriptKind {
    fn classify(c: char) -> Self {
        match (is_unspaced(c), c.is_alphanumeric()) {
            (true, _) => Self::Unspaced,
            (false, true) => Self::Word,
            (false, false) => Self::Separator,
        }
    }
}

/// Splits a text into words and runs of characters of scripts without spaces.
fn split_runs(text: &str) -> Vec<TextRun<'_>> {
    let mut out = Vec::new();
    let (mut begin, mut open) = (0, ScriptKind::Separator);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let kind = ScriptKind::classify(c);
        if kind != open {
            match open {
                ScriptKind::Word => out.push(TextRun::Word(&text[begin..at])),
                ScriptKind::Unspaced => out.push(TextRun::Unspaced(&text[begin..at])),
                ScriptKind::Separator => {}
            }
            (begin, open) = (at, kind);
        }
    }
    out
}

/// Appends the character bigrams of a text; a single character is a term by itself.
fn push_bigrams(text: &str, out: &mut Vec<String>) {
    for segment in text.split_whitespace() {
        let chars: Vec<char> = segment.chars().collect();
        match chars.as_slice() {
            [one] => out.push(one.to_string()),
            many => out.extend(many.windows(2).map(String::from_iter)),
        }
    }
}

/// Returns hyphenated words as one: `time-out` as `timeout`.
fn join_hyphenated_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    let is_joined = |w: &&str| w.trim_matches('-').contains('-');
    words.filter(is_joined).map(|w| stem(&w.replace('-', "")))
}

/// Returns a word's stem, cached by thread: memories repeat the same words.
fn stem(word: &str) -> String {
    thread_local! {
        static STEMS: RefCell<HashMap<String, String>> = RefCell::default();
    }
    STEMS.with_borrow_mut(|stems| {
        if let Some(stem) = stems.get(word) {
            return stem.clone();
        }
        let stem = ENGLISH.stem(&fold_word(word)).into_owned();
        stems.insert(word.to_owned(), stem.clone());
        stem
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_stems_and_bigrams_without_stop_words() {
        let texts = |text: &str| -> Vec<String> {
            query_terms(text)
                .into_iter()
                .map(|term| term.text)
                .collect()
        };
        assert_eq!(
            document_terms("Connection pools time-outs"),
            ["connect", "pool", "time", "out", "timeout"]
        );
        assert_eq!(
            document_terms("连接池 v2"),
            ["连接", "接池", "connect", "pool", "v2"]
        );
        assert_eq!(
            texts("please fix the connection pooling"),
            ["connect", "pool"]
        );
        assert_eq!(texts("帮我看一下连接池的超时"), ["看", "连接池", "超时"]);
        assert_eq!(texts("please help"), ["pleas", "help"]);
        let both = &query_terms("连接池")[0].variants;
        assert_eq!(both, &[vec!["连接", "接池"], vec!["connect", "pool"]]);
    }

    #[test]
    fn letters_that_are_typed_in_several_ways_are_one_term() {
        for (written, typed) in [
            ("Şifre sıfırlama", "SIFRE SIFIRLAMA"),
            ("İstanbul", "istanbul"),
            ("échec", "e\u{301}chec"),
            ("échec", "Echec"),
            ("Größe", "GRÖSSE"),
            ("デプロイ", "ﾃﾞﾌﾟﾛｲ"),
            ("docker 42", "ＤＯＣＫＥＲ ４２"),
        ] {
            let terms = document_terms(written);
            assert_eq!(terms, document_terms(typed), "{typed}");
            let query = query_terms(typed).into_iter();
            let held: Vec<String> = query.flat_map(|term| term.variants.concat()).collect();
            assert_eq!(held, terms, "{typed}");
        }
    }
}
