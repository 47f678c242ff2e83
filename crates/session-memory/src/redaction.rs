//! Redacting what is saved: a secret reaches neither the file of a memory nor its vectors.

use crate::error::{MemoryError, Result};
use crate::frontmatter as yaml;
use crate::memory::{Frontmatter, MemoryDraft};
use crate::memory_change::{MemoryChange, set_front_key};
use crate::memory_store::ImportedMemory;
use crate::triggers::{TRIGGERS_KEY, Triggers};
use session_redact::Redactor;
use std::path::Path;

/// Redacts all texts of a draft.
pub(crate) fn redact_draft(redactor: &Redactor, draft: &MemoryDraft) -> MemoryDraft {
    let mut draft = draft.clone();
    redactor.redact_in_place(&mut draft.topic);
    redactor.redact_in_place(&mut draft.notes);
    for list in [
        &mut draft.key_info,
        &mut draft.cues,
        &mut draft.prompts,
        &mut draft.keywords,
        &mut draft.tags,
    ] {
        redact_all(redactor, list);
    }
    redact_triggers(redactor, &mut draft.when);
    redact_optional(redactor, &mut draft.raw);
    draft
}

/// Redacts all texts of a memory from elsewhere. The file of an export is written anew where it held a
/// secret.
pub(crate) fn redact_imported(redactor: &Redactor, memory: &ImportedMemory) -> ImportedMemory {
    let mut memory = memory.clone();
    redact_frontmatter(redactor, &mut memory.front);
    redactor.redact_in_place(&mut memory.body);
    redact_optional(redactor, &mut memory.raw);
    memory.text = memory.text.filter(|text| redactor.redact(text) == *text);
    memory
}

/// Redacts the texts of a change.
pub(crate) fn redact_change(redactor: &Redactor, change: &MemoryChange) -> MemoryChange {
    let mut change = change.clone();
    redact_optional(redactor, &mut change.topic);
    let when = &mut change.when;
    for list in [
        &mut change.key_info,
        &mut change.cues,
        &mut change.tags,
        &mut when.paths,
        &mut when.commands,
        &mut when.errors,
    ] {
        redact_all(redactor, list.as_deref_mut().unwrap_or_default());
    }
    change
}

/// Redacts a frontmatter's text: its fields, and the keys and comments that the user added.
pub(crate) fn redact_frontmatter_text(
    redactor: &Redactor,
    text: &str,
    front: &Frontmatter,
) -> Result<String> {
    let mut redacted = front.clone();
    redact_frontmatter(redactor, &mut redacted);
    let mut text = text.to_owned();
    if redacted.topic != front.topic {
        text = set_front_key(&text, "topic", &redacted.topic)?;
    }
    for (key, old, new) in [
        ("cues", &front.cues, &redacted.cues),
        ("prompts", &front.prompts, &redacted.prompts),
        ("keywords", &front.keywords, &redacted.keywords),
        ("tags", &front.tags, &redacted.tags),
    ] {
        if old != new {
            text = set_front_key(&text, key, new)?;
        }
    }
    if redacted.when != front.when {
        text = set_front_key(&text, TRIGGERS_KEY, &redacted.when)?;
    }
    let whole = redactor.redact(&text);
    match yaml::parse(&whole, Path::new("the edited text")) {
        Ok(parsed) if parsed.id == front.id => Ok(whole.into_owned()),
        _ => Err(MemoryError::refused_with_hint(
            "a key that you added holds a secret",
            "leave it out",
        )),
    }
}

fn redact_frontmatter(redactor: &Redactor, front: &mut Frontmatter) {
    redactor.redact_in_place(&mut front.topic);
    redact_all(redactor, &mut front.cues);
    redact_all(redactor, &mut front.prompts);
    redact_all(redactor, &mut front.keywords);
    redact_all(redactor, &mut front.tags);
    redact_triggers(redactor, &mut front.when);
}

fn redact_triggers(redactor: &Redactor, when: &mut Triggers) {
    for list in [&mut when.paths, &mut when.commands, &mut when.errors] {
        redact_all(redactor, list);
    }
}

fn redact_optional(redactor: &Redactor, text: &mut Option<String>) {
    if let Some(text) = text {
        redactor.redact_in_place(text);
    }
}

fn redact_all(redactor: &Redactor, texts: &mut [String]) {
    for text in texts {
        redactor.redact_in_place(text);
    }
}
