//! A memory before it is saved: its validation, and the frontmatter that it gets.

use crate::content::keywords;
use crate::content::memory::{Frontmatter, Importance, MemoryKind, MemorySource};
use crate::error::{MemoryError, Result};
use crate::text::secret_text::TextMut;
use crate::text::terms::{MIN_PROMPT_TERMS, distinctive_terms};
use crate::triggers::Triggers;
use jiff::Zoned;
use session_core::text::{clip, collapse_whitespace, sanitize_text};
use std::collections::HashSet;

/// The longest topic, in bytes.
const MAX_TOPIC_BYTES: usize = 500;
/// The longest cue, in bytes.
const MAX_CUE_BYTES: usize = 300;
/// The most cues of a memory.
pub(crate) const MAX_CUES: usize = 64;

/// A memory before it is saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryDraft {
    /// The topic, on one line.
    pub topic: String,
    /// The key information.
    pub key_info: Vec<String>,
    /// The tags, with or without `#`.
    pub tags: Vec<String>,
    /// The keywords; chosen from the text where there are none.
    pub keywords: Vec<String>,
    /// The cues: prompts for which the memory helps.
    pub cues: Vec<String>,
    /// The user's prompts in the turns that it comes from.
    pub prompts: Vec<String>,
    /// The triggers: files, commands and errors for which the memory matters.
    pub when: Triggers,
    /// The kind.
    pub kind: MemoryKind,
    /// The importance.
    pub importance: Importance,
    /// The Markdown after the key information.
    pub notes: String,
    /// The session or the import that it comes from.
    pub source: Option<MemorySource>,
    /// The text of the turns that it comes from, which is stored as its conversation.
    pub raw: Option<String>,
}

impl MemoryDraft {
    /// Returns all texts but the conversation.
    pub fn texts(&self) -> Vec<String> {
        let mut draft = Self {
            raw: None,
            ..self.clone()
        };
        draft.texts_mut().map(TextMut::take).collect()
    }

    /// Returns all texts. All fields are named, so that a new one cannot be forgotten.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = TextMut<'_>> {
        let Self {
            topic,
            key_info,
            tags,
            keywords,
            cues,
            prompts,
            when,
            kind: _,
            importance: _,
            notes,
            source,
            raw,
        } = self;
        let lists = [key_info, tags, keywords, cues, prompts];
        let texts = [topic, notes].into_iter().chain(raw);
        let texts = texts.chain(lists.into_iter().flatten());
        let texts = texts.chain(source.iter_mut().flat_map(MemorySource::texts_mut));
        texts.map(TextMut::Prose).chain(when.texts_mut())
    }
}

/// Validates a draft.
///
/// # Errors
/// When it has no topic, or neither key information nor notes.
pub(crate) fn validate_draft(draft: &MemoryDraft) -> Result<()> {
    if sanitize_text(&draft.topic).trim().is_empty() {
        return Err(MemoryError::NoTopic);
    }
    let is_not_blank = |text: &String| !sanitize_text(text).trim().is_empty();
    if !draft.key_info.iter().any(is_not_blank) && draft.notes.trim().is_empty() {
        return Err(MemoryError::NoContent);
    }
    Ok(())
}

/// Makes the frontmatter of a new memory.
pub(crate) fn new_frontmatter(draft: &MemoryDraft, id: String, now: &Zoned) -> Frontmatter {
    let topic = clip(&collapse_whitespace(&draft.topic), MAX_TOPIC_BYTES).to_owned();
    let tags = normalize_tags(&draft.tags);
    let keywords = if draft.keywords.is_empty() {
        keywords::choose_keywords(&topic, &draft.key_info, &tags)
    } else {
        draft.keywords.clone()
    };
    Frontmatter {
        id,
        topic,
        kind: draft.kind,
        importance: draft.importance,
        tags,
        keywords,
        cues: normalize_cues(&draft.cues),
        prompts: choose_prompts(draft),
        when: draft.when.clone(),
        created: now.into(),
        updated: Some(now.into()),
        superseded_by: None,
        source: draft.source.clone(),
    }
}

/// The most prompts that stand in for cues.
const MAX_PROMPTS: usize = 3;

/// Returns the prompts of a draft that stand in for cues; none where it has cues.
fn choose_prompts(draft: &MemoryDraft) -> Vec<String> {
    if !draft.cues.is_empty() {
        return Vec::new();
    }
    let is_distinctive = |prompt: &String| distinctive_terms(prompt).len() >= MIN_PROMPT_TERMS;
    let mut prompts = normalize_cues(&draft.prompts);
    prompts.retain(is_distinctive);
    prompts.truncate(MAX_PROMPTS);
    prompts
}

/// Returns a tag without space around it and without its leading `#`.
pub fn normalize_tag(tag: &str) -> String {
    tag.trim().trim_start_matches('#').trim().to_owned()
}

/// Returns tags as [`normalize_tag`], without blank ones.
pub(crate) fn normalize_tags(tags: &[String]) -> Vec<String> {
    let tags = tags.iter().map(|tag| normalize_tag(tag));
    tags.filter(|tag| !tag.is_empty()).collect()
}

/// Returns cues without line breaks, blank ones and repeats, at most [`MAX_CUES`].
pub(crate) fn normalize_cues(cues: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for cue in cues {
        let cue = clip(&collapse_whitespace(cue), MAX_CUE_BYTES)
            .trim()
            .to_owned();
        if !cue.is_empty() && !out.contains(&cue) && out.len() < MAX_CUES {
            out.push(cue);
        }
    }
    out
}

/// Returns a sentence on each part of a topic and its cues that is not kept, since there is a limit.
pub fn describe_cuts(topic: &str, cues: &[String]) -> Vec<String> {
    let is_long = |text: &str, limit: usize| collapse_whitespace(text).len() > limit;
    let topic = is_long(topic, MAX_TOPIC_BYTES)
        .then(|| format!("the topic is cut to {MAX_TOPIC_BYTES} bytes"));
    let long = cues.iter().filter(|cue| is_long(cue, MAX_CUE_BYTES));
    let long = match long.count() {
        0 => None,
        1 => Some(format!("a cue is cut to {MAX_CUE_BYTES} bytes")),
        n => Some(format!("{n} cues are cut to {MAX_CUE_BYTES} bytes")),
    };
    let different: HashSet<String> = cues.iter().map(|cue| collapse_whitespace(cue)).collect();
    let left_out = different.len().saturating_sub(MAX_CUES);
    let left_out = (left_out > 0)
        .then(|| format!("cues beyond the first {MAX_CUES} are left out: {left_out}"));
    [topic, long, left_out].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_said() {
        let cue = |number| format!("the pool runs dry, case {number}");
        let cues: Vec<String> = (0..MAX_CUES).map(cue).collect();
        assert!(describe_cuts(&"t".repeat(500), &cues).is_empty());
        let long = vec!["c".repeat(301), "d".repeat(302)];
        let cues = [long, cues, vec![cue(0)]].concat();
        assert_eq!(
            describe_cuts(&"t".repeat(501), &cues),
            [
                "the topic is cut to 500 bytes",
                "2 cues are cut to 300 bytes",
                "cues beyond the first 64 are left out: 2"
            ]
        );
        assert_eq!(normalize_cues(&cues).len(), MAX_CUES);
    }
}
