//! Memories for people, and for agents, which read the text since it is a tenth of the JSON.

use crate::layout::{INDENT, LineField, TitledLine, lay_out_fields, lay_out_titled};
use crate::style::{FAINT, ID, PROJECT, TITLE, band_style, paint};
use session_display::{pluralize, sanitize_line, wrap_lines};
use session_memory::{Memory, MemoryMatch, MemoryState, Trust};

/// Most lines of what a found memory says: about 1,100 characters in 100 columns.
const MAX_LINES: usize = 12;
/// Most columns that ids are padded to: one that a user wrote may be longer than all others.
const MAX_ID_COLUMNS: usize = 24;

/// Formats memories that were found, best first.
pub fn format_matches(
    found: &[MemoryMatch],
    all: &[Memory],
    explain: bool,
    width: usize,
) -> String {
    let mut out = format!("{}\n\n", paint(TITLE, "MEMORIES"));
    let matches = || found.iter().map(|one| (one, &all[one.index]));
    let id_columns = find_id_columns(matches().map(|(_, memory)| memory));
    let lines = matches().map(|(one, memory)| first_line(one, memory, id_columns));
    for (line, (one, memory)) in lay_out_titled(lines, width).zip(matches()) {
        out.push_str(&line);
        out.push_str(&format_details(one, memory, explain, width));
        out.push('\n');
    }
    out
}

/// Returns the columns that ids are padded to: those of the longest one up to [`MAX_ID_COLUMNS`]. Ids are ASCII.
fn find_id_columns<'a>(memories: impl Iterator<Item = &'a Memory>) -> usize {
    let lengths = memories.map(|memory| memory.id().len());
    let padded = lengths.filter(|length| *length <= MAX_ID_COLUMNS);
    padded.max().unwrap_or(0)
}

/// Returns the fields of the id and the kind, which lists of memories begin with.
fn make_id_fields(memory: &Memory, id_columns: usize) -> [LineField; 2] {
    let id = sanitize_line(memory.id());
    [
        LineField::whole(ID, format!("{id:<id_columns$}")),
        LineField::whole(PROJECT, format!("{:<11}", memory.front.kind.label())),
    ]
}

/// Returns the first line of a match. Its topic is cut only where a whole line is too short for it.
fn first_line(found: &MemoryMatch, memory: &Memory, id_columns: usize) -> TitledLine {
    let band = found.band();
    let score = format!("[{:.2} {}]", found.score, band.name());
    let mut fields = vec![LineField::whole(band_style(band), format!("{score:<15}"))];
    fields.extend(make_id_fields(memory, id_columns));
    TitledLine {
        fields,
        title: LineField::whole(TITLE, sanitize_line(&memory.front.topic)),
    }
}

/// Formats the text of a found memory and the facts about it.
fn format_details(found: &MemoryMatch, memory: &Memory, explain: bool, width: usize) -> String {
    let indent = " ".repeat(INDENT);
    let summary = sanitize_line(&memory.summary());
    let lines: Vec<&str> = wrap_lines(&summary, width.saturating_sub(INDENT)).collect();
    let (shown, cut) = lines.split_at(lines.len().min(MAX_LINES));
    let shown = shown.iter().map(|line| format!("{indent}{line}\n"));
    let mut notes = Vec::from_iter(format_cut(cut.len(), memory));
    notes.extend(format_notes(memory));
    if explain {
        notes.extend(explain_match(found, memory));
    }
    let notes = notes.iter();
    let notes = notes.map(|note| format!("{indent}{}\n", paint(FAINT, note)));
    shown.chain(notes).collect()
}

/// Formats how many lines of a memory are left out, and the command that shows them; `None` if all are there.
fn format_cut(lines: usize, memory: &Memory) -> Option<String> {
    let id = sanitize_line(memory.id());
    let more = pluralize(lines, "more line");
    (lines > 0).then(|| format!("… {more}; session-search memory show {id}"))
}

/// Returns notes on the state of a memory.
fn format_notes(memory: &Memory) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(format_trust(memory.trust).map(str::to_owned));
    if let Some(by) = &memory.front.superseded_by {
        notes.push(format!("superseded by {}", sanitize_line(by)));
    }
    if memory.state == MemoryState::Archive {
        notes.push(format!(
            "archived; session-search memory activate {}",
            sanitize_line(memory.id())
        ));
    }
    notes
}

/// Returns why a memory is not trusted; `None` if it is.
fn format_trust(trust: Trust) -> Option<&'static str> {
    match trust {
        Trust::Own | Trust::Trusted => None,
        Trust::Waiting => Some("from the repository or a moved folder, not trusted"),
        Trust::Changed => Some("changed outside of session-search, not trusted"),
    }
}

/// Explains how the score of a match came to be, one part each.
fn explain_match(found: &MemoryMatch, memory: &Memory) -> Vec<String> {
    let list_score = |list_score: Option<session_core::ListScore>| match list_score {
        Some(s) => format!("{:.2} (rank {})", s.scaled, s.rank),
        None => "-".to_owned(),
    };
    let cue = found.cue.iter();
    let mut lines = vec![
        format!(
            "score = matched {:.2} * decay {:.2} ({}) * {} {:.2}",
            found.fused_score,
            found.decay,
            pluralize(found.days as usize, "day"),
            memory.scope.label(),
            found.weight
        ),
        format!(
            "words {}, meaning {}, cosine {:.2}, common: {}",
            list_score(found.lexical),
            list_score(found.dense),
            found.cosine,
            sanitize_line(&found.terms.join(" "))
        ),
    ];
    lines.extend(cue.map(|cue| format!("nearest cue: {}", sanitize_line(cue))));
    lines
}

/// Formats memories on a line each.
pub fn format_memories(all: &[Memory], width: usize) -> String {
    let mut out = String::new();
    let id_columns = find_id_columns(all.iter());
    for memory in all {
        let [id, kind] = make_id_fields(memory, id_columns);
        let state = match (memory.state, &memory.front.superseded_by) {
            (MemoryState::Archive, _) => "  archived",
            (MemoryState::Trash, _) => "  trash",
            (_, Some(_)) => "  superseded",
            _ => "",
        };
        let trust = if memory.trust.is_trusted() {
            ""
        } else {
            "  not trusted"
        };
        let scope = format!("{:<7}{state}{trust}", memory.scope.label());
        out.push_str(&lay_out_fields(
            &[
                id,
                kind,
                LineField::whole(FAINT, scope),
                LineField::cut_to(
                    anstyle::Style::new(),
                    sanitize_line(&memory.front.topic),
                    30,
                ),
            ],
            0,
            width,
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use session_memory::MemoryScope;

    fn make_memory(id: &str, topic: &str, info: &str) -> Memory {
        let front = json!({"id": id, "topic": topic, "created": "2026-01-10T09:15:00Z"});
        Memory {
            front: serde_json::from_value(front).unwrap(),
            body: format!("- {info}\n"),
            raw_text: String::new(),
            redacted_text: None,
            path: "mem.md".into(),
            state: MemoryState::Active,
            scope: MemoryScope::Project,
            trust: Trust::Own,
        }
    }

    /// Formats matches with all of these, in their order.
    fn format_found(all: &[Memory]) -> String {
        let matches = (0..all.len()).map(|index| MemoryMatch {
            index,
            ..MemoryMatch::default()
        });
        let text = format_matches(&Vec::from_iter(matches), all, false, 80);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn columns_of_a_list_are_aligned() {
        let long = format!("mem-{}", "x".repeat(30));
        let ids = [
            "mem-20260110-091500",
            "mem-20260110-091500-12",
            long.as_str(),
        ];
        let all = ids.map(|id| make_memory(id, "Lamps", "oil"));
        let text = anstream::adapter::strip_str(&format_memories(&all, 80)).to_string();
        let rest = "   context       project   Lamps\n";
        let expected = ["mem-20260110-091500   ", ids[1], ids[2]].map(|id| format!("{id}{rest}"));
        assert_eq!(text, expected.concat());
    }

    #[test]
    fn a_found_memory_has_its_topic_and_what_it_says_in_full() {
        let topic = "The lamps of the harbour gate are trimmed before dark";
        let all = [
            make_memory("mem-1", topic, "with oil"),
            make_memory("mem-20260110-091500", "Lamps", "with wicks"),
        ];
        let text = format_found(&all);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let expected = [
            "MEMORIES",
            "",
            "[0.00 weak]       mem-1                 context",
            "    The lamps of the harbour gate are trimmed before dark",
            "    with oil",
            "",
            "[0.00 weak]       mem-20260110-091500   context",
            "    Lamps",
            "    with wicks",
            "",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_cut_is_counted() {
        let long = "trim the wick ".repeat(100);
        let text = format_found(&[make_memory("mem-1", "Lamps", &long)]);
        let cut = "    … 7 more lines; session-search memory show mem-1\n";
        assert!(text.contains(cut), "{text}");
    }
}
