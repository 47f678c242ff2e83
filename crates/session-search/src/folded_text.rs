//! A text in which the words of a query are looked for.

use memchr::memchr_iter;
use session_core::text::{FilteredChar, folded_chars, is_unspaced};
use std::borrow::Cow;

/// A text as the word index folds words, with the offsets of the original.
pub(crate) struct FoldedText<'t> {
    original: &'t str,
    /// The folded text, but that letters of ASCII keep their case: a capital begins a part of a name in camel case.
    cased: Cow<'t, str>,
    folded: String,
}

impl<'t> FoldedText<'t> {
    pub(crate) fn new(original: &'t str) -> Self {
        let cased = fold_keeping_case(original);
        let folded = cased.to_ascii_lowercase();
        Self {
            original,
            cased,
            folded,
        }
    }

    /// Returns the folded text.
    pub(crate) fn as_str(&self) -> &str {
        &self.folded
    }

    /// Returns the original text from the character on that is at `offset` when it is folded: letters may change their
    /// length.
    pub(crate) fn original_from(&self, offset: usize) -> &'t str {
        let start = match self.cased {
            Cow::Borrowed(_) => offset,
            Cow::Owned(_) => self.unfold_offset(offset),
        };
        self.original.get(start..).unwrap_or_default()
    }

    fn unfold_offset(&self, offset: usize) -> usize {
        let before = self.folded.as_bytes().get(..offset).unwrap_or_default();
        // Folding neither adds nor removes line breaks.
        let (line_breaks, folded_line) =
            memchr_iter(b'\n', before).fold((0_usize, 0), |(n, _), at| (n + 1, at + 1));
        let mut breaks = memchr_iter(b'\n', self.original.as_bytes());
        let line = line_breaks.checked_sub(1).and_then(|n| breaks.nth(n));
        let line = line.map_or(0, |at| at + 1);
        let rest = self.original.get(line..).unwrap_or_default();
        let mut end = folded_line;
        let reaches = |folded: &FilteredChar| {
            end += folded.c.len_utf8();
            end > offset
        };
        let found = folded_chars(rest).find(reaches);
        line + found.map_or(rest.len(), |folded| folded.start)
    }

    /// Returns true if a word begins, or a part of a name in camel case.
    pub(crate) fn begins_word(&self, at: usize) -> bool {
        let before = self.folded.get(..at);
        let before = before.and_then(|text| text.chars().next_back());
        !before.is_some_and(is_of_word) || self.begins_part(at)
    }

    /// Returns the word from an offset to its end.
    pub(crate) fn word_from(&self, at: usize) -> &str {
        let rest = self.folded.get(at..).unwrap_or_default();
        let end = rest.find(|c| !is_of_word(c));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Returns the part of a name in camel case that begins where a word or part of it does; `None` for another word.
    pub(crate) fn camel_case_part_from(&self, at: usize) -> Option<&str> {
        let word = self.word_from(at);
        let end = (1..word.len()).find(|length| self.begins_part(at + length))?;
        word.get(..end)
    }

    /// Returns true for a capital within a word that follows or precedes a small letter: `H` and `S` of `parseHTTPStatus`.
    fn begins_part(&self, at: usize) -> bool {
        let bytes = self.cased.as_bytes();
        let is = |at: usize, test: fn(&u8) -> bool| bytes.get(at).is_some_and(test);
        let before = at
            .checked_sub(1)
            .filter(|at| is(*at, u8::is_ascii_alphanumeric));
        is(at, u8::is_ascii_uppercase)
            && before.is_some_and(|before| {
                is(before, u8::is_ascii_lowercase) || is(at + 1, u8::is_ascii_lowercase)
            })
    }
}

/// Returns true for a character of a word of the index: characters of scripts without spaces are words by themselves.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric() && !is_unspaced(c))
}

/// Folds a text line by line: nearly all lines are of ASCII, which are copied, while each character of the others is looked at.
fn fold_keeping_case(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_capital = |at: usize| line.as_bytes().get(at).is_some_and(u8::is_ascii_uppercase);
        if line.is_ascii() {
            out.push_str(line)
        } else {
            out.extend(folded_chars(line).map(|folded| {
                if is_capital(folded.start) {
                    folded.c.to_ascii_uppercase()
                } else {
                    folded.c
                }
            }))
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use session_core::text::fold_word;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

        #[test]
        fn a_text_is_folded_as_words_are(text in "([a-cA-C \n]|[İßΣéÆ字ｶﾞ\u{301}\u{345}\u{64b}]|\\PC){0,40}") {
            let folded = FoldedText::new(&text);
            prop_assert_eq!(folded.as_str(), fold_word(&text));
            for (at, _) in folded.as_str().char_indices() {
                let rest = fold_word(folded.original_from(at));
                prop_assert!(rest.len() + at >= folded.as_str().len());
                prop_assert!(folded.as_str().ends_with(&rest) || rest.len() + at > folded.as_str().len());
            }
        }
    }
}
