//! The replacement of a memory by another one.

use crate::content::memory::{Memory, MemoryState};
use crate::content::memory_change::{MemoryChange, ReplacementChange};
use crate::error::{MemoryError, Result};
use crate::storage::memory_store::MemoryStore;
use jiff::Zoned;
use std::collections::{BTreeMap, BTreeSet};

/// The ids of memories' replacements by the memories' ids.
type Replacements = BTreeMap<String, String>;

impl MemoryStore {
    /// Marks a memory as replaced by another one.
    ///
    /// # Errors
    /// When one of them is not found, another one replaces the memory already, the replacement is in the trash, or it is
    /// the memory itself or replaced by it, by whatever number of steps: all of a cycle would be hidden.
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
        let replace = |current: &Memory| {
            refuse_superseded(current, Some(new.id()))?;
            Ok(MemoryChange {
                replacement: ReplacementChange::By(new.id().to_owned()),
                ..MemoryChange::default()
            })
        };
        let replaced = self.change_all(std::slice::from_ref(&old), replace, now)?;
        let mut replaced = replaced.into_iter();
        replaced
            .next()
            .ok_or_else(|| MemoryError::Unknown(old.id().to_owned()))
    }

    /// Finds the active memories of some ids that an agent may replace: those that are trusted. Ids are not shortened.
    ///
    /// # Errors
    /// When one is not found, is superseded already, or waits for trust: no user has agreed to it yet, so none has to its
    /// replacement.
    pub fn find_replaceable(&self, ids: &[String]) -> Result<Vec<Memory>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let active = self.list(&[MemoryState::Active]).memories;
        let find = |id: &String| {
            let id = id.trim();
            let mut named = active.iter().filter(|memory| memory.id() == id).peekable();
            let is_known = named.peek().is_some();
            let trusted = named.find(|memory| memory.trust.is_trusted());
            let trusted = trusted.ok_or_else(|| {
                if is_known {
                    MemoryError::WaitsForTrust(id.to_owned())
                } else {
                    MemoryError::Unknown(id.to_owned())
                }
            })?;
            refuse_superseded(trusted, None)?;
            Ok(trusted.clone())
        };
        ids.iter().map(find).collect()
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
        let mut active = self.move_all(memories, MemoryState::Active)?;
        let is_replaced = |memory: &Memory| memory.front.is_superseded();
        let replaced = active.iter().filter(|memory| is_replaced(memory));
        let replaced: Vec<Memory> = replaced.cloned().collect();
        let changed = self.change_all(&replaced, |_| Ok(change.clone()), now)?;
        let replaced = active.iter_mut().filter(|memory| is_replaced(memory));
        for (memory, changed) in replaced.zip(changed) {
            *memory = changed;
        }
        Ok(active)
    }

    /// Lists the active memories that some memories replace.
    pub fn list_replaced_by(&self, replacements: &[Memory]) -> Vec<Memory> {
        let mut active = self.list(&[MemoryState::Active]).memories;
        active.retain(|memory| {
            let by = memory.front.superseded_by.as_deref();
            by.is_some_and(|by| replacements.iter().any(|new| new.id() == by))
        });
        active
    }

    /// Lists those of some replaced memories that nothing replaces any more, as after a deletion of what did.
    pub fn list_unreplaced(&self, replaced: &[Memory]) -> Vec<Memory> {
        if replaced.is_empty() {
            return Vec::new();
        }
        let mut active = self.list(&[MemoryState::Active]).memories;
        active.retain(|memory| {
            let is_same = |old: &Memory| memory.scope == old.scope && memory.id() == old.id();
            !memory.front.is_superseded() && replaced.iter().any(is_same)
        });
        active
    }

    /// Closes the chain of replacement around memories before they are removed for good: the successor of a removed
    /// memory becomes the successor of those that it replaced.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(crate) fn pass_on_replacements(&self, gone: &[Memory], now: &Zoned) -> Result<()> {
        let replaced = gone.iter().filter(|memory| memory.front.is_superseded());
        let ids: Vec<&str> = replaced.map(Memory::id).collect();
        let by_id = |memory: Memory| Some((memory.front.id, memory.front.superseded_by?));
        let current = self.find_all(&ids)?.into_iter();
        let replacements: Replacements = current.filter_map(by_id).collect();
        if replacements.is_empty() {
            return Ok(());
        }
        let change = |memory: &Memory| {
            Ok(MemoryChange {
                replacement: match &memory.front.superseded_by {
                    Some(by) => ReplacementChange::By(find_last_replacement(by, &replacements)),
                    None => ReplacementChange::Unchanged,
                },
                ..MemoryChange::default()
            })
        };
        let ids = self.list_raw_replaced_by(|by| replacements.contains_key(by));
        let replaced = self.find_all(&ids)?;
        self.change_all(&replaced, change, now).map(drop)
    }

    /// Returns true if a memory is replaced by the one of an id, by whatever number of steps.
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

/// Refuses a memory that another one than `by` replaces: both replacements would be in use.
fn refuse_superseded(memory: &Memory, by: Option<&str>) -> Result<()> {
    match memory.front.superseded_by.as_deref() {
        Some(other) if Some(other) != by => Err(MemoryError::AlreadySuperseded {
            id: memory.id().to_owned(),
            by: other.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Follows replacements from a memory on to the one that nothing replaces; of a cycle to the last before the first.
fn find_last_replacement(id: &str, replacements: &Replacements) -> String {
    let mut seen = BTreeSet::new();
    let steps = std::iter::successors(Some(id), |id| replacements.get(*id).map(String::as_str));
    let last = steps.take_while(|id| seen.insert(*id)).last();
    last.unwrap_or(id).to_owned()
}
