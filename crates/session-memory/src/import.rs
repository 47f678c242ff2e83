//! Memories of other programs, and of an export.

mod conversation;
mod cursor;
mod export;
mod section;

pub use export::{Exported, export};

use crate::error::{MemoryError, Result};
use crate::memory::{Memory, Scope, State};
use crate::store::{Imported, Store};
use crate::trust::Trust;
use jiff::Zoned;
use session_files::{Dir, outermost_root, private};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Most bytes of an export.
const EXPORT_LIMIT: u64 = 256 << 20;

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

/// Where memories are imported from: a folder, a file of an export, or `-`, which is stdin.
#[derive(Debug, Clone, Copy)]
pub struct ImportPath<'a> {
    /// As it was named.
    pub path: &'a Path,
    /// The user's home directory, in which no repository is looked for.
    pub home: &'a Path,
}

impl ImportPath<'_> {
    /// True for what a repository holds: it is opened beneath the root, and waits for trust.
    pub fn is_of_repository(&self) -> bool {
        let led = || fs_err::canonicalize(self.path).ok();
        let leads_there = || led().is_some_and(|real| outermost_root(&real, self.home).is_some());
        !self.is_stdin() && (self.beneath().is_some() || leads_there())
    }

    fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The outermost root around it, and where it lies from there by its name.
    fn beneath(&self) -> Option<(PathBuf, PathBuf)> {
        outermost_root(self.path, self.home).filter(|_| !self.is_stdin())
    }

    fn missing(&self) -> MemoryError {
        MemoryError::NothingToImport {
            path: self.path.to_owned(),
            what: "it is not there".to_owned(),
        }
    }

    fn folder(&self) -> Result<Dir> {
        let folder = match self.beneath() {
            Some((root, path)) => Dir::open(&root)?.directory(&path)?,
            None => Some(Dir::open(self.path)?),
        };
        folder.ok_or_else(|| self.missing())
    }

    fn text(&self) -> Result<String> {
        let text = match self.beneath() {
            _ if self.is_stdin() => Some(std::io::read_to_string(std::io::stdin())?),
            Some((root, path)) => Dir::open(&root)?.read_text(&path, EXPORT_LIMIT)?,
            None => private::read_text(self.path, EXPORT_LIMIT)?,
        };
        text.ok_or_else(|| self.missing())
    }
}

/// Takes memories over. What came from the same place before is left out, so that
/// importing twice changes nothing.
///
/// # Errors
/// When there is nothing to import, the folder cannot be written, or a repository's memories would
/// become global.
pub fn import(
    store: &Store,
    format: Format,
    from: ImportPath<'_>,
    scope: Option<Scope>,
    now: &Zoned,
) -> Result<Imports> {
    let trust = match from.is_of_repository() {
        true => Trust::Waiting,
        false => Trust::Own,
    };
    let target = scope.or(store.places().first().map(|place| place.scope));
    if target == Some(Scope::Global) && !trust.is_given() {
        return Err(MemoryError::Refused(
            "what lies in a repository cannot become global, where nothing waits for trust\nhint: import it into the project, or copy it elsewhere first".to_owned(),
        ));
    }
    let found = match format {
        Format::SessionSearch => export::read(from.path, &from.text()?)?,
        Format::CursorMemory => cursor::read(&from.folder()?, now)?,
        Format::ConversationMemory => conversation::read(&from.folder()?, now)?,
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
            false => imports
                .imported
                .push(store.put(&memory, scope, trust, now)?),
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
