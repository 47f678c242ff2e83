//! The words that are marked in a text, and where they are in it.

use crate::unfolded_line::UnfoldedLine;
use session_store::find_term_ranges;
use std::ops::Range;

/// The words that are marked in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum MarkedWords {
    #[default]
    Nothing,
    /// Words, and what they match in the word index.
    Terms(Vec<String>),
    /// A text, whatever its case.
    Text(String),
}

impl MarkedWords {
    /// Returns the byte ranges that match in each text.
    pub(crate) fn find_in(&self, texts: &[UnfoldedLine]) -> Vec<Vec<Range<usize>>> {
        let texts: Vec<&str> = texts.iter().map(|line| line.text.as_str()).collect();
        match self {
            Self::Nothing => vec![Vec::new(); texts.len()],
            Self::Text(text) => {
                let needle = fold_case(text);
                let texts = texts.iter();
                texts.map(|text| find_occurrences(text, &needle)).collect()
            }
            Self::Terms(terms) => {
                let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
                let found = find_term_ranges(&terms, &texts);
                found.unwrap_or_else(|_| vec![Vec::new(); texts.len()])
            }
        }
    }
}

/// Returns where a text, whose case is folded, occurs in another one.
fn find_occurrences(text: &str, needle: &str) -> Vec<Range<usize>> {
    let folded = fold_case(text);
    let found = folded.match_indices(needle);
    found
        .map(|(at, found)| at..at + found.len())
        .filter(|range| !range.is_empty())
        .collect()
}

/// Makes letters small, but those whose small letter has another length: ranges are the same in both texts.
fn fold_case(text: &str) -> String {
    let fold = |letter: char| {
        let mut small = letter.to_lowercase();
        let small = small.next().filter(|_| small.next().is_none());
        let small = small.filter(|small| small.len_utf8() == letter.len_utf8());
        small.unwrap_or(letter)
    };
    text.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_whose_small_one_is_longer_leaves_the_others_of_its_line() {
        let text = "İ the LAMP Über İSTANBUL";
        for (needle, expected) in [("lamp ÜBER", "LAMP Über"), ("İstanbul", "İSTANBUL")] {
            let found = find_occurrences(text, &fold_case(needle)).remove(0);
            assert_eq!(&text[found], expected);
        }
    }
}
