//! The character classes of BERT's tokenizer, by the crate and thus the old
//! Unicode version that the reference implementation reads them from: ids must
//! be equal, not modern.

use unicode_categories::UnicodeCategories;

/// Returns true for a mark that is dropped when accents are stripped.
pub(crate) fn is_accent(c: char) -> bool {
    !c.is_ascii() && c.is_mark_nonspacing()
}

/// Returns true for punctuation, each character of which is a word of its own.
pub(crate) fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || !c.is_ascii() && c.is_punctuation()
}

/// Returns true for white space, though three of its characters are also controls.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || (c.is_whitespace() && !c.is_other())
}

/// Returns true for a character that is dropped before anything else, unless it [is space](is_space).
pub(crate) fn is_dropped(c: char) -> bool {
    c == '\u{fffd}' || (c.is_other() && !matches!(c, '\t' | '\n' | '\r'))
}

/// Returns true for ideographs, which are words of their own: CJK blocks, without kana and
/// Hangul.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
