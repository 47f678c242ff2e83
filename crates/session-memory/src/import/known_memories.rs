//! The memories that are stored already, which an import may bring again.

use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::imported_memory::ImportedMemory;
use crate::content::memory::{Frontmatter, Memory, MemoryScope, MemoryState};
use crate::content::memory_change::{REPLACEMENT_KEY, set_file_key};
use crate::content::redaction::redact_imported;
use crate::error::Result;
use crate::storage::memory_store::MemoryStore;
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
    /// Its file is here already, where it waits for the trust that it has in the import.
    Trust(Box<Memory>),
    /// It is in the trash here under this id: its user deleted it.
    LeaveInTrash(String),
    /// It was changed later than the one of this id, and would wait for trust in the place of a trusted one.
    KeepTrusted(String),
}

/// The part of a memory that stays when it is changed. It is no proof by itself: [`is_version`].
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
    identities: HashMap<MemoryIdentity, Vec<usize>>,
    contents: HashMap<ImportedContent, Vec<usize>>,
    origins: HashMap<String, Vec<usize>>,
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
            known.identities.entry(identity).or_default().push(position);
            let content = ImportedContent::new(front, &memory.body);
            known.contents.entry(content).or_default().push(position);
            if let Some(origin) = origin(front) {
                known.origins.entry(origin).or_default().push(position);
            }
        }
        known.memories = memories;
        known
    }

    /// Decides about a memory of an import, and notes the id that it has here.
    pub(super) fn decide(&mut self, memory: &ImportedMemory) -> ImportDecision {
        let redacted = redact_imported(self.store.redactor(), memory);
        let identity = self.find_version(&redacted);
        let same = identity.or_else(|| self.find_content(&redacted));
        if let Some(same) = same {
            let id = self.memories[same].id().to_owned();
            self.note_id(&memory.front.id, &id);
        }
        // Another program's memory is known by where it stood: two of its files may say the same.
        let origin = origin(&redacted.front).filter(|_| identity.is_none());
        let Some(origin) = origin else {
            let is_former = identity.is_none() && memory.state == MemoryState::Trash;
            return match same.map(|same| &self.memories[same]) {
                None => ImportDecision::Insert,
                // What an import replaced on the other machine has another id there, and ends no memory here.
                Some(stored) if is_former => ImportDecision::Keep(stored.scope),
                Some(stored) => compare(stored, memory),
            };
        };
        match self.find_origin(&origin, &redacted) {
            Some(stored) => compare_origin(&self.memories[stored]),
            None if memory.text.is_some() => ImportDecision::Insert,
            None if self.new_origins.insert(origin) => ImportDecision::Insert,
            None => ImportDecision::Keep(self.target),
        }
    }

    /// Finds the stored version of a memory.
    fn find_version(&self, memory: &ImportedMemory) -> Option<usize> {
        let identity = MemoryIdentity::new(&memory.front);
        let is_same = |stored: &Memory| counts(stored, memory) && is_version(stored, memory);
        self.find_among(self.identities.get(&identity)?, is_same)
    }

    /// Finds a memory of the same content, whatever its id is.
    fn find_content(&self, memory: &ImportedMemory) -> Option<usize> {
        let content = ImportedContent::new(&memory.front, &memory.body);
        self.find_among(self.contents.get(&content)?, |stored| {
            counts(stored, memory)
        })
    }

    /// Finds the memory that stood in the same place of another program. In an export it may be another one: each machine
    /// has a first section of a day.
    fn find_origin(&self, origin: &str, memory: &ImportedMemory) -> Option<usize> {
        let is_same = |stored: &Memory| {
            counts(stored, memory) && (memory.text.is_none() || has_same_words(stored, memory))
        };
        self.find_among(self.origins.get(origin)?, is_same)
    }

    fn find_among(&self, positions: &[usize], is_same: impl Fn(&Memory) -> bool) -> Option<usize> {
        let mut positions = positions.iter().copied();
        positions.find(|position| is_same(&self.memories[*position]))
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
            let path = Path::new(&memory.front.id);
            memory.text = Some(set_file_key(text, path, REPLACEMENT_KEY, new)?);
        }
        memory.front.superseded_by = Some(new.clone());
        Ok(())
    }
}

/// Returns true if a stored memory may be one of the import. What nobody trusts counts for a trusted one only where both
/// files are the same: else whoever writes to the repository would decide whether the user's own is imported.
fn counts(stored: &Memory, memory: &ImportedMemory) -> bool {
    stored.trust.is_trusted() || !memory.trust.is_trusted() || is_same_file(stored, memory)
}

fn is_same_file(stored: &Memory, memory: &ImportedMemory) -> bool {
    memory.text.as_ref() == Some(&stored.raw_text)
}

/// Returns true for two versions of one memory, whose id and time of creation are the same. Memories of other programs
/// may have both in common: many of them have a day for a time.
fn is_version(stored: &Memory, memory: &ImportedMemory) -> bool {
    let (here, there) = (&stored.front.source, &memory.front.source);
    let is_imported = here
        .as_ref()
        .is_some_and(|source| source.imported.is_some());
    (!is_imported && here == there) || has_same_words(stored, memory)
}

fn has_same_words(stored: &Memory, memory: &ImportedMemory) -> bool {
    let body = memory.body.trim();
    let has_same_body = !body.is_empty() && stored.body.trim() == body;
    stored.front.topic == memory.front.topic || has_same_body
}

/// Decides about a memory that is stored already.
fn compare(stored: &Memory, memory: &ImportedMemory) -> ImportDecision {
    let is_later = memory.front.last_change() > stored.updated();
    let loses_trust = stored.trust.is_trusted() && !memory.trust.is_trusted();
    let gains_trust = !stored.trust.is_trusted() && memory.trust.is_trusted();
    match stored.state {
        MemoryState::Trash if memory.state != MemoryState::Trash => leave_in_trash(stored),
        MemoryState::Trash => ImportDecision::Keep(stored.scope),
        // What its user deleted or archived there is no longer meant to be injected.
        _ if gains_trust && memory.state == MemoryState::Active && is_same_file(stored, memory) => {
            ImportDecision::Trust(Box::new(stored.clone()))
        }
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
/// has two where git brought a deleted memory back.
pub(super) fn keep_latest_copies(mut memories: Vec<ImportedMemory>) -> Vec<ImportedMemory> {
    let rank = |memory: &ImportedMemory| {
        (
            memory.state != MemoryState::Trash,
            memory.front.last_change(),
        )
    };
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
