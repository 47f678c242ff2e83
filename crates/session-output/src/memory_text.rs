//! Memories for people.

use crate::layout::{INDENT, LineField, lay_out_fields, sanitize_line, wrap_lines};
use crate::style::{FAINT, ID, PROJECT, TITLE, band_style, paint};
use session_memory::{Memory, MemoryMatch, MemoryState, Trust};

/// Lines of what a found memory says.
const MAX_LINES: usize = 4;

/// Formats memories that were found, best first.
pub fn format_matches(
    found: &[MemoryMatch],
    all: &[Memory],
    explain: bool,
    width: usize,
) -> String {
    let mut out = format!("{}\n\n", paint(TITLE, "MEMORIES"));
    for one in found {
        out.push_str(&format_match(one, &all[one.memory], explain, width));
    }
    out
}

fn format_match(found: &MemoryMatch, memory: &Memory, explain: bool, width: usize) -> String {
    let band = found.band();
    let score = format!("[{:.2} {}]", found.score, band.name());
    let style = band_style(band);
    let mut out = lay_out_fields(
        &[
            LineField::whole(style, format!("{score:<15}")),
            LineField::whole(ID, sanitize_line(memory.id())),
            LineField::whole(PROJECT, memory.front.kind.label()),
            LineField::cut_to(TITLE, sanitize_line(&memory.front.topic), 24),
        ],
        0,
        width,
    );
    let indent = " ".repeat(INDENT);
    for line in wrap_lines(
        &sanitize_line(&memory.summary()),
        width.saturating_sub(INDENT),
    )
    .take(MAX_LINES)
    {
        out.push_str(&format!("{indent}{line}\n"));
    }
    for line in format_notes(memory) {
        out.push_str(&format!("{indent}{}\n", paint(FAINT, line)));
    }
    if explain {
        for line in explain_match(found, memory) {
            out.push_str(&format!("{indent}{}\n", paint(FAINT, line)));
        }
    }
    out.push('\n');
    out
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

/// Returns why a memory is not trusted; `None` where it is.
fn format_trust(trust: Trust) -> Option<&'static str> {
    match trust {
        Trust::Own | Trust::Trusted => None,
        Trust::Waiting => Some("from the repository, not trusted"),
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
            "score = matched {:.2} * decay {:.2} ({} day{}) * {} {:.2}",
            found.matched,
            found.decay,
            found.days,
            if found.days == 1 { "" } else { "s" },
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
    for memory in all {
        let state = match (memory.state, &memory.front.superseded_by) {
            (MemoryState::Archive, _) => "  archived",
            (MemoryState::Trash, _) => "  trash",
            (_, Some(_)) => "  superseded",
            _ => "",
        };
        let trust = match memory.trust.is_trusted() {
            true => "",
            false => "  not trusted",
        };
        let scope = format!("{:<7}{state}{trust}", memory.scope.label());
        out.push_str(&lay_out_fields(
            &[
                LineField::whole(ID, sanitize_line(memory.id())),
                LineField::whole(PROJECT, format!("{:<11}", memory.front.kind.label())),
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
