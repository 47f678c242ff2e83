//! The life cycle of memories: recall, archiving by age, and retention.

use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::memory::{Importance, Memory, MemoryScope, MemoryState};
use crate::error::Result;
use crate::setting_values;
use crate::storage::directory_records::DirectoryRecord;
use crate::storage::memory_directory::{MemoryDirectory, StorageLocation};
use crate::storage::memory_store::MemoryStore;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;
/// The characters of the month in a day as `2026-01-10`.
const MONTH_CHARS: usize = 7;

/// Settings of storage: `[storage]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StorageSettings {
    /// The directories that are used.
    pub location: StorageLocation,
    /// Memories that were unused for long are archived where many are active.
    pub auto_archive: bool,
    /// The number of active memories above which some are archived.
    #[serde(deserialize_with = "setting_values::deserialize_count")]
    pub archive_above: usize,
    /// The days without a change or a recall after which a memory may be archived.
    #[serde(deserialize_with = "setting_values::deserialize_days")]
    pub archive_after_days: u32,
    /// The days after which an archived memory is put into the trash; -1 keeps it.
    #[serde(deserialize_with = "setting_values::deserialize_days_or_unlimited")]
    pub retention_days: i64,
}

impl Default for StorageSettings {
    fn default() -> Self {
        Self {
            location: StorageLocation::ProjectFirst,
            auto_archive: true,
            archive_above: 60,
            archive_after_days: 14,
            retention_days: -1,
        }
    }
}

/// The storage settings of each scope. A project's settings apply to its own memories alone: a
/// repository must not be able to archive the user's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StorageSettingsByScope {
    /// The settings of the project's memories.
    pub project: StorageSettings,
    /// The settings of the user's global memories.
    pub global: StorageSettings,
}

impl StorageSettingsByScope {
    fn for_directory(&self, directory: &MemoryDirectory) -> &StorageSettings {
        match directory.scope {
            MemoryScope::Project => &self.project,
            MemoryScope::Global => &self.global,
        }
    }
}

/// The memories that were moved because of their age.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MovedMemories {
    /// The ids that were archived.
    pub archived: Vec<String>,
    /// The ids that were put into the trash.
    pub trashed: Vec<String>,
    /// The ids that were not moved, since the destination holds another file of the same id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// Days of the last recall, `2026-01-10`, by id.
type RecallDays = BTreeMap<String, String>;

/// Records that memories were recalled today. The record is the user's own state, so that recall
/// writes nothing in a project; it may be lost where another process writes.
pub fn record_recall(store: &MemoryStore, memories: &[&Memory], now: Timestamp) {
    let today = now.strftime("%Y-%m-%d").to_string();
    for directory in store.directories() {
        let own = memories.iter().filter(|m| m.scope == directory.scope);
        let new: RecallDays = own.map(|m| (m.id().to_owned(), today.clone())).collect();
        let known = read_recall_days(store, directory).unwrap_or_default();
        if new.iter().any(|(id, day)| known.get(id) != Some(day)) {
            let add = |record: &mut DirectoryRecord| record.recalled.extend(new);
            store.records().try_update(directory, add);
        }
    }
}

/// Reads the days of the last recall; `None` if the record cannot be read.
fn read_recall_days(store: &MemoryStore, directory: &MemoryDirectory) -> Option<RecallDays> {
    let record = store.records().read(directory);
    record.ok().map(|record| record.recalled)
}

/// Reads the months in which memories were last recalled, `2026-01`, by scope and id.
pub(crate) fn read_recall_months(store: &MemoryStore) -> BTreeMap<(MemoryScope, String), String> {
    let directories = store.directories().iter();
    let months = directories.flat_map(|directory| {
        let days = read_recall_days(store, directory).unwrap_or_default();
        days.into_iter().map(|(id, day)| {
            let month = day.get(..MONTH_CHARS).unwrap_or_default().to_owned();
            ((directory.scope, id), month)
        })
    });
    months.collect()
}

/// Returns the time of the last change or recall, in milliseconds since 1970.
fn last_activity_ms(memory: &Memory, days: &RecallDays) -> i64 {
    let recalled = days
        .get(memory.id())
        .and_then(|day| FrontmatterTime::parse(day));
    let recalled = recalled.map_or(0, |at| at.0.as_millisecond());
    memory.updated().0.as_millisecond().max(recalled)
}

/// Finds the trusted memories in a state that were neither changed nor recalled for some days, the
/// longest unused first.
pub fn find_unused(
    store: &MemoryStore,
    state: MemoryState,
    days: u32,
    now: Timestamp,
) -> Vec<Memory> {
    let limit = now.as_millisecond() - i64::from(days) * DAY_MS;
    let directories = store.directories().iter();
    let recalls: Vec<_> = directories
        .filter_map(|d| Some((d.scope, read_recall_days(store, d)?)))
        .collect();
    let last_activity = |memory: &Memory| {
        let own = recalls.iter().find(|(scope, _)| *scope == memory.scope);
        own.map_or(i64::MAX, |(_, days)| last_activity_ms(memory, days))
    };
    let mut found = store.list(&[state]).memories;
    // Untrusted memories are the repository's, and are moved by command alone.
    found.retain(|memory| memory.trust.is_trusted() && last_activity(memory) <= limit);
    found.sort_by_key(|memory| (last_activity(memory), memory.front.id.clone()));
    found
}

/// Archives memories, and records the day, from which `storage.retention_days` counts.
///
/// # Errors
/// As [`MemoryStore::move_all`].
pub fn archive_memories(
    store: &MemoryStore,
    memories: &[Memory],
    now: Timestamp,
) -> Result<Vec<Memory>> {
    let archived = store.move_all(memories, MemoryState::Archive)?;
    record_recall(store, &archived.iter().collect::<Vec<_>>(), now);
    Ok(archived)
}

/// Records today for archived memories without a day: those archived by hand or on another machine.
fn record_missing_days(store: &MemoryStore, now: Timestamp) {
    let directories = store.directories().iter();
    let recorded: Vec<RecallDays> = directories
        .filter_map(|d| read_recall_days(store, d))
        .collect();
    let mut found = store.list_raw(&[MemoryState::Archive]).memories;
    found.retain(|memory| !recorded.iter().any(|days| days.contains_key(memory.id())));
    record_recall(store, &found.iter().collect::<Vec<_>>(), now);
}

/// Archives unused memories where too many are active in a directory, and puts memories into the
/// trash that were archived for longer than the retention.
///
/// # Errors
/// When a file cannot be moved.
pub fn apply_retention(
    store: &MemoryStore,
    settings: &StorageSettingsByScope,
    now: Timestamp,
) -> Result<MovedMemories> {
    let mut moved = MovedMemories::default();
    for directory in store.directories() {
        let retention = DirectoryRetention {
            store: &store.with_directory(directory),
            directory,
            settings: settings.for_directory(directory),
            now,
        };
        retention.apply(&mut moved)?;
    }
    Ok(moved)
}

/// The retention of one directory.
struct DirectoryRetention<'a> {
    /// The store of the directory alone.
    store: &'a MemoryStore,
    directory: &'a MemoryDirectory,
    settings: &'a StorageSettings,
    now: Timestamp,
}

impl DirectoryRetention<'_> {
    fn apply(&self, moved: &mut MovedMemories) -> Result<()> {
        if self.settings.auto_archive {
            let archived = self.archive_unused(moved)?;
            moved.archived.extend(archived);
        }
        if let Ok(days) = u32::try_from(self.settings.retention_days) {
            record_missing_days(self.store, self.now);
            let old = find_unused(self.store, MemoryState::Archive, days, self.now);
            let trashed = self.move_free(&old, MemoryState::Trash, usize::MAX, moved)?;
            moved.trashed.extend(list_ids(&trashed));
        }
        Ok(())
    }

    /// Archives memories where too many are active: of those that were unused for long the least important first, and
    /// none of high importance or with triggers, since its file or error may be a rare one. Returns their ids.
    fn archive_unused(&self, moved: &mut MovedMemories) -> Result<Vec<String>> {
        let active = self.store.list_raw(&[MemoryState::Active]).memories;
        let active = active.iter().filter(|m| m.trust.is_trusted()).count();
        let over_limit = active.saturating_sub(self.settings.archive_above);
        if over_limit == 0 {
            return Ok(Vec::new());
        }
        let days = self.settings.archive_after_days;
        let mut old = find_unused(self.store, MemoryState::Active, days, self.now);
        old.retain(|memory| {
            let front = &memory.front;
            front.importance != Importance::High && front.when.is_empty()
        });
        old.sort_by_key(|memory| memory.front.importance);
        let archived = self.move_free(&old, MemoryState::Archive, over_limit, moved)?;
        record_recall(self.store, &archived.iter().collect::<Vec<_>>(), self.now);
        Ok(list_ids(&archived))
    }

    /// Moves the first `limit` of some memories whose ids are free in a state.
    fn move_free(
        &self,
        memories: &[Memory],
        state: MemoryState,
        limit: usize,
        moved: &mut MovedMemories,
    ) -> Result<Vec<Memory>> {
        let free = self
            .store
            .move_free(self.directory, memories, state, limit)?;
        moved.skipped.extend(free.skipped);
        Ok(free.moved)
    }
}

fn list_ids(memories: &[Memory]) -> Vec<String> {
    let ids = memories.iter().map(|memory| memory.id().to_owned());
    ids.collect()
}
