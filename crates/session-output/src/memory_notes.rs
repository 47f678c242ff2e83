//! Notes on memories: which wait for trust, which were moved, where one comes from.

use session_core::TurnAddress;
use session_core::shell::is_plain_word;
use session_display::{Note, fit_line, pluralize};
use session_memory::{DamagedFile, ImportReport, Memory, MemoryState, Trust};

/// Most ids that a note names.
const MAX_NAMED: usize = 5;
/// Most columns of a text of a memory's file.
const COLUMNS: usize = 80;
/// The command that takes a memory out of the trash.
const ACTIVATE_HINT: &str = "`session-search memory activate ID` takes one back";
/// The command that shows the memories without trust.
const TRUST_HINT: &str = "`session-search trust` shows what waits and asks";

/// How a memory came here of which this machine knows nothing: who moves a folder leaves the knowledge behind.
const ARRIVED: &str = "came with this repository or by a move of its folder";

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
        [id] => Some(format!("{id} {ARRIVED}")),
        ids => Some(format!("{} memories {ARRIVED}", ids.len())),
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
        // A change by options is one of what nobody has seen whole.
        _ => format!(
            "{TRUST_HINT}; what you change in your editor by `session-search memory edit ID` needs no trust"
        ),
    };
    Some(Note::new(format!("{}; {consequence}", which.join(", "))).with_hint(hint))
}

/// Formats why a file is left out, with the line of the mistake. The damage of a directory says what becomes of its memories.
pub fn format_damaged_file(damage: &DamagedFile) -> String {
    let is_file = damage.line.is_some() || damage.path.is_file();
    let end = if is_file { "; left out" } else { "" };
    let note = Note::new(format!("{damage}{end}"));
    note.with_hints(damage.hint.as_deref()).to_string()
}

/// Formats how many memories were imported or replaced, and how many were known and where. `is_global` is true where they
/// were imported for all projects.
pub fn format_import_report(report: &ImportReport, is_global: bool) -> Note {
    let imported = pluralize(report.imported.len(), "memory");
    let replaced = match report.replaced.len() {
        0 => String::new(),
        1 => ", 1 replaced by its later version".to_owned(),
        n => format!(", {n} replaced by their later versions"),
    };
    let in_project = report.known_in_project;
    let place = match report.known - in_project {
        0 => "in this project".to_owned(),
        _ if in_project == 0 => "for all projects".to_owned(),
        global => format!("{in_project} in this project, {global} for all projects"),
    };
    let known = match report.known {
        0 => return Note::new(format!("{imported} imported{replaced}")),
        1 => "1 was here already".to_owned(),
        n => format!("{n} were here already"),
    };
    let hint = "delete those of the project with --purge to import them for all projects";
    let hint = (is_global && in_project > 0).then_some(hint);
    Note::new(format!("{imported} imported{replaced}, {known} ({place})")).with_hints(hint)
}

/// Returns notes on the memories that an import replaced, and on those that it left as they were although the import has
/// others.
pub fn format_import_notes(report: &ImportReport) -> Vec<Note> {
    let is_deleted = |memory: &&Memory| memory.state == MemoryState::Trash;
    let (deleted, changed): (Vec<_>, Vec<_>) = report.replaced.iter().partition(is_deleted);
    let changed = name_memories(
        "replaced by what the import changed later",
        changed.iter().map(|memory| memory.id()),
    );
    let deleted = name_memories(
        "changed and deleted in the import, and so in the trash now",
        deleted.iter().map(|memory| memory.id()),
    );
    let in_trash = name_memories("deleted here, and left in the trash", &report.in_trash);
    let kept = name_memories(
        "left as they are, since what the repository changed later would wait for trust",
        &report.kept_trusted,
    );
    let trusted = name_memories("trusted here now, as in the import", &report.trusted);
    let copies = name_memories("in the trash is what they were before", &report.copies);
    let again = format!("{ACTIVATE_HINT}; another import then brings what was changed later");
    let notes = [
        changed,
        deleted.map(|note| note.with_hint(ACTIVATE_HINT)),
        copies.map(|note| note.with_hint(ACTIVATE_HINT)),
        in_trash.map(|note| note.with_hint(again)),
        kept,
        trusted,
    ];
    notes.into_iter().flatten().collect()
}

/// Names memories by their ids; `None` if there are none.
fn name_memories(what: &str, ids: impl IntoIterator<Item = impl AsRef<str>>) -> Option<Note> {
    let ids = ids.into_iter().map(|id| id.as_ref().to_owned());
    let ids: Vec<String> = ids.collect();
    (!ids.is_empty()).then(|| Note::new(format!("{what}: {}", ids.join(", "))))
}

/// Returns a note on memories of a project that an import leaves out, since it is run in none; `None` if there are
/// none.
pub fn format_without_project_note(count: usize) -> Option<Note> {
    let left_out = format_left_out(count, "of a project", "of a project")?;
    let text = format!("{left_out}: no memories of a project are kept here");
    Some(Note::new(text).with_hint("run it inside the project, or with --global for all projects"))
}

/// Returns a note on memories that an export leaves out, since they wait for trust; `None` if there
/// are none.
pub fn format_left_out_note(count: usize) -> Option<Note> {
    let left_out = format_left_out(count, "that waits for trust", "that wait for trust")?;
    Some(Note::new(left_out).with_hint(TRUST_HINT))
}

/// Formats how many memories, described as one and as several, are left out; `None` if there are none.
fn format_left_out(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 memory {one} is left out")),
        n => Some(format!("{n} memories {several} are left out")),
    }
}

/// The part of a memory that is shown, and whether its conversation is kept beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownPart {
    /// Its file; the conversation is kept here.
    File,
    /// Its file; no conversation is kept here.
    FileAlone,
    /// The conversation.
    Conversation,
}

/// Returns notes on a memory that is shown, and the commands that go on from it.
pub fn format_shown_notes(memory: &Memory, part: ShownPart) -> Vec<Note> {
    let state = format_state_note(memory).map(Note::new).into_iter();
    let waiting = format_waiting_note(std::slice::from_ref(memory));
    let superseded = memory.front.superseded_by.as_ref();
    let superseded = superseded.map(|by| format!("it is superseded by {}", fit_line(by, COLUMNS)));
    let source = match part {
        ShownPart::File => format_source_note(memory, true),
        ShownPart::FileAlone => format_source_note(memory, false),
        ShownPart::Conversation => None,
    };
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

/// Formats the turns that a memory was saved from, and the commands that show them.
fn format_source_note(memory: &Memory, has_conversation: bool) -> Option<String> {
    let source = SourceTurns::new(memory)?;
    let raw = format!(
        "`session-search memory show {} --raw` has its words",
        memory.id()
    );
    let raw = has_conversation.then_some(raw);
    let show = source.command().map(|show| {
        let has = if raw.is_some() {
            "everything"
        } else {
            "has it"
        };
        format!("{show} {has}, as long as the history is there")
    });
    let ways: Vec<String> = raw.into_iter().chain(show).collect();
    let name = source.name();
    Some(match ways.is_empty() {
        true => format!("saved from {name}"),
        false => format!("saved from {name}: {}", ways.join(", ")),
    })
}

/// Returns a note that no conversation is kept beside a memory, and the turns that it was saved from: git ignores kept
/// text, which stays in the checkout where the memory was saved.
pub fn format_no_conversation_note(memory: &Memory) -> Note {
    let Some(source) = SourceTurns::new(memory) else {
        return Note::new("no conversation is kept beside it: it was not saved from a session");
    };
    let name = source.name();
    let note = Note::new(format!(
        "its conversation is not kept here: it was saved from {name}"
    ));
    let show = source.command();
    note.with_hints(show.map(|show| format!("{show} has it, as long as the history is there")))
}

/// The turns that a memory was saved from.
struct SourceTurns {
    /// The session and its turns as `show` takes them.
    address: String,
    /// Nothing but an id becomes a command that somebody may run: a repository writes it.
    is_plain: bool,
}

impl SourceTurns {
    fn new(memory: &Memory) -> Option<Self> {
        let source = memory.front.source.as_ref()?;
        let session = source.session.as_ref()?;
        let is_range = source.turns.as_deref().is_none_or(is_turn_range);
        Some(Self {
            address: match &source.turns {
                Some(turns) => TurnAddress::new(session, turns).to_string(),
                None => session.clone(),
            },
            is_plain: is_plain_word(session) && is_range,
        })
    }

    fn name(&self) -> String {
        if self.is_plain {
            self.address.clone()
        } else {
            fit_line(&self.address, COLUMNS)
        }
    }

    fn command(&self) -> Option<String> {
        self.is_plain
            .then(|| format!("`session-search show {}`", self.address))
    }
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
            "0 memories imported, 5 were here already (in this project)\nhint: delete those of the project with --purge to import them for all projects"
        );
        assert_eq!(
            format_import_report(&report(1, 0), false).to_string(),
            "0 memories imported, 1 was here already (for all projects)"
        );
    }

    #[test]
    fn a_damaged_file_is_named_with_its_remedy() {
        let damage = DamagedFile {
            path: "m.md".into(),
            line: Some(4),
            reason: "it has an unresolved git conflict".to_owned(),
            hint: Some("keep one version".to_owned()),
        };
        let expected =
            "m.md, line 4: it has an unresolved git conflict; left out\nhint: keep one version";
        assert_eq!(format_damaged_file(&damage), expected);
        let of_directory = DamagedFile {
            path: ".".into(),
            line: None,
            reason: "none of its memories counts as trusted: so".to_owned(),
            hint: None,
        };
        let expected = ".: none of its memories counts as trusted: so";
        assert_eq!(format_damaged_file(&of_directory), expected);
    }

    #[test]
    fn memories_that_an_import_left_as_they_are_are_named() {
        let report = ImportReport {
            copies: vec!["mem-4".into()],
            in_trash: vec!["mem-1".into(), "mem-2".into()],
            kept_trusted: vec!["mem-3".into()],
            trusted: vec!["mem-5".into()],
            ..ImportReport::default()
        };
        let notes = format_import_notes(&report);
        let notes: Vec<String> = notes.iter().map(Note::to_string).collect();
        assert_eq!(
            notes,
            [
                "in the trash is what they were before: mem-4\nhint: `session-search memory activate ID` takes one back",
                "deleted here, and left in the trash: mem-1, mem-2\nhint: `session-search memory activate ID` takes one back; another import then brings what was changed later",
                "left as they are, since what the repository changed later would wait for trust: mem-3",
                "trusted here now, as in the import: mem-5"
            ]
        );
        assert!(format_import_notes(&ImportReport::default()).is_empty());
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
        let came = "a came with this repository or by a move of its folder; it is not injected until you trust it";
        assert_eq!(note(&["a"], &[]).unwrap(), came);
        let changed = "b was changed outside of session-search after you saved or trusted it; it is not injected until you trust it";
        assert_eq!(note(&[], &["b"]).unwrap(), changed);
        let both = "2 memories came with this repository or by a move of its folder, 2 memories were changed outside of session-search after you saved or trusted them (b, d); they are not injected until you trust them";
        assert_eq!(note(&["a", "c"], &["b", "d"]).unwrap(), both);
        let hint = "`session-search trust` shows what waits and asks; what you change in your editor by `session-search memory edit ID` needs no trust";
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
