//! Validation of a draft, and the frontmatter of a new memory.

use crate::error::{MemoryError, Result};
use crate::keywords;
use crate::memory::{Draft, Frontmatter};
use crate::terms::{MIN_PROMPT_TERMS, telling_terms};
use jiff::Zoned;
use session_core::text::{clip, one_line};

/// The longest topic, in bytes.
const MAX_TOPIC_BYTES: usize = 500;
/// The longest cue, in bytes.
const MAX_CUE_BYTES: usize = 300;
/// The most cues of a memory.
pub(crate) const MAX_CUES: usize = 64;

/// Validates a draft.
///
/// # Errors
/// When it has no topic, or neither key information nor notes.
pub(crate) fn validate_draft(draft: &Draft) -> Result<()> {
    if draft.topic.trim().is_empty() {
        return Err(MemoryError::NoTopic);
    }
    let is_not_blank = |text: &String| !text.trim().is_empty();
    if !draft.key_info.iter().any(is_not_blank) && draft.notes.trim().is_empty() {
        return Err(MemoryError::NoContent);
    }
    Ok(())
}

/// Makes the frontmatter of a new memory.
pub(crate) fn new_frontmatter(draft: &Draft, id: String, now: &Zoned) -> Frontmatter {
    let topic = clip(&one_line(&draft.topic), MAX_TOPIC_BYTES).to_owned();
    let tags = normalize_tags(&draft.tags);
    let keywords = match draft.keywords.is_empty() {
        true => keywords::choose_keywords(&topic, &draft.key_info, &tags),
        false => draft.keywords.clone(),
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
fn choose_prompts(draft: &Draft) -> Vec<String> {
    if !draft.cues.is_empty() {
        return Vec::new();
    }
    let is_telling = |prompt: &String| telling_terms(prompt).len() >= MIN_PROMPT_TERMS;
    let mut prompts = normalize_cues(&draft.prompts);
    prompts.retain(is_telling);
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
        let cue = clip(&one_line(cue), MAX_CUE_BYTES).trim().to_owned();
        if !cue.is_empty() && !out.contains(&cue) && out.len() < MAX_CUES {
            out.push(cue);
        }
    }
    out
}
