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

pub use related::{RelatedMemories, related};

use crate::Found;
use crate::args::{MemoryArgs, MemoryCommand};
use crate::command::skill;
use crate::memories::{self, Memories};
use crate::output::{json, notes};
use anyhow::Result;
use session_core::text::printable;
use session_memory::Memory;
use session_output::{JsonMemoryChange, waiting_note};
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When a memory is not there, or a file cannot be written.
pub fn run(args: &MemoryArgs) -> Result<Found> {
    let memories = memories::open()?;
    match &args.command {
        MemoryCommand::Search(args) => search::run(args, &memories),
        MemoryCommand::List(args) => list::run(args, &memories),
        MemoryCommand::Show(args) => show::run(args, &memories),
        MemoryCommand::Today(args) => list::run_today(args, &memories),
        MemoryCommand::Stats(args) => stats::run(args, &memories),
        MemoryCommand::Export(args) => transfer::export(args, &memories),
        MemoryCommand::SyncContext(args) => transfer::sync_context(args, &memories),
        MemoryCommand::Save(args) => changed(save::run(args, &memories)?, &memories),
        MemoryCommand::Edit(args) => changed(edit::run(args, &memories)?, &memories),
        MemoryCommand::Delete(args) => changed(life::delete(args, &memories)?, &memories),
        MemoryCommand::Supersede(args) => changed(life::supersede(args, &memories)?, &memories),
        MemoryCommand::Archive(args) => changed(life::archive(args, &memories)?, &memories),
        MemoryCommand::Activate(args) => changed(life::activate(args, &memories)?, &memories),
        MemoryCommand::Import(args) => changed(transfer::import(args, &memories)?, &memories),
    }
}

/// After memories were changed: what follows them, and what could not. The commands that read
/// write nothing in a project.
fn changed(found: Found, memories: &Memories) -> Result<Found> {
    for text in skill::follow_memories(memories) {
        note(&text)?;
    }
    Ok(found)
}

/// Says which memories came with the repository and are not trusted.
///
/// # Errors
/// When stderr cannot be written.
pub fn note_waiting(memories: &[Memory]) -> Result<()> {
    waiting_note(memories).map_or(Ok(()), |text| note(&text))
}

/// Says something that is no answer.
///
/// # Errors
/// When stderr cannot be written.
pub fn note(text: &str) -> Result<()> {
    let text = notes::unbreak_folders(text);
    Ok(writeln!(notes::stderr(), "note: {}", printable(&text))?)
}

/// Says what became of memories.
fn print_change(done: &'static str, memories: &[Memory], as_json: bool) -> Result<Found> {
    if as_json {
        json::print(&JsonMemoryChange::new(done, memories))?;
    } else {
        for memory in memories {
            let topic = session_display::safe_line(&memory.front.topic);
            writeln!(
                notes::stderr(),
                "{} {done}: {topic}",
                printable(memory.id())
            )?;
        }
    }
    match memories.is_empty() {
        true => Ok(Found::Nothing),
        false => Ok(Found::Something),
    }
}
