//! Counts of memories, and of what was put before prompts.

use crate::layout::sanitize_line;
use crate::style::{FAINT, TITLE, paint};
use serde::Serialize;
use session_memory::{InjectionStats, MemoryStats};
use std::collections::BTreeMap;

/// The counts, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonMemoryStats {
    /// Counts of memories.
    #[serde(flatten)]
    pub memories: MemoryStats,
    /// Counts of prompts and of what was put before them.
    pub injection: InjectionStats,
}

/// Formats the counts for a terminal.
pub fn format_memory_stats(stats: &JsonMemoryStats) -> String {
    let JsonMemoryStats {
        memories,
        injection,
    } = stats;
    let layers = &memories.layers;
    let list = |map: &BTreeMap<&'static str, usize>| {
        let parts: Vec<String> = map.iter().map(|(name, n)| format!("{n} {name}")).collect();
        parts.join(", ")
    };
    let row = |name: &str, value: String| match value.is_empty() {
        true => String::new(),
        false => format!("  {} {value}\n", paint(FAINT, format!("{name:<13}"))),
    };
    let damaged = match memories.damaged {
        0 => String::new(),
        n => format!(", {n} damaged"),
    };
    let waiting = match memories.waiting {
        0 => String::new(),
        n => format!(", {n} waiting for `session-search trust`"),
    };
    let mut out = format!("{}\n", paint(TITLE, "MEMORIES"));
    out += &row(
        "kept",
        format!(
            "{} active, {} archived, {} in the trash{damaged}{waiting}",
            memories.active, memories.archived, memories.trash
        ),
    );
    for (scope, place) in &memories.places {
        out += &row(
            scope,
            format!("{} in {}", place.memories, sanitize_line(&place.path)),
        );
    }
    out += &row("kinds", list(&memories.kinds));
    out += &row("importance", list(&memories.importance));
    out += &row("keywords", sanitize_line(&memories.keywords.join(", ")));
    out += &row(
        "characters",
        format!(
            "keywords {}, index {}, context sheet {}, memories {}, conversations {}",
            layers.keywords, layers.index, layers.context, layers.summaries, layers.conversations
        ),
    );
    out += &format!("{}\n", paint(TITLE, "BEFORE PROMPTS"));
    out += &row(
        "prompts",
        format!(
            "{}, {} with memories ({} items, {} characters)",
            injection.prompts, injection.injected, injection.items, injection.chars
        ),
    );
    out += &row("time", format_times(injection));
    for (reason, count) in &injection.disabled {
        out += &row(&reason.replace('_', " "), count.to_string());
    }
    out
}

/// Formats how long memories of a prompt took to find; empty where there was no prompt.
fn format_times(injection: &InjectionStats) -> String {
    let (median, most) = (injection.retrieval_ms_p50, injection.retrieval_ms_p95);
    match injection.prompts {
        0 => String::new(),
        _ => format!("median {median} ms, 95th percentile {most} ms"),
    }
}
