//! New memories: one that is saved, and those of an import, which are written together.

use crate::content::draft::MemoryDraft;
use crate::content::draft::{new_frontmatter, validate_draft};
use crate::content::imported_memory::ImportedMemory;
use crate::content::key_info;
use crate::content::memory::{Frontmatter, Memory, MemoryScope, MemoryState};
use crate::content::redaction::{redact_draft, redact_imported};
use crate::error::{MemoryError, Result};
use crate::storage::directory_records::ContentOrigin;
use crate::storage::directory_writer::{DirectoryWriter, UnwrittenMemory};
use crate::storage::memory_store::{MemoryStore, StoredFile, origin_of_trust};
use crate::storage::new_ids::NewIds;
use jiff::Zoned;

impl MemoryStore {
    /// Saves a new memory in the first directory, or in that of a scope.
    ///
    /// # Errors
    /// When the draft is not valid, or the directory cannot be written.
    pub fn save(
        &self,
        draft: &MemoryDraft,
        scope: Option<MemoryScope>,
        now: &Zoned,
    ) -> Result<Memory> {
        validate_draft(draft)?;
        let mut draft = redact_draft(self.redactor(), draft);
        self.make_relative(&mut draft.when.paths);
        draft.when = draft.when.normalized()?;
        let directory = self.directory_in(scope)?;
        let writer = DirectoryWriter::open(self, directory)?;
        let mut ids = NewIds::lock(self)?;
        let front = new_frontmatter(&draft, ids.choose(now), now);
        let notes = draft.notes.trim();
        let list = key_info::write_list(&draft.key_info);
        let body = if notes.is_empty() {
            list
        } else {
            format!("{list}\n{notes}\n")
        };
        let text = front
            .format_file(body.trim_start())
            .map_err(MemoryError::refused)?;
        let new = UnwrittenMemory {
            id: front.id,
            text,
            state: MemoryState::Active,
            origin: Some(ContentOrigin::User),
            conversation: draft.raw,
        };
        writer.write_memories(std::slice::from_ref(&new))?;
        writer.finish();
        self.reread(directory, new.state, &new.id)
    }
}

/// The new memories of an import. The directories that they go into are locked until they are written.
pub(crate) struct Insertion<'a> {
    store: &'a MemoryStore,
    ids: NewIds<'a>,
    directories: Vec<DirectoryInsertion<'a>>,
    now: &'a Zoned,
}

/// The new memories of one directory, which is locked.
struct DirectoryInsertion<'a> {
    writer: DirectoryWriter<'a>,
    memories: Vec<UnwrittenMemory>,
}

impl<'a> Insertion<'a> {
    /// Locks the directories of some scopes, in the order of the store's: two imports cannot wait for each other.
    ///
    /// # Errors
    /// When a directory cannot be written, or the store has none of a scope.
    pub(crate) fn open(
        store: &'a MemoryStore,
        scopes: &[Option<MemoryScope>],
        now: &'a Zoned,
    ) -> Result<Self> {
        let wanted = scopes.iter().map(|scope| store.directory_in(*scope));
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        let directories = store.directories().iter();
        let directories = directories.filter(|directory| wanted.contains(directory));
        let directories = directories.map(|directory| {
            Ok(DirectoryInsertion {
                writer: DirectoryWriter::open(store, directory)?,
                memories: Vec::new(),
            })
        });
        Ok(Self {
            directories: directories.collect::<Result<_>>()?,
            ids: NewIds::lock(store)?,
            store,
            now,
        })
    }

    /// Adds a memory with its times, its state, its trust and, where it is free, its id. Returns the id that it gets.
    ///
    /// # Errors
    /// When its frontmatter cannot be written.
    pub(crate) fn add(
        &mut self,
        memory: &ImportedMemory,
        scope: Option<MemoryScope>,
    ) -> Result<String> {
        let memory = redact_imported(self.store.redactor(), memory);
        let directory = self.store.directory_in(scope)?;
        let mut front = memory.front;
        let format = |front: &Frontmatter| {
            front
                .format_file(&memory.body)
                .map_err(MemoryError::refused)
        };
        let mut text = memory.text.map_or_else(|| format(&front), Ok)?;
        if !self.ids.try_take(&front.id, &text, directory) {
            let created = front.created.0.to_zoned(self.now.time_zone().clone());
            front.id = self.ids.choose(&created);
            text = format(&front)?;
        }
        let mut directories = self.directories.iter_mut();
        if let Some(own) = directories.find(|own| own.writer.directory == directory) {
            own.memories.push(UnwrittenMemory {
                id: front.id.clone(),
                text,
                state: memory.state,
                origin: origin_of_trust(memory.trust),
                conversation: memory.raw,
            });
        }
        Ok(front.id)
    }

    /// Writes the memories, and the views of each directory once. Returns them as they were added, by directory.
    ///
    /// # Errors
    /// When a file cannot be written. Those before it stay, and another import brings the others.
    pub(crate) fn write(self) -> Result<Vec<Memory>> {
        let mut inserted = Vec::new();
        for DirectoryInsertion { writer, memories } in self.directories {
            let directory = writer.directory;
            let written = writer.write_memories(&memories);
            writer.finish();
            written?;
            let files = memories.iter().map(|new| StoredFile {
                state: new.state,
                id: &new.id,
            });
            inserted.extend(self.store.reread_all(directory, files)?);
        }
        Ok(inserted)
    }
}
