//! Memories of other programs, and of an export.

mod conversation;
mod cursor;
mod export;
mod section;

pub use export::{Exported, export};

use crate::error::Result;
use crate::memory::{Memory, Scope, State};
use crate::store::{Imported, Store};
use jiff::Zoned;
use std::collections::HashSet;
use std::path::Path;

/// A format that memories come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// What `memory export` writes.
    SessionSearch,
    /// `daily/*.md` with `index/keywords.json`.
    CursorMemory,
    /// `memories/{active,archive}/mem-*/{summary,conversation}.md`.
    ConversationMemory,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionSearch => "session-search",
            Self::CursorMemory => "cursor-memory",
            Self::ConversationMemory => "conversation-memory",
        }
    }

    /// Where it lies below a project's root.
    pub fn usual_place(self) -> Option<&'static str> {
        match self {
            Self::SessionSearch => None,
            Self::CursorMemory => Some(".cursor/skills/memory-data"),
            Self::ConversationMemory => Some(conversation::PLACE),
        }
    }
}

/// What an import did.
#[derive(Debug, Clone, Default)]
pub struct Imports {
    /// What is new.
    pub imported: Vec<Memory>,
    /// How many were there already, from an earlier import.
    pub known: usize,
}

/// Takes memories over. What came from the same place before is left out, so that
/// importing twice changes nothing.
///
/// # Errors
/// When there is nothing to import, or the folder cannot be written.
pub fn import(
    store: &Store,
    format: Format,
    path: &Path,
    scope: Option<Scope>,
    now: &Zoned,
) -> Result<Imports> {
    let found = match format {
        Format::SessionSearch => export::read(path)?,
        Format::CursorMemory => cursor::read(path, now)?,
        Format::ConversationMemory => conversation::read(path, now)?,
    };
    let mut known: HashSet<String> = store
        .list(&State::ALL)
        .memories
        .iter()
        .filter_map(|memory| origin(&memory.front))
        .collect();
    let mut imports = Imports::default();
    for memory in found {
        let is_known = match origin(&memory.front) {
            Some(origin) => !known.insert(origin),
            None => is_same(store, &memory),
        };
        match is_known {
            true => imports.known += 1,
            false => imports.imported.push(store.put(&memory, scope, now)?),
        }
    }
    Ok(imports)
}

/// Where a memory was imported from.
fn origin(front: &crate::memory::Front) -> Option<String> {
    let source = front.source.as_ref()?;
    Some(format!(
        "{} {}",
        source.imported.as_ref()?,
        source.origin.as_ref()?
    ))
}

/// True when the store has a memory with its id that says the same.
fn is_same(store: &Store, memory: &Imported) -> bool {
    let own = store.find(&memory.front.id);
    own.is_ok_and(|own| own.front == memory.front && own.body.trim() == memory.body.trim())
}
