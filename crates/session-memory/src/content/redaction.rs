//! Redacts secrets when a memory is saved, so that they reach neither its file nor its vectors, and when it is read for
//! output: a user may have written a secret into the file.

use crate::content::draft::MemoryDraft;
use crate::content::imported_memory::ImportedMemory;
use crate::content::memory::{Frontmatter, Memory};
use crate::content::memory_change::{MemoryChange, set_front_key};
use crate::error::{MemoryError, Result};
use crate::text::yaml_file as yaml;
use crate::triggers::TRIGGERS_KEY;
use session_redact::Redactor;
use std::path::Path;

/// Redacts all texts of a draft.
pub(crate) fn redact_draft(redactor: &Redactor, draft: &MemoryDraft) -> MemoryDraft {
    let mut draft = draft.clone();
    draft.texts_mut().for_each(|text| text.redact(redactor));
    draft
}

/// Redacts all texts of a memory from elsewhere. The file of an export is written anew where it held a
/// secret.
pub(crate) fn redact_imported(redactor: &Redactor, memory: &ImportedMemory) -> ImportedMemory {
    let mut memory = memory.clone();
    redact_parts(redactor, &mut memory.front, &mut memory.body);
    if let Some(raw) = &mut memory.raw {
        redactor.redact_in_place(raw);
    }
    memory.text = memory.text.filter(|text| redactor.redact(text) == *text);
    memory
}

/// Redacts the texts of a change.
pub(crate) fn redact_change(redactor: &Redactor, change: &MemoryChange) -> MemoryChange {
    let mut change = change.clone();
    change.texts_mut().for_each(|text| text.redact(redactor));
    change
}

/// The parts of a memory's file without secrets.
pub(crate) struct RedactedFile {
    /// The YAML, without the fences.
    pub(crate) yaml: String,
    /// The text after the frontmatter.
    pub(crate) body: String,
}

/// Redacts the parts of a memory's file, of which `front` is the parsed YAML.
///
/// # Errors
/// When a key that the user added holds a secret without which the YAML is invalid.
pub(crate) fn redact_file(
    redactor: &Redactor,
    yaml: &str,
    front: &Frontmatter,
    body: &str,
) -> Result<RedactedFile> {
    let (mut redacted, mut body) = (front.clone(), body.to_owned());
    redact_parts(redactor, &mut redacted, &mut body);
    Ok(RedactedFile {
        yaml: redact_frontmatter_text(redactor, yaml, front, &redacted)?,
        body,
    })
}

/// Redacts a memory that is read for output. Its raw text stays as it is.
pub(crate) fn redact_memory(redactor: &Redactor, memory: &mut Memory) {
    let is_redacted = redact_parts(redactor, &mut memory.front, &mut memory.body);
    let has_secret = is_redacted || redactor.redact(&memory.raw_text) != memory.raw_text;
    memory.redacted_text = has_secret.then(|| format_redacted(redactor, memory));
}

/// Returns the text of a memory's file without secrets; without the keys that the user added where one of these
/// cannot be redacted. The other parts of the memory are redacted already.
fn format_redacted(redactor: &Redactor, memory: &Memory) -> String {
    let redact_whole = || -> Result<String> {
        let parts = yaml::split_file(&memory.raw_text, &memory.path)?;
        let front = Frontmatter::parse(parts.yaml, &memory.path)?;
        let redacted = redact_file(redactor, parts.yaml, &front, parts.body)?;
        Ok(yaml::join_file(&redacted.yaml, &redacted.body))
    };
    let whole = redact_whole().or_else(|_| memory.front.format_file(&memory.body));
    whole.unwrap_or_else(|_| memory.body.clone())
}

/// Redacts the texts of a frontmatter and a body. A keyword that is a part of a secret there goes with it. Returns true
/// where any changed.
pub(crate) fn redact_parts(
    redactor: &Redactor,
    front: &mut Frontmatter,
    body: &mut String,
) -> bool {
    let (before, body_before) = (front.clone(), body.clone());
    front.texts_mut().for_each(|text| text.redact(redactor));
    redactor.redact_in_place(body);
    let is_redacted = *front != before || *body != body_before;
    if is_redacted {
        let stands_in = |word: &str, front: &Frontmatter, body: &str| {
            front.topic.contains(word) || body.contains(word)
        };
        let is_kept =
            |word: &String| stands_in(word, front, body) || !stands_in(word, &before, &body_before);
        let keywords = front.keywords.iter().filter(|word| is_kept(word));
        front.keywords = keywords.cloned().collect();
    }
    is_redacted
}

/// Redacts a frontmatter's text: its fields, and the keys and comments that the user added.
fn redact_frontmatter_text(
    redactor: &Redactor,
    text: &str,
    front: &Frontmatter,
    redacted: &Frontmatter,
) -> Result<String> {
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
    if redacted.source != front.source {
        text = set_front_key(&text, "source", &redacted.source)?;
    }
    let whole = redactor.redact(&text);
    match Frontmatter::parse(&whole, Path::new("the edited text")) {
        Ok(parsed) if parsed.id == front.id => Ok(whole.into_owned()),
        _ => Err(MemoryError::refused_with_hint(
            "a key that you added holds a secret",
            "leave it out",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::memory::MemorySource;
    use crate::triggers::Triggers;

    #[test]
    fn no_text_of_a_draft_holds_a_secret() {
        let secret = || "password=Blue7!fish".to_owned();
        let list = || vec![secret()];
        let draft = MemoryDraft {
            topic: secret(),
            key_info: list(),
            tags: list(),
            keywords: list(),
            cues: list(),
            prompts: list(),
            when: Triggers {
                paths: list(),
                commands: list(),
                errors: list(),
            },
            notes: secret(),
            source: Some(MemorySource {
                agent: Some(secret()),
                session: Some(secret()),
                turns: Some(secret()),
                imported: Some(secret()),
                origin: Some(secret()),
            }),
            raw: Some(secret()),
            ..MemoryDraft::default()
        };
        assert_eq!(
            draft.texts(),
            vec![secret(); 15],
            "all but the conversation"
        );
        let redacted = redact_draft(&Redactor::default(), &draft);
        let text = format!("{redacted:?}");
        assert_eq!(text.matches("password=").count(), 16);
        assert!(!text.contains("Blue7!fish"), "{text}");
    }

    #[test]
    fn any_text_stands_for_a_secret_in_a_glob() {
        let mut when = Triggers {
            paths: vec!["src/[a-z]*.rs".into()],
            commands: vec!["mysql -u root -phunter2 *".into()],
            errors: vec!["denied with password=Blue7!fish".into()],
        };
        let redactor = Redactor::default();
        when.texts_mut().for_each(|text| text.redact(&redactor));
        assert_eq!(when.paths, ["src/[a-z]*.rs"]);
        assert_eq!(when.commands, ["mysql -u root -p* *"]);
        assert_eq!(when.errors, ["denied with password=[redacted:password]"]);
        assert!(when.normalized().is_ok());
    }
}
