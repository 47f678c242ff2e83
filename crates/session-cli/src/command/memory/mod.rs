//! `memory`: what somebody decided to keep.

mod edit;
mod life;
mod list;
mod related;
mod save;
mod search;
mod show;
mod stats;
mod transfer;

pub use related::{RelatedMemories, find_related};

use crate::CommandOutcome;
use crate::args::{MemoryArgs, MemoryCommand};
use crate::memories;
use crate::output::notes::print_notes;
use crate::output::{json, notes};
use anyhow::Result;
use session_config::current_directory_or_home;
use session_core::text::sanitize_text;
use session_display::Note;
use session_memory::Memory;
use session_output::{JsonMemories, JsonMemoryChange, format_waiting_note};

/// Runs the command.
pub fn run(args: &MemoryArgs) -> Result<CommandOutcome> {
    let changes_memories = args.command.changes_memories();
    let memories = if changes_memories {
        memories::open_memories()?
    } else {
        memories::open_memories_in(&current_directory_or_home()?)?
    };
    let found = match &args.command {
        MemoryCommand::Search(args) => search::run(args, &memories),
        MemoryCommand::List(args) => list::run(args, &memories),
        MemoryCommand::Show(args) => show::run(args, &memories),
        MemoryCommand::Today(args) => list::run_today(args, &memories),
        MemoryCommand::Stats(args) => stats::run(args, &memories),
        MemoryCommand::Export(args) => transfer::export(args, &memories),
        MemoryCommand::SyncContext(args) => transfer::sync_context(args, &memories),
        MemoryCommand::Save(args) => save::run(args, &memories),
        MemoryCommand::Edit(args) => edit::run(args, &memories),
        MemoryCommand::Delete(args) => life::delete(args, &memories),
        MemoryCommand::Supersede(args) => life::supersede(args, &memories),
        MemoryCommand::Archive(args) => life::archive(args, &memories),
        MemoryCommand::Activate(args) => life::activate(args, &memories),
        MemoryCommand::Import(args) => transfer::import(args, &memories),
    }?;
    // The skill offers keywords of memories. The commands that read write nothing in a project.
    if changes_memories {
        print_notes(memories.finish_change())?;
    }
    Ok(found)
}

/// Notes which memories came with the repository and are not trusted.
pub fn note_waiting(memories: &[Memory]) -> Result<()> {
    print_notes(format_waiting_note(memories))
}

/// Prints what became of memories.
fn print_change(done: &'static str, memories: &[Memory], as_json: bool) -> Result<CommandOutcome> {
    print_noted_change(done, memories, &[], as_json)
}

/// Prints what became of memories, with the notes on it: as a part of JSON, which is read without stderr, too.
fn print_noted_change(
    done: &'static str,
    memories: &[Memory],
    noted: &[Note],
    as_json: bool,
) -> Result<CommandOutcome> {
    print_notes(noted)?;
    if as_json {
        let notes: Vec<String> = noted.iter().map(ToString::to_string).collect();
        json::print(&JsonMemoryChange {
            done,
            memories: JsonMemories(memories),
            notes: &notes,
        })?;
    } else {
        print_changed_lines(done, memories)?;
    }
    Ok(CommandOutcome::from_found(!memories.is_empty()))
}

/// Prints what became of memories on a line each.
fn print_changed_lines(done: &str, memories: &[Memory]) -> Result<()> {
    for memory in memories {
        let topic = session_display::sanitize_line(&memory.front.topic);
        notes::print_line(format_args!(
            "{} {done}: {topic}",
            sanitize_text(memory.id())
        ))?;
    }
    Ok(())
}
