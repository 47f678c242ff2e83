//! Changes of a memory's file, which keep everything else in it.

use crate::content::draft::{normalize_cues, normalize_tags};
use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::key_info;
use crate::content::keywords;
use crate::content::memory::{Frontmatter, Importance, Memory, MemoryKind};
use crate::content::redaction::redact_file;
use crate::error::{MemoryError, Result};
use crate::text::secret_text::TextMut;
use crate::text::yaml_file as yaml;
use crate::triggers::TriggerChange;
use jiff::Zoned;
use serde::Serialize;
use session_core::text::collapse_whitespace;
use session_redact::Redactor;
use std::path::Path;

/// The fields of a memory that a command changes; `None` leaves one as it is.
#[derive(Debug, Clone, Default)]
pub struct MemoryChange {
    /// The new topic.
    pub topic: Option<String>,
    /// The new key information.
    pub key_info: Option<Vec<String>>,
    /// The new tags.
    pub tags: Option<Vec<String>>,
    /// The new cues.
    pub cues: Option<Vec<String>>,
    /// The new triggers.
    pub when: TriggerChange,
    /// The new kind.
    pub kind: Option<MemoryKind>,
    /// The new importance.
    pub importance: Option<Importance>,
    /// The change of the memory that replaces it.
    pub replacement: ReplacementChange,
}

/// A change of the memory that replaces another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReplacementChange {
    /// It stays as it is.
    #[default]
    Unchanged,
    /// From now on the memory with this id replaces it.
    By(String),
    /// Nothing replaces it any more.
    Removed,
}

impl MemoryChange {
    /// Returns true if no field changes.
    pub fn is_empty(&self) -> bool {
        self.topic.is_none()
            && self.key_info.is_none()
            && self.tags.is_none()
            && self.cues.is_none()
            && self.when.is_empty()
            && self.kind.is_none()
            && self.importance.is_none()
            && self.replacement == ReplacementChange::Unchanged
    }

    /// Returns all new texts.
    pub fn texts(&self) -> Vec<String> {
        self.clone().texts_mut().map(TextMut::take).collect()
    }

    /// Returns all new texts. All fields are named, so that a new one cannot be forgotten.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = TextMut<'_>> {
        let Self {
            topic,
            key_info,
            tags,
            cues,
            when,
            kind: _,
            importance: _,
            replacement: _,
        } = self;
        let lists = [key_info, tags, cues].into_iter().flatten();
        let texts = topic.iter_mut().chain(lists.flatten());
        texts.map(TextMut::Prose).chain(when.texts_mut())
    }
}

/// The key of the memory that replaces another one.
pub(crate) const REPLACEMENT_KEY: &str = "superseded_by";

/// Sets a key of the frontmatter.
///
/// # Errors
/// When the YAML is written so that the key cannot be replaced alone.
pub(crate) fn set_front_key(text: &str, key: &str, value: &impl Serialize) -> Result<String> {
    yaml::set_key(text, key, Some(value)).map_err(MemoryError::refused)
}

fn remove_front_key(text: &str, key: &str) -> Result<String> {
    yaml::set_key(text, key, None::<&str>.as_ref()).map_err(MemoryError::refused)
}

/// Returns the text of a memory's file with another value of a key.
///
/// # Errors
/// When the file has no frontmatter, or its YAML is written so that the key cannot be replaced alone.
pub(crate) fn set_file_key(text: &str, path: &Path, key: &str, value: &str) -> Result<String> {
    let parts = yaml::split_file(text, path)?;
    let front = set_front_key(parts.yaml, key, &value)?;
    Ok(yaml::join_file(&front, parts.body))
}

/// Returns the text of a memory's file after a change, without secrets.
///
/// # Errors
/// When the topic or the text would be empty, or a key of the file cannot be replaced alone.
pub(crate) fn apply_change(
    redactor: &Redactor,
    memory: &Memory,
    change: &MemoryChange,
    now: &Zoned,
) -> Result<String> {
    let parts = yaml::split_file(&memory.raw_text, &memory.path)?;
    let mut front = change_front(memory, change, parts.yaml.to_owned())?;
    front = set_front_key(&front, "updated", &FrontmatterTime::from(now))?;
    let body = match &change.key_info {
        Some(items) => key_info::replace_items(parts.body, items),
        None => parts.body.to_owned(),
    };
    if change.key_info.is_some() && body.trim().is_empty() {
        return Err(MemoryError::NoContent);
    }
    let parsed = Frontmatter::parse(&front, &memory.path)?;
    let (mut front, body) = match redact_file(redactor, &front, &parsed, &body) {
        Ok(redacted) => (redacted.yaml, redacted.body),
        // A file that cannot be redacted whole is no reason to keep a memory that another one replaces, or to keep that one.
        Err(_) if change.texts().is_empty() => (front, body),
        Err(error) => return Err(error),
    };
    if change.topic.is_some() || change.key_info.is_some() || change.tags.is_some() {
        let parsed = Frontmatter::parse(&front, &memory.path)?;
        let keywords =
            keywords::choose_keywords(&parsed.topic, &key_info::read_items(&body), &parsed.tags);
        front = set_front_key(&front, "keywords", &keywords)?;
    }
    Ok(yaml::join_file(&front, &body))
}

/// Sets the keys of the frontmatter that a change names.
fn change_front(memory: &Memory, change: &MemoryChange, mut front: String) -> Result<String> {
    if let Some(topic) = &change.topic {
        if topic.trim().is_empty() {
            return Err(MemoryError::NoTopic);
        }
        front = set_front_key(&front, "topic", &collapse_whitespace(topic))?;
    }
    if let Some(tags) = &change.tags {
        front = set_front_key(&front, "tags", &normalize_tags(tags))?;
    }
    if let Some(cues) = &change.cues {
        front = set_front_key(&front, "cues", &normalize_cues(cues))?;
    }
    if !change.when.is_empty() {
        let when = change.when.apply(&memory.front.when)?;
        let value = (!when.is_empty()).then_some(&when);
        front = yaml::set_key(&front, "when", value).map_err(MemoryError::refused)?;
    }
    if let Some(kind) = &change.kind {
        front = set_front_key(&front, "kind", kind)?;
    }
    if let Some(importance) = &change.importance {
        front = set_front_key(&front, "importance", importance)?;
    }
    match &change.replacement {
        ReplacementChange::Unchanged => Ok(front),
        ReplacementChange::By(id) => set_front_key(&front, REPLACEMENT_KEY, id),
        ReplacementChange::Removed => remove_front_key(&front, REPLACEMENT_KEY),
    }
}
