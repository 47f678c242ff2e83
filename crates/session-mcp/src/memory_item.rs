//! A memory in an answer: its heading, and its text as far as there is room.

use crate::answer::format_call;
use session_core::text::clip_words;
use session_display::sanitize_line;
use session_memory::Memory;

/// Most bytes of a memory's text among others.
const MAX_SHORT_BYTES: usize = 2_000;
/// Most bytes of the text of a memory that is shown alone: with its heading it fits into an answer.
const MAX_WHOLE_BYTES: usize = 7_000;

/// The text of a memory, cut where it is too long, with the way to the rest.
pub(crate) struct CutText {
    text: String,
}

impl CutText {
    /// Cuts the text of a memory among others; the call that shows it alone follows.
    pub(crate) fn short(memory: &Memory) -> Self {
        let call = format_call("recall", &[("query", memory.id().into())]);
        Self::new(memory.body.trim(), MAX_SHORT_BYTES, &call)
    }

    /// Cuts the text of a memory that is shown alone; the command that shows all of it follows.
    pub(crate) fn whole(memory: &Memory) -> Self {
        let command = format!("`session-search memory show {}`", memory.id());
        Self::new(memory.body.trim(), MAX_WHOLE_BYTES, &command)
    }

    /// Cuts a text behind a line where one ends in the second half, else behind a word.
    fn new(text: &str, max_bytes: usize, way_on: &str) -> Self {
        if text.len() <= max_bytes {
            return Self {
                text: text.to_owned(),
            };
        }
        let cut = clip_words(text, max_bytes);
        let line = cut.rfind('\n').filter(|end| *end > max_bytes / 2);
        let cut = line.map_or(cut, |end| &cut[..end]).trim_end();
        let left = text[cut.len()..].trim().len();
        Self {
            text: format!("{cut}\n… {left} more bytes: {way_on}"),
        }
    }
}

/// Formats a memory; `band` is that of its score, where it was searched for.
pub(crate) fn format_memory(memory: &Memory, band: Option<&str>, text: CutText) -> String {
    let trust = match memory.trust.is_trusted() {
        true => "",
        false => "  came with the repository, not trusted",
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
        text.text,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max_bytes: usize) -> String {
        CutText::new(text, max_bytes, "show").text
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
