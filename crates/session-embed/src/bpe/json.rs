//! The tokenizer that a `tokenizer.json` describes.

use super::{Bpe, BpeParts, error, split_merge};
use crate::EmbedError;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// The pattern by which the reference divides texts, as `words.rs` does.
const PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

#[derive(Deserialize)]
struct TokenizerJson<'a> {
    added_tokens: Vec<AddedToken>,
    normalizer: Value,
    pre_tokenizer: Value,
    #[serde(borrow)]
    model: BpeModelJson<'a>,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: bool,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct BpeModelJson<'a> {
    vocab: VocabMap<'a>,
    merges: Vec<MergePair<'a>>,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
}

impl Bpe {
    /// Builds the tokenizer of a `tokenizer.json`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not one, or another than Qwen's.
    pub fn from_json(text: &[u8]) -> Result<Self, EmbedError> {
        let json: TokenizerJson<'_> = serde_json::from_slice(text)
            .map_err(|_| error("it is not a `tokenizer.json` of byte-level BPE"))?;
        if !json.is_known() {
            return Err(error("it is not Qwen's"));
        }
        let added = json.added_tokens.into_iter();
        let merges = json.model.merges.into_iter();
        Self::build(&BpeParts {
            vocabulary: json.model.vocab.0,
            merges: merges.map(|merge| merge.0).collect(),
            added: added
                .map(|added| (Cow::Owned(added.content), added.id))
                .collect(),
        })
    }
}

impl TokenizerJson<'_> {
    fn is_known(&self) -> bool {
        let split = &self.pre_tokenizer["pretokenizers"];
        let is_plain = |added: &AddedToken| {
            !(added.single_word || added.lstrip || added.rstrip || added.normalized)
        };
        self.normalizer["type"] == "NFC"
            && split[0]["pattern"]["Regex"] == PATTERN
            && split[1]["type"] == "ByteLevel"
            && split[1]["add_prefix_space"] == false
            && self.added_tokens.iter().all(is_plain)
            && !self.model.byte_fallback
            && !self.model.ignore_merges
    }
}

/// A string that is borrowed where it stands in the file as it is.
#[derive(Deserialize)]
struct JsonText<'a>(#[serde(borrow)] Cow<'a, str>);

struct VocabMap<'a>(HashMap<Cow<'a, str>, u32>);

impl<'de: 'a, 'a> Deserialize<'de> for VocabMap<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct VocabVisitor;
        impl<'de> Visitor<'de> for VocabVisitor {
            type Value = VocabMap<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("ids by token")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut tokens = HashMap::with_capacity(1 << 17);
                while let Some((JsonText(token), id)) = map.next_entry()? {
                    tokens.insert(token, id);
                }
                Ok(VocabMap(tokens))
            }
        }
        from.deserialize_map(VocabVisitor)
    }
}

/// A pair of tokens, in a list or, in older files, with a space between.
struct MergePair<'a>((Cow<'a, str>, Cow<'a, str>));

impl<'de: 'a, 'a> Deserialize<'de> for MergePair<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct MergeVisitor;
        impl<'de> Visitor<'de> for MergeVisitor {
            type Value = MergePair<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("two tokens")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut next = || {
                    list.next_element()?
                        .ok_or_else(|| de::Error::missing_field("token"))
                };
                let (JsonText(left), JsonText(right)) = (next()?, next()?);
                Ok(MergePair((left, right)))
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                split_merge(text).map(MergePair).map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let (left, right) = split_merge(text).map_err(E::custom)?;
                let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
                Ok(MergePair((owned(left), owned(right))))
            }
        }
        from.deserialize_any(MergeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of each token would take a large part of the time in which a query opens the model.
    #[test]
    fn tokens_are_borrowed_but_for_those_with_an_escape() {
        let VocabMap(tokens) = serde_json::from_str(r#"{"lamp": 1, "\u0120oil": 2}"#).unwrap();
        for (token, id) in [("lamp", 1), ("Ġoil", 2)] {
            let (key, value) = tokens.get_key_value(token).unwrap();
            let is_borrowed = matches!(key, Cow::Borrowed(_));
            assert_eq!((*value, is_borrowed), (id, token == "lamp"));
        }
        let MergePair(pair) = serde_json::from_str(r#"["la", "\u006dp"]"#).unwrap();
        assert!(matches!(&pair, (Cow::Borrowed("la"), Cow::Owned(right)) if right == "mp"));
    }
}
