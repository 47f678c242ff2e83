//! The division of a text into words, within which bytes are merged. By hand
//! what the reference does with
//!
//! ```text
//! (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//! ```

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Returns the words of a text, which together are the text.
pub(crate) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (word, after) = rest.split_at_checked(word_len(rest))?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// The classes of characters of the pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Letter,
    Number,
    Space,
    Other,
}

fn classify_char(c: char) -> CharKind {
    match c {
        'a'..='z' | 'A'..='Z' => CharKind::Letter,
        '0'..='9' => CharKind::Number,
        _ if c.is_whitespace() => CharKind::Space,
        _ if c.is_ascii() => CharKind::Other,
        _ => match c.general_category_group() {
            GeneralCategoryGroup::Letter => CharKind::Letter,
            GeneralCategoryGroup::Number => CharKind::Number,
            _ => CharKind::Other,
        },
    }
}

/// Returns the bytes of the word that a text starts with; 0 for an empty text.
fn word_len(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let after = chars.as_str();
    let next = chars.next().map(classify_char);
    let start = first.len_utf8();
    match classify_char(first) {
        _ if first == '\'' && contraction_len(after) > 0 => start + contraction_len(after),
        CharKind::Letter => start + kind_run_len(after, CharKind::Letter),
        CharKind::Number => start,
        _ if !is_break(first) && next == Some(CharKind::Letter) => {
            start + kind_run_len(after, CharKind::Letter)
        }
        CharKind::Other => start + symbol_run_len(after),
        CharKind::Space if first == ' ' && next == Some(CharKind::Other) => {
            start + symbol_run_len(after)
        }
        CharKind::Space => space_run_len(text),
    }
}

/// Returns the bytes of what follows an apostrophe in a shortened word: `s` of `it's`.
fn contraction_len(text: &str) -> usize {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or_default();
    match (
        first.to_ascii_lowercase(),
        chars.next().map(|c| c.to_ascii_lowercase()),
    ) {
        // A long s is an s, where letters' case does not count.
        ('s' | 'ſ' | 't' | 'm' | 'd', _) => first.len_utf8(),
        ('r' | 'v', Some('e')) | ('l', Some('l')) => 2,
        _ => 0,
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n')
}

/// Returns the bytes of the run of one kind of characters that a text starts with.
fn kind_run_len(text: &str, of: CharKind) -> usize {
    text.find(|c| classify_char(c) != of).unwrap_or(text.len())
}

/// Returns the bytes of a run of characters of no other kind, and of the line breaks after them.
fn symbol_run_len(text: &str) -> usize {
    let len = kind_run_len(text, CharKind::Other);
    let breaks = text.as_bytes().iter().skip(len);
    len + breaks
        .take_while(|byte| is_break(char::from(**byte)))
        .count()
}

/// Returns the bytes of white space up to its last line break; without any, of all but the last
/// character, which belongs to the word that follows.
fn space_run_len(text: &str) -> usize {
    let len = kind_run_len(text, CharKind::Space);
    let space = &text[..len];
    if let Some(last) = space.rfind(is_break) {
        return last + 1;
    }
    match space.char_indices().next_back() {
        Some((last, _)) if last > 0 && len < text.len() => last,
        _ => len,
    }
}
