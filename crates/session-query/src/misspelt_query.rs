//! Corrects words and names of a query that no turn holds: mistyped ones, Chinese ones by the glossary, and addresses of a part
//! of a page.

use crate::address_beginnings::list_beginnings;
use crate::typed_query::FilterField;
use session_core::text::{is_unspaced, split_camel_case_name, translate_to_english};
use session_core::{Query, Term};
use session_search::{SearchRequest, SearchResults, SpellingCorrection};
use session_sources::agents;
use session_store::{Reader, StoreError, SubstituteKind, TermStats, WordCorrector};
use strsim::osa_distance;

/// Most words of a query that are corrected: a long paste has many that nothing holds.
const MAX_WORDS: usize = 4;
/// Fewest letters of a name that is corrected: of a shorter one other names are a letter away.
const MIN_NAME_LETTERS: usize = 8;

/// Returns a request with the words that were probably meant in place of those that no turn holds, by its results; `None`
/// where there is nothing to correct. Of what was meant as a filter the value is searched. What was quoted, names other than those in camel case, and a word that is still being
/// typed stay. Where nothing was found, Chinese is translated by the glossary.
pub(crate) fn correct_request(
    index: &Reader,
    request: &SearchRequest,
    results: &SearchResults,
) -> Result<Option<SearchRequest>, StoreError> {
    let query = &request.query;
    let terms = &results.explanation.terms;
    let is_unfinished = |term: &Term| query.prefix.as_ref() == Some(&term.text);
    let is_correctable = |term: &&Term| {
        (!term.exact
            || is_correctable_name(query, &term.text)
            || is_address(query, &term.text)
            || find_filter_value(query, &term.text).is_some())
            && is_missing(term, terms)
            && !is_unfinished(term)
    };
    let words = query.terms.iter().filter(is_correctable);
    let mut words = words.take(MAX_WORDS).peekable();
    if words.peek().is_none() {
        return Ok(None);
    }
    let mut corrector = WordCorrector::new(index)?;
    let mut corrections = Vec::new();
    for Term { text: word, exact } in words {
        let searched = match translate(word).filter(|_| results.hits.is_empty()) {
            None if is_address(query, word) => {
                let held = corrector.find_first_held(&list_beginnings(word))?;
                held.map(str::to_owned)
            }
            None if *exact => match find_filter_value(query, word) {
                Some(value) => Some(value),
                None => corrector.correct_name(word)?,
            },
            None => corrector.correct(word)?,
            english => english,
        };
        let typed = word.clone();
        corrections.extend(searched.map(|searched| SpellingCorrection { typed, searched }));
    }
    corrections.retain(|one| replace_word(&query.text, &one.typed, &one.searched) != query.text);
    Ok((!corrections.is_empty()).then(|| SearchRequest {
        query: correct_query(query, &corrections),
        corrections,
        ..request.clone()
    }))
}

/// Returns true for a name in camel case of letters alone that was not quoted. Signs and digits tell names from each other.
fn is_correctable_name(query: &Query, name: &str) -> bool {
    name.len() >= MIN_NAME_LETTERS
        && name.chars().all(char::is_alphabetic)
        && split_camel_case_name(name).is_some()
        && !query.quotes(name)
}

/// Returns the value of a word that was probably meant as a filter and was not quoted: `homelab` of `porject:homelab`, `codex` of
/// `agent:codx`.
fn find_filter_value(query: &Query, word: &str) -> Option<String> {
    let (name, value) = word.split_once(':').filter(|_| !query.quotes(word))?;
    let is_plain = value.starts_with(char::is_alphanumeric);
    let field = FilterField::find_misspelt(name).filter(|_| is_plain)?;
    let mut nearest = agents().filter(|agent| osa_distance(agent.name, value) <= 1);
    let agent = nearest.next().filter(|_| field == FilterField::Agent);
    Some(agent.map_or(value, |agent| agent.name).to_owned())
}

/// Returns true for a web address that was not quoted.
fn is_address(query: &Query, term: &str) -> bool {
    term.contains("://") && !query.quotes(term)
}

/// Returns true if no turn holds a term, and no other spelling or longer name was searched in its place. The everyday words
/// of a name are no sign that it is right.
fn is_missing(term: &Term, stats: &[TermStats]) -> bool {
    match stats.iter().find(|stats| stats.term == term.text) {
        Some(stats) => {
            let is_by_words = stats.substitute() == Some(SubstituteKind::NameWords);
            stats.turns == 0 || (term.exact && is_by_words)
        }
        // Of a text without spaces pairs of characters are searched where no turn holds all of it.
        None => term.text.contains(is_unspaced),
    }
}

/// Translates a word in a script without spaces as far as the glossary goes; `None` if it knows none of it.
fn translate(word: &str) -> Option<String> {
    let is_chinese = word.contains(is_unspaced);
    let english = is_chinese.then(|| translate_to_english(word));
    english.filter(|english| !english.is_empty())
}

fn correct_query(query: &Query, corrections: &[SpellingCorrection]) -> Query {
    // An address may be the beginning of a longer one.
    let mut longest_first: Vec<&SpellingCorrection> = corrections.iter().collect();
    longest_first.sort_by_key(|one| std::cmp::Reverse(one.typed.len()));
    let mut text = query.text.clone();
    for SpellingCorrection { typed, searched } in longest_first {
        text = replace_word(&text, typed, searched);
    }
    let prefix = query.prefix.clone();
    Query {
        prefix: prefix.filter(|prefix| text.ends_with(prefix)),
        ..Query::new(&text)
    }
}

/// Replaces a word where it stands whole: between signs, spaces and letters of the other kind of scripts.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    let is_spaced = !word.contains(is_unspaced);
    let is_part =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && is_unspaced(c) != is_spaced);
    let space = |c: Option<char>| match c {
        Some(c) if c.is_alphanumeric() => " ",
        _ => "",
    };
    let mut replaced = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, found) in text.match_indices(word) {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        if !is_part(before) && !is_part(after) {
            replaced.push_str(&text[rest..at]);
            replaced.extend([space(before), with, space(after)]);
            rest = at + found.len();
        }
    }
    replaced.push_str(&text[rest..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_replaced_where_it_stands_whole() {
        let replaced = replace_word("lnatern, lnaterns and (lnatern)", "lnatern", "lantern");
        assert_eq!(replaced, "lantern, lnaterns and (lantern)");
        assert_eq!(
            replace_word("docker超时", "超时", "timeout"),
            "docker timeout"
        );
        assert_eq!(replace_word("超时了", "超时", "timeout"), "超时了");
    }
}
