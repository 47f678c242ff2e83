//! Stems of Russian words.
//!
//! FTS5 has one stemmer for a table, the English one, which leaves Russian words as they are: of 26
//! inflected questions of `benches/languages` it found 17 in five. German, French and Spanish lose a
//! question or none by it. Stems stand in a column of their own, beside the words.

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashSet;

/// Returns the stems of the Russian words of some texts, each once, with spaces between them.
pub(crate) fn russian_stems<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut seen = HashSet::new();
    let mut stems: Vec<String> = Vec::new();
    for text in texts.filter(|text| has_cyrillic(text)) {
        let words = text.split(|c: char| !c.is_alphanumeric());
        for stem in words.filter_map(russian_stem) {
            if seen.insert(stem.clone()) {
                stems.push(stem);
            }
        }
    }
    stems.join(" ")
}

/// Returns the stem of a Russian word, where it is another than the word.
pub(crate) fn russian_stem(word: &str) -> Option<String> {
    if !has_cyrillic(word) {
        return None;
    }
    let word = word.to_lowercase();
    let stem = Stemmer::create(Algorithm::Russian).stem(&word).into_owned();
    (stem != word && stem.chars().count() >= MIN_CHARS).then_some(stem)
}

/// Shortest stem that says something.
const MIN_CHARS: usize = 3;

fn has_cyrillic(text: &str) -> bool {
    // Letters from U+0400 to U+04FF begin with D0 to D3.
    text.bytes().any(|byte| (0xD0..=0xD3).contains(&byte))
        && text.chars().any(|c| ('\u{400}'..='\u{4ff}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_words_share_a_stem() {
        let stem = |word| russian_stem(word);
        assert_eq!(stem("очереди"), stem("очередь"));
        assert_eq!(stem("сообщениями"), stem("Сообщение"));
        assert_eq!(stem("queue"), None);
        assert_eq!(
            russian_stems(["Очереди и очередь", "queue"].into_iter()),
            "очеред"
        );
    }
}
