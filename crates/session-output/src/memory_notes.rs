//! Notes on memories: which wait for trust, which were moved, where one comes from.

use crate::layout::{fit_line, sanitize_line};
use session_core::TurnAddress;
use session_core::shell::is_plain_word;
use session_display::{Note, pluralize};
use session_memory::{DamagedFile, ImportReport, Memory, MemoryState, Trust};

/// Most ids that a note names.
const MAX_NAMED: usize = 5;
/// Most columns of a text of a memory's file.
const COLUMNS: usize = 80;
/// The command that shows the memories without trust.
const TRUST_HINT: &str = "`session-search trust` shows what waits and asks";

/// Returns a note on the memories that are not trusted, if there are any: which came with the repository, and which were
/// changed since.
pub fn format_waiting_note(memories: &[Memory]) -> Option<Note> {
    let with_trust = |trust: Trust| {
        let some = memories.iter().filter(move |memory| memory.trust == trust);
        some.map(Memory::id).collect::<Vec<_>>()
    };
    describe_untrusted(&with_trust(Trust::Waiting), &with_trust(Trust::Changed))
}

/// Describes memories that are not trusted, by their ids.
fn describe_untrusted(arrived: &[&str], changed: &[&str]) -> Option<Note> {
    let came = match arrived {
        [] => None,
        [id] => Some(format!("{id} came with this repository")),
        ids => Some(format!("{} memories came with this repository", ids.len())),
    };
    let named = || changed[..changed.len().min(MAX_NAMED)].join(", ");
    let changed_outside = match changed {
        [] => None,
        [id] => Some(format!(
            "{id} was changed outside of session-search after you saved or trusted it"
        )),
        ids => Some(format!(
            "{} memories were changed outside of session-search after you saved or trusted them ({})",
            ids.len(),
            named()
        )),
    };
    let which: Vec<String> = came.into_iter().chain(changed_outside).collect();
    let consequence = match arrived.len() + changed.len() {
        0 => return None,
        1 => "it is not injected until you trust it",
        _ => "they are not injected until you trust them",
    };
    let hint = match changed {
        [] => TRUST_HINT.to_owned(),
        _ => format!("{TRUST_HINT}; what `session-search memory edit` changes needs no trust"),
    };
    Some(Note::new(format!("{}; {consequence}", which.join(", "))).with_hint(hint))
}

/// Formats why a file is left out, with the line of the mistake; a directory, which cannot be opened, has no line.
pub fn format_damaged_file(damage: &DamagedFile) -> String {
    if damage.path.is_dir() {
        format!("memories are left out: {}", sanitize_line(&damage.reason))
    } else {
        format!("{damage}; left out")
    }
}

/// Formats how many memories were imported, and how many were known and where. `is_global` is true where they were
/// imported for all projects.
pub fn format_import_report(report: &ImportReport, is_global: bool) -> Note {
    let imported = pluralize(report.imported.len(), "memory");
    let in_project = report.known_in_project;
    let place = match report.known - in_project {
        0 => "in this project".to_owned(),
        _ if in_project == 0 => "for all projects".to_owned(),
        global => format!("{in_project} in this project, {global} for all projects"),
    };
    let known = match report.known {
        0 => return Note::new(format!("{imported} imported")),
        1 => "1 was here already".to_owned(),
        n => format!("{n} were here already"),
    };
    let hint = "delete those of the project to import them for all projects";
    let hint = (is_global && in_project > 0).then_some(hint);
    Note::new(format!("{imported} imported, {known} ({place})")).with_hints(hint)
}

/// Returns a note on memories of a project that an import leaves out, since it is run in none; `None` where there are
/// none.
pub fn format_without_project_note(count: usize) -> Option<Note> {
    let left_out = format_left_out(count, "of a project", "of a project")?;
    let text = format!("{left_out}: no memories of a project are kept here");
    Some(Note::new(text).with_hint("run it inside the project, or with --global for all projects"))
}

/// Returns a note on memories that an export leaves out, since they wait for trust; `None` where there
/// are none.
pub fn format_left_out_note(count: usize) -> Option<Note> {
    let left_out = format_left_out(count, "that waits for trust", "that wait for trust")?;
    Some(Note::new(left_out).with_hint(TRUST_HINT))
}

/// Formats how many memories, described as one and as several, are left out; `None` where there are none.
fn format_left_out(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 memory {one} is left out")),
        n => Some(format!("{n} memories {several} are left out")),
    }
}

/// Returns notes on a memory that is shown, and the commands that go on from it.
pub fn format_shown_notes(memory: &Memory, is_raw: bool) -> Vec<Note> {
    let state = format_state_note(memory).map(Note::new).into_iter();
    let waiting = format_waiting_note(std::slice::from_ref(memory));
    let superseded = memory.front.superseded_by.as_ref();
    let superseded = superseded.map(|by| format!("it is superseded by {}", fit_line(by, COLUMNS)));
    let source = format_source_note(memory).filter(|_| !is_raw);
    let further = superseded.into_iter().chain(source).map(Note::new);
    state.chain(waiting).chain(further).collect()
}

fn format_state_note(memory: &Memory) -> Option<String> {
    let id = memory.id();
    match memory.state {
        MemoryState::Active => None,
        MemoryState::Archive => Some(format!(
            "it is archived; `session-search memory activate {id}` makes it active"
        )),
        MemoryState::Trash => Some(format!(
            "it is in the trash; `session-search memory activate {id}` takes it back"
        )),
    }
}

fn format_source_note(memory: &Memory) -> Option<String> {
    let (id, source) = (memory.id(), memory.front.source.as_ref()?);
    let session = source.session.as_ref()?;
    let whole = match &source.turns {
        Some(turns) => TurnAddress::new(session, turns).to_string(),
        None => session.clone(),
    };
    let raw = format!("`session-search memory show {id} --raw` has its words");
    let is_range = source.turns.as_deref().is_none_or(is_turn_range);
    // A repository writes it: nothing but an id becomes a command that somebody may run.
    Some(if is_plain_word(session) && is_range {
        format!(
            "saved from {whole}: {raw}, `session-search show {whole}` everything, as long as the history is there"
        )
    } else {
        format!("saved from {}: {raw}", fit_line(&whole, COLUMNS))
    })
}

/// Returns true for a number, or two with a hyphen.
fn is_turn_range(turns: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match turns.split_once('-') {
        Some((first, last)) => is_number(first) && is_number(last),
        None => is_number(turns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_memories_are_told_with_where_they_are() {
        let report = |known: usize, known_in_project: usize| ImportReport {
            known,
            known_in_project,
            ..ImportReport::default()
        };
        assert_eq!(
            format_import_report(&report(0, 0), true).to_string(),
            "0 memories imported"
        );
        assert_eq!(
            format_import_report(&report(5, 5), true).to_string(),
            "0 memories imported, 5 were here already (in this project)\nhint: delete those of the project to import them for all projects"
        );
        assert_eq!(
            format_import_report(&report(1, 0), false).to_string(),
            "0 memories imported, 1 was here already (for all projects)"
        );
    }

    #[test]
    fn an_import_outside_of_a_project_says_what_is_left_out() {
        assert_eq!(format_without_project_note(0), None);
        assert_eq!(
            format_without_project_note(2).unwrap().to_string(),
            "2 memories of a project are left out: no memories of a project are kept here\nhint: run it inside the project, or with --global for all projects"
        );
    }

    #[test]
    fn a_memory_that_was_changed_did_not_come_with_the_repository() {
        let note = |arrived: &[&str], changed: &[&str]| {
            describe_untrusted(arrived, changed).map(|note| note.text)
        };
        assert_eq!(note(&[], &[]), None);
        let came = "a came with this repository; it is not injected until you trust it";
        assert_eq!(note(&["a"], &[]).unwrap(), came);
        let changed = "b was changed outside of session-search after you saved or trusted it; it is not injected until you trust it";
        assert_eq!(note(&[], &["b"]).unwrap(), changed);
        let both = "2 memories came with this repository, 2 memories were changed outside of session-search after you saved or trusted them (b, d); they are not injected until you trust them";
        assert_eq!(note(&["a", "c"], &["b", "d"]).unwrap(), both);
        let hint = "`session-search trust` shows what waits and asks; what `session-search memory edit` changes needs no trust";
        assert_eq!(describe_untrusted(&[], &["b"]).unwrap().hints, [hint]);
    }

    #[test]
    fn a_range_of_turns_is_made_of_numbers() {
        for turns in ["0", "3-5"] {
            assert!(is_turn_range(turns), "{turns}");
        }
        for turns in ["", "3-", "-5", "1;2", "1-2-3", "٣"] {
            assert!(!is_turn_range(turns), "{turns}");
        }
    }
}
