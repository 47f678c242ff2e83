//! The report of `forget`: the plan before the question, the outcome, the records.

use crate::layout::INDENT;
use jiff::Timestamp;
use session_core::TurnAddress;
use session_display::{
    Note, SessionIds, fit_line, format_minute, pluralize, sanitize_line, visible_title,
};
use session_forget::{
    ContentCounts, ForgetPlan, ForgottenEntry, MARKER, PlannedTitle, PlannedTurn,
};
use session_memory::Memory;
use session_store::{OpenProcess, PurgeOutcome, SessionRow};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Sessions, turns, titles and projects that are named before the question.
const MAX_NAMED: usize = 10;

/// The outcome of a plan to forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgetOutcome {
    /// It was only shown.
    Planned,
    /// The user did not consent.
    Declined,
    /// There was nothing; what an earlier call deleted is removed from the files of the index, or will be.
    NothingFound(PurgeOutcome),
    /// It was forgotten, and is removed from the files of the index, or will be.
    Forgotten(PurgeOutcome),
}

impl ForgetOutcome {
    /// Returns true if the files of the index hold nothing of what was deleted.
    pub(crate) fn is_purged(self) -> bool {
        matches!(
            self,
            Self::NothingFound(PurgeOutcome::Complete) | Self::Forgotten(PurgeOutcome::Complete)
        )
    }

    /// Formats what became of a plan with these counts.
    pub fn format(self, counts: &str) -> String {
        match self {
            Self::Planned => format!("would forget {counts}"),
            Self::Declined => "nothing is forgotten".to_owned(),
            Self::NothingFound(_) => "nothing to forget".to_owned(),
            Self::Forgotten(_) => format!("forgot {counts}"),
        }
    }
}

/// Formats the records, a line each.
pub fn format_forget_records(entries: &[ForgottenEntry]) -> String {
    let line = |entry: &ForgottenEntry| {
        let counts = format_known_counts(entry.counts());
        let at = entry.at.parse::<Timestamp>().ok();
        let at = format_minute(at.map(Timestamp::as_millisecond));
        format!(
            "{:>4}  {at:<16}  {:<8}  {counts}\n",
            entry.id,
            entry.reason.name()
        )
    };
    entries.iter().map(line).collect()
}

/// The reasons for which turns of a removed entry may stay forgotten.
#[derive(Debug, Clone, Default)]
pub struct RestoreObstacles {
    /// A marker in a prompt made the entry, and keeps the session out, whatever the records say.
    pub is_by_marker: bool,
    /// Other entries that keep all or part of it out.
    pub entries: Vec<u32>,
    /// The configuration excludes something.
    pub has_rules: bool,
}

/// Formats what came back from the histories when an entry was removed, and why the rest did not.
pub fn format_restored(restored: ContentCounts, obstacles: &RestoreObstacles) -> String {
    let counts = format_known_counts(restored);
    let entries = &obstacles.entries;
    match (counts.is_empty(), entries.is_empty()) {
        (true, _) if obstacles.is_by_marker => {
            format!(
                "nothing came back: a prompt begins or ends with `{MARKER}`, which keeps its session out"
            )
        }
        (true, false) => format!("nothing came back: {} it out", format_keepers(entries, "")),
        (true, true) => {
            let maybe = if obstacles.has_rules {
                ", or `exclude` of the configuration keeps it out"
            } else {
                ""
            };
            format!("nothing came back: the histories hold it no longer{maybe}")
        }
        (false, true) => format!("{counts} came back from the histories"),
        (false, false) => {
            let keepers = format_keepers(entries, " part of");
            format!("{counts} came back from the histories; {keepers} it out")
        }
    }
}

/// Formats which entries still keep something out.
fn format_keepers(entries: &[u32], part: &str) -> String {
    let numbers: Vec<String> = entries.iter().map(u32::to_string).collect();
    match &numbers[..] {
        [one] => format!("entry {one} still keeps{part}"),
        several => format!("entries {} still keep{part}", several.join(", ")),
    }
}

/// Formats the counts that are not 0: of a marker's session the turns are not known.
fn format_known_counts(counts: ContentCounts) -> String {
    let counts = [
        (counts.sessions, "session"),
        (counts.turns, "turn"),
        (counts.titles, "title"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| pluralize(count, noun)).collect();
    counts.join(", ")
}

/// The sessions, turns and memories of a plan, as a list to be read before consent.
pub struct ForgetListing<'a> {
    /// The plan.
    pub plan: &'a ForgetPlan,
    /// Memories that were saved from what is forgotten, or name it.
    pub memories: &'a [Memory],
    /// The fate of the memories.
    pub memory_fate: MemoryFate,
    /// All sessions of the index: an id is as short as they allow.
    pub ids: SessionIds<'a>,
    /// Databases that were put aside and are deleted, too.
    pub old_databases: &'a [PathBuf],
    /// Columns of a line.
    pub width: usize,
}

/// The fate of memories that were saved from what is forgotten, or name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryFate {
    /// They stay.
    Kept,
    /// They are deleted.
    Deleted,
}

impl ForgetListing<'_> {
    /// Formats the beginning of the list: as much as a question can follow.
    pub fn format_summary(&self) -> String {
        self.format(MAX_NAMED)
    }

    /// Formats the whole list.
    pub fn format_whole(&self) -> String {
        self.format(usize::MAX)
    }

    /// Formats the list with the first `limit` of each kind.
    fn format(&self, limit: usize) -> String {
        self.format_sessions(limit)
            + &format_projects(&self.plan.sessions, limit)
            + &self.format_copies()
            + &self.format_memories()
            + &format_old_databases(self.old_databases)
    }

    /// Formats sessions, turns and titles, a line each.
    fn format_sessions(&self, limit: usize) -> String {
        let (plan, ids) = (self.plan, &self.ids);
        let mut out = String::new();
        for session in plan.sessions.iter().take(limit) {
            let turns = pluralize(session.turns as usize, "turn");
            let head = format!("  {}  {turns}, ", ids.short_id(session));
            out += &self.format_line(&head, format_title(session));
        }
        for planned in plan.turns.iter().take(limit) {
            let PlannedTurn { session, turn, .. } = planned;
            let address = TurnAddress::new(ids.short_id(session), turn.index);
            out += &self.format_line(&format!("  {address}  "), format_title(session));
            if !planned.text.trim().is_empty() {
                out += &self.format_line(&" ".repeat(INDENT), &planned.text);
            }
        }
        for PlannedTitle { session, title } in plan.titles.iter().take(limit) {
            let head = format!("  the title of {}, ", ids.short_id(session));
            out += &self.format_line(&head, title);
        }
        let counts = [plan.sessions.len(), plan.turns.len(), plan.titles.len()];
        match counts.map(|count| count.saturating_sub(limit)).iter().sum() {
            0_usize => out,
            more => out + &format!("  … and {more} more\n"),
        }
    }

    /// Formats session text behind a head, cut where the line is too long.
    fn format_line(&self, head: &str, text: &str) -> String {
        let text = fit_line(text, self.width.saturating_sub(head.len()));
        format!("{head}{text}\n")
    }

    fn format_copies(&self) -> String {
        match self.plan.copies.len() {
            0 => String::new(),
            count => format!(
                "  with {} in sessions that stay\n",
                pluralize(count, "copy")
            ),
        }
    }

    fn format_memories(&self) -> String {
        let what = match self.memory_fate {
            MemoryFate::Deleted => "and the memory",
            MemoryFate::Kept => "kept, though it tells of this (see --memories):",
        };
        let line = |memory: &Memory| {
            let topic = sanitize_line(&memory.front.topic);
            format!("  {what} {}  {topic}\n", memory.id())
        };
        self.memories.iter().map(line).collect()
    }
}

fn format_title(session: &SessionRow) -> &str {
    visible_title(session).unwrap_or("(no title)")
}

/// Formats the projects of sessions, where there are several: part of a path may name more than was meant.
fn format_projects(sessions: &[SessionRow], limit: usize) -> String {
    let folders = sessions.iter();
    let folders = folders.filter_map(|s| s.project.as_deref().or(s.cwd.as_deref()));
    let folders: BTreeSet<String> = folders.map(sanitize_line).collect();
    if folders.len() < 2 {
        return String::new();
    }
    let named: Vec<&str> = folders.iter().take(limit).map(String::as_str).collect();
    let projects = pluralize(folders.len(), "project");
    let more = match folders.len() - named.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("  of {projects}: {}{more}\n", named.join(", "))
}

/// Formats that databases that were put aside are deleted with what is forgotten, which they may hold; empty where there
/// are none.
fn format_old_databases(paths: &[PathBuf]) -> String {
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
    format_removed_counts(plan.counts())
}

/// Formats counts of what leaves the index; titles where there are any.
pub(crate) fn format_removed_counts(removed: ContentCounts) -> String {
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
pub fn format_index_readers(readers: &[OpenProcess]) -> Note {
    let named: Vec<String> = readers
        .iter()
        .map(|process| format!("{} ({})", process.pid, sanitize_line(&process.name)))
        .collect();
    let who = if named.is_empty() {
        "another process".to_owned()
    } else {
        format!("process {}", named.join(", "))
    };
    Note::new(format!(
        "{who} reads the index, whose log holds it until that ends"
    ))
    .with_hint("end it, then run `session-search index`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forget_json::JsonForgotten;
    use session_store::TurnRow;

    fn planned_turn() -> PlannedTurn {
        PlannedTurn {
            session: SessionRow {
                uid: "2095544c-0000-4000-8000-000000000001".into(),
                title: Some("Mend the lamp".into()),
                ..SessionRow::default()
            },
            turn: TurnRow {
                index: 4,
                ..TurnRow::default()
            },
            text: format!(
                "… the \u{1b}[31mflaky test of the lamp {}",
                "fails ".repeat(20)
            ),
        }
    }

    #[test]
    fn a_turn_is_listed_with_its_title_and_its_text() {
        let mut plan = ForgetPlan::default();
        plan.turns.push(planned_turn());
        let sessions = [planned_turn().session];
        let listing = ForgetListing {
            plan: &plan,
            memories: &[],
            memory_fate: MemoryFate::Kept,
            ids: SessionIds::new(&sessions),
            old_databases: &[],
            width: 80,
        };
        let flaky = format!(
            "    … the flaky test of the lamp {}fail…",
            "fails ".repeat(7)
        );
        let expected = format!("  2095544c:4  Mend the lamp\n{flaky}\n");
        assert_eq!(listing.format_whole(), expected);
        let json = JsonForgotten::new(&plan, &[], ForgetOutcome::Planned);
        let json = serde_json::to_value(json).unwrap();
        assert_eq!(json["turn_list"][0]["turn"], 4);
        assert_eq!(json["turn_list"][0]["title"], "Mend the lamp");
        assert_eq!(json["turn_list"][0]["text"], planned_turn().text);
    }

    #[test]
    fn what_does_not_come_back_is_explained() {
        let restored = |turns, entries: &[u32], has_rules| {
            let counts = ContentCounts {
                turns,
                ..ContentCounts::default()
            };
            let obstacles = RestoreObstacles {
                entries: entries.to_vec(),
                has_rules,
                ..RestoreObstacles::default()
            };
            format_restored(counts, &obstacles)
        };
        let gone = "nothing came back: the histories hold it no longer";
        assert_eq!(restored(0, &[], false), gone);
        assert_eq!(
            restored(0, &[4], true),
            "nothing came back: entry 4 still keeps it out"
        );
        assert_eq!(
            restored(2, &[4, 7], false),
            "2 turns came back from the histories; entries 4, 7 still keep part of it out"
        );
        assert_eq!(
            restored(0, &[], true),
            format!("{gone}, or `exclude` of the configuration keeps it out")
        );
        assert_eq!(
            restored(1, &[], true),
            "1 turn came back from the histories"
        );
    }
}
