//! Changes of a memory's state, and its removal. Each reads the memory again under the lock of its
//! directory: another process may have moved it since it was listed.

use crate::directory_writer::DirectoryWriter;
use crate::error::{MemoryError, Result};
use crate::memory::{Memory, MemoryState};
use crate::memory_file::memory_path;
use crate::memory_store::MemoryStore;
use crate::vector_cache::remove_vectors;
use jiff::Zoned;

/// The result of a move that overwrites nothing.
pub(crate) enum FreeMove {
    /// The memory in its new state.
    Moved(Box<Memory>),
    /// Another process has moved it since it was listed.
    MovedBefore,
    /// Another file of its id has that state already, as a merge of git leaves it.
    Occupied,
}

impl MemoryStore {
    /// Moves a memory to another state. A memory in the trash loses its trust until the user restores
    /// it. Where it is active already, a text that is as it was when the memory was deleted is trusted
    /// again.
    ///
    /// # Errors
    /// When the memory is gone, or its file cannot be moved.
    pub fn move_to(&self, memory: &Memory, state: MemoryState) -> Result<Memory> {
        let writer = DirectoryWriter::open(self.directory_of(memory), self.records())?;
        let current = self.find_again(&writer, memory)?;
        self.move_locked(writer, &current, state)
    }

    /// Moves a memory to another state, unless another process has moved it since it was listed, or another file of its
    /// id has that state.
    ///
    /// # Errors
    /// When its file cannot be moved.
    pub(crate) fn move_if_free(&self, memory: &Memory, state: MemoryState) -> Result<FreeMove> {
        let writer = DirectoryWriter::open(self.directory_of(memory), self.records())?;
        match self.find_again(&writer, memory) {
            Ok(current) if current.state != memory.state => Ok(FreeMove::MovedBefore),
            Ok(current) if writer.dir.exists(&memory_path(state, current.id())) => {
                Ok(FreeMove::Occupied)
            }
            Ok(current) => self
                .move_locked(writer, &current, state)
                .map(|moved| FreeMove::Moved(Box::new(moved))),
            Err(MemoryError::Unknown(_)) => Ok(FreeMove::MovedBefore),
            Err(error) => Err(error),
        }
    }

    /// Removes a memory, its conversation and its vectors for good. What it replaced stays replaced where it was
    /// replaced itself.
    ///
    /// # Errors
    /// When the memory is gone, or a file cannot be removed.
    pub fn purge(&self, memory: &Memory, now: &Zoned) -> Result<()> {
        self.pass_on_replacement(memory, now)?;
        let writer = DirectoryWriter::open(self.directory_of(memory), self.records())?;
        let current = self.find_again(&writer, memory)?;
        self.change_after_revoking(&writer, &current, |writer| {
            writer.remove(current.state, current.id())
        })?;
        self.records()
            .update(writer.directory, |record| record.remove(current.id()))?;
        writer.finish();
        self.vector_cache().map_or(Ok(()), remove_vectors)
    }

    /// Finds a memory in the state in which it was listed, or else in another one.
    fn find_again(&self, writer: &DirectoryWriter<'_>, memory: &Memory) -> Result<Memory> {
        let is_there = |state: &MemoryState| writer.dir.exists(&memory_path(*state, memory.id()));
        let mut states = [memory.state].into_iter().chain(MemoryState::ALL);
        let state = states.find(is_there);
        let state = state.ok_or_else(|| MemoryError::Unknown(memory.id().to_owned()))?;
        self.reread(writer.directory, state, memory.id())
    }

    fn move_locked(
        &self,
        writer: DirectoryWriter<'_>,
        memory: &Memory,
        state: MemoryState,
    ) -> Result<Memory> {
        let directory = writer.directory;
        let rename = |writer: &DirectoryWriter<'_>| match memory.state == state {
            true => Ok(()),
            false => writer.rename(memory.id(), memory.state, state),
        };
        match state {
            MemoryState::Trash => self.change_after_revoking(&writer, memory, rename)?,
            MemoryState::Active | MemoryState::Archive => rename(&writer)?,
        }
        let is_restored = state == MemoryState::Active || memory.state == MemoryState::Trash;
        if is_restored && state != MemoryState::Trash {
            self.records().update(directory, |record| {
                record.unmark_deleted(memory.id(), &memory.text);
            })?;
        }
        writer.finish();
        self.reread(directory, state, memory.id())
    }

    /// Marks a memory as deleted, and then changes its file, so that a kill in between leaves nothing
    /// trusted that was deleted. Where the file is left as it was, so is the trust.
    fn change_after_revoking(
        &self,
        writer: &DirectoryWriter<'_>,
        memory: &Memory,
        change: impl FnOnce(&DirectoryWriter<'_>) -> Result<()>,
    ) -> Result<()> {
        let (id, records) = (memory.id(), self.records());
        let marked = records.update(writer.directory, |record| record.mark_deleted(id))?;
        let changed = change(writer);
        if changed.is_err() && writer.dir.exists(&memory_path(memory.state, id)) {
            // The error of the file is the one to report.
            let _ = records.update(writer.directory, |record| record.unmark(id, &marked));
        }
        changed
    }
}
