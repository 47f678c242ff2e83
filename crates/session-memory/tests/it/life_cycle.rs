//! The life cycle: states, archiving by age, retention.

use crate::support::{TestMemories, days_ago, draft, now};
use jiff::{Timestamp, ToSpan, Zoned};
use session_memory::{
    Importance, Memory, MemoryChange, MemoryDraft, MemoryError, MemoryState, MovedMemories,
    StorageSettings, StorageSettingsByScope, Triggers, Trust, apply_retention, archive_memories,
    find_unused, record_recall,
};
use std::path::Path;

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
    let archived = archive_memories(
        &world.store,
        std::slice::from_ref(&memory),
        Timestamp::now(),
    )
    .unwrap();
    assert!(world.topics(&[MemoryState::Active]).is_empty());
    assert_eq!(world.topics(&[MemoryState::Archive]), ["Lantern"]);
    let trashed = world.move_to(&archived[0], MemoryState::Trash).unwrap();
    assert!(!trashed.path.starts_with(archived[0].path.parent().unwrap()));
    let active = world.move_to(&trashed, MemoryState::Active).unwrap();
    assert_eq!(world.topics(&[MemoryState::Active]), ["Lantern"]);
    world
        .store
        .purge(std::slice::from_ref(&active), &now())
        .unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
}

#[test]
fn what_was_replaced_counts_again_without_its_replacement() {
    let world = TestMemories::new();
    let [old, new, newest] = ["Old", "New", "Newest"].map(|topic| world.save(topic, "info"));
    let supersede = |old: &Memory, new: &Memory| {
        world.store.supersede(old.id(), new.id(), &now()).unwrap();
        world.store.find(new.id()).unwrap()
    };
    let new = supersede(&old, &new);
    let ids = |memories: &[Memory]| -> Vec<String> {
        memories
            .iter()
            .map(|memory| memory.id().to_owned())
            .collect()
    };
    let replaced = world.store.list_replaced_by(std::slice::from_ref(&new));
    assert_eq!(ids(&replaced), [old.id()]);
    assert_eq!(world.store.list_replaced_by(std::slice::from_ref(&old)), []);
    assert_eq!(world.store.list_unreplaced(&replaced), []);
    // What is purged passes on what it replaced.
    supersede(&new, &newest);
    let new = world.store.find(new.id()).unwrap();
    world
        .store
        .purge(std::slice::from_ref(&new), &now())
        .unwrap();
    assert_eq!(world.store.list_unreplaced(&replaced), []);
    world.move_to(&newest, MemoryState::Trash).unwrap();
    assert_eq!(ids(&world.store.list_unreplaced(&replaced)), [old.id()]);
}

#[test]
fn a_memory_that_was_moved_since_it_was_listed_is_removed_or_moved_from_there() {
    let world = TestMemories::new();
    let listed = world.save("Lantern", "in the harbour");
    archive_memories(
        &world.store,
        std::slice::from_ref(&listed),
        Timestamp::now(),
    )
    .unwrap();
    let trashed = world.move_to(&listed, MemoryState::Trash).unwrap();
    assert_eq!(world.topics(&[MemoryState::Trash]), ["Lantern"]);
    assert!(world.topics(&[MemoryState::Archive]).is_empty());
    world.move_to(&trashed, MemoryState::Active).unwrap();
    world
        .store
        .purge(std::slice::from_ref(&trashed), &now())
        .unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
    let error = world
        .store
        .purge(std::slice::from_ref(&trashed), &now())
        .unwrap_err();
    assert!(matches!(error, MemoryError::Unknown(_)), "{error}");
}

/// Deletes a memory, and restores its file as a switch to an older branch does.
fn delete_and_restore(world: &TestMemories, memory: &Memory) -> Memory {
    world.move_to(memory, MemoryState::Trash).unwrap();
    world.write(&memory.path, &memory.raw_text);
    world.store.find(memory.id()).unwrap()
}

#[test]
fn of_a_deleted_memory_that_git_brought_back_the_one_in_use_is_found_and_changed() {
    let world = TestMemories::new();
    let memory = world.save("Lantern", "in the harbour");
    let trash = world.file(MemoryState::Trash, memory.id());
    let restored = delete_and_restore(&world, &memory);
    assert_eq!(restored.state, MemoryState::Active);
    assert_eq!(restored.trust, Trust::Changed);
    let change = MemoryChange {
        topic: Some("Beacon".into()),
        ..MemoryChange::default()
    };
    let changed = world.store.change(memory.id(), &change, &now()).unwrap();
    assert_eq!(changed.path, memory.path);
    assert_eq!(fs_err::read_to_string(&trash).unwrap(), memory.raw_text);
    let archived = world.move_to(&changed, MemoryState::Archive).unwrap();
    let found = world.store.find(memory.id()).unwrap();
    assert_eq!(found.state, MemoryState::Archive);
    world.move_to(&archived, MemoryState::Trash).unwrap();
    assert_eq!(world.topics(&MemoryState::ALL), ["Beacon"]);
    assert_eq!(
        fs_err::read_to_string(&trash).unwrap(),
        changed.raw_text,
        "the older copy in the trash is replaced"
    );
}

#[test]
fn a_purge_removes_a_memory_in_every_state() {
    let world = TestMemories::new();
    let memory = world.save_draft(&MemoryDraft {
        raw: Some("User: why?".to_owned()),
        ..draft("Lantern", "in the harbour")
    });
    delete_and_restore(&world, &memory);
    let listed = world.store.list(&MemoryState::ALL).memories;
    assert_eq!(listed.len(), 2);
    let meant = world.store.list_where(|_| true, |_| true);
    assert_eq!(meant.len(), 1);
    assert_eq!(meant[0].state, MemoryState::Active);
    record_recall(&world.store, &[&memory], Timestamp::now());
    assert_ne!(files_that_name(world.home(), memory.id()), [""; 0]);
    world.store.purge(&listed, &now()).unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
    assert_eq!(world.store.read_conversation(&memory).unwrap(), None);
    assert_eq!(files_that_name(world.home(), memory.id()), [""; 0]);
    delete_and_restore(&world, &world.save("Lantern", "in the harbour"));
    let in_use = world.store.list_where(|_| true, |_| true);
    world.store.purge(&in_use, &now()).unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
}

/// Lists the files below a directory whose name or text has an id.
fn files_that_name(directory: &Path, id: &str) -> Vec<String> {
    let entries = fs_err::read_dir(directory).unwrap().map(Result::unwrap);
    let found = entries.map(|entry| match entry.path() {
        path if path.is_dir() => files_that_name(&path, id),
        path => {
            let text = fs_err::read(&path).unwrap();
            let text = path.display().to_string() + &String::from_utf8_lossy(&text);
            Vec::from_iter(text.contains(id).then(|| path.display().to_string()))
        }
    });
    found.flatten().collect()
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
    record_recall(&world.store, &[&old], Timestamp::now());
    let moved = retain(&world, one, &now());
    assert_eq!(moved, MovedMemories::default(), "a recall is a touch");
}

/// A memory of high importance stays, however long nobody touched it.
#[test]
fn of_untouched_memories_the_least_important_are_archived_and_none_of_high_importance() {
    let world = TestMemories::new();
    let save = |topic: &str, importance, days| {
        let draft = MemoryDraft {
            importance,
            ..draft(topic, "info")
        };
        world.store.save(&draft, None, &days_ago(days)).unwrap()
    };
    save("High", Importance::High, 50);
    let normal = save("Normal", Importance::Normal, 40);
    let low = save("Low", Importance::Low, 30);
    let above = |archive_above| StorageSettings {
        archive_above,
        ..StorageSettings::default()
    };
    assert_eq!(retain(&world, above(2), &now()).archived, [low.id()]);
    assert_eq!(retain(&world, above(0), &now()).archived, [normal.id()]);
    assert_eq!(world.topics(&[MemoryState::Active]), ["High"]);
}

/// The file that a trigger names may be one that is rarely touched.
#[test]
fn a_memory_with_triggers_is_not_archived() {
    let world = TestMemories::new();
    let triggered = MemoryDraft {
        when: Triggers {
            paths: vec!["db/".into()],
            ..Triggers::default()
        },
        ..draft("Tables", "info")
    };
    let at = days_ago(40);
    world.store.save(&triggered, None, &at).unwrap();
    let old = save_old(&world, "Old", 30);
    let settings = StorageSettings {
        archive_above: 0,
        ..StorageSettings::default()
    };
    assert_eq!(retain(&world, settings, &now()).archived, [old.id()]);
    assert_eq!(world.topics(&[MemoryState::Active]), ["Tables"]);
}

#[test]
fn untouched_memories_are_sorted_by_their_last_touch() {
    let world = TestMemories::new();
    save_old(&world, "Old", 30);
    save_old(&world, "Older", 40);
    world.save("New", "info");
    let found = find_unused(&world.store, MemoryState::Active, 14, Timestamp::now());
    let topics: Vec<&str> = found.iter().map(|m| m.front.topic.as_str()).collect();
    assert_eq!(topics, ["Older", "Old"]);
}

#[test]
fn retention_counts_from_the_day_of_archiving() {
    let world = TestMemories::new();
    let memory = save_old(&world, "Old but gold", 400);
    archive_memories(
        &world.store,
        std::slice::from_ref(&memory),
        Timestamp::now(),
    )
    .unwrap();
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

#[test]
fn several_memories_are_moved_and_removed_in_one_change() {
    let world = TestMemories::new();
    let mut all: Vec<Memory> = (0..3)
        .map(|n| world.save(&format!("T{n}"), "info"))
        .collect();
    all.insert(1, world.save_global("Global", "info"));
    let ids = |memories: &[Memory]| -> Vec<String> {
        memories
            .iter()
            .map(|memory| memory.id().to_owned())
            .collect()
    };
    let archived = archive_memories(&world.store, &all, Timestamp::now()).unwrap();
    assert_eq!(ids(&archived), ids(&all));
    assert!(world.topics(&[MemoryState::Active]).is_empty());
    let active = world.store.activate(&archived, &now()).unwrap();
    assert!(active.iter().all(|memory| memory.trust == Trust::Own));
    let index = world.store.directories()[0].path.join("index.md");
    let index = || fs_err::read_to_string(&index).unwrap();
    assert!(index().contains("T0") && index().contains("T2"));
    world.store.move_all(&active, MemoryState::Trash).unwrap();
    assert!(!index().contains("T0"));
    world.store.purge(&active, &now()).unwrap();
    assert!(world.topics(&MemoryState::ALL).is_empty());
}

#[test]
fn none_of_several_memories_is_moved_or_removed_where_one_is_gone() {
    let world = TestMemories::new();
    let (here, gone) = (world.save("Here", "x"), world.save("Gone", "x"));
    fs_err::remove_file(&gone.path).unwrap();
    let both = [here.clone(), gone];
    assert!(world.store.move_all(&both, MemoryState::Trash).is_err());
    assert!(world.store.purge(&both, &now()).is_err());
    assert!(here.path.exists());
    assert_eq!(world.store.find(here.id()).unwrap().trust, Trust::Own);
}

/// A move that fails in the middle leaves those before it moved, without trust, and the others as they were.
#[test]
fn a_deletion_of_several_that_fails_in_the_middle_is_whole_for_each() {
    let world = TestMemories::new();
    let all: Vec<Memory> = (0..3).map(|n| world.save(&format!("T{n}"), "x")).collect();
    fs_err::create_dir_all(world.file(MemoryState::Trash, all[1].id())).unwrap();
    assert!(world.store.move_all(&all, MemoryState::Trash).is_err());
    assert_eq!(world.topics(&[MemoryState::Active]).len(), 2);
    for left in &all[1..] {
        assert_eq!(world.store.find(left.id()).unwrap().trust, Trust::Own);
    }
    world.write(&all[0].path, &all[0].raw_text);
    let restored = world.store.list(&[MemoryState::Active]).memories;
    let restored = restored.iter().find(|memory| memory.id() == all[0].id());
    assert_eq!(restored.unwrap().trust, Trust::Changed);
}

/// As many as are read of a state.
#[test]
fn no_more_memories_are_written_than_are_read() {
    let world = TestMemories::new();
    let first = world.save("Lantern", "in the harbour");
    let folder = first.path.parent().unwrap();
    for n in 0..4998 {
        fs_err::write(folder.join(format!("mem-2020-{n}.md")), "").unwrap();
    }
    world.save("Buoy", "at the pier");
    let error = world.store.save(&draft("Mast", "of oak"), None, &now());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("5001 memories, 5000 at most"), "{error}");
    assert_eq!(fs_err::read_dir(folder).unwrap().count(), 5000);
}
