//! JSON read leniently: a value of another type than expected is absent.
//!
//! Values are kept raw until their type is known, and what a record is not asked for is never decoded. Claude Code's lines
//! take one pass by visitors (`lenient_json.rs`).

use crate::json::replace_lone_surrogates;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use session_core::cut_output;
use session_core::text::clip_words;

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

/// Returns the string that `raw` is, cut behind a word to `limit` bytes. `None` when it is no string.
pub(super) fn string(raw: Option<&RawValue>, limit: usize) -> Option<String> {
    let mut text = decode(raw?)?;
    text.truncate(clip_words(&text, limit).len());
    text.shrink_to_fit();
    Some(text)
}

/// Returns the string that `raw` is as an output, cut to what is kept of one.
pub(super) fn output(raw: Option<&RawValue>) -> Option<String> {
    Some(cut_output(&decode(raw?)?, 0))
}

/// Programs cut text at UTF-16 units, so that half a pair is met in practice: it becomes U+FFFD, where serde_json would
/// refuse the whole string.
fn decode(raw: &RawValue) -> Option<String> {
    let repaired = replace_lone_surrogates(raw.get());
    serde_json::from_str(repaired.as_deref().unwrap_or(raw.get())).ok()
}

/// Reads any value. One that nests too deep, or holds half a surrogate pair, is
/// returned as its text.
pub(super) fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::String(raw.get().to_owned()))
}
