//! The two words of a compound word that no turn holds: who asks for `Datenbankverbindung` may have written "die Verbindung zur
//! Datenbank".

use crate::error::Result;
use crate::word_index::Vocabulary;
use crate::word_search::completions::WordStemmer;
use session_core::text;
use std::collections::BTreeSet;

/// Fewest letters of a word of a compound: most short ones are parts of other words.
const MIN_WORD_CHARS: usize = 4;
/// Most letters of a compound.
const MAX_CHARS: usize = 48;
/// Letters that may stand between the words.
const LINKING_ELEMENTS: [&str; 5] = ["", "s", "n", "en", "es"];
/// Endings of German nouns that long words of other languages do not have: names such as `Elasticsearch` are none, whatever the
/// language of the query.
const GERMAN_ENDINGS: [&str; 8] = [
    "ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften",
];
/// Most pairs of words that are searched.
const MAX_PAIRS: usize = 4;

impl Vocabulary<'_> {
    /// Returns the pairs of words that a compound may be made of, of those that the index holds, the rarest first.
    pub(crate) fn split_compound(&self, compound: &str) -> Result<Vec<Vec<String>>> {
        let word = text::fold_word(compound);
        let is_word = word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_long = (2 * MIN_WORD_CHARS..=MAX_CHARS).contains(&word.len());
        let is_german = GERMAN_ENDINGS.iter().any(|ending| word.ends_with(ending));
        if !is_word || !is_long || !is_german {
            return Ok(Vec::new());
        }
        let mut stemmer = WordStemmer::new()?;
        let mut pairs = Vec::new();
        for [first, second] in splits(&word) {
            pairs.push((stemmer.stem(first)?, stemmer.stem(second)?, [first, second]));
        }
        let stems = pairs.iter().flat_map(|(first, second, _)| [first, second]);
        let sizes = self.term_sizes(&stems.map(String::as_str).collect::<BTreeSet<_>>())?;
        let size = |stem: &String| sizes.get(stem.as_bytes()).copied();
        let held = pairs.iter().filter_map(|(first, second, words)| {
            let is_pair = first != second;
            Some((size(first)? + size(second)?, words)).filter(|_| is_pair)
        });
        let mut held: Vec<(usize, &[&str; 2])> = held.collect();
        held.sort_by_key(|(bytes, _)| *bytes);
        let words = held.into_iter().take(MAX_PAIRS);
        Ok(words
            .map(|(_, words)| words.map(str::to_owned).to_vec())
            .collect())
    }
}

/// Returns each pair of words that make up a word, with or without an element between them.
fn splits(word: &str) -> impl Iterator<Item = [&str; 2]> {
    let ends = MIN_WORD_CHARS..=word.len().saturating_sub(MIN_WORD_CHARS);
    ends.flat_map(move |at| {
        let (before, second) = word.split_at(at);
        let first = LINKING_ELEMENTS
            .into_iter()
            .filter_map(move |element| before.strip_suffix(element));
        let long = first.filter(|first| first.len() >= MIN_WORD_CHARS);
        long.map(move |first| [first, second])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_has_words_with_or_without_an_element_between_them() {
        let found: Vec<[&str; 2]> = splits("rechnungsliste").collect();
        assert!(found.contains(&["rechnung", "liste"]));
        assert!(found.contains(&["rechnungs", "liste"]));
        assert!(!found.contains(&["rec", "hnungsliste"]));
        assert_eq!(splits("abcdefg").count(), 0);
    }
}
