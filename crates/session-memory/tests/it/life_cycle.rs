//! The life cycle: states, archiving by age, retention.

use crate::support::{TestMemories, days_ago, draft, now};
use jiff::{Timestamp, ToSpan, Zoned};
use session_memory::{
    Memory, MemoryError, MemoryState, MovedMemories, StorageSettings, StorageSettingsByScope,
    apply_retention, archive_memory, find_unused_since, record_use,
};

fn retain(world: &TestMemories, settings: StorageSettings, now: &Zoned) -> MovedMemories {
    let settings = StorageSettingsByScope {
        project: settings,
        global: settings,
    };
    apply_retention(&world.store, &settings, now.timestamp()).unwrap()
}

fn save_old(world: &TestMemories, topic: &str, days: i64) -> Memory {
    let draft = draft(topic, "info");
    world.store.save(&draft, None, &days_ago(days)).unwrap()
}

#[test]
fn a_memory_goes_from_active_to_the_archive_to_the_trash_and_back() {
    let world = TestMemories::new();
    let memory = world.save("Lantern", "in the harbour");
    let archived = archive_memory(&world.store, &memory, Timestamp::now()).unwrap();
    assert!(world.topics(&[MemoryState::Active]).is_empty());
    assert_eq!(world.topics(&[MemoryState::Archive]), ["Lantern"]);
    let trashed = world.store.move_to(&archived, MemoryState::Trash).unwrap();
    assert!(!trashed.path.starts_with(archived.path.parent().unwrap()));
    let active = world.store.move_to(&trashed, MemoryState::Active).unwrap();
    assert_eq!(world.topics(&[MemoryState::Active]), ["Lantern"]);
    world.store.purge(&active, &now()).unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
}

#[test]
fn a_memory_that_was_moved_since_it_was_listed_is_removed_or_moved_from_there() {
    let world = TestMemories::new();
    let listed = world.save("Lantern", "in the harbour");
    archive_memory(&world.store, &listed, Timestamp::now()).unwrap();
    let trashed = world.store.move_to(&listed, MemoryState::Trash).unwrap();
    assert_eq!(world.topics(&[MemoryState::Trash]), ["Lantern"]);
    assert!(world.topics(&[MemoryState::Archive]).is_empty());
    world.store.move_to(&trashed, MemoryState::Active).unwrap();
    world.store.purge(&trashed, &now()).unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
    let error = world.store.purge(&trashed, &now()).unwrap_err();
    assert!(matches!(error, MemoryError::Unknown(_)), "{error}");
}

#[test]
fn a_memory_whose_id_is_in_the_archive_too_stays_and_another_one_is_archived() {
    let world = TestMemories::new();
    let older = save_old(&world, "Older", 40);
    let old = save_old(&world, "Old", 30);
    world.save("New", "info");
    let merged = world.file(MemoryState::Archive, older.id());
    world.write(&merged, world.read(&older));
    let settings = StorageSettings {
        archive_above: 2,
        ..StorageSettings::default()
    };
    let moved = retain(&world, settings, &now());
    assert_eq!(moved.skipped, [older.id()]);
    assert_eq!(moved.archived, [old.id()]);
    assert!(older.path.exists() && merged.exists());
}

#[test]
fn the_longest_untouched_are_archived_above_the_limit() {
    let world = TestMemories::new();
    let old = save_old(&world, "Old", 30);
    let older = save_old(&world, "Older", 40);
    world.save("New", "info");
    let settings = StorageSettings {
        archive_above: 2,
        ..StorageSettings::default()
    };
    let off = StorageSettings {
        auto_archive: false,
        ..settings
    };
    assert_eq!(retain(&world, off, &now()), MovedMemories::default());
    assert_eq!(retain(&world, settings, &now()).archived, [older.id()]);
    assert_eq!(
        retain(&world, settings, &now()),
        MovedMemories::default(),
        "two are left"
    );
    let one = StorageSettings {
        archive_above: 1,
        ..settings
    };
    record_use(&world.store, &[&old], Timestamp::now());
    let moved = retain(&world, one, &now());
    assert_eq!(moved, MovedMemories::default(), "a recall is a touch");
}

#[test]
fn untouched_memories_are_sorted_by_their_last_touch() {
    let world = TestMemories::new();
    save_old(&world, "Old", 30);
    save_old(&world, "Older", 40);
    world.save("New", "info");
    let found = find_unused_since(&world.store, MemoryState::Active, 14, Timestamp::now());
    let topics: Vec<&str> = found.iter().map(|m| m.front.topic.as_str()).collect();
    assert_eq!(topics, ["Older", "Old"]);
}

#[test]
fn retention_counts_from_the_day_of_archiving() {
    let world = TestMemories::new();
    let memory = save_old(&world, "Old but gold", 400);
    archive_memory(&world.store, &memory, Timestamp::now()).unwrap();
    let settings = StorageSettings {
        retention_days: 30,
        ..StorageSettings::default()
    };
    assert_eq!(retain(&world, settings, &now()), MovedMemories::default());
    let later = now().checked_add(29.days()).unwrap();
    assert_eq!(retain(&world, settings, &later), MovedMemories::default());
    let later = now().checked_add(32.days()).unwrap();
    assert_eq!(retain(&world, settings, &later).trashed, [memory.id()]);
    assert_eq!(world.topics(&[MemoryState::Trash]), ["Old but gold"]);
}

#[test]
fn a_project_does_not_archive_the_users_global_memories() {
    let world = TestMemories::new();
    world.save_global("Mine", "info");
    let settings = StorageSettingsByScope {
        project: StorageSettings {
            archive_above: 1,
            archive_after_days: 0,
            retention_days: 0,
            ..StorageSettings::default()
        },
        global: StorageSettings::default(),
    };
    let moved = apply_retention(&world.store, &settings, Timestamp::now()).unwrap();
    assert_eq!(moved, MovedMemories::default());
}
