//! Words of software in Chinese and in English, so that one language finds the
//! other: the models in the binary read English alone.

use crate::terms::is_unspaced;
use std::collections::HashMap;
use std::sync::LazyLock;

static TEXT: &str = include_str!("glossary.tsv");
static WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    TEXT.lines()
        .filter_map(|line| line.split_once('\t'))
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
        match longest(&text[at..]) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
