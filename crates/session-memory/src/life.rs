//! The life of memories: recalled, archived by themselves, kept for so long.

use crate::error::Result;
use crate::limits;
use crate::memory::{Memory, Scope, State};
use crate::place::{Location, Place};
use crate::record::FolderRecord;
use crate::store::Store;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;

/// Where memories are kept and for how long: `[storage]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Storage {
    /// Which places are used.
    pub location: Location,
    /// Archive what was untouched for long, where many are active.
    pub auto_archive: bool,
    /// So many may be active.
    #[serde(deserialize_with = "limits::count")]
    pub archive_above: usize,
    /// Days without an edit or a recall after which one may be archived.
    #[serde(deserialize_with = "limits::days")]
    pub archive_after_days: u32,
    /// Days after which what is archived goes into the trash; -1: never.
    #[serde(deserialize_with = "limits::days_or_ever")]
    pub retention_days: i64,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            location: Location::ProjectFirst,
            auto_archive: true,
            archive_above: 20,
            archive_after_days: 14,
            retention_days: -1,
        }
    }
}

/// How long the memories of each place are kept: a project decides over its own alone, since
/// an unpacked repository must not be able to put a user's memories away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keeping {
    /// Those of the project.
    pub project: Storage,
    /// Those of the user.
    pub global: Storage,
}

impl Keeping {
    fn of(&self, place: &Place) -> &Storage {
        match place.scope {
            Scope::Project => &self.project,
            Scope::Global => &self.global,
        }
    }
}

/// What was moved because of its age.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Ids that were archived.
    pub archived: Vec<String>,
    /// Ids that went into the trash.
    pub trashed: Vec<String>,
}

type Days = BTreeMap<String, String>;

/// Notes that memories were recalled today, with the user's own state: recalling changes nothing
/// in a project. That a note is lost where another process is writing costs nothing.
pub fn recalled(store: &Store, memories: &[&Memory], now: Timestamp) {
    let today = now.strftime("%Y-%m-%d").to_string();
    for place in store.places() {
        let own = memories.iter().filter(|m| m.scope == place.scope);
        let new: Days = own.map(|m| (m.id().to_owned(), today.clone())).collect();
        let known = recall_days(store, place);
        if new.iter().any(|(id, day)| known.get(id) != Some(day)) {
            let note = |record: &mut FolderRecord| record.recalled.extend(new);
            store.records().try_update(place, note);
        }
    }
}

fn recall_days(store: &Store, place: &Place) -> Days {
    store.records().read(place).recalled
}

/// When a memory was edited or recalled last, milliseconds since 1970.
fn touched(memory: &Memory, days: &Days) -> i64 {
    let recalled = days
        .get(memory.id())
        .and_then(|day| crate::moment::Moment::parse(day));
    let recalled = recalled.map_or(0, |at| at.0.as_millisecond());
    memory.updated().0.as_millisecond().max(recalled)
}

/// The memories in a state that nobody touched for so many days, those for the longest
/// first.
pub fn untouched(store: &Store, state: State, days: u32, now: Timestamp) -> Vec<Memory> {
    let limit = now.as_millisecond() - i64::from(days) * DAY_MS;
    let places = store.places().iter();
    let notes: Vec<(&Place, Days)> = places.map(|p| (p, recall_days(store, p))).collect();
    let age = |memory: &Memory| {
        let own = notes.iter().find(|(place, _)| place.scope == memory.scope);
        own.map_or(i64::MAX, |(_, days)| touched(memory, days))
    };
    let mut found = store.list(&[state]).memories;
    // What waits for trust is the repository's: only its user moves it.
    found.retain(|memory| memory.trust.is_given() && age(memory) <= limit);
    found.sort_by_key(|memory| (age(memory), memory.front.id.clone()));
    found
}

/// Archives a memory, and notes the day, from which it is kept for
/// `storage.retention_days`.
///
/// # Errors
/// When its file cannot be moved.
pub fn archive(store: &Store, memory: &Memory, now: Timestamp) -> Result<Memory> {
    let memory = store.move_to(memory, State::Archive)?;
    recalled(store, &[&memory], now);
    Ok(memory)
}

/// Notes today for what is archived and of which no day is noted: by hand, or on
/// another machine.
fn start_clocks(store: &Store, now: Timestamp) {
    let noted: Vec<Days> = store
        .places()
        .iter()
        .map(|p| recall_days(store, p))
        .collect();
    let mut found = store.list(&[State::Archive]).memories;
    found.retain(|memory| !noted.iter().any(|days| days.contains_key(memory.id())));
    recalled(store, &found.iter().collect::<Vec<_>>(), now);
}

/// Archives what nobody touched for long where too many are active in a place, and
/// puts into the trash what was archived for longer than is wanted.
///
/// # Errors
/// When a file cannot be moved.
pub fn tidy(store: &Store, keeping: &Keeping, now: Timestamp) -> Result<Moved> {
    let mut moved = Moved::default();
    for place in store.places() {
        tidy_one(&store.alone(place), keeping.of(place), now, &mut moved)?;
    }
    Ok(moved)
}

fn tidy_one(store: &Store, how: &Storage, now: Timestamp, moved: &mut Moved) -> Result<()> {
    let active = store.list(&[State::Active]).memories;
    let active = active.iter().filter(|m| m.trust.is_given()).count();
    let spare = active.saturating_sub(how.archive_above);
    if how.auto_archive && spare > 0 {
        let old = untouched(store, State::Active, how.archive_after_days, now);
        for memory in old.iter().take(spare) {
            archive(store, memory, now)?;
            moved.archived.push(memory.id().to_owned());
        }
    }
    if let Ok(days) = u32::try_from(how.retention_days) {
        start_clocks(store, now);
        for memory in untouched(store, State::Archive, days, now) {
            store.move_to(&memory, State::Trash)?;
            moved.trashed.push(memory.id().to_owned());
        }
    }
    Ok(())
}
