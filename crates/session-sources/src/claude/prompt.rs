//! Classifies the text of a user line.

use super::entry::TranscriptEntry;
use crate::call_result::clipped;
use crate::tags;
use crate::user_text::{UserText, classify_text, cleaned};

/// Classifies what a `user` line says, apart from tool results. In a subagent's
/// transcript the words of its lead are its prompts.
pub(super) fn classify_user_line(entry: &TranscriptEntry<'_>, subagent: bool) -> UserText {
    let content = &entry.message.content;
    let text = content.words();
    if subagent && let Some(prompt) = from_lead(&text) {
        return UserText::Typed(prompt.into());
    }
    let injected = entry.is_injected() && !subagent;
    let of_result = content.has("tool_result") && !content.has("text");
    match classify_text(&text) {
        _ if entry.is_compact_summary.0 => UserText::Summary(clipped(text.trim())),
        UserText::Typed(text) | UserText::Command(text)
            if injected || entry.is_meta.0 || of_result =>
        {
            UserText::Notice(text.text)
        }
        words => words,
    }
}

/// Returns a message of a lead to its subagent.
fn from_lead(text: &str) -> Option<String> {
    tags::inner_with_attributes(&cleaned(text), "teammate-message").map(clipped)
}
