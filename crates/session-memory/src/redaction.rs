//! Redacting what is saved: a secret reaches neither the file of a memory nor its vectors.

use crate::error::{MemoryError, Result};
use crate::frontmatter as yaml;
use crate::insertion::ImportedMemory;
use crate::memory::{Frontmatter, MemoryDraft};
use crate::memory_change::{MemoryChange, set_front_key};
use crate::triggers::{TRIGGERS_KEY, Triggers};
use session_redact::{Redactor, replace_marks};
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
        &mut when.errors,
    ] {
        redact_all(redactor, list.as_deref_mut().unwrap_or_default());
    }
    for globs in [&mut when.paths, &mut when.commands] {
        redact_globs(redactor, globs.as_deref_mut().unwrap_or_default());
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
    redact_globs(redactor, &mut when.paths);
    redact_globs(redactor, &mut when.commands);
    redact_all(redactor, &mut when.errors);
}

/// Redacts globs, in which any text stands for a secret: the brackets of a mark would be a class of characters.
fn redact_globs(redactor: &Redactor, globs: &mut [String]) {
    for glob in globs {
        redactor.redact_in_place(glob);
        *glob = replace_marks(glob, "*");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_stands_for_a_secret_in_a_glob() {
        let mut when = Triggers {
            paths: vec!["src/[a-z]*.rs".into()],
            commands: vec!["mysql -u root -phunter2 *".into()],
            errors: vec!["denied with password=Blue7!fish".into()],
        };
        redact_triggers(&Redactor::default(), &mut when);
        assert_eq!(when.paths, ["src/[a-z]*.rs"]);
        assert_eq!(when.commands, ["mysql -u root -p* *"]);
        assert_eq!(when.errors, ["denied with password=[redacted:password]"]);
        assert!(when.normalized().is_ok());
    }
}
