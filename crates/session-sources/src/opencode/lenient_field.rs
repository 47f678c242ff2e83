//! JSON read leniently: a value of another type than expected is absent.
//!
//! Values are kept raw until their type is known, so that a long string is cut before it is decoded.
//! Claude Code's lines are short and take one pass by visitors (`lenient_json.rs`).

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use session_core::text::{self, ceil_char_boundary};
use session_core::{TEXT_LIMIT, cut_output};

/// A field that counts as absent when it has another type than expected.
#[derive(Debug)]
pub(super) struct LenientField<T>(pub Option<T>);

impl<T> Default for LenientField<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok()))
    }
}

/// Returns the string that `raw` is, cut behind a word to `limit` bytes: what lies beyond is never
/// decoded. `None` when it is no string.
pub(super) fn string(raw: Option<&RawValue>, limit: usize) -> Option<String> {
    let mut text = unescape(body(raw?)?, limit);
    text.truncate(text::clip_words(&text, limit).len());
    Some(text)
}

/// Returns the string that `raw` is as an output, cut to what is kept of one. How much is left out counts
/// escapes as they are written.
pub(super) fn output(raw: Option<&RawValue>) -> Option<String> {
    let body = body(raw?)?;
    let text = unescape(body, TEXT_LIMIT);
    let unread = if text.len() > TEXT_LIMIT {
        body.len().saturating_sub(text.len())
    } else {
        0
    };
    Some(cut_output(&text, unread))
}

fn body(raw: &RawValue) -> Option<&str> {
    raw.get().strip_prefix('"')?.strip_suffix('"')
}

/// Reads any value. One that nests too deep, or holds half a surrogate pair, is
/// returned as its text.
pub(super) fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::String(raw.get().to_owned()))
}

/// Decodes a string up to some bytes beyond a limit.
fn unescape(body: &str, limit: usize) -> String {
    let mut out = String::with_capacity(body.len().min(limit));
    let mut rest = body;
    // A byte more than fits, so that the last word is known to be cut.
    while out.len() <= limit {
        let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (plain, escape) = rest.split_at(plain);
        out.push_str(head(plain, limit + 1 - out.len()));
        if escape.is_empty() {
            break;
        }
        let (character, length) = escaped(escape);
        out.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    out
}

/// Returns the first bytes, `least` at least where there are so many, up to a character boundary.
fn head(text: &str, least: usize) -> &str {
    &text[..ceil_char_boundary(text, least)]
}

/// Returns the character that the escape at the start of `escape` stands for, and the
/// length of the escape in bytes.
fn escaped(escape: &str) -> (char, usize) {
    match escape.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => unicode(escape),
        Some(&byte) => (char::from(byte), 2),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// Programs cut text at UTF-16 units, so that half a pair is met in practice:
/// it becomes U+FFFD, where serde_json would refuse the whole string.
fn unicode(escape: &str) -> (char, usize) {
    let Some(first) = unit(escape, 0) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    let units = [first, unit(escape, 6).unwrap_or_default()];
    match char::decode_utf16(units).next() {
        Some(Ok(character)) => (character, 6 * character.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

/// Returns the UTF-16 unit of a `\uXXXX` that begins `at` bytes on.
fn unit(escape: &str, at: usize) -> Option<u16> {
    let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}
