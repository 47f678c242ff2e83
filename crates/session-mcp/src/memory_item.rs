//! A memory in an answer: a line of a list, its beginning among others, or all of it.

use crate::answer::format_call;
use serde_json::json;
use session_core::text::clip_words;
use session_display::{fit_line, sanitize_line};
use session_memory::Memory;

/// Most bytes of a memory's text among others.
const MAX_SHORT_BYTES: usize = 2_000;
/// Most columns of a topic in a list.
const TOPIC_COLUMNS: usize = 100;

/// Formats a memory as a line of a list, with its scope.
pub(crate) fn format_listed_memory(memory: &Memory) -> String {
    format_heading(memory, memory.scope.label(), TOPIC_COLUMNS)
}

/// Formats a memory that is shown alone: its fields as `remember` takes them, and all of its text.
pub(crate) fn format_whole_memory(memory: &Memory) -> String {
    let front = &memory.front;
    let fields = [
        ("importance", json!(front.importance)),
        ("tags", json!(front.tags)),
        ("cues", json!(front.cues)),
        ("when", json!(front.when)),
    ];
    let source = front.source.iter();
    let source = source.map(|source| ("source", json!(source)));
    let fields = fields.into_iter().chain(source);
    let fields: String = fields
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    let heading = format_heading(memory, memory.scope.label(), usize::MAX);
    format!("{heading}\n{fields}{}\n", memory.body.trim())
}

/// Formats a memory among others, with the band of its score. A longer text is cut, and the call that shows it alone follows.
pub(crate) fn format_found_memory(memory: &Memory, band: &str) -> String {
    let call = format_call("recall", &[("query", memory.id().into())]);
    let text = cut_text(memory.body.trim(), MAX_SHORT_BYTES, &call);
    format!("{}\n{text}\n", format_heading(memory, band, usize::MAX))
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

/// Formats the line above a memory's text, with its scope or the band of its score as a label.
fn format_heading(memory: &Memory, label: &str, topic_columns: usize) -> String {
    let trust = if memory.trust.is_trusted() {
        ""
    } else {
        "  came with the repository, not trusted"
    };
    let superseded = memory.front.superseded_by.as_deref();
    let superseded = superseded.map(|by| format!("  superseded by {}", sanitize_line(by)));
    format!(
        "{}  {label}  {}  {}  {}{trust}{}",
        sanitize_line(memory.id()),
        memory.day(),
        memory.front.kind.label(),
        fit_line(&memory.front.topic, topic_columns),
        superseded.unwrap_or_default(),
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
