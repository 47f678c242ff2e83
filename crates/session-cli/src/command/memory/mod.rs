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
use crate::memories::{self, Memories};
use crate::output::notes::print_notes;
use crate::output::{json, notes};
use anyhow::Result;
use session_core::text::sanitize_text;
use session_memory::Memory;
use session_output::{JsonMemories, JsonMemoryChange, format_waiting_note};

/// Runs the command.
pub fn run(args: &MemoryArgs) -> Result<CommandOutcome> {
    let memories = memories::open_memories()?;
    match &args.command {
        MemoryCommand::Search(args) => search::run(args, &memories),
        MemoryCommand::List(args) => list::run(args, &memories),
        MemoryCommand::Show(args) => show::run(args, &memories),
        MemoryCommand::Today(args) => list::run_today(args, &memories),
        MemoryCommand::Stats(args) => stats::run(args, &memories),
        MemoryCommand::Export(args) => transfer::export(args, &memories),
        MemoryCommand::SyncContext(args) => transfer::sync_context(args, &memories),
        MemoryCommand::Save(args) => finish_change(save::run(args, &memories)?, &memories),
        MemoryCommand::Edit(args) => finish_change(edit::run(args, &memories)?, &memories),
        MemoryCommand::Delete(args) => finish_change(life::delete(args, &memories)?, &memories),
        MemoryCommand::Supersede(args) => {
            finish_change(life::supersede(args, &memories)?, &memories)
        }
        MemoryCommand::Archive(args) => finish_change(life::archive(args, &memories)?, &memories),
        MemoryCommand::Activate(args) => finish_change(life::activate(args, &memories)?, &memories),
        MemoryCommand::Import(args) => finish_change(transfer::import(args, &memories)?, &memories),
    }
}

/// Updates the skill after memories were changed, and prints what could not be. The commands that read write nothing in
/// a project.
fn finish_change(found: CommandOutcome, memories: &Memories) -> Result<CommandOutcome> {
    print_notes(memories.finish_change())?;
    Ok(found)
}

/// Notes which memories came with the repository and are not trusted.
pub fn note_waiting(memories: &[Memory]) -> Result<()> {
    print_notes(format_waiting_note(memories))
}

/// Prints what became of memories.
fn print_change(done: &'static str, memories: &[Memory], as_json: bool) -> Result<CommandOutcome> {
    if as_json {
        json::print(&JsonMemoryChange {
            done,
            memories: JsonMemories(memories),
        })?;
    } else {
        for memory in memories {
            let topic = session_display::sanitize_line(&memory.front.topic);
            notes::print_line(format_args!(
                "{} {done}: {topic}",
                sanitize_text(memory.id())
            ))?;
        }
    }
    Ok(CommandOutcome::from_found(!memories.is_empty()))
}
