//! Unicode's composed form (NFC) of characters with marks.

use super::byte_chunks::any_byte;
use super::sanitize_text;
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Composes characters with their marks to the form NFC of Unicode (Standard Annex 15), in which nearly everything is
/// typed: `ü`, not `u` and U+0308. macOS and some editors write names the other way.
pub fn compose(text: &str) -> Cow<'_, str> {
    if !may_be_decomposed(text) || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

/// Returns a text as it is searched: [`sanitize_text`], and [composed](compose).
pub fn normalize_searchable(text: &str) -> Cow<'_, str> {
    match sanitize_text(text) {
        Cow::Borrowed(text) => compose(text),
        Cow::Owned(text) => match compose(&text) {
            Cow::Borrowed(_) => Cow::Owned(text),
            Cow::Owned(composed) => Cow::Owned(composed),
        },
    }
}

/// Returns true for a text that may have decomposed characters. Characters below U+0300 have one form. So have dashes, quotes
/// and symbols (U+2000 to U+2FFF) apart from a few signs of units, which stay as they are.
fn may_be_decomposed(text: &str) -> bool {
    any_byte(text.as_bytes(), |byte| byte >= 0xcc && byte != 0xe2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_forms_are_one() {
        for text in [
            "Größe",
            "йод, Ёлка",
            "σίσυφος",
            "데이터베이스",
            "データベース",
            "plain “quoted” — text",
        ] {
            let decomposed: String = text.nfd().collect();
            assert_eq!(compose(&decomposed), text);
            assert!(matches!(compose(text), Cow::Borrowed(_)), "{text}");
            assert_eq!(
                normalize_searchable(&format!("\x1b[1m{decomposed}\x1b[0m")),
                text
            );
        }
    }

    proptest! {
        #[test]
        fn it_is_done_once(text in ".{0,40}") {
            let composed = compose(&text).into_owned();
            prop_assert_eq!(compose(&composed), composed.as_str());
        }
    }
}
