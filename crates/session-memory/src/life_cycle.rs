//! The life cycle of memories: recall, archiving by age, and retention.

use crate::directory_records::DirectoryRecord;
use crate::error::Result;
use crate::frontmatter_time::FrontmatterTime;
use crate::memory::{Memory, MemoryScope, MemoryState};
use crate::memory_directory::{MemoryDirectory, StorageLocation};
use crate::memory_store::MemoryStore;
use crate::setting_values;
use crate::state_change::FreeMove;
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
    /// Memories that were untouched for long are archived where many are active.
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
            archive_above: 20,
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
    /// The ids that stayed where they are, since another file of the id is where they would go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// Days of the last recall, `2026-01-10`, by id.
type LastUsedDays = BTreeMap<String, String>;

/// Records that memories were recalled today. The record is the user's own state, so that recall
/// writes nothing in a project; it may be lost where another process writes.
pub fn record_use(store: &MemoryStore, memories: &[&Memory], now: Timestamp) {
    let today = now.strftime("%Y-%m-%d").to_string();
    for directory in store.directories() {
        let own = memories.iter().filter(|m| m.scope == directory.scope);
        let new: LastUsedDays = own.map(|m| (m.id().to_owned(), today.clone())).collect();
        let known = read_last_used_days(store, directory).unwrap_or_default();
        if new.iter().any(|(id, day)| known.get(id) != Some(day)) {
            let add = |record: &mut DirectoryRecord| record.recalled.extend(new);
            store.records().try_update(directory, add);
        }
    }
}

/// Reads the days of the last recall; `None` where the record cannot be read.
fn read_last_used_days(store: &MemoryStore, directory: &MemoryDirectory) -> Option<LastUsedDays> {
    let record = store.records().read(directory);
    record.ok().map(|record| record.recalled)
}

/// Reads the months in which memories were last recalled, `2026-01`, by scope and id.
pub(crate) fn read_use_months(store: &MemoryStore) -> BTreeMap<(MemoryScope, String), String> {
    let directories = store.directories().iter();
    let months = directories.flat_map(|directory| {
        let days = read_last_used_days(store, directory).unwrap_or_default();
        days.into_iter().map(|(id, day)| {
            let month = day.get(..MONTH_CHARS).unwrap_or_default().to_owned();
            ((directory.scope, id), month)
        })
    });
    months.collect()
}

/// Returns the time of the last change or recall, in milliseconds since 1970.
fn last_activity_ms(memory: &Memory, days: &LastUsedDays) -> i64 {
    let recalled = days
        .get(memory.id())
        .and_then(|day| FrontmatterTime::parse(day));
    let recalled = recalled.map_or(0, |at| at.0.as_millisecond());
    memory.updated().0.as_millisecond().max(recalled)
}

/// Finds the trusted memories in a state that were neither changed nor recalled for some days, the
/// longest untouched first.
pub fn find_unused_since(
    store: &MemoryStore,
    state: MemoryState,
    days: u32,
    now: Timestamp,
) -> Vec<Memory> {
    let limit = now.as_millisecond() - i64::from(days) * DAY_MS;
    let directories = store.directories().iter();
    let recalls: Vec<_> = directories
        .filter_map(|d| Some((d.scope, read_last_used_days(store, d)?)))
        .collect();
    let last_touched = |memory: &Memory| {
        let own = recalls.iter().find(|(scope, _)| *scope == memory.scope);
        own.map_or(i64::MAX, |(_, days)| last_activity_ms(memory, days))
    };
    let mut found = store.list(&[state]).memories;
    // Untrusted memories are the repository's, and are moved by command alone.
    found.retain(|memory| memory.trust.is_trusted() && last_touched(memory) <= limit);
    found.sort_by_key(|memory| (last_touched(memory), memory.front.id.clone()));
    found
}

/// Archives a memory, and records the day, from which `storage.retention_days` counts.
///
/// # Errors
/// When its file cannot be moved.
pub fn archive_memory(store: &MemoryStore, memory: &Memory, now: Timestamp) -> Result<Memory> {
    let memory = store.move_to(memory, MemoryState::Archive)?;
    record_use(store, &[&memory], now);
    Ok(memory)
}

/// Records today for archived memories without a day: those archived by hand or on another machine.
fn record_missing_days(store: &MemoryStore, now: Timestamp) {
    let directories = store.directories().iter();
    let recorded: Vec<LastUsedDays> = directories
        .filter_map(|d| read_last_used_days(store, d))
        .collect();
    let mut found = store.list(&[MemoryState::Archive]).memories;
    found.retain(|memory| !recorded.iter().any(|days| days.contains_key(memory.id())));
    record_use(store, &found.iter().collect::<Vec<_>>(), now);
}

/// Archives untouched memories where too many are active in a directory, and puts memories into the
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
        apply_directory_retention(
            &store.with_directory(directory),
            settings.for_directory(directory),
            now,
            &mut moved,
        )?;
    }
    Ok(moved)
}

fn apply_directory_retention(
    store: &MemoryStore,
    settings: &StorageSettings,
    now: Timestamp,
    moved: &mut MovedMemories,
) -> Result<()> {
    let active = store.list(&[MemoryState::Active]).memories;
    let active = active.iter().filter(|m| m.trust.is_trusted()).count();
    let over_limit = active.saturating_sub(settings.archive_above);
    if settings.auto_archive && over_limit > 0 {
        let old = find_unused_since(store, MemoryState::Active, settings.archive_after_days, now);
        archive_first(store, &old, over_limit, now, moved)?;
    }
    if let Ok(days) = u32::try_from(settings.retention_days) {
        record_missing_days(store, now);
        for memory in find_unused_since(store, MemoryState::Archive, days, now) {
            match store.move_if_free(&memory, MemoryState::Trash)? {
                FreeMove::Moved(memory) => moved.trashed.push(memory.id().to_owned()),
                FreeMove::MovedBefore => {}
                FreeMove::Occupied => moved.skipped.push(memory.id().to_owned()),
            }
        }
    }
    Ok(())
}

/// Archives the first `count` of some active memories whose ids are free in the archive.
fn archive_first(
    store: &MemoryStore,
    memories: &[Memory],
    count: usize,
    now: Timestamp,
    moved: &mut MovedMemories,
) -> Result<()> {
    let mut left = count;
    for memory in memories {
        if left == 0 {
            break;
        }
        match store.move_if_free(memory, MemoryState::Archive)? {
            FreeMove::Moved(memory) => {
                record_use(store, &[&memory], now);
                moved.archived.push(memory.id().to_owned());
                left -= 1;
            }
            FreeMove::MovedBefore => left -= 1,
            FreeMove::Occupied => moved.skipped.push(memory.id().to_owned()),
        }
    }
    Ok(())
}
