//! The division of a text into words, within which bytes are merged. By hand
//! what the reference does with
//!
//! ```text
//! (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//! ```

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The words of a text, which together are the text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (word, after) = rest.split_at_checked(word_len(rest))?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// The classes of characters of the pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Number,
    Space,
    Other,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        '0'..='9' => Kind::Number,
        _ if c.is_whitespace() => Kind::Space,
        _ if c.is_ascii() => Kind::Other,
        _ => match c.general_category_group() {
            GeneralCategoryGroup::Letter => Kind::Letter,
            GeneralCategoryGroup::Number => Kind::Number,
            _ => Kind::Other,
        },
    }
}

/// Bytes of the word that a text starts with; 0 for an empty text.
fn word_len(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let after = chars.as_str();
    let next = chars.next().map(kind);
    let start = first.len_utf8();
    match kind(first) {
        _ if first == '\'' && shortened(after) > 0 => start + shortened(after),
        Kind::Letter => start + run(after, Kind::Letter),
        Kind::Number => start,
        _ if !is_break(first) && next == Some(Kind::Letter) => start + run(after, Kind::Letter),
        Kind::Other => start + others(after),
        Kind::Space if first == ' ' && next == Some(Kind::Other) => start + others(after),
        Kind::Space => spaces(text),
    }
}

/// Bytes of what follows an apostrophe in a shortened word: `s` of `it's`.
fn shortened(text: &str) -> usize {
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

/// Bytes of the characters of a kind that a text starts with.
fn run(text: &str, of: Kind) -> usize {
    text.find(|c| kind(c) != of).unwrap_or(text.len())
}

/// As [`run`] of others, and of the line breaks after them.
fn others(text: &str) -> usize {
    let len = run(text, Kind::Other);
    let breaks = text.as_bytes().iter().skip(len);
    len + breaks
        .take_while(|byte| is_break(char::from(**byte)))
        .count()
}

/// White space up to its last line break; without any, all but the last
/// character, which belongs to the word that follows.
fn spaces(text: &str) -> usize {
    let len = run(text, Kind::Space);
    let space = &text[..len];
    if let Some(last) = space.rfind(is_break) {
        return last + 1;
    }
    match space.char_indices().next_back() {
        Some((last, _)) if last > 0 && len < text.len() => last,
        _ => len,
    }
}
