//! The report of `forget`: the plan before the question, the outcome, the records.

use crate::layout::sanitize_line;
use jiff::Timestamp;
use serde::Serialize;
use session_core::TurnAddress;
use session_display::{SessionIds, format_minute, pluralize};
use session_forget::{
    ForgetPlan, ForgottenEntry, MARKER, PlannedTitle, PlannedTurn, RemovedCounts,
};
use session_memory::Memory;
use session_store::{OpenProcess, SessionRow};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Sessions and turns that are named before the question.
const MAX_NAMED: usize = 10;

/// The sessions and turns that were forgotten, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonForgotten<'a> {
    sessions: Vec<&'a str>,
    turns: usize,
    /// Titles of sessions that stay.
    titles: usize,
    /// Copies in sessions that stay.
    copies: usize,
    /// Memories that were saved from them.
    memories: Vec<&'a str>,
    dry_run: bool,
    /// Nothing is left in the files of the index.
    purged: bool,
}

impl<'a> JsonForgotten<'a> {
    /// Returns a plan as it is printed, done or not.
    pub fn new(
        plan: &'a ForgetPlan,
        memories: &'a [Memory],
        is_done: bool,
        is_purged: bool,
    ) -> Self {
        let sessions = plan.sessions.iter();
        Self {
            sessions: sessions.map(|session| session.uid.as_str()).collect(),
            turns: plan.turn_count,
            titles: plan.title_count(),
            copies: plan.copies,
            memories: memories.iter().map(Memory::id).collect(),
            dry_run: !is_done,
            purged: is_purged,
        }
    }
}

/// The records of what was forgotten, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonForgetRecords<'a> {
    forgotten: Vec<JsonForgetEntry<'a>>,
}

#[derive(Serialize)]
struct JsonForgetEntry<'a> {
    at: &'a str,
    id: u32,
    sessions: usize,
    turns: usize,
    titles: usize,
    what: &'a str,
}

impl<'a> JsonForgetRecords<'a> {
    /// Returns the entries as they are printed.
    pub fn new(entries: &'a [ForgottenEntry]) -> Self {
        let entry = |entry: &'a ForgottenEntry| JsonForgetEntry {
            id: entry.id,
            at: &entry.at,
            what: &entry.what,
            sessions: entry.sessions,
            turns: entry.turns,
            titles: entry.titles,
        };
        Self {
            forgotten: entries.iter().map(entry).collect(),
        }
    }
}

/// Formats the records, a line each.
pub fn format_forget_records(entries: &[ForgottenEntry]) -> String {
    let line = |entry: &ForgottenEntry| {
        let counts = format_known_counts(RemovedCounts {
            sessions: entry.sessions,
            turns: entry.turns,
            titles: entry.titles,
        });
        let at = entry.at.parse::<Timestamp>().ok();
        let at = format_minute(at.map(Timestamp::as_millisecond));
        format!("{:>4}  {at:<16}  {:<8}  {counts}\n", entry.id, entry.what)
    };
    entries.iter().map(line).collect()
}

/// Formats what came back from the histories when a record was removed. A marker in a prompt keeps its session
/// out, whatever the records say.
pub fn format_restored(restored: RemovedCounts, is_by_marker: bool) -> String {
    let counts = format_known_counts(restored);
    match counts.is_empty() {
        true if is_by_marker => {
            format!("nothing came back: a prompt holds `{MARKER}`, which keeps its session out")
        }
        true => "nothing came back: the histories hold it no longer".to_owned(),
        false => format!("{counts} came back from the histories"),
    }
}

/// Formats the counts that are not 0: of a marker's session the turns are not known.
fn format_known_counts(counts: RemovedCounts) -> String {
    let counts = [
        (counts.sessions, "session"),
        (counts.turns, "turn"),
        (counts.titles, "title"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| pluralize(count, noun)).collect();
    counts.join(", ")
}

/// Formats what a plan forgets; memories that were saved from it are forgotten, too, or kept.
pub fn format_forget_plan(
    plan: &ForgetPlan,
    memories: &[Memory],
    with_memories: bool,
    ids: &SessionIds<'_>,
) -> String {
    let mut out = String::new();
    for session in plan.sessions.iter().take(MAX_NAMED) {
        let title = sanitize_line(session.title.as_deref().unwrap_or("(no title)"));
        let turns = pluralize(session.turns as usize, "turn");
        out += &format!("  {}  {turns}, {title}\n", ids.short_id(session));
    }
    for PlannedTurn { session, turn } in plan.turns.iter().take(MAX_NAMED) {
        out += &format!(
            "  {}\n",
            TurnAddress::new(ids.short_id(session), turn.index)
        );
    }
    for PlannedTitle { session, title } in plan.titles.iter().take(MAX_NAMED) {
        let title = sanitize_line(title);
        out += &format!("  the title of {}, {title}\n", ids.short_id(session));
    }
    let counts = [plan.sessions.len(), plan.turns.len(), plan.titles.len()];
    let more: usize = counts
        .map(|count| count.saturating_sub(MAX_NAMED))
        .iter()
        .sum();
    if more > 0 {
        out += &format!("  … and {more} more\n");
    }
    out += &format_projects(&plan.sessions);
    if plan.copies > 0 {
        let copies = pluralize(plan.copies, "copy");
        out += &format!("  with {copies} in sessions that stay\n");
    }
    for memory in memories {
        let what = if with_memories {
            "and the memory"
        } else {
            "kept, though saved from it (see --memories):"
        };
        let topic = sanitize_line(&memory.front.topic);
        out += &format!("  {what} {}  {topic}\n", memory.id());
    }
    out
}

/// Formats the projects of sessions, where there are several: part of a path may name more than was meant.
fn format_projects(sessions: &[SessionRow]) -> String {
    let folders = sessions.iter();
    let folders = folders.filter_map(|s| s.project.as_deref().or(s.cwd.as_deref()));
    let folders: BTreeSet<String> = folders.map(sanitize_line).collect();
    if folders.len() < 2 {
        return String::new();
    }
    let named: Vec<&str> = folders.iter().take(MAX_NAMED).map(String::as_str).collect();
    let projects = pluralize(folders.len(), "project");
    let more = match folders.len() - named.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("  of {projects}: {}{more}\n", named.join(", "))
}

/// Formats that databases that were put aside are deleted with what is forgotten, which they may hold; empty where there
/// are none.
pub fn format_old_databases(paths: &[PathBuf]) -> String {
    let line = |path: &PathBuf| {
        let path = path.to_string_lossy();
        format!(
            "  and an old database, maybe the last copy of sessions whose history is gone: {}\n",
            sanitize_line(&path)
        )
    };
    paths.iter().take(1).map(line).collect()
}

/// Formats what a plan forgets, as counts.
pub fn format_forget_counts(plan: &ForgetPlan) -> String {
    format_removed_counts(RemovedCounts {
        sessions: plan.sessions.len(),
        turns: plan.turn_count,
        titles: plan.title_count(),
    })
}

/// Formats counts of what leaves the index; titles where there are any.
pub(crate) fn format_removed_counts(removed: RemovedCounts) -> String {
    let (sessions, turns) = (
        pluralize(removed.sessions, "session"),
        pluralize(removed.turns, "turn"),
    );
    match removed.titles {
        0 => format!("{sessions}, {turns}"),
        titles => format!("{sessions}, {turns}, {}", pluralize(titles, "title")),
    }
}

/// Formats a note on the processes that keep deleted text in the log of the index.
pub fn format_index_readers(readers: &[OpenProcess]) -> String {
    let named: Vec<String> = readers
        .iter()
        .map(|process| format!("{} ({})", process.pid, sanitize_line(&process.name)))
        .collect();
    let who = match named.is_empty() {
        true => "another process".to_owned(),
        false => format!("process {}", named.join(", ")),
    };
    format!(
        "{who} reads the index, whose log holds it until that ends\nhint: end it, then run `session-search index`"
    )
}
