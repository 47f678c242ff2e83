//! A memory before it has a file.

use crate::error::{MemoryError, Result};
use crate::keywords;
use crate::memory::{Draft, Front};
use crate::moment::Moment;
use jiff::Zoned;
use session_core::text::{clip, one_line};

/// Longest topic, in bytes.
const TOPIC: usize = 500;
/// Longest cue, in bytes.
const CUE: usize = 300;
/// Most cues of a memory.
pub(crate) const CUES: usize = 64;

/// Refuses a draft that says nothing.
///
/// # Errors
/// When it has no topic, or nothing to remember.
pub(crate) fn check(draft: &Draft) -> Result<()> {
    let refused = |what: &str| Err(MemoryError::Refused(what.to_owned()));
    if draft.topic.trim().is_empty() {
        return refused("a memory needs a topic");
    }
    let says = |text: &String| !text.trim().is_empty();
    if !draft.key_info.iter().any(says) && draft.notes.trim().is_empty() {
        return refused("a memory needs something to remember");
    }
    Ok(())
}

/// The moment of a clock.
pub(crate) fn moment(now: &Zoned) -> Moment {
    Moment(now.timestamp())
}

/// The frontmatter of a new memory.
pub(crate) fn front(draft: &Draft, id: String, now: &Zoned) -> Front {
    let topic = clip(&one_line(&draft.topic), TOPIC).to_owned();
    let tags = draft.tags.iter().map(|tag| clean_tag(tag));
    let tags: Vec<String> = tags.filter(|tag| !tag.is_empty()).collect();
    let keywords = match draft.keywords.is_empty() {
        true => keywords::of(&topic, &draft.key_info, &tags),
        false => draft.keywords.clone(),
    };
    Front {
        id,
        topic,
        kind: draft.kind,
        importance: draft.importance,
        tags,
        keywords,
        cues: clean_cues(&draft.cues),
        created: moment(now),
        updated: Some(moment(now)),
        superseded_by: None,
        source: draft.source.clone(),
    }
}

/// A tag without the `#` that begins it.
pub fn clean_tag(tag: &str) -> String {
    tag.trim().trim_start_matches('#').trim().to_owned()
}

/// Cues, each on a line and once.
pub(crate) fn clean_cues(cues: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for cue in cues {
        let cue = clip(&one_line(cue), CUE).trim().to_owned();
        if !cue.is_empty() && !out.contains(&cue) && out.len() < CUES {
            out.push(cue);
        }
    }
    out
}
