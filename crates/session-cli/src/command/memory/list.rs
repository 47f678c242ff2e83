//! `memory list` and `memory today`.

use crate::CommandOutcome;
use crate::args::{JsonFlagArgs, MemoryListArgs};
use crate::command::memory::note_waiting;
use crate::memories::{self, ProjectMemories};
use crate::output::{self, json, notes, terminal_width};
use anyhow::Result;
use jiff::Zoned;
use session_memory::{Memory, MemoryState, normalize_tag};
use session_output::{JsonMemories, format_memories};
use std::collections::HashMap;

/// Runs `memory list`.
pub fn run(args: &MemoryListArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let states: &[MemoryState] = if args.all {
        &MemoryState::ALL
    } else if args.archived {
        &[MemoryState::Archive]
    } else if args.trash {
        &[MemoryState::Trash]
    } else {
        &[MemoryState::Active]
    };
    let mut listed = memories::list_changed_in(memories, states, &args.time)?;
    let tag = args.tag.as_deref().map(normalize_tag);
    listed.retain(|memory| {
        args.kind.is_none_or(|kind| memory.front.kind == kind)
            && tag
                .as_ref()
                .is_none_or(|tag| memory.front.tags.contains(tag))
    });
    let message = if listed.is_empty() {
        empty_message(args, memories)
    } else {
        ""
    };
    print_memories(&listed, args.json, message)
}

fn empty_message(args: &MemoryListArgs, memories: &ProjectMemories) -> &'static str {
    if args.time.is_given() {
        "no memory was changed last in that time"
    } else if args.kind.is_some() && args.tag.is_some() {
        "no memory is of that kind with that tag"
    } else if args.kind.is_some() {
        "no memory is of that kind"
    } else if args.tag.is_some() {
        "no memory has that tag"
    } else if args.archived {
        "no memory is archived"
    } else if args.trash {
        "the trash is empty"
    } else {
        describe_no_active_memory(memories)
    }
}

/// Returns that no memory is active, and what helps.
pub fn describe_no_active_memory(memories: &ProjectMemories) -> &'static str {
    // What cannot be read was noted before.
    let archived = memories.list_recent(&[MemoryState::Archive]).memories;
    if !archived.is_empty() {
        "no memory is active\nhint: `session-search memory list --archived` lists the others"
    } else {
        "no memories yet\nhint: `session-search memory save --topic T --info I` keeps one"
    }
}

/// Runs `memory today`.
pub fn run_today(args: &JsonFlagArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let today = Zoned::now().strftime("%Y-%m-%d").to_string();
    let states = [MemoryState::Active, MemoryState::Archive];
    let mut listed = memories::print_damaged(memories.store.list(&states))?;
    listed.retain(|memory| memory.day() == today);
    print_memories(&listed, args.json, "nothing was saved today")
}

fn print_memories(listed: &[Memory], as_json: bool, nothing: &str) -> Result<CommandOutcome> {
    if as_json {
        json::print(&HashMap::from([("memories", JsonMemories(listed))]))?;
    } else if listed.is_empty() {
        notes::print_reason(nothing)?;
    } else {
        output::print(format_memories(listed, terminal_width()))?;
    }
    if !as_json {
        note_waiting(listed)?;
    }
    Ok(CommandOutcome::from_found(!listed.is_empty()))
}
