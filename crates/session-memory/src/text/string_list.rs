//! Lenient lists of strings: one string instead of a list, or nothing, is accepted.

use serde::Deserializer;
use serde::de::{Error, SeqAccess, Visitor};
use std::fmt;

/// Deserializes a list of strings, a single string, or nothing (`null`, an empty value).
///
/// # Errors
/// For anything else, with a note on the colon that makes a YAML text a map.
pub fn deserialize_string_list<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<String>, D::Error> {
    from.deserialize_any(StringListVisitor)
}

struct StringListVisitor;

impl<'de> Visitor<'de> for StringListVisitor {
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
