//! A draft as JSON, as somebody writes it by hand.

use crate::content::draft::MemoryDraft;
use crate::content::memory::{Importance, MemoryKind};
use crate::text::string_list::deserialize_string_list;
use crate::triggers::{Triggers, deserialize_triggers};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

/// The reason for which a text is no draft.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// The text is no JSON object with the fields of a draft.
    #[error("the text is not a memory: {0}")]
    Json(serde_json::Error),
    /// There is no such kind.
    #[error("`{0}` is not a kind")]
    UnknownKind(String),
    /// There is no such importance.
    #[error("`{0}` is not an importance")]
    UnknownImportance(String),
}

impl DraftError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Json(_) => {
                "as {\"topic\": \"…\", \"key_info\": [\"…\"], \"cues\": [\"…\"], \"when\": {\"paths\": [\"…\"]}, \"tags\": [\"…\"], \"kind\": \"decision\", \"importance\": \"high\"}"
            }
            Self::UnknownKind(_) => "decision, known-issue, context, preference or todo",
            Self::UnknownImportance(_) => "high, normal or low",
        }
    }
}

/// The fields of a draft as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DraftInput {
    topic: String,
    #[serde(default, alias = "info", deserialize_with = "deserialize_string_list")]
    key_info: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    tags: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    keywords: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_string_list")]
    cues: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_triggers")]
    when: Triggers,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    importance: Option<String>,
}

impl MemoryDraft {
    /// Parses a JSON object: `topic` alone is required, a list may be a text, and a field that no draft has
    /// is an error.
    ///
    /// # Errors
    /// When the text is no such object, or names a kind or an importance that does not exist.
    pub fn from_json(text: &str) -> Result<Self, DraftError> {
        check_object(text)?;
        let input: DraftInput = serde_json::from_str(text).map_err(DraftError::Json)?;
        let kind = input.kind.map(|kind| match MemoryKind::from_name(&kind) {
            Some(kind) => Ok(kind),
            None => Err(DraftError::UnknownKind(kind)),
        });
        let importance = input
            .importance
            .map(|name| match Importance::from_name(&name) {
                Some(importance) => Ok(importance),
                None => Err(DraftError::UnknownImportance(name)),
            });
        Ok(Self {
            topic: input.topic,
            key_info: input.key_info,
            tags: input.tags,
            keywords: input.keywords,
            cues: input.cues,
            when: input.when,
            kind: kind.transpose()?.unwrap_or_default(),
            importance: importance.transpose()?.unwrap_or_default(),
            ..Self::default()
        })
    }
}

/// Refuses a text that is no JSON object. What is expected of such a document, serde names by letters of the grammar or by a
/// type of ours.
fn check_object(text: &str) -> Result<(), DraftError> {
    let refused = |reason: String| Err(DraftError::Json(serde_json::Error::custom(reason)));
    match serde_json::from_str::<Value>(text) {
        Ok(json) if json.is_object() => Ok(()),
        Ok(_) => refused("it is no JSON object".to_owned()),
        Err(error) if error.is_data() => Ok(()),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            refused(format!("it is no JSON (line {line}, column {column})"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_read_as_people_write_it() {
        let draft = MemoryDraft::from_json(
            r#"{"topic": "Lantern", "info": "it hangs by the gate", "tags": "quay"}"#,
        );
        let expected = MemoryDraft {
            topic: "Lantern".into(),
            key_info: vec!["it hangs by the gate".into()],
            tags: vec!["quay".into()],
            ..MemoryDraft::default()
        };
        assert_eq!(draft.unwrap(), expected);
        let error = |text: &str| MemoryDraft::from_json(text).unwrap_err().to_string();
        assert_eq!(
            error(r#"{"topic": "t", "kind": "hunch"}"#),
            "`hunch` is not a kind"
        );
        assert!(
            error(r#"{"topic": "t", "colour": "red"}"#).starts_with("the text is not a memory: ")
        );
    }

    #[test]
    fn a_text_that_is_no_object_is_refused_in_plain_words() {
        let check = |text: &str, expected: &str| {
            let error = MemoryDraft::from_json(text).unwrap_err().to_string();
            assert_eq!(error, format!("the text is not a memory: {expected}"));
        };
        check("not json", "it is no JSON (line 1, column 2)");
        check("{\"topic\": ", "it is no JSON (line 1, column 10)");
        check("[]", "it is no JSON object");
        check("{}", "missing field `topic` at line 1 column 2");
    }
}
