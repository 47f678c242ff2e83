//! Words of software in Chinese and in English, so that one language finds the
//! other: the models in the binary read English alone.

use crate::terms::{is_unspaced, without_between};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static TEXT: &str = include_str!("glossary.tsv");
static WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    TEXT.lines()
        .filter_map(|line| line.split_once('\t'))
        .collect()
});
/// The characters that words there begin with.
static BEGIN: LazyLock<HashSet<char>> = LazyLock::new(|| {
    WORDS
        .keys()
        .filter_map(|word| word.chars().next())
        .collect()
});
/// Characters of the longest word there.
const LONGEST: usize = 6;

/// A part of a text in a script without spaces.
pub(crate) struct Piece<'a> {
    /// As it is written.
    pub(crate) text: &'a str,
    /// The same in English; none where the glossary does not have it.
    pub(crate) english: Option<&'static str>,
}

/// A text cut into words of the glossary, the longest first, and what stands
/// between them.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let (mut at, mut begin) = (0, 0);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let found = BEGIN.contains(&first).then(|| longest(&text[at..]));
        match found.flatten() {
            Some((length, english)) => {
                if begin < at {
                    out.push(Piece {
                        text: &text[begin..at],
                        english: None,
                    });
                }
                out.push(Piece {
                    text: &text[at..at + length],
                    english: Some(english),
                });
                at += length;
                begin = at;
            }
            None => at += first.len_utf8(),
        }
    }
    if begin < text.len() {
        out.push(Piece {
            text: &text[begin..],
            english: None,
        });
    }
    out
}

/// The longest word of the glossary that a text begins with: its bytes, and its
/// English.
fn longest(text: &str) -> Option<(usize, &'static str)> {
    let ends = text
        .char_indices()
        .take(LONGEST)
        .map(|(at, c)| at + c.len_utf8());
    let found = ends.filter_map(|end| Some((end, *WORDS.get(&text[..end])?)));
    found.last()
}

/// A text for a model that reads English: what the glossary knows in English,
/// other characters of those scripts left out.
pub(crate) fn in_english(text: &str) -> String {
    if !text.contains(is_unspaced) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece.english {
            Some(english) => {
                out.push(' ');
                out.push_str(english);
                out.push(' ');
            }
            None => out.extend(
                piece
                    .text
                    .chars()
                    .map(|c| if is_unspaced(c) { ' ' } else { c }),
            ),
        }
    }
    session_core::text::one_line(&out)
}

/// The part of a text that the glossary must know for a model that reads English.
const UNDERSTOOD: f32 = 0.5;

/// True where a model that reads English reads enough of a text to compare it.
pub(crate) fn is_understood(text: &str) -> bool {
    share_known(text) >= UNDERSTOOD
}

/// The part of a text that a model that reads English reads of it, 0 to 1: of what is written
/// without spaces, what the glossary knows, and all else.
fn share_known(text: &str) -> f32 {
    let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
    if !text.contains(is_unspaced) {
        return if letters(text) > 0 { 1.0 } else { 0.0 };
    }
    let text = without_between(text);
    let unknown = |piece: &Piece<'_>| match piece.english {
        Some(_) => 0,
        None => piece
            .text
            .chars()
            .filter(|c| is_unspaced(*c) && c.is_alphanumeric())
            .count(),
    };
    let unknown: usize = pieces(&text).iter().map(unknown).sum();
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
    fn a_model_that_reads_english_understands_a_part() {
        assert!(share_known("raise the pool") >= 1.0);
        assert!(share_known("连接池的 timeout") >= 1.0);
        assert!(share_known("邮编读进来变成数字了") < 0.5);
        assert!(share_known("的") <= 0.0);
        assert!(share_known("🚀 !") <= 0.0);
    }

    #[test]
    fn known_words_are_read_in_english() {
        assert_eq!(
            in_english("早上连接池 timeout 了"),
            "connection pool timeout"
        );
        assert_eq!(in_english("plain"), "plain");
        assert!(TEXT.lines().all(|line| line.split('\t').count() == 2));
        let widest = WORDS.keys().map(|word| word.chars().count()).max();
        assert!(widest <= Some(LONGEST));
        assert_eq!(
            WORDS.len(),
            TEXT.lines().count(),
            "a word stands there twice"
        );
    }
}
