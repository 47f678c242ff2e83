//! The tokenizer that a `tokenizer.json` describes.

use super::{Bpe, Parts, error, pair, vocabulary};
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
struct Json<'a> {
    added_tokens: Vec<Added>,
    normalizer: Value,
    pre_tokenizer: Value,
    #[serde(borrow)]
    model: Model<'a>,
}

#[derive(Deserialize)]
struct Added {
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
struct Model<'a> {
    vocab: Vocabulary<'a>,
    merges: Vec<Merge<'a>>,
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
        let json: Json<'_> = serde_json::from_slice(text)
            .map_err(|_| error("it is not a `tokenizer.json` of byte-level BPE"))?;
        if !json.is_known() {
            return Err(error("it is not Qwen's"));
        }
        let added = json.added_tokens.into_iter();
        let merges = json.model.merges.into_iter();
        Self::build(&Parts {
            vocabulary: json.model.vocab.0,
            merges: merges.map(|merge| merge.0).collect(),
            added: added
                .map(|added| (Cow::Owned(added.content), added.id))
                .collect(),
        })
    }
}

impl Json<'_> {
    fn is_known(&self) -> bool {
        let split = &self.pre_tokenizer["pretokenizers"];
        let is_plain = |added: &Added| {
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
#[derive(PartialEq, Eq, Hash)]
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = Text<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        from.deserialize_str(Texts)
    }
}

struct Vocabulary<'a>(HashMap<Cow<'a, str>, u32>);

impl<'de: 'a, 'a> Deserialize<'de> for Vocabulary<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Tokens;
        impl<'de> Visitor<'de> for Tokens {
            type Value = Vocabulary<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("ids by token")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut tokens = vocabulary(1 << 17);
                while let Some((Text(token), id)) = map.next_entry()? {
                    tokens.insert(token, id);
                }
                Ok(Vocabulary(tokens))
            }
        }
        from.deserialize_map(Tokens)
    }
}

/// A pair of tokens, in a list or, in older files, with a space between.
struct Merge<'a>((Cow<'a, str>, Cow<'a, str>));

impl<'de: 'a, 'a> Deserialize<'de> for Merge<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Merges;
        impl<'de> Visitor<'de> for Merges {
            type Value = Merge<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("two tokens")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut next = || {
                    list.next_element()?
                        .ok_or_else(|| de::Error::missing_field("token"))
                };
                let (Text(left), Text(right)) = (next()?, next()?);
                Ok(Merge((left, right)))
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                pair(text).map(Merge).map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let (left, right) = pair(text).map_err(E::custom)?;
                let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
                Ok(Merge((owned(left), owned(right))))
            }
        }
        from.deserialize_any(Merges)
    }
}
