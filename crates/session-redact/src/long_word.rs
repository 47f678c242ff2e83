//! Long words: what a rule needs before its expression is run.

/// Returns true for the bytes of which a key is made: letters, digits, `_`, `-` and `=`.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-=".contains(&byte)
}

/// Returns true for a text with a word of at least `length` bytes. Few bytes of a short word are looked at, since its end
/// rules out each word that begins before it.
pub(crate) fn has_long_word(text: &[u8], length: usize) -> bool {
    let mut start = 0;
    while let Some(bytes) = text.get(start..start + length) {
        match bytes.iter().rposition(|byte| !is_word_byte(*byte)) {
            Some(at) => start += at + 1,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn long_words_are_found(text in "[a-b_=. \\n-]{0,40}", length in 0..10usize) {
            let mut words = text.as_bytes().split(|byte| !is_word_byte(*byte));
            prop_assert_eq!(has_long_word(text.as_bytes(), length), words.any(|word| word.len() >= length));
        }
    }
}
