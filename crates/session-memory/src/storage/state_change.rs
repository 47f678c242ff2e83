//! Changes of memories' states, and their removal. Each reads the memories again under the lock of their
//! directory: another process may have moved them since they were listed. Several memories are one change: the
//! record and the views are written once.

use crate::content::memory::{Memory, MemoryState};
use crate::error::{MemoryError, Result};
use crate::storage::directory_writer::DirectoryWriter;
use crate::storage::memory_directory::MemoryDirectory;
use crate::storage::memory_edit::remove_edits;
use crate::storage::memory_file::memory_path;
use crate::storage::memory_store::{MemoryStore, StoredFile};
use crate::storage::vector_files::remove_vectors;
use jiff::Zoned;
use std::collections::BTreeSet;

/// The result of moves that overwrite nothing.
#[derive(Debug, Default)]
pub(crate) struct FreeMoves {
    /// The memories in their new state.
    pub(crate) moved: Vec<Memory>,
    /// The ids of which another file has that state already, as a merge of git leaves it.
    pub(crate) skipped: Vec<String>,
}

/// The memories of a change that lie in one directory.
pub(crate) struct DirectoryMemories<'d, 'm> {
    pub(crate) directory: &'d MemoryDirectory,
    pub(crate) memories: Vec<&'m Memory>,
}

/// Sorts memories as others of the same scopes and ids are.
pub(crate) fn sort_as(memories: &mut [Memory], order: &[Memory]) {
    let position = |one: &Memory| {
        let is_same = |other: &Memory| other.scope == one.scope && other.id() == one.id();
        order.iter().position(is_same)
    };
    memories.sort_by_cached_key(position);
}

impl MemoryStore {
    /// Moves memories to another state, and returns them in their order. A memory in the trash loses its trust until
    /// the user restores it, and replaces an older copy there. Where it is active already, a text that is as it was when the memory was deleted is
    /// trusted again.
    ///
    /// # Errors
    /// When one of them is gone: then none is moved. When a file cannot be moved: those before it are.
    pub fn move_all(&self, memories: &[Memory], state: MemoryState) -> Result<Vec<Memory>> {
        let mut moved = Vec::new();
        for DirectoryMemories {
            directory,
            memories,
        } in self.group_by_directory(memories)
        {
            let writer = DirectoryWriter::open(self, directory)?;
            let current = self.read_again(&writer, &memories)?;
            moved.extend(self.move_locked(writer, &current, state)?);
        }
        sort_as(&mut moved, memories);
        Ok(moved)
    }

    /// Moves the first `limit` of some memories of a directory to another state, but for those of whose id another file
    /// has that state. What another process has moved since it was listed counts as moved.
    ///
    /// # Errors
    /// When a file cannot be moved.
    pub(crate) fn move_free(
        &self,
        directory: &MemoryDirectory,
        memories: &[Memory],
        state: MemoryState,
        limit: usize,
    ) -> Result<FreeMoves> {
        let mut free = FreeMoves::default();
        if memories.is_empty() {
            return Ok(free);
        }
        let writer = DirectoryWriter::open(self, directory)?;
        let has = |state, id: &str| writer.dir.exists(&memory_path(state, id));
        let (mut left, mut wanted) = (limit, Vec::new());
        for memory in memories {
            match has(memory.state, memory.id()) {
                _ if left == 0 => break,
                true if has(state, memory.id()) => free.skipped.push(memory.id().to_owned()),
                is_there => {
                    left -= 1;
                    wanted.extend(is_there.then_some(memory));
                }
            }
        }
        let current = self.read_again(&writer, &wanted)?;
        free.moved = self.move_locked(writer, &current, state)?;
        Ok(free)
    }

    /// Removes memories in whatever states their directory has them, their conversations and their vectors for good. What
    /// they replaced stays replaced where they were replaced themselves.
    ///
    /// Copies of a memory's text go before its file: a kill leaves the memory, which can be removed again, or
    /// nothing of it.
    ///
    /// # Errors
    /// When one of them is gone: then none is removed. When a file cannot be removed: those before it are.
    pub fn purge(&self, memories: &[Memory], now: &Zoned) -> Result<()> {
        self.pass_on_replacements(memories, now)?;
        for DirectoryMemories {
            directory,
            memories,
        } in self.group_by_directory(memories)
        {
            self.purge_in_directory(directory, &memories)?;
        }
        // A prompt may have embedded them meanwhile.
        self.remove_vectors_and_edits(memories)
    }

    fn purge_in_directory(&self, directory: &MemoryDirectory, memories: &[&Memory]) -> Result<()> {
        let writer = DirectoryWriter::open(self, directory)?;
        let current = self.read_again(&writer, memories)?;
        writer.remove_from_views(&current)?;
        self.remove_vectors_and_edits(&current)?;
        writer.note_deletions(&current)?;
        // One that git brought back is there in two states.
        let ids: BTreeSet<&str> = current.iter().map(Memory::id).collect();
        let removed = ids.iter().try_for_each(|id| writer.remove(id));
        writer.settle_unfinished()?;
        if removed.is_ok() {
            self.records().update(directory, |record| {
                for id in &ids {
                    record.forget(id);
                }
            })?;
        }
        let completed = writer.complete();
        removed.and(completed)
    }

    fn remove_vectors_and_edits(&self, memories: &[Memory]) -> Result<()> {
        let Some(index_directory) = self.index_directory() else {
            return Ok(());
        };
        remove_vectors(index_directory)?;
        let ids: Vec<&str> = memories.iter().map(Memory::id).collect();
        remove_edits(index_directory, &ids)
    }

    /// Groups memories by the directories that hold them.
    pub(crate) fn group_by_directory<'m>(
        &self,
        memories: &'m [Memory],
    ) -> Vec<DirectoryMemories<'_, 'm>> {
        let groups = self.directories().iter().map(|directory| {
            let own = memories.iter();
            let own = own.filter(|memory| self.directory_of(memory) == directory);
            DirectoryMemories {
                directory,
                memories: own.collect(),
            }
        });
        groups.filter(|group| !group.memories.is_empty()).collect()
    }

    /// Reads memories in the states in which they were listed, or else in other ones.
    pub(crate) fn read_again(
        &self,
        writer: &DirectoryWriter<'_>,
        memories: &[&Memory],
    ) -> Result<Vec<Memory>> {
        let opened = self.open_directory(writer.directory)?;
        let read = |memory: &&Memory| {
            let id = memory.id();
            let unknown = || MemoryError::Unknown(id.to_owned());
            let opened = opened.as_ref().ok_or_else(unknown)?;
            let mut states = [memory.state].into_iter().chain(MemoryState::ALL);
            let state = states.find(|state| opened.has(*state, id));
            let found = opened.read(state.ok_or_else(unknown)?, id)?;
            found.ok_or_else(unknown)
        };
        memories.iter().map(read).collect()
    }

    fn move_locked(
        &self,
        writer: DirectoryWriter<'_>,
        memories: &[Memory],
        state: MemoryState,
    ) -> Result<Vec<Memory>> {
        let directory = writer.directory;
        let is_deletion = state == MemoryState::Trash;
        if is_deletion {
            writer.note_deletions(memories)?;
        }
        let (mut moved, mut result) = (Vec::new(), Ok(()));
        for memory in memories {
            if memory.state != state {
                result = writer.rename(memory.id(), memory.state, state);
            }
            if result.is_err() {
                break;
            }
            moved.push(memory);
        }
        if is_deletion {
            writer.settle_unfinished()?
        } else {
            self.restore_trust(directory, &moved, state)?
        }
        writer.finish();
        result?;
        let files = moved.iter().map(|memory| StoredFile {
            state,
            id: memory.id(),
        });
        self.reread_all(directory, files)
    }

    /// Trusts the contents again of memories that are active or were in the trash.
    fn restore_trust(
        &self,
        directory: &MemoryDirectory,
        moved: &[&Memory],
        state: MemoryState,
    ) -> Result<()> {
        let is_restored =
            |memory: &&&Memory| state == MemoryState::Active || memory.state == MemoryState::Trash;
        let restored: Vec<_> = moved.iter().filter(is_restored).collect();
        if restored.is_empty() {
            return Ok(());
        }
        self.records().update(directory, |record| {
            for memory in restored {
                record.unmark_deleted(memory.id(), &memory.raw_text);
            }
        })
    }
}
