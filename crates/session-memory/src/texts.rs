//! A list of texts, as people write it: one of them may stand alone, or none.

use serde::Deserializer;
use serde::de::{Error, SeqAccess, Visitor};
use std::fmt;

/// Reads a list of texts, a text by itself, or nothing (`null`, an empty value).
///
/// # Errors
/// For anything else, with a word on the colon that makes a text a map.
pub fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    from.deserialize_any(Texts)
}

struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = Vec<String>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of texts (in YAML one with a colon stands in quotes)")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element::<Option<String>>()? {
            texts.extend(text);
        }
        Ok(texts)
    }
}
