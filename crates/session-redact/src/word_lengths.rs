//! Word lengths of regular expressions: what the rules state is checked by them.

use crate::long_word::is_word_byte;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Shorter words are in most texts.
pub(crate) const SHORTEST_LONG_WORD: usize = 12;

/// Returns the length of the longest word that each match of an expression holds.
pub(crate) fn word_length_of(pattern: &str) -> usize {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    WordLengths::of_hir(&parser.parse(pattern).expect("the rules compile")).longest
}

/// Least lengths of the words in the matches of an expression.
#[derive(Clone, Copy)]
struct WordLengths {
    /// Length of the match, where it is one word.
    whole: Option<usize>,
    first: usize,
    last: usize,
    longest: usize,
}

impl WordLengths {
    const NO_WORD: Self = Self {
        whole: None,
        first: 0,
        last: 0,
        longest: 0,
    };

    fn of_word(length: usize) -> Self {
        Self {
            whole: Some(length),
            first: length,
            last: length,
            longest: length,
        }
    }

    fn of_hir(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::of_word(0),
            HirKind::Literal(literal) => {
                Self::of_sequence(literal.0.iter().map(|b| Self::of_byte(is_word_byte(*b))))
            }
            HirKind::Class(class) => Self::of_byte(is_word_class(class)),
            HirKind::Repetition(repetition) => {
                let one = Self::of_hir(&repetition.sub);
                match (one.whole, repetition.min) {
                    (Some(length), times) => Self::of_word(length * times as usize),
                    (None, 0) => Self::NO_WORD,
                    (None, _) => one,
                }
            }
            HirKind::Capture(capture) => Self::of_hir(&capture.sub),
            HirKind::Concat(parts) => Self::of_sequence(parts.iter().map(Self::of_hir)),
            HirKind::Alternation(parts) => parts
                .iter()
                .map(Self::of_hir)
                .reduce(Self::or)
                .unwrap_or(Self::NO_WORD),
        }
    }

    fn of_byte(is_word: bool) -> Self {
        if is_word {
            Self::of_word(1)
        } else {
            Self::NO_WORD
        }
    }

    fn of_sequence(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::of_word(0), |before, after| Self {
            whole: before
                .whole
                .zip(after.whole)
                .map(|(before, after)| before + after),
            first: before
                .whole
                .map_or(before.first, |length| length + after.first),
            last: after
                .whole
                .map_or(after.last, |length| length + before.last),
            longest: before
                .longest
                .max(after.longest)
                .max(before.last + after.first),
        })
    }

    fn or(self, other: Self) -> Self {
        Self {
            whole: self
                .whole
                .zip(other.whole)
                .map(|(one, other)| one.min(other)),
            first: self.first.min(other.first),
            last: self.last.min(other.last),
            longest: self.longest.min(other.longest),
        }
    }
}

fn is_word_class(class: &Class) -> bool {
    match class {
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .all(|range| (range.start()..=range.end()).all(is_word_byte)),
        Class::Unicode(_) => false,
    }
}

#[test]
fn the_longest_word_of_an_expression_is_in_each_match() {
    for (pattern, length) in [
        ("sk-[a-z0-9]{20}", 23),
        ("(?:key|token)-[a-f]{8}", 12),
        ("[a-z]{4,9}[.][a-z]{6,}x?", 6),
        ("a[^b]{30}c", 1),
        ("(?:ab|[.])?cd", 2),
        ("(?:a.)+b", 1),
        (r"\b(?i:AKIA)[A-Z]{16}\b", 20),
    ] {
        assert_eq!(word_length_of(pattern), length, "{pattern}");
    }
}
