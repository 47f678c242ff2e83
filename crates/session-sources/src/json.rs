//! From the bytes of a line to a record, whatever the bytes.

use memchr::{memchr, memchr2};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;

/// Reads the record that a line holds; `None` when it is not a JSON object. Invalid UTF-8 and lone
/// surrogates cost their character, and nothing where no one looks: the line without them is kept
/// in `repaired`.
pub(crate) fn record<'a, T: Deserialize<'a>>(
    line: &'a [u8],
    repaired: &'a mut String,
) -> Option<T> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    if let Ok(record) = serde_json::from_slice(line) {
        return Some(record);
    }
    *repaired = readable_json(line).into_owned();
    serde_json::from_str(repaired).ok()
}

/// Returns a text as JSON that can be read, with invalid UTF-8 and lone surrogates replaced by U+FFFD: programs in
/// JavaScript cut texts within a pair.
pub fn readable_json(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    replace_lone_surrogates(&text).map_or(text, Cow::Owned)
}

/// Returns true when the line is one whole JSON object.
pub(crate) fn is_whole(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"}")
        && serde_json::from_str::<IgnoredAny>(&String::from_utf8_lossy(line)).is_ok()
}

/// Returns the text with each lone surrogate escape (`\ud83d` without its partner)
/// replaced by that of U+FFFD; `None` when there is none.
pub(crate) fn replace_lone_surrogates(json: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', json.as_bytes().get(at..)?) {
        at += found;
        let (len, lone) = escape(json.as_bytes().get(at..)?);
        if lone {
            out.push_str(json.get(copied..at)?);
            out.push_str(r"\ufffd");
            copied = at + len;
        }
        at += len;
    }
    (copied > 0).then(|| out + json.get(copied..).unwrap_or_default())
}

/// Returns the length of the escape that `bytes` begins with, a surrogate pair being one,
/// and whether it is half a pair.
fn escape(bytes: &[u8]) -> (usize, bool) {
    match code_unit(bytes) {
        Some(0xD800..=0xDBFF) => match bytes.get(6..).and_then(code_unit) {
            Some(0xDC00..=0xDFFF) => (12, false),
            _ => (6, true),
        },
        Some(0xDC00..=0xDFFF) => (6, true),
        Some(_) => (6, false),
        None => (2, false),
    }
}

fn code_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns the top-level `type` of a line, when it stands before any object or array
/// and the line is written without spaces. Costs nothing of what follows.
pub(crate) fn early_type(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line.strip_prefix(b"{")?;
    loop {
        let (key, after) = string(rest)?;
        rest = after.strip_prefix(b":")?;
        if key == b"type" {
            return string(rest).map(|(kind, _)| kind);
        }
        rest = after_scalar(rest)?.strip_prefix(b",")?;
    }
}

/// Splits the string that `bytes` begins with, escapes left as they are, from
/// what follows it.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let body = bytes.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', body.get(at..)?)?;
        if body.get(at) == Some(&b'"') {
            return Some((body.get(..at)?, body.get(at + 1..)?));
        }
        at += 2;
    }
}

fn after_scalar(bytes: &[u8]) -> Option<&[u8]> {
    match bytes.first()? {
        b'"' => string(bytes).map(|(_, rest)| rest),
        b'{' | b'[' => None,
        _ => bytes.get(memchr(b',', bytes)?..),
    }
}

/// Returns the texts of a message's blocks, or the text that it is.
pub(crate) fn texts(content: &Value) -> impl Iterator<Item = &str> {
    let blocks = content.as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block["text"].as_str());
    content.as_str().into_iter().chain(texts)
}

/// Returns the texts of a message's blocks as one, a line each.
pub(crate) fn joined_texts(content: &Value) -> String {
    texts(content).collect::<Vec<_>>().join("\n")
}

/// Returns a field that is a text; empty where it is not.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}
