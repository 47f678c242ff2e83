//! A memory in an answer: its heading, and its text as far as there is room.

use crate::answer::format_call;
use session_core::text::clip_words;
use session_display::sanitize_line;
use session_memory::Memory;

/// Most bytes of a memory's text among others.
const MAX_SHORT_BYTES: usize = 2_000;
/// Most bytes of the text of a memory that is shown alone: with its heading it fits into an answer.
const MAX_WHOLE_BYTES: usize = 7_000;

/// Formats a memory that is shown alone. A longer text is cut, and the command that shows all of it follows.
pub(crate) fn format_whole_memory(memory: &Memory) -> String {
    let command = format!("`session-search memory show {}`", memory.id());
    let text = cut_text(memory.body.trim(), MAX_WHOLE_BYTES, &command);
    format_memory(memory, None, &text)
}

/// Formats a memory among others, with the band of its score. A longer text is cut, and the call that shows it alone follows.
pub(crate) fn format_found_memory(memory: &Memory, band: &str) -> String {
    let call = format_call("recall", &[("query", memory.id().into())]);
    let text = cut_text(memory.body.trim(), MAX_SHORT_BYTES, &call);
    format_memory(memory, Some(band), &text)
}

/// Cuts a text behind a line where one ends in the second half, else behind a word; `way_on` says how to see the rest.
fn cut_text(text: &str, max_bytes: usize, way_on: &str) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let cut = clip_words(text, max_bytes);
    let line = cut.rfind('\n').filter(|end| *end > max_bytes / 2);
    let cut = line.map_or(cut, |end| &cut[..end]).trim_end();
    let left = text[cut.len()..].trim().len();
    format!("{cut}\n… {left} more bytes: {way_on}")
}

fn format_memory(memory: &Memory, band: Option<&str>, text: &str) -> String {
    let trust = if memory.trust.is_trusted() {
        ""
    } else {
        "  came with the repository, not trusted"
    };
    let superseded = memory.front.superseded_by.as_deref();
    let superseded = superseded.map(|by| format!("  superseded by {}", sanitize_line(by)));
    format!(
        "{}{}  {}  {}  {}{trust}{}\n{}\n",
        sanitize_line(memory.id()),
        band.map(|band| format!("  {band}")).unwrap_or_default(),
        memory.day(),
        memory.front.kind.label(),
        sanitize_line(&memory.front.topic),
        superseded.unwrap_or_default(),
        text,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max_bytes: usize) -> String {
        cut_text(text, max_bytes, "show")
    }

    #[test]
    fn a_long_text_is_cut_behind_an_item_or_a_word() {
        let text = "- HARBOUR_HOST is quay\n- HARBOUR_PORT is 84431";
        assert_eq!(cut(text, text.len()), text);
        let item = "- HARBOUR_HOST is quay\n… 23 more bytes: show";
        assert_eq!(cut(text, 42), item);
        let word = "HARBOUR_PORT is\n… 5 more bytes: show";
        assert_eq!(cut("HARBOUR_PORT is 84431", 18), word);
        let mark = cut(&"灯".repeat(400), 1_000);
        assert!(mark.ends_with("灯\n… 201 more bytes: show"), "{mark}");
    }
}
