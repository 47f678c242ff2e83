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
use crate::memories::{self, ProjectMemories};
use crate::output::notes::print_notes;
use crate::output::{json, notes};
use anyhow::Result;
use session_config::{current_directory, current_directory_or_home};
use session_core::text::sanitize_text;
use session_display::Note;
use session_memory::Memory;
use session_output::{JsonMemories, JsonMemoryChange, format_waiting_note};

const FOLDER_GONE: &str =
    "the current folder is gone, or may not be read: only memories for all projects are used";

/// Runs the command.
pub fn run(args: &MemoryArgs) -> Result<CommandOutcome> {
    let changes_memories = args.command.changes_memories();
    let is_export = matches!(args.command, MemoryCommand::Export(_));
    let memories = if changes_memories || is_export {
        memories::open_memories()?
    } else {
        open_memories_to_read()?
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

/// Opens the memories of the current directory, or those for all projects where it is gone.
fn open_memories_to_read() -> Result<ProjectMemories> {
    let is_gone = current_directory().is_err();
    print_notes(is_gone.then_some(FOLDER_GONE))?;
    memories::open_memories_in(&current_directory_or_home()?)
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
