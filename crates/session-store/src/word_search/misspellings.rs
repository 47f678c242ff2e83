//! The words of the word index that were probably meant by words which no turn holds.
//!
//! The index has stems, and a slip of the finger may stand in an ending (`migratoin`). So a word's possible
//! corrections are stemmed, and looked for as they are in turns that hold their stems, the commonest first: `gradeint`
//! is not `gradeing`, though turns hold the stem `grade`.

use crate::error::Result;
use crate::id::TurnId;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::word_index::Vocabulary;
use crate::word_search::completions::WordStemmer;
use crate::word_search::lexical::{fts5_string, indexed_texts};
use session_core::{is_stop_word, text};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Fewest characters of a word that is corrected: of a shorter one other words are a character away.
const MIN_CHARS: usize = 5;
/// Most characters of a word that is corrected.
const MAX_CHARS: usize = 32;
/// Most stems whose turns are read, the commonest of all.
const MAX_STEMS: usize = 8;
/// Most turns that are read for a stem, the newest of all.
const MAX_TURNS: u32 = 48;
/// Most bytes of the texts of turns that are read for a word: some 10 ms.
const MAX_BYTES: usize = 1 << 20;
/// The letters without accents that a slip may leave out or replace, by script.
const ALPHABETS: [RangeInclusive<char>; 3] = ['a'..='z', 'α'..='ω', 'а'..='я'];

/// Corrects words that no turn holds.
pub struct WordCorrector<'r> {
    index: &'r Reader,
    vocabulary: Vocabulary<'r>,
    stemmer: WordStemmer,
}

impl<'r> WordCorrector<'r> {
    /// Prepares to correct words of an index.
    ///
    /// # Errors
    /// When the database fails.
    pub fn new(index: &'r Reader) -> Result<Self> {
        Ok(Self {
            index,
            vocabulary: Vocabulary::read(&index.db)?,
            stemmer: WordStemmer::new()?,
        })
    }

    /// Returns the commonest word of the index that is one slip of the finger from a word which no turn holds: two
    /// letters swapped, or one left out, added or replaced. The first letter is taken to be right, unless it was
    /// swapped. `None` if there is no such word, and for a stop word of any language.
    ///
    /// # Errors
    /// When the database fails.
    pub fn correct(&mut self, word: &str) -> Result<Option<String>> {
        let spelling = self.find_meant_word(word)?;
        Ok(spelling.map(|spelling| text::fold_word(&spelling)))
    }

    /// Returns the name that was probably meant by one in camel case, as a turn spells it. `None` also where turns hold each
    /// word of the name, together or not: it may be right, and that of another thing (`openDate`, `openGate`).
    ///
    /// # Errors
    /// When the database fails.
    pub fn correct_name(&mut self, name: &str) -> Result<Option<String>> {
        if self.holds_words_of(name)? {
            return Ok(None);
        }
        self.find_meant_word(name)
    }

    /// Returns the first of some texts whose words a turn holds in a row.
    ///
    /// # Errors
    /// When the database fails.
    pub fn find_first_held<'t>(&self, texts: &[&'t str]) -> Result<Option<&'t str>> {
        let phrases: Vec<String> = texts.iter().map(|text| fts5_string(text)).collect();
        if phrases.is_empty() {
            return Ok(None);
        }
        let postings = self.index.phrase_postings(&phrases)?;
        let mut held = texts.iter().zip(postings);
        Ok(held
            .find(|(_, postings)| !postings.is_empty())
            .map(|(text, _)| *text))
    }

    /// Returns true if turns hold each word of a name in camel case. Of names the index has no words of one letter.
    fn holds_words_of(&mut self, name: &str) -> Result<bool> {
        let words = text::split_camel_case_name(name).unwrap_or_default();
        let words = words.split_whitespace().filter(|word| word.len() > 1);
        let stems = words.map(|word| self.stemmer.stem(word));
        let stems: BTreeSet<String> = stems.collect::<Result<_>>()?;
        let stems: BTreeSet<&str> = stems.iter().map(String::as_str).collect();
        Ok(self.vocabulary.term_sizes(&stems)?.len() == stems.len())
    }

    /// Returns the word that [`Self::correct`] finds, as the newest turn spells it.
    fn find_meant_word(&mut self, word: &str) -> Result<Option<String>> {
        let is_letter = |c: char| c.is_alphabetic() && !text::is_unspaced(c);
        let is_word = word.chars().all(is_letter) && !is_stop_word(word);
        if !is_word || !(MIN_CHARS..=MAX_CHARS).contains(&word.chars().count()) {
            return Ok(None);
        }
        let folded = self.stemmer.fold(word)?;
        let mut words_by_stem: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for meant in words_one_slip_away(&folded) {
            let words = words_by_stem.entry(self.stemmer.stem(&meant)?).or_default();
            words.push(meant);
        }
        let stems: BTreeSet<&str> = words_by_stem.keys().map(String::as_str).collect();
        let sizes = self.vocabulary.term_sizes(&stems)?;
        let mut held: Vec<(Vec<u8>, usize)> = sizes.into_iter().collect();
        held.sort_by_key(|(_, bytes)| Reverse(*bytes));
        let mut room = MAX_BYTES;
        for (stem, _) in held.into_iter().take(MAX_STEMS) {
            let stem = String::from_utf8(stem).unwrap_or_default();
            let words = words_by_stem.remove(&stem).unwrap_or_default();
            if let Some(word) = self.index.find_held_word(&words, &mut room)? {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }
}

impl Reader {
    /// Returns the first of `words` that a turn holds letter by letter, with the capitals and accents that it has there. All
    /// words have one stem. The newest turns that hold it are read, until their texts have used up `room` bytes.
    fn find_held_word(&self, words: &[String], room: &mut usize) -> Result<Option<String>> {
        let Some(word) = words.first() else {
            return Ok(None);
        };
        let select = "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2";
        let turns: Vec<TurnId> =
            self.db
                .rows(select, (format!("\"{word}\""), MAX_TURNS), |row| row.get(0))?;
        let mut first: Option<HeldWord> = None;
        for turn in turns {
            if first.as_ref().is_some_and(|first| first.position == 0) || *room == 0 {
                break;
            }
            let content = self.content(turn)?;
            let title = self.indexed_title(turn, &content)?;
            let texts = indexed_texts(&content, &title);
            let bytes: usize = texts.iter().map(|text| text.len()).sum();
            *room = room.saturating_sub(bytes);
            let held = first_held_word(words, texts.iter().map(AsRef::as_ref));
            first = first
                .into_iter()
                .chain(held)
                .min_by_key(|held| held.position);
        }
        Ok(first.map(|held| held.spelling))
    }
}

/// A word of a turn that is one of those looked for.
struct HeldWord {
    /// Its position among those.
    position: usize,
    /// The word as the turn has it.
    spelling: String,
}

/// Returns the first of some words that stands in the texts.
fn first_held_word<'t>(words: &[String], texts: impl Iterator<Item = &'t str>) -> Option<HeldWord> {
    let held = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let may_be = |held: &&str| !held.is_ascii() || words.iter().any(|w| w.len() == held.len());
    let find = |held: &str| {
        let folded = text::fold_word(held);
        Some(HeldWord {
            position: words.iter().position(|word| *word == folded)?,
            spelling: held.to_owned(),
        })
    };
    let held = held.filter(may_be).filter_map(find);
    held.min_by_key(|held| held.position)
}

/// Returns what may have been meant by a word, slips that change no letters first.
fn words_one_slip_away(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let mut words = Vec::new();
    for at in 1..chars.len() {
        let mut swapped = chars.clone();
        swapped.swap(at - 1, at);
        words.push(swapped);
    }
    for at in 1..=chars.len() {
        let (before, rest) = chars.split_at(at);
        let replace = |letter: Option<char>, rest: &[char]| {
            let letter = letter.as_slice();
            [before, letter, rest].concat()
        };
        let after = rest.get(1..);
        words.extend(after.map(|after| replace(None, after)));
        for letter in alphabet_of(&chars) {
            words.push(replace(Some(letter), rest));
            words.extend(after.map(|after| replace(Some(letter), after)));
        }
    }
    words.retain(|other| *other != chars);
    words.into_iter().map(String::from_iter).collect()
}

/// Returns the letters of the script of a word, by its first letter.
fn alphabet_of(word: &[char]) -> RangeInclusive<char> {
    let mut alphabets = ALPHABETS.into_iter();
    let found = word
        .first()
        .and_then(|first| alphabets.find(|letters| letters.contains(first)));
    found.unwrap_or('a'..='z')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_swaps_leaves_out_adds_or_replaces_a_letter() {
        let words = words_one_slip_away("lmap");
        for meant in ["mlap", "lamp", "lap", "lmaps", "lmax", "limap"] {
            assert!(words.iter().any(|word| word == meant), "{meant}");
        }
        for other in ["lmap", "map", "camp", "lampe"] {
            assert!(words.iter().all(|word| word != other), "{other}");
        }
    }
}
