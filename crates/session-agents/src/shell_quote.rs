//! Quoting for a POSIX shell: of words that are printed, and of those that are written for an agent to run.

use session_core::text::sanitize_text;
use std::borrow::Cow;

/// Quotes a word that is printed where it must be. It is made printable before, since a removed character could be part
/// of the quoting.
pub fn quote_word(word: &str) -> String {
    quote_exact_word(&sanitize_text(word))
}

/// Quotes a word of a command that is run. Each of its characters is kept: a path may hold invisible ones. A word with a
/// NUL, which no shell accepts, is left as it is.
pub(crate) fn quote_exact_word(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_it_must_be() {
        assert_eq!(quote_word("a1b2"), "a1b2");
        assert_eq!(quote_word("#12"), "'#12'");
        assert_eq!(quote_word("it's \u{1b}[31mred"), "\"it's red\"");
        assert_eq!(quote_word("a\0b"), "ab");
        assert_eq!(quote_exact_word("/bin/a\u{200c}b"), "'/bin/a\u{200c}b'");
    }
}
