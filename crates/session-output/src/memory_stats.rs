//! Counts of memories, and of what was put before prompts.

use crate::layout::NameColumn;
use crate::style::{TITLE, paint};
use serde::Serialize;
use session_display::{pluralize, sanitize_line, wrap_lines};
use session_memory::{InjectionStats, MemoryKind, MemoryStats};
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

/// The column of the rows' names.
const NAMES: NameColumn = NameColumn {
    indent: 2,
    width: 14,
};

/// Formats a name, and beside it a value over as many lines as it takes; nothing for an empty value.
fn format_row(name: &str, value: &str, width: usize) -> String {
    NAMES.lay_out_row(name, wrap_lines(value, NAMES.value_width(width)))
}

/// Formats the counts for a terminal of so many columns.
pub fn format_memory_stats(stats: &JsonMemoryStats, width: usize) -> String {
    let format_rows = |title, rows: Vec<(String, String)>| {
        let rows = rows
            .iter()
            .map(|(name, value)| format_row(name, value, width));
        format!("{}\n{}", paint(TITLE, title), rows.collect::<String>())
    };
    format_rows("MEMORIES", memory_rows(&stats.memories))
        + &format_rows("BEFORE PROMPTS", injection_rows(&stats.injection))
}

/// Returns the names and values of the rows on memories.
fn memory_rows(memories: &MemoryStats) -> Vec<(String, String)> {
    let sizes = &memories.view_sizes;
    let list = |map: &BTreeMap<&'static str, usize>| {
        let parts: Vec<String> = map.iter().map(|(name, n)| format!("{n} {name}")).collect();
        parts.join(", ")
    };
    let damaged = match memories.damaged {
        0 => String::new(),
        n => format!(", {n} damaged"),
    };
    let waiting = match memories.waiting {
        0 => String::new(),
        n => format!(", {n} waiting for `session-search trust`"),
    };
    let kept = format!(
        "{} active, {} archived, {} in the trash{damaged}{waiting}",
        memories.active, memories.archived, memories.trash
    );
    let characters = format!(
        "keywords {}, index {}, context sheet {}, memories {}, conversations {}",
        sizes.keywords, sizes.index, sizes.context, sizes.summaries, sizes.conversations
    );
    let directories = memories.directories.iter().map(|(scope, directory)| {
        let path = sanitize_line(&directory.path);
        (
            scope.to_string(),
            format!("{} in {path}", directory.memories),
        )
    });
    let mut rows = vec![("kept".to_owned(), kept)];
    rows.extend(directories);
    let keywords = sanitize_line(&memories.keywords.join(", "));
    let others = [
        ("kinds", format_kinds(&memories.kinds)),
        ("importance", list(&memories.importance)),
        ("keywords", keywords),
        ("characters", characters),
    ];
    rows.extend(others.map(|(name, value)| (name.to_owned(), value)));
    rows
}

/// Returns the names and values of the rows on prompts.
fn injection_rows(injection: &InjectionStats) -> Vec<(String, String)> {
    let prompts = format!(
        "{}, {} with memories ({}, {})",
        injection.prompts,
        injection.injected,
        pluralize(injection.items, "item"),
        pluralize(injection.chars, "character")
    );
    let disabled = injection.disabled.iter();
    let disabled = disabled.map(|(reason, count)| (reason.replace('_', " "), count.to_string()));
    let rows = [
        ("prompts", prompts),
        ("time", format_times(injection)),
        // The log has prompts alone, and who reads what memories cost would take them for all.
        (
            "not counted",
            "lists at starts, memories at calls".to_owned(),
        ),
    ];
    let rows = rows.map(|(name, value)| (name.to_owned(), value));
    rows.into_iter().chain(disabled).collect()
}

/// Formats the number of memories of each kind, by the names for people.
fn format_kinds(kinds: &BTreeMap<&'static str, usize>) -> String {
    let label = |name| MemoryKind::from_name(name).map_or(name, MemoryKind::label);
    let parts = kinds.iter().map(|(name, n)| format!("{n} {}", label(name)));
    parts.collect::<Vec<_>>().join(", ")
}

/// Formats how long memories of a prompt took to find; empty where there was no prompt.
fn format_times(injection: &InjectionStats) -> String {
    let (median, most) = (injection.retrieval_ms_p50, injection.retrieval_ms_p95);
    match injection.prompts {
        0 => String::new(),
        _ => format!("median {median} ms, 95th percentile {most} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_row_goes_on_below_its_value() {
        let row = format_row("characters", "keywords 1, index 2, memories 3", 36);
        let row = anstream::adapter::strip_str(&row).to_string();
        let expected = "  characters    keywords 1, index 2,\n                memories 3\n";
        assert_eq!(row, expected);
        assert_eq!(format_row("time", "", 80), "");
    }

    #[test]
    fn kinds_have_the_names_of_lists() {
        let kinds = BTreeMap::from([("decision", 2), ("known-issue", 1)]);
        assert_eq!(format_kinds(&kinds), "2 decision, 1 known issue");
    }
}
