//! The words that a name is made of, where no turn holds the name: who remembers a name slightly wrong (`LampOilService` for
//! `LampWickOilService`) knows most of its words. A path or an import of another machine has directories that turns name, and
//! what stands in `LAMP_MODE=night` or `lamp@6.0.3` may stand elsewhere with other signs.

use crate::word_search::found_term::WeightedPostings;
use crate::word_search::postings::Posting;
use session_core::{idf, text};

/// Fewest words of a name that a turn holds.
const MIN_HELD: usize = 2;
/// Least share of a name's idf that a turn must hold. Words that no turn holds count only where signs join the words, as in a
/// path: any turn holds some directory of it.
const MIN_SHARE: f32 = 0.5;
/// Most words of a name that are searched.
const MAX_WORDS: usize = 8;

/// Returns the words of a name in snake, kebab or camel case, of a path, or of what other signs join, each once; none of
/// another term. Of a long one it has the last words.
pub(crate) fn split_name(name: &str) -> Vec<String> {
    if !name.chars().all(|c| c.is_alphanumeric() || is_separator(c)) {
        return Vec::new();
    }
    let mut words: Vec<String> = Vec::new();
    for part in split_at_signs(name) {
        let parts = text::split_camel_case_name(part).unwrap_or_else(|| part.to_owned());
        for word in parts.rsplit(' ').map(text::fold_word) {
            let is_word = word.contains(char::is_alphabetic) || is_number_with_dots(&word);
            let is_long = word.chars().count() > 1;
            if is_word && is_long && !words.contains(&word) && words.len() < MAX_WORDS {
                words.push(word);
            }
        }
        if words.len() == MAX_WORDS {
            break;
        }
    }
    if words.len() < MIN_HELD {
        return Vec::new();
    }
    words.reverse();
    words
}

/// Returns true for a sign that may join the words of a name. An apostrophe is within a word of a sentence.
fn is_separator(c: char) -> bool {
    c.is_ascii_punctuation() && c != '\''
}

/// Returns the parts of a name between signs, the last one first. A version behind a name is one part; the directory of a
/// path may have another version elsewhere.
fn split_at_signs(name: &str) -> impl Iterator<Item = &str> {
    let is_path = is_path(name);
    let parts = name.rsplit(|c: char| is_separator(c) && c != '.');
    parts.flat_map(move |part| {
        let is_version = !is_path && is_number_with_dots(part);
        let end = if is_version { 1 } else { usize::MAX };
        part.rsplitn(end, '.')
    })
}

/// Returns true for `6.0.3`.
fn is_number_with_dots(part: &str) -> bool {
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    part.contains('.') && part.split('.').all(is_number)
}

/// Returns true for a name with directories.
pub(crate) fn is_path(name: &str) -> bool {
    name.contains(['/', '\\'])
}

/// Returns true for a name with other signs than those of snake and kebab case.
fn is_joined_by_signs(name: &str) -> bool {
    name.contains(|c: char| is_separator(c) && !matches!(c, '_' | '-'))
}

/// The turns that hold most words of a name.
#[derive(Debug, Default)]
pub(crate) struct FoundWords {
    words: Vec<FoundWord>,
    /// The factor by which the words together have the idf of the name.
    weight: f32,
    /// The turns with the share of the idf of all words in those that each holds, in order.
    pub(crate) turns: Vec<(u32, f32)>,
}

/// A word of a name.
#[derive(Debug)]
struct FoundWord {
    /// Of the turns that hold most words.
    postings: Vec<Posting>,
    /// Its document frequency.
    turns: usize,
}

impl FoundWords {
    /// Finds the turns that hold most words of a name by the postings of each word; `total` is the number of all turns.
    pub(crate) fn new(name: &str, lists: Vec<Vec<Posting>>, total: u64) -> Self {
        let idfs = lists.iter().map(|list| idf(total, list.len() as u64));
        let idfs: Vec<f32> = idfs.collect();
        let all: f32 = idfs.iter().sum();
        let (mut held, mut by_turn) = (0.0, Vec::new());
        for (list, idf) in lists.iter().zip(idfs).filter(|(list, _)| !list.is_empty()) {
            held += idf;
            by_turn.extend(list.iter().map(|posting| (posting.turn, idf)));
        }
        by_turn.sort_unstable_by_key(|(turn, _)| *turn);
        let counts_unheld = is_joined_by_signs(name);
        let needed = MIN_SHARE * if counts_unheld { all } else { held };
        let holders = by_turn.chunk_by(|a, b| a.0 == b.0);
        let holders = holders.filter_map(|words| {
            let idf: f32 = words.iter().map(|(_, idf)| idf).sum();
            let holds_most = words.len() >= MIN_HELD && idf >= needed;
            let (turn, _) = words.first()?;
            holds_most.then_some((*turn, idf / all.max(f32::EPSILON)))
        });
        let turns: Vec<(u32, f32)> = holders.collect();
        let is_holder = |turn: u32| turns.binary_search_by_key(&turn, |(turn, _)| *turn).is_ok();
        let word = |mut postings: Vec<Posting>| {
            let turns = postings.len();
            postings.retain(|posting| is_holder(posting.turn));
            FoundWord { postings, turns }
        };
        Self {
            words: lists.into_iter().map(word).collect(),
            weight: idf(total, turns.len() as u64) / all.max(f32::EPSILON),
            turns,
        }
    }

    /// Returns true if no turn holds most words.
    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Returns the postings of each word; `weight` is that of the name.
    pub(crate) fn lists(&self, weight: f32) -> impl Iterator<Item = WeightedPostings<'_>> {
        self.words.iter().map(move |word| WeightedPostings {
            postings: &word.postings,
            turns: word.turns,
            weight: weight * self.weight,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, words) in [
            ("LampOilService", &["lamp", "oil", "service"][..]),
            ("lamp_oil-wickTrim", &["lamp", "oil", "wick", "trim"]),
            ("--lamp-oil", &["lamp", "oil"]),
            ("lamp_lamp_2", &[]),
            ("lamp", &[]),
            ("src/lampOil", &["src", "lamp", "oil"]),
            (
                "host.io/lamps/oil@v0.0.1",
                &["host", "io", "lamps", "oil", "v0"],
            ),
            ("C:\\Lamps\\oil", &["lamps", "oil"]),
            ("lamp.oil.can", &["lamp", "oil", "can"]),
            ("/a/b/c", &[]),
            ("LAMP_MODE=night", &["lamp", "mode", "night"]),
            ("lamp?.oilCan", &["lamp", "oil", "can"]),
            ("lamp@6.0.3", &["lamp", "6.0.3"]),
            ("lamp:2.1-oil", &["lamp", "2.1", "oil"]),
            ("lamp@6", &[]),
            ("12:30", &[]),
            ("lamp'oil", &[]),
            ("lamp oil", &[]),
            ("लम्प=तेल", &[]),
        ] {
            assert_eq!(split_name(name), words, "{name}");
        }
    }
}
