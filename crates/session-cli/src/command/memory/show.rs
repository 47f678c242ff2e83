//! `memory show`.

use crate::Found;
use crate::args::MemoryShowArgs;
use crate::command::memory::{note, note_waiting};
use crate::memories::Memories;
use crate::output::json;
use anyhow::Result;
use jiff::Timestamp;
use session_core::text::printable;
use session_memory::{Memory, MemoryState, record_use};
use session_output::JsonShownMemory;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When there is no such memory.
pub fn run(args: &MemoryShowArgs, memories: &Memories) -> Result<Found> {
    let memory = memories.store.find(&args.id)?;
    let raw = match memories.store.read_conversation(&memory) {
        // Only who asks for it has to know.
        Err(_) if !args.raw => None,
        raw => raw?,
    };
    record_use(&memories.store, &[&memory], Timestamp::now());
    let is_missing = args.raw && raw.is_none();
    if args.json {
        json::print(&JsonShownMemory::new(&memory, raw.as_deref()))?;
    } else if args.raw {
        write!(
            anstream::stdout(),
            "{}",
            printable(&raw.unwrap_or_default())
        )?;
    } else {
        write!(anstream::stdout(), "{}", printable(&memory.text))?;
    }
    if is_missing {
        note("no conversation is kept beside it: it was not saved from a session")?;
        return Ok(Found::Nothing);
    }
    note_state(&memory, args.raw)?;
    Ok(Found::Something)
}

/// Prints notes on the memory and the next commands.
fn note_state(memory: &Memory, is_raw: bool) -> Result<()> {
    let id = memory.id();
    match memory.state {
        MemoryState::Active => {}
        MemoryState::Archive => note(&format!(
            "it is archived; `session-search memory activate {id}` makes it active"
        ))?,
        MemoryState::Trash => note(&format!(
            "it is in the trash; `session-search memory activate {id}` takes it back"
        ))?,
    }
    note_waiting(std::slice::from_ref(memory))?;
    if let Some(by) = &memory.front.superseded_by {
        note(&format!("it is superseded by {by}"))?;
    }
    let source = memory.front.source.as_ref();
    if let (false, Some(session)) = (is_raw, source.and_then(|s| s.session.as_ref())) {
        let turns = source
            .and_then(|s| s.turns.as_ref())
            .map(|turns| format!(":{turns}"));
        let turns = turns.unwrap_or_default();
        note(&format!(
            "saved from {session}{turns}: `session-search memory show {id} --raw` has its words, `session-search show {session}{turns}` everything, as long as the history is there"
        ))?;
    }
    Ok(())
}
