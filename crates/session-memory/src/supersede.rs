//! The replacement of a memory by another one.

use crate::error::{MemoryError, Result};
use crate::memory::{Memory, MemoryState};
use crate::memory_change::{MemoryChange, ReplacementChange};
use crate::memory_store::MemoryStore;
use jiff::Zoned;
use std::collections::BTreeSet;

impl MemoryStore {
    /// Marks a memory as replaced by another one.
    ///
    /// # Errors
    /// When one of them is not found, the replacement is in the trash, or it is the memory itself or
    /// replaced by it, by whatever number of steps: all of a cycle would be hidden.
    pub fn supersede(&self, old: &str, new: &str, now: &Zoned) -> Result<Memory> {
        let old = self.find(old)?;
        let new = self.find(new)?;
        if new.state == MemoryState::Trash {
            return Err(MemoryError::ReplacementInTrash(new.id().to_owned()));
        }
        if old.id() == new.id() {
            return Err(MemoryError::ReplacedByItself);
        }
        if self.is_replaced_by(&new, old.id()) {
            return Err(MemoryError::ReplacementIsReplaced {
                replacement: new.id().to_owned(),
                by: old.id().to_owned(),
            });
        }
        let change = MemoryChange {
            replacement: ReplacementChange::By(new.id().to_owned()),
            ..MemoryChange::default()
        };
        self.change(old.id(), &change, now)
    }

    /// Makes memories active: out of the archive or the trash, and no longer replaced by another one.
    ///
    /// # Errors
    /// As [`MemoryStore::move_all`], and when a file cannot be written.
    pub fn activate(&self, memories: &[Memory], now: &Zoned) -> Result<Vec<Memory>> {
        let change = MemoryChange {
            replacement: ReplacementChange::Removed,
            ..MemoryChange::default()
        };
        let active = self.move_all(memories, MemoryState::Active)?.into_iter();
        let active = active.map(|memory| match memory.front.superseded_by {
            None => Ok(memory),
            Some(_) => self.change(memory.id(), &change, now),
        });
        active.collect()
    }

    /// Lets the memories that a memory replaces be replaced by what replaces it itself, before it is removed for good.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn pass_on_replacement(&self, gone: &Memory, now: &Zoned) -> Result<()> {
        if gone.front.superseded_by.is_none() {
            return Ok(());
        }
        let Some(by) = self.find(gone.id())?.front.superseded_by else {
            return Ok(());
        };
        let replaced = self.list_raw_replaced_by(gone.id());
        let change = MemoryChange {
            replacement: ReplacementChange::By(by),
            ..MemoryChange::default()
        };
        replaced
            .iter()
            .try_for_each(|id| self.change(id, &change, now).map(drop))
    }

    /// Returns true where a memory is replaced by the one of an id, by whatever number of steps.
    fn is_replaced_by(&self, memory: &Memory, id: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = memory.front.superseded_by.clone();
        while let Some(by) = next.filter(|by| seen.insert(by.clone())) {
            if by == id {
                return true;
            }
            next = self.find(&by).ok().and_then(|by| by.front.superseded_by);
        }
        false
    }
}
