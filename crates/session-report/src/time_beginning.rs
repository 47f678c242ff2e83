//! The beginnings of times, while they are typed.

use crate::duration::NUMBERS;

/// Words that a time in words begins with. A number may do so, too.
const FIRST_WORDS: &str = "\
today yesterday week this last monday tuesday wednesday thursday friday saturday sunday \
january february march april may june july august september october november december \
a an in the";

/// Returns true for a text that may be the beginning of a time, or of a range of it.
pub fn begins_time(text: &str) -> bool {
    let text = text.trim_start().to_lowercase();
    let first = text.split(|c: char| !c.is_alphanumeric()).next();
    let first = first.unwrap_or_default();
    let mut words = FIRST_WORDS.split(' ').chain(NUMBERS);
    first.starts_with(|c: char| c.is_ascii_digit()) || words.any(|word| word.starts_with(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_begins_with_a_number_or_a_beginning_of_a_word() {
        for text in [
            "", "2", "2026-0", "yest", "Last mo", "two", "jan 1", "monday..", "..2026",
        ] {
            assert!(begins_time(text), "{text}");
        }
        for text in ["each", "map", "undefined", "todays"] {
            assert!(!begins_time(text), "{text}");
        }
    }
}
