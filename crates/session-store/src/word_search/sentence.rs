//! The words of a query that is a sentence, and the longest runs of them that a text holds in a row.

use session_core::{MIN_RUN_WORDS, text};
use std::collections::HashMap;
use std::ops::Range;

/// A query as a row of words.
pub(crate) struct Sentence<'q> {
    text: &'q str,
    words: Vec<SentenceWord>,
    /// The indices of each folded word.
    positions: HashMap<String, Vec<usize>>,
}

/// A word as the word index cuts them: `I'll` is two.
struct SentenceWord {
    folded: String,
    /// Its bytes in the text.
    bytes: Range<usize>,
    /// True for the first token of a word between spaces.
    begins_word: bool,
}

impl<'q> Sentence<'q> {
    pub(crate) fn new(text: &'q str) -> Self {
        let mut words: Vec<SentenceWord> = Vec::new();
        for word in split_words(text) {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            let before = words.last().map_or(0, |last| last.bytes.end);
            words.push(SentenceWord {
                folded: text::fold_word(word),
                bytes: start..start + word.len(),
                begins_word: before == 0 || text[before..start].contains(char::is_whitespace),
            });
        }
        let mut positions: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            positions.entry(word.folded.clone()).or_default().push(at);
        }
        Self {
            text,
            words,
            positions,
        }
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the words, folded.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.folded.as_str())
    }

    /// Returns where the words of a term stand.
    pub(crate) fn find(&self, term: &str) -> Vec<Range<usize>> {
        let term: Vec<String> = split_words(term).map(text::fold_word).collect();
        let windows = self.words.windows(term.len().max(1)).enumerate();
        let is_term = |words: &[SentenceWord]| words.iter().map(|w| &w.folded).eq(&term);
        let found = windows.filter(|(_, words)| is_term(words));
        found.map(|(at, _)| at..at + term.len()).collect()
    }

    /// Returns some words as typed.
    pub(crate) fn text_of(&self, run: &Range<usize>) -> &'q str {
        match self.words.get(run.clone()) {
            Some([first, .., last]) => &self.text[first.bytes.start..last.bytes.end],
            Some([word]) => &self.text[word.bytes.clone()],
            _ => "",
        }
    }

    /// Returns the longest runs of at least [`MIN_RUN_WORDS`] that some text holds, in order; none is part of another.
    pub(crate) fn runs_in<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<Range<usize>> {
        // The length of the longest run that ends before each word.
        let mut longest = vec![0; self.words.len() + 1];
        for text in texts {
            self.find_runs(text, &mut longest);
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (end, length) in longest.into_iter().enumerate() {
            let Some(run) = self.whole_words(end - length..end) else {
                continue;
            };
            // Of runs that begin alike the last is the longest.
            if runs.last().is_some_and(|last| last.start == run.start) {
                runs.pop();
            }
            if runs.last().is_none_or(|last| last.end < run.end) {
                runs.push(run);
            }
        }
        runs
    }

    /// Notes the longest run of words that ends with each word.
    fn find_runs(&self, text: &str, longest: &mut [usize]) {
        let mut folded = String::new();
        let mut before: Vec<Range<usize>> = Vec::new();
        for word in split_words(text) {
            fold_into(word, &mut folded);
            let positions = self.positions.get(folded.as_str());
            let runs = positions.into_iter().flatten().map(|&at| {
                let goes_on = before.iter().find(|run| run.end == at);
                goes_on.map_or(at, |run| run.start)..at + 1
            });
            before = runs.collect();
            for run in &before {
                longest[run.end] = longest[run.end].max(run.len());
            }
        }
    }

    /// Returns a run without parts of words at its ends; `None` if it is too short.
    fn whole_words(&self, run: Range<usize>) -> Option<Range<usize>> {
        let begins = |at: &usize| self.words.get(*at).is_none_or(|word| word.begins_word);
        let start = run.clone().find(begins)?;
        let end = (start..=run.end).rev().find(begins)?;
        let words = (start..end).filter(begins).count();
        (words >= MIN_RUN_WORDS).then_some(start..end)
    }
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Folds a word as [`text::fold_word`] does.
fn fold_into(word: &str, folded: &mut String) {
    folded.clear();
    if word.is_ascii() {
        folded.push_str(word);
        folded.make_ascii_lowercase();
    } else {
        folded.push_str(&text::fold_word(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(query: &str, texts: &[&str]) -> Vec<String> {
        let sentence = Sentence::new(query);
        let runs = sentence.runs_in(texts.iter().copied());
        runs.iter()
            .map(|run| sentence.text_of(run).to_owned())
            .collect()
    }

    #[test]
    fn the_longest_runs_of_a_sentence_are_found() {
        let query = "So I'll only have to approve it once, they said to me";
        for (text, expected) in [
            (
                "Then so I’ll ONLY have\nto **approve** it once.",
                vec!["So I'll only have to approve it once"],
            ),
            ("I only have to approve it", vec!["only have to approve it"]),
            (
                "so I'll only; approve it once they said",
                vec!["approve it once, they said"],
            ),
            ("you'll only have to", vec![]),
            ("have to approve them", vec![]),
            (
                "only have to wait, have to approve it",
                vec!["have to approve it"],
            ),
            (
                "have to approve it. to approve it once they",
                vec!["have to approve it", "to approve it once, they"],
            ),
        ] {
            assert_eq!(runs(query, &[text]), expected, "{text}");
        }
        assert_eq!(
            runs(query, &["have to approve it", "only have to approve it"]),
            ["only have to approve it"]
        );
        assert_eq!(runs(query, &["have to", "approve it once"]), [""; 0]);
    }

    #[test]
    fn a_run_that_begins_within_another_one_is_found() {
        assert_eq!(
            runs(
                "go on and go on and stop it",
                &["go on and go on and go on and stop it"]
            ),
            ["go on and go on and stop it"]
        );
        assert_eq!(
            runs("see src/main.rs of the a.b", &["main rs of the a b"]),
            [""; 0]
        );
        assert_eq!(
            runs("see Straße of the café", &["SEE STRASSE OF THE cafe"]),
            ["see Straße of the café"]
        );
    }

    #[test]
    fn terms_are_found_where_they_stand() {
        let sentence = Sentence::new("the lamp of src/lamp.rs, a Lamp");
        assert_eq!(sentence.find("lamp"), [1..2, 4..5, 7..8]);
        assert_eq!(sentence.find("src/lamp.rs").first(), Some(&(3..6)));
        assert!(sentence.find("gate").is_empty());
        assert!(sentence.find("?").is_empty());
        assert_eq!(sentence.len(), 8);
    }
}
