//! A memory in an answer: a line of a list, its beginning among others, or all of it. A repository writes what stands below
//! a heading: it is indented, so that no line of it looks like the heading of another memory.

use crate::answer::format_call;
use serde_json::json;
use session_core::text::{clip, clip_words, sanitize_text};
use session_display::{fit_line, sanitize_line};
use session_memory::{MAX_ID_BYTES, Memory};

/// Most bytes of a memory's text among others.
const MAX_SHORT_BYTES: usize = 2_000;
/// Most columns of a topic in a list, and of one above a text.
const TOPIC_COLUMNS: usize = 100;
const HEADING_COLUMNS: usize = 500;
/// Most bytes of a topic: combining marks take no column.
const MAX_TOPIC_BYTES: usize = 1_000;
/// The beginning of each line of a text below a heading.
pub(crate) const INDENT: &str = "   ";

/// Formats a memory as a line of a list, with its scope.
pub(crate) fn format_listed_memory(memory: &Memory) -> String {
    format_heading(memory, memory.scope.label(), TOPIC_COLUMNS)
}

/// Formats the line above each page of a memory that is shown alone.
pub(crate) fn format_page_heading(memory: &Memory) -> String {
    format_heading(memory, memory.scope.label(), HEADING_COLUMNS)
}

/// Formats what is below the heading of a memory that is shown alone: its fields as `remember` takes them, and all of its
/// text.
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
    indent(&format!("{fields}{}", memory.body.trim()))
}

/// Begins each line of a text with [`INDENT`], after that which would end a line unseen is removed.
pub(crate) fn indent(text: &str) -> String {
    let text = sanitize_text(text);
    let lines = text.lines().map(|line| format!("{INDENT}{line}\n"));
    lines.collect()
}

/// Formats a memory among others, with the band of its score. A longer text is cut, and the call that shows it alone follows.
pub(crate) fn format_found_memory(memory: &Memory, band: &str) -> String {
    let call = format_call("recall", &[("query", memory.id().into())]);
    let text = cut_text(memory.body.trim(), MAX_SHORT_BYTES);
    let rest = text
        .left
        .map(|left| format!("… {left} more bytes: {call}\n"));
    format!(
        "{}\n{}{}",
        format_heading(memory, band, HEADING_COLUMNS),
        indent(text.kept),
        rest.unwrap_or_default()
    )
}

/// The beginning of a text, and the bytes that are left out behind it.
#[derive(Debug, PartialEq, Eq)]
struct CutText<'t> {
    kept: &'t str,
    left: Option<usize>,
}

/// Cuts a text behind a line where one ends in the second half, else behind a word.
fn cut_text(text: &str, max_bytes: usize) -> CutText<'_> {
    if text.len() <= max_bytes {
        return CutText {
            kept: text,
            left: None,
        };
    }
    let cut = clip_words(text, max_bytes);
    let line = cut.rfind('\n').filter(|end| *end > max_bytes / 2);
    let kept = line.map_or(cut, |end| &cut[..end]).trim_end();
    CutText {
        kept,
        left: Some(text[kept.len()..].trim().len()),
    }
}

/// Formats the line above a memory's text, with its scope or the band of its score as a label. The mark of its trust stands
/// before the words that a repository writes.
fn format_heading(memory: &Memory, label: &str, topic_columns: usize) -> String {
    let trust = if memory.trust.is_trusted() {
        ""
    } else {
        "  from the repository or a moved folder, not trusted"
    };
    let front = &memory.front;
    let superseded = front.superseded_by.as_deref();
    let superseded = superseded.map(|by| sanitize_line(clip(by, MAX_ID_BYTES)));
    let superseded = superseded.map(|by| format!("  superseded by {by}"));
    format!(
        "{}  {label}  {}  {}{trust}  {}{}",
        sanitize_line(memory.id()),
        memory.day(),
        front.kind.label(),
        fit_line(clip(&front.topic, MAX_TOPIC_BYTES), topic_columns),
        superseded.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_behind_an_item_or_a_word() {
        let cut = |text, max_bytes| {
            let CutText { kept, left } = cut_text(text, max_bytes);
            (kept, left)
        };
        let text = "- HARBOUR_HOST is quay\n- HARBOUR_PORT is 84431";
        assert_eq!(cut(text, text.len()), (text, None));
        assert_eq!(cut(text, 42), ("- HARBOUR_HOST is quay", Some(23)));
        let word = cut("HARBOUR_PORT is 84431", 18);
        assert_eq!(word, ("HARBOUR_PORT is", Some(5)));
        let marks = "灯".repeat(400);
        assert_eq!(cut(&marks, 1_000), ("灯".repeat(333).as_str(), Some(201)));
    }

    #[test]
    fn each_line_of_a_text_is_indented() {
        let text = "one\r\n\ntwo\u{2028}three\x0b\n";
        assert_eq!(indent(text), "   one\n   \n   two three\n");
    }
}
