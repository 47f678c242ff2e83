//! Changes of memories' fields. Several memories are one change: the record and the views are written once.

use crate::content::memory::Memory;
use crate::content::memory_change::{MemoryChange, apply_change};
use crate::content::redaction::redact_change;
use crate::error::{MemoryError, Result};
use crate::storage::directory_writer::{DirectoryWriter, UnwrittenMemory};
use crate::storage::memory_store::{MemoryStore, StoredFile, origin_of_trust};
use crate::storage::state_change::{DirectoryMemories, sort_as};
use jiff::Zoned;

impl MemoryStore {
    /// Changes fields of a memory, and keeps everything else in its file but secrets. An untrusted memory stays
    /// untrusted: nobody has read the rest of it.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn change(&self, id: &str, change: &MemoryChange, now: &Zoned) -> Result<Memory> {
        let found = self.find_raw(id);
        let found = found.map_err(|error| self.redact_error(error))?;
        let mut changed = self.change_all(&[found], |_| Ok(change.clone()), now)?;
        changed
            .pop()
            .ok_or_else(|| MemoryError::Unknown(id.to_owned()))
    }

    /// Changes memories as [`MemoryStore::change`], each by the change for what its file holds now, and returns them in
    /// their order. The record and the views of each directory are written once.
    ///
    /// # Errors
    /// When a file cannot be read, or its change is refused: then none of its directory is changed. When one cannot be written: those before it are.
    pub(crate) fn change_all(
        &self,
        memories: &[Memory],
        change: impl Fn(&Memory) -> Result<MemoryChange>,
        now: &Zoned,
    ) -> Result<Vec<Memory>> {
        let mut changed = Vec::new();
        for own in self.group_by_directory(memories) {
            let own = self.change_in_directory(&own, &change, now);
            changed.extend(own.map_err(|error| self.redact_error(error))?);
        }
        sort_as(&mut changed, memories);
        Ok(changed)
    }

    fn change_in_directory(
        &self,
        own: &DirectoryMemories<'_, '_>,
        change: &impl Fn(&Memory) -> Result<MemoryChange>,
        now: &Zoned,
    ) -> Result<Vec<Memory>> {
        let writer = DirectoryWriter::open(self, own.directory)?;
        let apply = |memory: &Memory| {
            let mut change = redact_change(self.redactor(), &change(memory)?);
            self.make_relative(change.when.paths.as_deref_mut().unwrap_or_default());
            Ok(UnwrittenMemory {
                id: memory.id().to_owned(),
                text: apply_change(self.redactor(), memory, &change, now)?,
                state: memory.state,
                origin: origin_of_trust(memory.trust),
                conversation: None,
            })
        };
        let current = self.read_again(&writer, &own.memories)?;
        let changed = current.iter().map(apply).collect::<Result<Vec<_>>>()?;
        let written = writer.write_memories(&changed);
        writer.finish();
        written?;
        let files = changed.iter().map(|memory| StoredFile {
            state: memory.state,
            id: &memory.id,
        });
        self.reread_all(own.directory, files)
    }
}
