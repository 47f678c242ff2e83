//! Import of memories from other programs and from an export.

mod conversation_memory;
mod cursor_memory;
mod export;
mod known_memories;
mod section;

pub use export::{MemoryExport, export_memories};

use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::imported_memory::ImportedMemory;
use crate::content::key_info::read_items;
use crate::content::keywords::choose_keywords;
use crate::content::memory::{
    Frontmatter, Importance, Memory, MemoryKind, MemoryScope, MemorySource,
};
use crate::content::redaction::redact_imported;
use crate::error::{MemoryError, Result};
use crate::storage::insertion::{InsertedMemories, Insertion};
use crate::storage::life_cycle::record_recall;
use crate::storage::memory_store::MemoryStore;
use crate::triggers::Triggers;
use crate::trust::Trust;
use jiff::Zoned;
use known_memories::{ImportDecision, KnownMemories, keep_latest_copies};
use session_core::text::collapse_whitespace;
use session_files::{Dir, RootedPath, private, split_at_outermost_root};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// The most bytes of an export that are read.
pub const EXPORT_LIMIT: u64 = 256 << 20;

/// A format of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// The document of `memory export`.
    SessionSearch,
    /// `daily/*.md` with `index/keywords.json`.
    CursorMemory,
    /// `memories/{active,archive}/mem-*/{summary,conversation}.md`.
    ConversationMemory,
}

impl ImportFormat {
    /// All formats, the program's own first.
    pub const ALL: [Self; 3] = [
        Self::SessionSearch,
        Self::CursorMemory,
        Self::ConversationMemory,
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionSearch => "session-search",
            Self::CursorMemory => "cursor-memory",
            Self::ConversationMemory => "conversation-memory",
        }
    }

    /// Returns the default path below a project's root, if the format has one.
    pub fn default_path(self) -> Option<&'static str> {
        match self {
            Self::SessionSearch => None,
            Self::CursorMemory => Some(".cursor/skills/memory-data"),
            Self::ConversationMemory => Some(conversation_memory::DEFAULT_PATH),
        }
    }
}

/// The result of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// The memories that are new.
    pub imported: Vec<Memory>,
    /// The memories that were here and were changed later in the import, as they are now.
    pub replaced: Vec<Memory>,
    /// The ids in the trash of copies of what these were before.
    pub copies: Vec<String>,
    /// The ids here of memories that are in the trash, where they stay.
    pub in_trash: Vec<String>,
    /// The ids of trusted memories that stay as they are, since the later text of the import waits for trust.
    pub kept_trusted: Vec<String>,
    /// The ids of memories that waited for trust here, and have that of the import now.
    pub trusted: Vec<String>,
    /// The number of memories that are here already, and were not changed later in the import.
    pub known: usize,
    /// The number of these that are in the project, not the user's own.
    pub known_in_project: usize,
    /// The number of memories of a project that are left out, since there is none here: they would be injected in all
    /// projects.
    pub without_project: usize,
    /// The files that cannot be read, with the reason, one sentence each. All others are imported.
    pub skipped: Vec<String>,
}

impl Frontmatter {
    /// Makes the frontmatter of a memory of another program, which knows neither kind nor importance. The id is given when
    /// it is saved.
    fn imported(topic: &str, created: FrontmatterTime, source: MemorySource) -> Self {
        Self {
            id: String::new(),
            topic: collapse_whitespace(topic),
            kind: MemoryKind::Context,
            importance: Importance::Normal,
            tags: Vec::new(),
            keywords: Vec::new(),
            cues: Vec::new(),
            prompts: Vec::new(),
            when: Triggers::default(),
            created,
            updated: Some(created),
            superseded_by: None,
            source: Some(source),
        }
    }
}

/// The memories of another program, and the errors of those that cannot be read.
#[derive(Default)]
struct FoundMemories {
    memories: Vec<ImportedMemory>,
    skipped: Vec<MemoryError>,
}

/// The source of an import.
#[derive(Debug, Clone, Copy)]
pub enum ImportInput<'a> {
    /// A directory, or the file of an export.
    Path {
        /// The path as it was typed.
        path: &'a Path,
        /// The user's home directory, which is no repository.
        home: &'a Path,
    },
    /// The text of an export, as it is read from stdin.
    Text(&'a str),
}

impl<'a> ImportInput<'a> {
    /// Returns true for a path in a repository, whose memories are untrusted.
    fn is_in_repository(&self) -> bool {
        let Self::Path { path, home } = self else {
            return false;
        };
        let real = || fs_err::canonicalize(path).ok();
        let leads_there =
            || real().is_some_and(|real| split_at_outermost_root(&real, home).is_some());
        self.split_at_root().is_some() || leads_there()
    }

    /// Splits the path at the root of the outermost repository around it.
    fn split_at_root(&self) -> Option<RootedPath> {
        match self {
            Self::Path { path, home } => split_at_outermost_root(path, home),
            Self::Text(_) => None,
        }
    }

    /// Returns the path that errors name: `-` for a text.
    fn path(&self) -> &'a Path {
        match self {
            Self::Path { path, .. } => path,
            Self::Text(_) => Path::new("-"),
        }
    }

    fn missing(&self, format: ImportFormat) -> MemoryError {
        MemoryError::NothingToImport {
            format,
            path: self.path().to_owned(),
            what: "it is not there".to_owned(),
        }
    }

    fn open_directory(&self, format: ImportFormat) -> Result<Dir> {
        let directory = match (self, self.split_at_root()) {
            (Self::Text(_), _) => None,
            (_, Some(split)) => Dir::open(&split.root)?.directory(&split.relative)?,
            (Self::Path { path, .. }, None) => Dir::open_existing(path)?,
        };
        directory.ok_or_else(|| self.missing(format))
    }

    fn read_text(&self) -> Result<Cow<'a, str>> {
        let text = match (self, self.split_at_root()) {
            (Self::Text(text), _) => return Ok(Cow::Borrowed(text)),
            (_, Some(split)) => Dir::open(&split.root)?.read_text(&split.relative, EXPORT_LIMIT)?,
            (Self::Path { path, .. }, None) => private::read_text(path, EXPORT_LIMIT)?,
        };
        let text = text.ok_or_else(|| self.missing(ImportFormat::SessionSearch))?;
        Ok(Cow::Owned(text))
    }
}

/// Imports memories into the directory of `scope`, or else each into that of its own scope, if it has one. Those of a
/// project are left out where the store has none. What lies in a repository waits for trust and stays in the project.
///
/// A memory that is here already is not imported again: of both versions the one that was changed last is kept, so that
/// importing twice changes nothing. One that is in the trash here stays there: its user deleted it.
///
/// # Errors
/// When there is nothing to import, the directory cannot be written, or a repository's memories would
/// become global.
pub fn import_memories(
    store: &MemoryStore,
    format: ImportFormat,
    from: ImportInput<'_>,
    scope: Option<MemoryScope>,
    now: &Zoned,
) -> Result<ImportReport> {
    let is_untrusted = from.is_in_repository();
    let target = scope.or(store.directories().first().map(|directory| directory.scope));
    if target == Some(MemoryScope::Global) && is_untrusted {
        return Err(MemoryError::refused_with_hint(
            "what lies in a repository cannot become global, where nothing waits for trust",
            "import it into the project, or copy it elsewhere first",
        ));
    }
    let found = read_memories(format, from, now);
    let mut found = found.map_err(|error| store.redact_error(error))?;
    if found.memories.is_empty() && !found.skipped.is_empty() {
        return Err(found.skipped.swap_remove(0));
    }
    choose_missing_keywords(store, &mut found.memories);
    let _lock = store.records().lock_imports()?;
    let mut known = KnownMemories::read(store, target.unwrap_or(MemoryScope::Global));
    let mut imports = ImportReport {
        skipped: found.skipped.iter().map(MemoryError::to_string).collect(),
        ..ImportReport::default()
    };
    let mut accepted = AcceptedMemories::default();
    let mut trusted = Vec::new();
    for mut memory in order_replacements_first(keep_latest_copies(found.memories)) {
        if is_untrusted {
            memory.trust = Trust::Waiting;
            memory.scope = None;
        }
        match known.decide(&memory) {
            ImportDecision::Keep(stored) => {
                imports.known += 1;
                imports.known_in_project += usize::from(stored == MemoryScope::Project);
            }
            ImportDecision::Trust(stored) => {
                imports.known += 1;
                imports.known_in_project += usize::from(stored.scope == MemoryScope::Project);
                imports.trusted.push(stored.id().to_owned());
                trusted.push(*stored);
            }
            ImportDecision::LeaveInTrash(id) => imports.in_trash.push(id),
            ImportDecision::KeepTrusted(id) => imports.kept_trusted.push(id),
            ImportDecision::Replace(stored) => accepted.later.push(LaterMemory {
                memory,
                stored: *stored,
            }),
            ImportDecision::Insert if scope.is_none() && lacks_project(store, &memory) => {
                imports.without_project += 1;
            }
            ImportDecision::Insert => accepted.new.push(memory),
        }
    }
    let inserted = accepted.insert(store, &mut known, scope, now)?;
    store.trust(&trusted)?;
    // What was moved here is in use, however long ago it was written.
    let used: Vec<&Memory> = inserted.new.iter().chain(&inserted.replaced).collect();
    record_recall(store, &used, now.timestamp());
    imports.imported = inserted.new;
    imports.replaced = inserted.replaced;
    imports.copies = inserted.copies;
    Ok(imports)
}

fn read_memories(
    format: ImportFormat,
    from: ImportInput<'_>,
    now: &Zoned,
) -> Result<FoundMemories> {
    match format {
        ImportFormat::SessionSearch => Ok(FoundMemories {
            memories: export::read(from.path(), &from.read_text()?)?,
            skipped: Vec::new(),
        }),
        ImportFormat::CursorMemory => cursor_memory::read(&from.open_directory(format)?, now),
        ImportFormat::ConversationMemory => {
            conversation_memory::read(&from.open_directory(format)?, now)
        }
    }
}

/// Chooses the keywords of memories from programs that wrote none, without secrets: a part of one would not be found
/// in a keyword.
fn choose_missing_keywords(store: &MemoryStore, memories: &mut [ImportedMemory]) {
    for memory in memories {
        if memory.text.is_none() && memory.front.keywords.is_empty() {
            let redacted = redact_imported(store.redactor(), memory);
            let items = read_items(&redacted.body);
            let front = &redacted.front;
            memory.front.keywords = choose_keywords(&front.topic, &items, &front.tags);
        }
    }
}

/// Returns true for the memory of a project where the store has no directory of one.
fn lacks_project(store: &MemoryStore, memory: &ImportedMemory) -> bool {
    memory.scope == Some(MemoryScope::Project) && !store.has_scope(MemoryScope::Project)
}

/// The memories of an import that are written.
#[derive(Default)]
struct AcceptedMemories {
    /// The memories that are new.
    new: Vec<ImportedMemory>,
    /// The memories that were changed later than those here, which stand beside them.
    later: Vec<LaterMemory>,
}

impl AcceptedMemories {
    /// Inserts the new memories into the directory of `scope`, or else each into that of its own scope where there is one,
    /// and the others in the place of those here.
    fn insert(
        self,
        store: &MemoryStore,
        known: &mut KnownMemories<'_>,
        scope: Option<MemoryScope>,
        now: &Zoned,
    ) -> Result<InsertedMemories> {
        let scope_of = |memory: &ImportedMemory| {
            let kept = memory.scope.filter(|scope| store.has_scope(*scope));
            scope.or(kept)
        };
        let new = self.new.iter().map(scope_of);
        let later = self.later.iter().map(|later| Some(later.stored.scope));
        let scopes: Vec<_> = new.chain(later).collect();
        let mut insertion = Insertion::open(store, &scopes, now)?;
        for (mut memory, scope) in self.new.into_iter().zip(scopes) {
            known.rename_replacement(&mut memory)?;
            let id = insertion.add(&memory, scope)?;
            known.note_id(&memory.front.id, &id);
        }
        for LaterMemory { mut memory, stored } in self.later {
            known.rename_replacement(&mut memory)?;
            insertion.replace(&memory, stored)?;
        }
        insertion.write()
    }
}

/// A memory of an import that was changed later than the one here.
struct LaterMemory {
    memory: ImportedMemory,
    stored: Memory,
}

/// Sorts memories so that each comes after the one that replaces it, whose id is known then.
fn order_replacements_first(mut left: Vec<ImportedMemory>) -> Vec<ImportedMemory> {
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let ids: HashSet<String> = left.iter().map(|memory| memory.front.id.clone()).collect();
        let waits = |memory: &ImportedMemory| {
            let by = memory.front.superseded_by.as_ref();
            by.is_some_and(|by| ids.contains(by))
        };
        let (waiting, ready): (Vec<_>, Vec<_>) = left.into_iter().partition(waits);
        let is_cycle = ready.is_empty();
        ordered.extend(ready);
        left = waiting;
        if is_cycle {
            ordered.append(&mut left);
        }
    }
    ordered
}
