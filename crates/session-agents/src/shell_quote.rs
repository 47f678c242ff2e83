//! Quoting for a POSIX shell.

use session_core::text::sanitize_text;

/// Quotes a word for a POSIX shell where it must be. It is made printable before, since a removed character could be part
/// of the quoting.
pub fn quote_word(word: &str) -> String {
    let word = sanitize_text(word);
    // Only a NUL cannot be quoted, and it is not printable.
    shlex::try_quote(&word).unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::quote_word;

    #[test]
    fn a_word_is_quoted_where_it_must_be() {
        assert_eq!(quote_word("a1b2"), "a1b2");
        assert_eq!(quote_word("#12"), "'#12'");
        assert_eq!(quote_word("it's \u{1b}[31mred"), "\"it's red\"");
        assert_eq!(quote_word("a\0b"), "ab");
    }
}
