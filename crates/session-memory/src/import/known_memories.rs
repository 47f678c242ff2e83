//! The memories that are stored already, which an import may bring again.

use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::imported_memory::ImportedMemory;
use crate::content::memory::{Frontmatter, Memory, MemoryScope, MemoryState};
use crate::content::memory_change::{REPLACEMENT_KEY, set_front_key};
use crate::content::redaction::redact_imported;
use crate::error::Result;
use crate::storage::memory_store::MemoryStore;
use crate::text::yaml_file as yaml;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The decision about a memory of an import.
#[derive(Debug)]
pub(super) enum ImportDecision {
    /// It is new.
    Insert,
    /// It was changed later than this one, which is the same memory.
    Replace(Box<Memory>),
    /// It is in a directory of this scope already, and was not changed later.
    Keep(MemoryScope),
    /// It is in the trash here under this id: its user deleted it.
    LeaveInTrash(String),
    /// It was changed later than the one of this id, and would wait for trust in the place of a trusted one.
    KeepTrusted(String),
}

/// The part of a memory that stays when it is changed. The id alone is no proof: two machines may choose the same.
#[derive(PartialEq, Eq, Hash)]
struct MemoryIdentity {
    id: String,
    created: FrontmatterTime,
}

impl MemoryIdentity {
    fn new(front: &Frontmatter) -> Self {
        Self {
            id: front.id.clone(),
            created: front.created,
        }
    }
}

/// The part of a memory that its copies have in common, whatever their ids are.
#[derive(PartialEq, Eq, Hash)]
struct ImportedContent {
    created: FrontmatterTime,
    topic: String,
    body: String,
}

impl ImportedContent {
    fn new(front: &Frontmatter, body: &str) -> Self {
        Self {
            created: front.created,
            topic: front.topic.clone(),
            body: body.trim().to_owned(),
        }
    }
}

/// The memories that are stored already, and the ids that imported ones have here.
pub(super) struct KnownMemories<'a> {
    store: &'a MemoryStore,
    /// The stored memories, those in the trash last.
    memories: Vec<Memory>,
    /// The positions of stored memories by what identifies them, by content and by origin.
    identities: HashMap<MemoryIdentity, usize>,
    contents: HashMap<ImportedContent, usize>,
    origins: HashMap<String, usize>,
    /// The origins of memories that are new.
    new_origins: HashSet<String>,
    /// The scope of what is imported.
    target: MemoryScope,
    /// The ids of memories whose id in the import is another one.
    renamed: HashMap<String, String>,
}

impl<'a> KnownMemories<'a> {
    /// Reads the stored memories in all states. Of several files of one memory the one in use counts.
    pub(super) fn read(store: &'a MemoryStore, target: MemoryScope) -> Self {
        let mut memories = store.list(&MemoryState::ALL).memories;
        memories.sort_by_key(|memory| memory.state == MemoryState::Trash);
        let mut known = Self {
            store,
            memories: Vec::new(),
            identities: HashMap::new(),
            contents: HashMap::new(),
            origins: HashMap::new(),
            new_origins: HashSet::new(),
            target,
            renamed: HashMap::new(),
        };
        for (position, memory) in memories.iter().enumerate() {
            let front = &memory.front;
            let identity = MemoryIdentity::new(front);
            known.identities.entry(identity).or_insert(position);
            let content = ImportedContent::new(front, &memory.body);
            known.contents.entry(content).or_insert(position);
            if let Some(origin) = origin(front) {
                known.origins.entry(origin).or_insert(position);
            }
        }
        known.memories = memories;
        known
    }

    /// Decides about a memory of an import, and notes the id that it has here.
    pub(super) fn decide(&mut self, memory: &ImportedMemory) -> ImportDecision {
        let redacted = redact_imported(self.store.redactor(), memory);
        let front = &redacted.front;
        let identity = self.identities.get(&MemoryIdentity::new(front)).copied();
        let content = ImportedContent::new(front, &redacted.body);
        let same = identity.or(self.contents.get(&content).copied());
        if let Some(same) = same {
            let id = self.memories[same].id().to_owned();
            self.note_id(&memory.front.id, &id);
        }
        // Another program's memory is known by where it stood: two of its files may say the same.
        let origin = origin(front).filter(|_| identity.is_none());
        let Some(origin) = origin else {
            let stored = same.map(|same| &self.memories[same]);
            return stored.map_or(ImportDecision::Insert, |stored| compare(stored, memory));
        };
        match self.origins.get(&origin) {
            Some(stored) => compare_origin(&self.memories[*stored]),
            None if self.new_origins.insert(origin) => ImportDecision::Insert,
            None => ImportDecision::Keep(self.target),
        }
    }

    /// Notes the id that a memory of the import has here.
    pub(super) fn note_id(&mut self, imported: &str, stored: &str) {
        if imported != stored {
            self.renamed.insert(imported.to_owned(), stored.to_owned());
        }
    }

    /// Sets the replacement of a memory to the id that it has here.
    ///
    /// # Errors
    /// When the memory's file cannot be changed so.
    pub(super) fn rename_replacement(&self, memory: &mut ImportedMemory) -> Result<()> {
        let by = memory.front.superseded_by.as_ref();
        let Some(new) = by.and_then(|by| self.renamed.get(by)) else {
            return Ok(());
        };
        if let Some(text) = &memory.text {
            let parts = yaml::split_file(text, Path::new(&memory.front.id))?;
            let front = set_front_key(parts.yaml, REPLACEMENT_KEY, new)?;
            memory.text = Some(yaml::join_file(&front, parts.body));
        }
        memory.front.superseded_by = Some(new.clone());
        Ok(())
    }
}

/// Decides about a memory that is stored already.
fn compare(stored: &Memory, memory: &ImportedMemory) -> ImportDecision {
    let is_later = memory.updated() > stored.updated();
    let loses_trust = stored.trust.is_trusted() && !memory.trust.is_trusted();
    match stored.state {
        MemoryState::Trash if memory.state != MemoryState::Trash => leave_in_trash(stored),
        MemoryState::Trash => ImportDecision::Keep(stored.scope),
        _ if !is_later => ImportDecision::Keep(stored.scope),
        _ if loses_trust => ImportDecision::KeepTrusted(stored.id().to_owned()),
        _ => ImportDecision::Replace(Box::new(stored.clone())),
    }
}

/// Decides about a memory of another program that an earlier import brought. That program notes no changes.
fn compare_origin(stored: &Memory) -> ImportDecision {
    match stored.state {
        MemoryState::Trash => leave_in_trash(stored),
        MemoryState::Active | MemoryState::Archive => ImportDecision::Keep(stored.scope),
    }
}

fn leave_in_trash(stored: &Memory) -> ImportDecision {
    ImportDecision::LeaveInTrash(stored.id().to_owned())
}

/// Keeps one of several copies of a memory: not one in the trash, and of the others the one that was changed last. An export
/// has two where git brought a deleted memory back, or an import replaced one.
pub(super) fn keep_latest_copies(mut memories: Vec<ImportedMemory>) -> Vec<ImportedMemory> {
    let rank = |memory: &ImportedMemory| (memory.state != MemoryState::Trash, memory.updated());
    let mut latest = HashMap::new();
    // The id of another program's memory may be given only when it is saved.
    let has_id = |memory: &ImportedMemory| !memory.front.id.is_empty();
    for memory in memories.iter().filter(|memory| has_id(memory)) {
        let entry = latest.entry(MemoryIdentity::new(&memory.front));
        let known = entry.or_insert(rank(memory));
        *known = rank(memory).max(*known);
    }
    memories.retain(|memory| {
        let identity = MemoryIdentity::new(&memory.front);
        let is_latest = latest.get(&identity) == Some(&rank(memory));
        !has_id(memory) || (is_latest && latest.remove(&identity).is_some())
    });
    memories
}

/// Returns the format and the file that a memory was imported from.
fn origin(front: &Frontmatter) -> Option<String> {
    let source = front.source.as_ref()?;
    Some(format!(
        "{} {}",
        source.imported.as_ref()?,
        source.origin.as_ref()?
    ))
}
