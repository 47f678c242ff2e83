//! A glossary of software terms in Chinese and English. It translates for the bundled models, which
//! read English alone, and what is asked in Chinese of a history in English.

use super::{collapse_whitespace, is_unspaced};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static TEXT: &str = include_str!("glossary.tsv");
static WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    TEXT.lines()
        .filter_map(|line| line.split_once('\t'))
        .collect()
});
/// The first characters of its words.
static FIRST_CHARS: LazyLock<HashSet<char>> = LazyLock::new(|| {
    WORDS
        .keys()
        .filter_map(|word| word.chars().next())
        .collect()
});
/// The characters of its longest word.
const MAX_WORD_CHARS: usize = 6;

/// A segment of a text in a script without spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlossarySegment<'a> {
    /// The text of the segment.
    pub text: &'a str,
    /// The translation; `None` if the glossary lacks it.
    pub english: Option<&'static str>,
}

/// Segments a text into words of the glossary, by the longest match, and the text between them.
pub fn segment_by_glossary(text: &str) -> Vec<GlossarySegment<'_>> {
    let mut out = Vec::new();
    let (mut at, mut begin) = (0, 0);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let found = FIRST_CHARS
            .contains(&first)
            .then(|| longest_match(&text[at..]));
        match found.flatten() {
            Some(GlossaryMatch { bytes, english }) => {
                if begin < at {
                    out.push(GlossarySegment {
                        text: &text[begin..at],
                        english: None,
                    });
                }
                out.push(GlossarySegment {
                    text: &text[at..at + bytes],
                    english: Some(english),
                });
                at += bytes;
                begin = at;
            }
            None => at += first.len_utf8(),
        }
    }
    if begin < text.len() {
        out.push(GlossarySegment {
            text: &text[begin..],
            english: None,
        });
    }
    out
}

/// A word of the glossary at the beginning of a text.
struct GlossaryMatch {
    bytes: usize,
    english: &'static str,
}

/// Finds the longest word of the glossary that a text begins with.
fn longest_match(text: &str) -> Option<GlossaryMatch> {
    let ends = text
        .char_indices()
        .take(MAX_WORD_CHARS)
        .map(|(at, c)| at + c.len_utf8());
    let found = ends.filter_map(|bytes| {
        let english = *WORDS.get(&text[..bytes])?;
        Some(GlossaryMatch { bytes, english })
    });
    found.last()
}

/// Translates the words of the glossary to English, and drops other characters of scripts without
/// spaces.
///
/// ```
/// use session_core::text::translate_to_english;
///
/// assert_eq!(translate_to_english("早上连接池 timeout 了"), "connection pool timeout");
/// ```
pub fn translate_to_english(text: &str) -> String {
    if !text.contains(is_unspaced) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for segment in segment_by_glossary(text) {
        match segment.english {
            Some(english) => {
                out.push(' ');
                out.push_str(english);
                out.push(' ');
            }
            None => out.extend(
                segment
                    .text
                    .chars()
                    .map(|c| if is_unspaced(c) { ' ' } else { c }),
            ),
        }
    }
    collapse_whitespace(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_glossary_are_translated() {
        assert_eq!(translate_to_english("plain"), "plain");
        assert!(TEXT.lines().all(|line| line.split('\t').count() == 2));
        let widest = WORDS.keys().map(|word| word.chars().count()).max();
        assert!(widest <= Some(MAX_WORD_CHARS));
        assert_eq!(WORDS.len(), TEXT.lines().count(), "a word is listed twice");
    }
}
