//! What is changed in a memory's file; everything else in it stays.

use crate::body;
use crate::draft::{clean_cues, clean_tag, moment};
use crate::error::{MemoryError, Result};
use crate::frontmatter as yaml;
use crate::keywords;
use crate::memory::{Importance, Kind, Memory};
use jiff::Zoned;
use serde::Serialize;
use session_core::text::one_line;

/// What is changed in a memory.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Another topic.
    pub topic: Option<String>,
    /// Other key information.
    pub key_info: Option<Vec<String>>,
    /// Other tags.
    pub tags: Option<Vec<String>>,
    /// Other cues.
    pub cues: Option<Vec<String>>,
    /// Another kind.
    pub kind: Option<Kind>,
    /// Another importance.
    pub importance: Option<Importance>,
    /// The memory that replaces it.
    pub superseded_by: Option<String>,
}

impl Change {
    /// True when nothing changes.
    pub fn is_empty(&self) -> bool {
        self.topic.is_none()
            && self.key_info.is_none()
            && self.tags.is_none()
            && self.cues.is_none()
            && self.kind.is_none()
            && self.importance.is_none()
            && self.superseded_by.is_none()
    }
}

/// YAML in which a key has another value.
///
/// # Errors
/// When the YAML is written so that this cannot be done.
pub(crate) fn set(text: &str, key: &str, value: &impl Serialize) -> Result<String> {
    yaml::with_key(text, key, Some(value)).map_err(MemoryError::Refused)
}

/// The file's text after a change.
///
/// # Errors
/// When the topic would be empty, or the file is so written that a key cannot be changed.
pub(crate) fn changed(memory: &Memory, change: &Change, now: &Zoned) -> Result<String> {
    let parts = yaml::split(&memory.text, &memory.path)?;
    let mut front = parts.yaml.to_owned();
    if let Some(topic) = &change.topic {
        if topic.trim().is_empty() {
            return Err(MemoryError::Refused("a memory needs a topic".to_owned()));
        }
        front = set(&front, "topic", &one_line(topic))?;
    }
    if let Some(tags) = &change.tags {
        let tags: Vec<String> = tags.iter().map(|tag| clean_tag(tag)).collect();
        front = set(&front, "tags", &tags)?;
    }
    if let Some(cues) = &change.cues {
        front = set(&front, "cues", &clean_cues(cues))?;
    }
    if let Some(kind) = &change.kind {
        front = set(&front, "kind", kind)?;
    }
    if let Some(importance) = &change.importance {
        front = set(&front, "importance", importance)?;
    }
    if let Some(by) = &change.superseded_by {
        front = set(&front, "superseded_by", by)?;
    }
    front = set(&front, "updated", &moment(now))?;
    let body = match &change.key_info {
        Some(items) => body::with_items(parts.body, items),
        None => parts.body.to_owned(),
    };
    let read = yaml::read(&front, &memory.path)?;
    if change.topic.is_some() || change.key_info.is_some() || change.tags.is_some() {
        let words = keywords::of(&read.topic, &body::items(&body), &read.tags);
        front = set(&front, "keywords", &words)?;
    }
    Ok(yaml::join(&front, &body))
}
