//! A glossary of software terms in Chinese and English. It translates for the bundled models, which
//! read English alone.

use crate::retrieval::terms::remove_stop_words;
use session_core::text::is_unspaced;
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
pub(crate) struct GlossarySegment<'a> {
    /// The text of the segment.
    pub(crate) text: &'a str,
    /// The translation; `None` where the glossary lacks it.
    pub(crate) english: Option<&'static str>,
}

/// Segments a text into words of the glossary, by the longest match, and the text between them.
pub(crate) fn segment(text: &str) -> Vec<GlossarySegment<'_>> {
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
pub(crate) fn translate_to_english(text: &str) -> String {
    if !text.contains(is_unspaced) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for segment in segment(text) {
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
    session_core::text::collapse_whitespace(&out)
}

/// The least readable fraction of a text that is embedded.
const MIN_READABLE: f32 = 0.5;

/// Returns true where an English model reads enough of a text to compare it.
pub(crate) fn is_mostly_readable(text: &str) -> bool {
    readable_fraction(text) >= MIN_READABLE
}

/// Returns the fraction of a text's letters that an English model reads, 0 to 1: all but those
/// without a translation.
fn readable_fraction(text: &str) -> f32 {
    let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
    if !text.contains(is_unspaced) {
        return if letters(text) > 0 { 1.0 } else { 0.0 };
    }
    let text = remove_stop_words(text);
    let unknown = |segment: &GlossarySegment<'_>| match segment.english {
        Some(_) => 0,
        None => segment
            .text
            .chars()
            .filter(|c| is_unspaced(*c) && c.is_alphanumeric())
            .count(),
    };
    let unknown: usize = segment(&text).iter().map(unknown).sum();
    #[expect(clippy::cast_precision_loss, reason = "characters of a line")]
    match letters(&text) {
        0 => 0.0,
        all => 1.0 - unknown as f32 / all as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readable_fraction_counts_letters_with_a_translation() {
        assert!(readable_fraction("raise the pool") >= 1.0);
        assert!(readable_fraction("连接池的 timeout") >= 1.0);
        assert!(readable_fraction("邮编读进来变成数字了") < 0.5);
        assert!(readable_fraction("的") <= 0.0);
        assert!(readable_fraction("🚀 !") <= 0.0);
    }

    #[test]
    fn words_of_the_glossary_are_translated() {
        assert_eq!(
            translate_to_english("早上连接池 timeout 了"),
            "connection pool timeout"
        );
        assert_eq!(translate_to_english("plain"), "plain");
        assert!(TEXT.lines().all(|line| line.split('\t').count() == 2));
        let widest = WORDS.keys().map(|word| word.chars().count()).max();
        assert!(widest <= Some(MAX_WORD_CHARS));
        assert_eq!(WORDS.len(), TEXT.lines().count(), "a word is listed twice");
    }
}
