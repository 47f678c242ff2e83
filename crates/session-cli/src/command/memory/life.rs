//! `memory delete`, `supersede`, `archive`, `activate`.

use super::save::note_moved;
use super::{note_waiting, print_change, print_changed_lines};
use crate::CommandOutcome;
use crate::args::{MemoryArchiveArgs, MemoryDeleteArgs, MemoryIdsArgs, MemorySupersedeArgs};
use crate::memories::ProjectMemories;
use crate::output::notes::print_notes;
use crate::output::{json, notes};
use anyhow::Result;
use jiff::{Timestamp, Zoned};
use session_display::{pluralize, sanitize_line};
use session_memory::{Memory, MemoryState, apply_retention, archive_memories, find_unused};
use session_output::{JsonMemories, JsonMemoryChange, JsonSupersededMemory};
use session_project_memories::{SupersededMemory, describe_inherited_fields};

/// Runs `memory delete`. Where one is not there, nothing is deleted.
pub fn delete(args: &MemoryDeleteArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let found = memories.store.find_all(&args.ids.ids)?;
    let replaced = memories.store.list_replaced_by(&found);
    let done = if args.purge {
        purge(&found, memories)?;
        print_change("removed for good", &found, args.ids.json)
    } else {
        let moved = memories.store.move_all(&found, MemoryState::Trash)?;
        print_moved("put into the trash", &found, &moved, args.ids.json)
    };
    note_unreplaced(&replaced, memories)?;
    done
}

/// Removes memories for good, also from the context sheet and the skills, and notes what cannot be changed.
fn purge(found: &[Memory], memories: &ProjectMemories) -> Result<()> {
    print_notes(memories.purge(found, &Zoned::now())?)
}

/// Notes which memories count again, since what replaced them is deleted.
fn note_unreplaced(replaced: &[Memory], memories: &ProjectMemories) -> Result<()> {
    let unreplaced = memories.store.list_unreplaced(replaced);
    print_notes(unreplaced.iter().map(|memory| {
        let (id, topic) = (memory.id(), sanitize_line(&memory.front.topic));
        format!("{id} counts again, since what replaced it is deleted: {topic}")
    }))
}

/// Runs `memory archive`. Where one is not there, nothing is archived.
pub fn archive(args: &MemoryArchiveArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let now = Timestamp::now();
    let found = match args.older_than {
        Some(days) => find_unused(&memories.store, MemoryState::Active, days, now),
        None => memories.store.find_all(&args.ids)?,
    };
    let archived = archive_memories(&memories.store, &found, now)?;
    note_moved(&apply_retention(&memories.store, &memories.retention, now)?)?;
    if let (Some(days), true) = (args.older_than, archived.is_empty()) {
        let days = pluralize(days as usize, "day");
        notes::print_line(format_args!("no active memory was left alone for {days}"))?;
    }
    print_moved("archived", &found, &archived, args.json)
}

/// Runs `memory activate`. Where one is not there, nothing is activated.
pub fn activate(args: &MemoryIdsArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let found = memories.store.find_all(&args.ids)?;
    let active = memories.store.activate(&found, &Zoned::now())?;
    let recalled: Vec<&Memory> = active.iter().collect();
    memories.record_recall(&recalled);
    note_waiting(&active)?;
    print_moved("active", &found, &active, args.json)
}

/// Runs `memory supersede`.
pub fn supersede(args: &MemorySupersedeArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let SupersededMemory {
        memory,
        inherited,
        failure,
    } = memories.supersede(&args.old, &args.by, &Zoned::now())?;
    let done = "superseded";
    let by = memory.front.superseded_by.as_deref().unwrap_or(&args.by);
    print_notes(&failure)?;
    print_notes(describe_inherited_fields(by, &inherited))?;
    if args.json {
        let notes: Vec<String> = failure.iter().map(ToString::to_string).collect();
        json::print(&JsonSupersededMemory {
            change: JsonMemoryChange {
                done,
                memories: JsonMemories(std::slice::from_ref(&memory)),
                notes: &notes,
            },
            inherited: &inherited,
        })?;
    } else {
        print_changed_lines(done, &[memory])?;
    }
    Ok(CommandOutcome::Found)
}

/// Prints what became of memories, and which were so before.
fn print_moved(
    done: &'static str,
    before: &[Memory],
    after: &[Memory],
    as_json: bool,
) -> Result<CommandOutcome> {
    if as_json || after.is_empty() {
        return print_change(done, after, as_json);
    }
    for (before, after) in before.iter().zip(after) {
        let is_same =
            before.state == after.state && before.front.superseded_by == after.front.superseded_by;
        let done = match (is_same, after.state) {
            (false, _) => done,
            (true, MemoryState::Active) => "is active already",
            (true, MemoryState::Archive) => "is archived already",
            (true, MemoryState::Trash) => "is in the trash already",
        };
        print_change(done, std::slice::from_ref(after), as_json)?;
    }
    Ok(CommandOutcome::Found)
}
