//! `memory`: what somebody decided to keep.

mod beside;
mod edit;
mod life;
mod list;
mod save;
mod search;
mod show;
mod stats;
mod transfer;

pub use beside::{Beside, beside};
pub use search::Candidate;

use crate::Found;
use crate::args::{MemoryArgs, MemoryCommand};
use crate::command::skill;
use crate::memories::Memories;
use crate::output::json;
use anyhow::Result;
use serde::Serialize;
use session_core::text::printable;
use session_memory::Memory;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When a memory is not there, or a file cannot be written.
pub fn run(args: &MemoryArgs) -> Result<Found> {
    let memories = Memories::here()?;
    let found = match &args.command {
        MemoryCommand::Save(args) => save::run(args, &memories),
        MemoryCommand::Search(args) => search::run(args, &memories),
        MemoryCommand::List(args) => list::run(args, &memories),
        MemoryCommand::Show(args) => show::run(args, &memories),
        MemoryCommand::Today(args) => list::today(args, &memories),
        MemoryCommand::Edit(args) => edit::run(args, &memories),
        MemoryCommand::Delete(args) => life::delete(args, &memories),
        MemoryCommand::Supersede(args) => life::supersede(args, &memories),
        MemoryCommand::Archive(args) => life::archive(args, &memories),
        MemoryCommand::Activate(args) => life::activate(args, &memories),
        MemoryCommand::Export(args) => transfer::export(args, &memories),
        MemoryCommand::Import(args) => transfer::import(args, &memories),
        MemoryCommand::Stats(args) => stats::run(args, &memories),
        MemoryCommand::SyncContext(args) => transfer::sync_context(args, &memories),
    }?;
    memories.store.refresh_views();
    if let Err(error) = skill::follow(&memories.home.env) {
        note(&format!("the skill's keywords are as they were: {error:#}"))?;
    }
    Ok(found)
}

/// Says something that is no answer.
///
/// # Errors
/// When stderr cannot be written.
pub fn note(text: &str) -> Result<()> {
    Ok(writeln!(anstream::stderr(), "note: {}", printable(text))?)
}

/// Memories by their number.
fn count(memories: usize) -> String {
    match memories {
        1 => "1 memory".to_owned(),
        n => format!("{n} memories"),
    }
}

/// What became of memories.
#[derive(Serialize)]
struct Done<'a> {
    done: &'static str,
    memories: Vec<json::Memory<'a>>,
}

/// Says what became of memories.
fn done(done: &'static str, memories: &[Memory], as_json: bool) -> Result<Found> {
    if as_json {
        let memories = memories.iter().map(json::Memory::of).collect();
        json::print(&Done { done, memories })?;
    } else {
        for memory in memories {
            let topic = crate::output::layout::safe_line(&memory.front.topic);
            writeln!(
                anstream::stderr(),
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
