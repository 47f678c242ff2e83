//! Memories that are written together: a new one that is saved, or those of an import, which are new or replace others.

use crate::content::draft::MemoryDraft;
use crate::content::draft::{new_frontmatter, validate_draft};
use crate::content::imported_memory::ImportedMemory;
use crate::content::key_info;
use crate::content::memory::{Frontmatter, Memory, MemoryScope, MemoryState};
use crate::content::memory_change::set_file_key;
use crate::content::redaction::{redact_draft, redact_imported};
use crate::error::{MemoryError, Result};
use crate::storage::directory_records::ContentOrigin;
use crate::storage::directory_writer::{DirectoryWriter, UnwrittenMemory, conversation_path};
use crate::storage::memory_directory::MemoryDirectory;
use crate::storage::memory_file::memory_path;
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

/// The memories of an import. The directories that they go into are locked until they are written.
pub(crate) struct Insertion<'a> {
    store: &'a MemoryStore,
    ids: NewIds<'a>,
    directories: Vec<DirectoryInsertion<'a>>,
    /// The memories in the trash, which an import that was killed put copies into.
    trash: Vec<Memory>,
    now: &'a Zoned,
}

/// The memories of an import as they were written.
#[derive(Default)]
pub(crate) struct InsertedMemories {
    /// The new ones.
    pub(crate) new: Vec<Memory>,
    /// Those that replaced others.
    pub(crate) replaced: Vec<Memory>,
    /// The ids of the copies that the trash keeps of what was replaced.
    pub(crate) copies: Vec<String>,
}

/// The memories that are written in one directory, which is locked.
struct DirectoryInsertion<'a> {
    writer: DirectoryWriter<'a>,
    memories: Vec<UnwrittenMemory>,
    /// The memories that some of them replace, as they are stored.
    replaced: Vec<Memory>,
    /// The copies of these that the trash keeps.
    copies: Vec<UnwrittenMemory>,
}

impl DirectoryInsertion<'_> {
    /// Writes the memories. Copies of what they replace go into the trash before.
    fn write(&self) -> Result<()> {
        let replacement_state = |old: &Memory| {
            let mut new = self.memories.iter();
            new.find(|new| new.id == old.id()).map(|new| new.state)
        };
        let is_deleted = |old: &Memory| replacement_state(old) == Some(MemoryState::Trash);
        let replaced = self.replaced.iter().cloned();
        let deleted: Vec<Memory> = replaced.filter(is_deleted).collect();
        self.writer.write_memories(&self.copies)?;
        self.writer.withdraw_trust(&self.copies)?;
        self.writer.note_deletions(&deleted)?;
        self.writer.write_memories(&self.memories)?;
        for old in &self.replaced {
            if replacement_state(old) != Some(old.state) {
                let path = memory_path(old.state, old.id());
                self.writer.remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Writes the memories and the views, and reads the memories as they were written.
    fn finish(self, store: &MemoryStore, inserted: &mut InsertedMemories) -> Result<()> {
        let written = self.write();
        let Self {
            writer,
            memories,
            replaced,
            copies,
        } = self;
        let directory = writer.directory;
        writer.finish();
        written?;
        let files = memories.iter().map(|written| StoredFile {
            state: written.state,
            id: &written.id,
        });
        let read = store.reread_all(directory, files)?.into_iter();
        let (old, new): (Vec<_>, Vec<_>) = read.partition(|memory| memory.is_among(&replaced));
        inserted.replaced.extend(old);
        inserted.new.extend(new);
        inserted
            .copies
            .extend(copies.into_iter().map(|copy| copy.id));
        Ok(())
    }
}

/// Makes the copy of a memory that the trash keeps where another text replaces it. By an id of its own it is shown, restored
/// and removed as any other memory, and a later copy does not replace it.
fn copy_for_trash(old: &Memory, id: String) -> UnwrittenMemory {
    UnwrittenMemory {
        // The id is that of the file's name, whatever stands in the text.
        text: set_file_key(&old.raw_text, &old.path, "id", &id)
            .unwrap_or_else(|_| old.raw_text.clone()),
        id,
        state: MemoryState::Trash,
        origin: origin_of_trust(old.trust),
        conversation: None,
    }
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
                replaced: Vec::new(),
                copies: Vec::new(),
            })
        });
        Ok(Self {
            directories: directories.collect::<Result<_>>()?,
            ids: NewIds::lock(store)?,
            trash: store.list(&[MemoryState::Trash]).memories,
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
        let mut text = match memory.text {
            Some(text) => text,
            None => format_file(&front, &memory.body)?,
        };
        if !self.ids.try_take(&front.id, &text, directory) {
            let created = front.created.0.to_zoned(self.now.time_zone().clone());
            front.id = self.ids.choose(&created);
            text = format_file(&front, &memory.body)?;
        }
        let new = UnwrittenMemory {
            id: front.id.clone(),
            text,
            state: memory.state,
            origin: origin_of_trust(memory.trust),
            conversation: memory.raw,
        };
        self.in_directory(directory)?.memories.push(new);
        Ok(front.id)
    }

    /// Adds a memory in the place of a stored one, under its id and in its directory.
    ///
    /// # Errors
    /// When another process changed that one since it was read, or the frontmatter cannot be written.
    pub(crate) fn replace(&mut self, memory: &ImportedMemory, old: Memory) -> Result<()> {
        let memory = redact_imported(self.store.redactor(), memory);
        let directory = self.store.directory_of(&old);
        let current = self.store.reread(directory, old.state, old.id());
        if !current.is_ok_and(|current| current.raw_text == old.raw_text) {
            return Err(MemoryError::refused_with_hint(
                format!("{} was changed by somebody else meanwhile", old.id()),
                "import once more",
            ));
        }
        let mut front = memory.front;
        let text = match memory.text.filter(|_| front.id == old.id()) {
            Some(text) => text,
            None => {
                old.id().clone_into(&mut front.id);
                format_file(&front, &memory.body)?
            }
        };
        let is_changed = text != old.raw_text;
        let known = self.find_copy(&old);
        let copy_id = || known.unwrap_or_else(|| self.ids.choose(self.now));
        let copy = is_changed.then(|| copy_for_trash(&old, copy_id()));
        let own = self.in_directory(directory)?;
        own.copies.extend(copy);
        // The conversation that is here was saved from the same turns.
        let has_conversation = own.writer.dir.exists(&conversation_path(old.id()));
        own.memories.push(UnwrittenMemory {
            id: front.id,
            text,
            state: memory.state,
            origin: origin_of_trust(memory.trust),
            conversation: memory.raw.filter(|_| !has_conversation),
        });
        own.replaced.push(old);
        Ok(())
    }

    /// Finds the id of the copy of a memory that the trash has already.
    fn find_copy(&self, old: &Memory) -> Option<String> {
        let is_copy = |trashed: &&Memory| {
            let copy = copy_for_trash(old, trashed.id().to_owned());
            trashed.scope == old.scope && trashed.raw_text == copy.text
        };
        Some(self.trash.iter().find(is_copy)?.id().to_owned())
    }

    /// Returns what is written in a directory that was opened.
    fn in_directory(&mut self, directory: &MemoryDirectory) -> Result<&mut DirectoryInsertion<'a>> {
        let mut directories = self.directories.iter_mut();
        let own = directories.find(|own| own.writer.directory == directory);
        own.ok_or(MemoryError::ScopeNotKept(directory.scope))
    }

    /// Writes the memories, and the views of each directory once. Returns them as they were added, by directory.
    ///
    /// # Errors
    /// When a file cannot be written. Those before it stay, and another import brings the others.
    pub(crate) fn write(self) -> Result<InsertedMemories> {
        let mut inserted = InsertedMemories::default();
        for own in self.directories {
            own.finish(self.store, &mut inserted)?;
        }
        Ok(inserted)
    }
}

fn format_file(front: &Frontmatter, body: &str) -> Result<String> {
    front.format_file(body).map_err(MemoryError::refused)
}
