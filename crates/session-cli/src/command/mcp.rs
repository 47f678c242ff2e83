//! `mcp`: the server for agents.

use crate::Found;
use crate::command::{background, skill};
use crate::error::message_with_hint;
use anyhow::Result;
use session_mcp::{ServerHooks, serve_stdio};
use session_query::Memories;

/// Runs the command.
///
/// # Errors
/// When the client does not speak the protocol.
pub fn run() -> Result<Found> {
    serve_stdio(ServerHooks {
        describe_error: message_with_hint,
        start_embedding: background::start,
        memories_changed: follow_memories,
    })?;
    Ok(Found::Something)
}

/// Updates what follows the memories, as `memory save` does.
fn follow_memories(memories: &Memories) -> Vec<String> {
    let foreign = memories.store.foreign_views().into_iter();
    let mut notes: Vec<String> = foreign
        .map(|path| {
            format!(
                "{} was not written here, and is left as it is",
                path.display()
            )
        })
        .collect();
    if let Err(error) = skill::follow(&memories.home.env, memories.store.records()) {
        notes.push(format!("the skill's keywords are as they were: {error:#}"));
    }
    notes
}
