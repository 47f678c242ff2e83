//! The words that say where a text may hold a secret.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest text, in bytes, that is looked through word by word as long as there is no automaton: a
/// query. That takes tens of microseconds, the automaton two milliseconds once.
const SHORT_TEXT_BYTES: usize = 256;
/// Number of short texts that are looked through word by word: more take longer than the automaton.
const MAX_SHORT_TEXTS: usize = 32;

/// Words in lowercase, each with the numbers of its rules; none for a word of a secret's name. Case counts
/// for nothing in ASCII.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    words: Vec<String>,
    rules_of: Vec<Vec<usize>>,
    automaton: OnceLock<AhoCorasick>,
    /// Number of short texts that were looked through.
    short_texts: AtomicUsize,
}

impl Keywords {
    /// Adds a word of a secret's name.
    pub(crate) fn add_name(&mut self, word: &str) {
        self.words.push(word.to_ascii_lowercase());
        self.rules_of.push(Vec::new());
    }

    /// Adds a word of a rule. One that is a word of a name, too, stands twice.
    pub(crate) fn add_rule(&mut self, word: &str, rule: usize) {
        let mut known = self.words.iter().zip(&mut self.rules_of);
        match known.find(|(known, of)| *known == word && !of.is_empty()) {
            Some((_, of)) => of.push(rule),
            None => {
                self.words.push(word.to_ascii_lowercase());
                self.rules_of.push(vec![rule]);
            }
        }
    }

    /// Calls `visit` with the rules (none for a name) and the place of each word of a text, by where
    /// they end.
    pub(crate) fn find(&self, text: &str, mut visit: impl FnMut(&[usize], Range<usize>)) {
        if text.len() <= SHORT_TEXT_BYTES && self.is_automaton_spared() {
            for (word, place) in self.find_in_short(text) {
                visit(&self.rules_of[word], place);
            }
            return;
        }
        let automaton = self.automaton.get_or_init(|| self.build());
        for found in automaton.find_overlapping_iter(text) {
            visit(&self.rules_of[found.pattern().as_usize()], found.range());
        }
    }

    /// Counts a short text; returns true while the automaton is not worth its making.
    fn is_automaton_spared(&self) -> bool {
        self.automaton.get().is_none()
            && self.short_texts.fetch_add(1, Ordering::Relaxed) < MAX_SHORT_TEXTS
    }

    fn find_in_short(&self, text: &str) -> Vec<(usize, Range<usize>)> {
        let text = text.to_ascii_lowercase();
        let words = self.words.iter().enumerate();
        let found = words.flat_map(|(at, word)| {
            let places = text.match_indices(word.as_str());
            places.map(move |(start, _)| (at, start..start + word.len()))
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(_, place)| (place.end, place.start));
        found
    }

    fn build(&self) -> AhoCorasick {
        AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            // Three times as fast as the default, for a millisecond once.
            .kind(Some(AhoCorasickKind::DFA))
            .build(&self.words)
            .expect("the keywords are bundled")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(keywords: &Keywords, text: &str) -> Vec<(Vec<usize>, Range<usize>)> {
        let mut found = Vec::new();
        keywords.find(text, |rules, place| found.push((rules.to_vec(), place)));
        found.sort_by_key(|(rules, place)| (place.end, place.start, rules.clone()));
        found
    }

    #[test]
    fn many_short_texts_are_worth_an_automaton() {
        let mut keywords = Keywords::default();
        keywords.add_name("pass");
        for _ in 0..MAX_SHORT_TEXTS {
            keywords.find("a pass", |_, _| {});
        }
        assert!(keywords.automaton.get().is_none());
        keywords.find("a pass", |_, _| {});
        assert!(keywords.automaton.get().is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_short_text_has_the_words_that_the_automaton_finds(text in "[a-dA-D é]{0,40}") {
            let mut keywords = Keywords::default();
            ["ab", "b", "cab"].iter().for_each(|word| keywords.add_name(word));
            ["abc", "b", "d a", "abc"].iter().enumerate().for_each(|(rule, word)| keywords.add_rule(word, rule));
            let short = places(&keywords, &text);
            keywords.automaton.get_or_init(|| keywords.build());
            prop_assert_eq!(short, places(&keywords, &text));
        }
    }
}
