//! An import of memories that are here already: of both versions the one that was changed last is kept.

use crate::support::{TestMemories, days_ago, draft};
use session_memory::{
    ImportFormat, ImportInput, ImportReport, Importance, Memory, MemoryChange, MemoryScope,
    MemoryState, MemoryStore, Triggers, Trust, archive_memories, export_memories, import_memories,
};

/// Two machines. A memory of three days ago is saved on one and imported on the other.
struct Machines {
    one: TestMemories,
    two: TestMemories,
    memory: Memory,
}

impl Machines {
    fn new() -> Self {
        let (one, two) = (TestMemories::new(), TestMemories::new());
        let draft = draft("Pool size", "40 connections");
        let memory = one.store.save(&draft, None, &days_ago(3)).unwrap();
        let report = import(&two, &export(&one));
        assert_eq!(report.imported.len(), 1);
        Self { one, two, memory }
    }

    fn id(&self) -> &str {
        self.memory.id()
    }

    fn on_two(&self) -> Memory {
        self.two.store.find(self.id()).unwrap()
    }
}

fn export(world: &TestMemories) -> String {
    let all = world.store.list(&MemoryState::ALL).memories;
    serde_json::to_string(&export_memories(&world.store, &all)).unwrap()
}

fn import(world: &TestMemories, document: &str) -> ImportReport {
    let format = ImportFormat::SessionSearch;
    let now = days_ago(0);
    import_memories(
        &world.store,
        format,
        ImportInput::Text(document),
        None,
        &now,
    )
    .unwrap()
}

/// Changes the key information some days before now.
fn change_info(store: &MemoryStore, id: &str, info: &str, days: i64) -> Memory {
    let change = MemoryChange {
        key_info: Some(vec![info.to_owned()]),
        ..MemoryChange::default()
    };
    store.change(id, &change, &days_ago(days)).unwrap()
}

fn ids(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(Memory::id).collect()
}

#[test]
fn the_version_that_was_changed_last_is_kept_whole() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let change = MemoryChange {
        key_info: Some(vec!["60 connections".into()]),
        cues: Some(vec!["requests hang".into()]),
        importance: Some(Importance::High),
        when: session_memory::TriggerChange {
            paths: Some(vec!["src/db.rs".into()]),
            ..session_memory::TriggerChange::default()
        },
        ..MemoryChange::default()
    };
    let changed = one.store.change(machines.id(), &change, &days_ago(2));
    let changed = changed.unwrap();
    let report = import(two, &export(one));
    assert_eq!((report.imported.len(), report.known), (0, 0));
    assert_eq!(ids(&report.replaced), [machines.id()]);
    let here = machines.on_two();
    assert_eq!(here.raw_text, changed.raw_text);
    assert_eq!(here.trust, Trust::Own);
    let in_use = two.store.list(&[MemoryState::Active]).memories;
    assert_eq!(ids(&in_use), [machines.id()], "there is no second one");
    let before = two.store.list(&[MemoryState::Trash]).memories;
    assert_eq!(ids(&before), report.copies);
    assert_eq!(before[0].key_info(), ["40 connections"]);
    // An older version changes nothing, and neither does the same one.
    for (document, known) in [(export(one), 1), (export(two), 2)] {
        let report = import(two, &document);
        let counts = (report.imported.len(), report.replaced.len(), report.known);
        assert_eq!(counts, (0, 0, known), "{report:?}");
    }
    change_info(&two.store, machines.id(), "80 connections", 1);
    let report = import(two, &export(one));
    assert_eq!((report.replaced.len(), report.known), (0, 1));
    assert_eq!(machines.on_two().key_info(), ["80 connections"]);
    assert_eq!(ids(&import(one, &export(two)).replaced), [machines.id()]);
    let back = one.store.list(&[MemoryState::Active]).memories;
    assert_eq!(back[0].raw_text, machines.on_two().raw_text);
}

#[test]
fn a_replacement_and_an_archived_state_come_with_a_later_version() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let by = one.save("Pool size, again", "80 connections");
    one.store
        .supersede(machines.id(), by.id(), &days_ago(2))
        .unwrap();
    let report = import(two, &export(one));
    assert_eq!(ids(&report.imported), [by.id()]);
    assert_eq!(ids(&report.replaced), [machines.id()]);
    let here = machines.on_two();
    assert_eq!(here.front.superseded_by.as_deref(), Some(by.id()));
    let changed = change_info(&one.store, machines.id(), "60", 1);
    archive_memories(&one.store, &[changed], days_ago(0).timestamp()).unwrap();
    import(two, &export(one));
    assert_eq!(machines.on_two().state, MemoryState::Archive);
    assert!(!here.path.exists());
}

#[test]
fn a_later_version_that_was_deleted_goes_into_the_trash() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let before = machines.on_two();
    let changed = change_info(&one.store, machines.id(), "60", 2);
    one.move_to(&changed, MemoryState::Trash).unwrap();
    let report = import(two, &export(one));
    assert_eq!(ids(&report.replaced), [machines.id()]);
    assert_eq!(machines.on_two().raw_text, changed.raw_text);
    assert_eq!(machines.on_two().state, MemoryState::Trash);
    // Its trust ends with the deletion, whoever brings its file back.
    two.write(&before.path, &changed.raw_text);
    assert_eq!(machines.on_two().trust, Trust::Changed);
}

#[test]
fn a_deleted_memory_stays_in_the_trash_until_its_user_takes_it_back() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let trashed = two.move_to(&machines.on_two(), MemoryState::Trash).unwrap();
    let report = import(two, &export(one));
    assert_eq!((report.known, report.imported.len()), (0, 0));
    assert_eq!(report.in_trash, [machines.id()]);
    change_info(&one.store, machines.id(), "60 connections", 2);
    assert_eq!(import(two, &export(one)).in_trash, [machines.id()]);
    assert_eq!(machines.on_two().raw_text, trashed.raw_text);
    two.store.activate(&[trashed], &days_ago(3)).unwrap();
    assert_eq!(ids(&import(two, &export(one)).replaced), [machines.id()]);
    assert_eq!(machines.on_two().key_info(), ["60 connections"]);
}

#[test]
fn what_lies_in_a_repository_replaces_no_trusted_memory() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let global = two.save_global("Tabs", "never tabs");
    let text = global.raw_text.clone();
    change_info(&one.store, machines.id(), "60 connections", 2);
    let forged = text.replace("never", "always");
    let forged = forged.replace(&global.updated().to_string(), "2999-01-01T00:00:00Z");
    let created = global.front.created;
    let forged = forged.replacen("2999-01-01T00:00:00Z", &created.to_string(), 1);
    let mut document: serde_json::Value = serde_json::from_str(&export(one)).unwrap();
    let theirs = serde_json::json!({"id": global.id(), "state": "active", "scope": "global", "file": forged});
    document["memories"].as_array_mut().unwrap().push(theirs);
    let path = two.project("all.json");
    two.write(&path, document.to_string());
    let from = ImportInput::Path {
        path: &path,
        home: two.home(),
    };
    let format = ImportFormat::SessionSearch;
    let report = import_memories(&two.store, format, from, None, &days_ago(0)).unwrap();
    assert_eq!(report.kept_trusted, [machines.id(), global.id()]);
    assert_eq!(report.replaced, []);
    assert_eq!(machines.on_two().key_info(), ["40 connections"]);
    assert_eq!(two.read(&global), text);
    // What waits may be replaced, and waits.
    two.store.revoke(Some(&[machines.id().to_owned()])).unwrap();
    let report = import_memories(&two.store, format, from, None, &days_ago(0)).unwrap();
    assert_eq!(ids(&report.replaced), [machines.id()]);
    assert!(!machines.on_two().trust.is_trusted());
    assert_eq!(machines.on_two().scope, MemoryScope::Project);
}

#[test]
fn of_two_copies_in_an_export_the_one_in_use_is_imported() {
    let machines = Machines::new();
    let Machines { one, .. } = &machines;
    change_info(&one.store, machines.id(), "60 connections", 2);
    // Git brought it back after it was deleted.
    let trashed = one.file(MemoryState::Trash, machines.id());
    one.write(&trashed, &machines.memory.raw_text);
    let both = one.store.list(&MemoryState::ALL).memories;
    assert_eq!(both.len(), 2);
    let prefix = machines.id().trim_end_matches(char::is_numeric);
    let found = one.store.find(prefix).unwrap();
    assert_eq!(found.state, MemoryState::Active);
    let third = TestMemories::new();
    let report = import(&third, &export(one));
    assert_eq!(ids(&report.imported), [machines.id()]);
    let imported = third.store.list(&MemoryState::ALL).memories;
    assert_eq!(imported[0].key_info(), ["60 connections"]);
    assert_eq!(imported.len(), 1);
}

#[test]
fn an_import_that_was_killed_is_repeated_without_another_copy() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let old = machines.on_two();
    change_info(&one.store, machines.id(), "60 connections", 2);
    let copies = import(two, &export(one)).copies;
    // As it was when the copy was written, and what replaces it was not.
    two.write(&old.path, &old.raw_text);
    let repeated = import(two, &export(one));
    assert_eq!(ids(&repeated.replaced), [machines.id()]);
    assert_eq!(repeated.copies, copies);
    let trash = two.store.list(&[MemoryState::Trash]).memories;
    assert_eq!(ids(&trash), copies);
    assert_eq!(machines.on_two().key_info(), ["60 connections"]);
}

/// It is a memory by itself, so that a command about it does not concern the one in use.
#[test]
fn what_an_import_replaced_is_removed_and_taken_back_by_its_own_id() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let in_use = |id: &str| two.store.find(id).unwrap().state == MemoryState::Active;
    for (days, is_purged) in [(2, true), (1, false)] {
        change_info(&one.store, machines.id(), &days.to_string(), days);
        let report = import(two, &export(one));
        let copy = two.store.find(&report.copies[0]).unwrap();
        assert_eq!((copy.state, copy.trust), (MemoryState::Trash, Trust::Own));
        let theirs = two.file(MemoryState::Active, copy.id());
        two.write(&theirs, &copy.raw_text);
        assert_eq!(two.store.find(copy.id()).unwrap().trust, Trust::Changed);
        fs_err::remove_file(&theirs).unwrap();
        if is_purged {
            two.store.purge(&[copy], &days_ago(0)).unwrap();
        } else {
            two.store
                .activate(std::slice::from_ref(&copy), &days_ago(0))
                .unwrap();
            assert!(in_use(copy.id()));
            assert!(two.store.find(copy.id()).unwrap().trust.is_trusted());
        }
        assert!(in_use(machines.id()));
    }
}

#[test]
fn each_edit_that_an_import_replaces_or_deletes_is_kept_in_the_trash() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let has_in_trash = |info: &str| {
        let trash = two.store.list(&[MemoryState::Trash]).memories;
        trash.iter().any(|memory| memory.key_info() == [info])
    };
    let store = &two.store;
    let edit_after = |info: &str, hours: i64| {
        let at = days_ago(3).checked_add(jiff::Span::new().hours(hours));
        let change = MemoryChange {
            key_info: Some(vec![info.to_owned()]),
            ..MemoryChange::default()
        };
        store.change(machines.id(), &change, &at.unwrap()).unwrap();
    };
    edit_after("first edit", 1);
    change_info(&one.store, machines.id(), "60", 2);
    import(two, &export(one));
    assert!(has_in_trash("first edit"));
    edit_after("second edit", 25);
    let changed = change_info(&one.store, machines.id(), "70", 1);
    one.move_to(&changed, MemoryState::Trash).unwrap();
    let report = import(two, &export(one));
    assert_eq!(report.replaced[0].state, MemoryState::Trash);
    assert!(has_in_trash("first edit") && has_in_trash("second edit"));
}

/// The copy of an earlier version that one machine keeps is another memory, in the trash.
#[test]
fn a_copy_in_the_trash_of_an_export_deletes_nothing() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let change = MemoryChange {
        importance: Some(Importance::High),
        ..MemoryChange::default()
    };
    two.store
        .change(machines.id(), &change, &days_ago(2))
        .unwrap();
    let third = TestMemories::new();
    import(&third, &export(one));
    change_info(&one.store, machines.id(), "60 connections", 1);
    import(two, &export(one));
    let mut document: serde_json::Value = serde_json::from_str(&export(two)).unwrap();
    let memories = document["memories"].as_array_mut().unwrap();
    memories.retain(|memory| memory["state"] == "trash");
    assert_eq!(memories.len(), 1);
    let report = import(&third, &document.to_string());
    assert_eq!((report.replaced.len(), report.known), (0, 1));
    let here = third.store.find(machines.id()).unwrap();
    assert_eq!(here.state, MemoryState::Active);
}

/// Whoever writes to the repository does not decide whether the user's own is imported.
#[test]
fn what_waits_for_trust_hides_no_trusted_memory_of_an_import() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let forged = machines.memory.raw_text.replace("40", "4");
    let forged = forged.replace("updated: ", "updated: 2999-01-01T00:00:00Z # ");
    two.write(&machines.on_two().path, &forged);
    assert!(!machines.on_two().trust.is_trusted());
    let report = import(two, &export(one));
    assert_eq!((report.imported.len(), report.replaced.len()), (1, 0));
    assert_eq!(report.imported[0].key_info(), ["40 connections"]);
    assert!(report.imported[0].trust.is_trusted());
    let again = import(two, &export(one));
    assert_eq!((again.imported.len(), again.known), (0, 1));
}

#[test]
fn what_came_by_git_gets_the_trust_that_the_import_has() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    two.store.revoke(Some(&[machines.id().to_owned()])).unwrap();
    assert!(!machines.on_two().trust.is_trusted());
    let report = import(two, &export(one));
    assert_eq!((report.imported.len(), report.known), (0, 1));
    assert_eq!(report.trusted, [machines.id()]);
    assert!(machines.on_two().trust.is_trusted());
    // Another text is not trusted with it.
    let forged = machines.memory.raw_text.replace("40", "4");
    two.write(&machines.on_two().path, &forged);
    let report = import(two, &export(one));
    assert_eq!(report.imported.len(), 1);
    assert!(!machines.on_two().trust.is_trusted());
}

#[test]
fn what_its_user_took_out_of_use_brings_no_trust() {
    for state in [MemoryState::Archive, MemoryState::Trash] {
        let machines = Machines::new();
        let Machines { one, two, .. } = &machines;
        one.move_to(&machines.memory, state).unwrap();
        two.store.revoke(Some(&[machines.id().to_owned()])).unwrap();
        let report = import(two, &export(one));
        assert_eq!((report.known, report.trusted.len()), (1, 0), "{state:?}");
        assert!(!machines.on_two().trust.is_trusted(), "{state:?}");
    }
}

/// Each machine has a first section of a day, and such a memory has the day for a time.
#[test]
fn memories_of_other_programs_with_one_day_are_told_apart() {
    let machines = ["Deploy by make ship", "Never edit generated code"].map(|topic| {
        let world = TestMemories::new();
        let folder = world.home().join("notes");
        let day = format!("## Session 1\n\n### Topic\n{topic}\n\n### Key Info\n- {topic} always\n");
        world.write(&folder.join("daily/2026-01-29.md"), day);
        let (path, home) = (folder.as_path(), world.home());
        let from = ImportInput::Path { path, home };
        let format = ImportFormat::CursorMemory;
        import_memories(&world.store, format, from, None, &days_ago(0)).unwrap();
        world
    });
    let [one, two] = &machines;
    let of_one = one.store.list(&[MemoryState::Active]).memories;
    let of_two = two.store.list(&[MemoryState::Active]).memories;
    assert_eq!(ids(&of_one), ids(&of_two));
    for days in [2, 1] {
        let report = import(two, &export(one));
        assert_eq!(report.replaced, []);
        assert_eq!(report.imported.len() + report.known, 1);
        assert_eq!(report.imported.len(), usize::from(days == 2));
        assert_eq!(two.topics(&[MemoryState::Active]).len(), 2);
        change_info(&one.store, of_one[0].id(), "by hand", days);
    }
    assert_eq!(two.read(&of_two[0]), of_two[0].raw_text);
}

/// Two machines may choose one id for two memories.
#[test]
fn a_memory_with_the_id_of_another_one_is_new() {
    let machines = Machines::new();
    let Machines { one, two, .. } = &machines;
    let created = machines.memory.front.created.to_string();
    let text = machines
        .memory
        .raw_text
        .replace(&created, "2026-01-10T09:15:00Z");
    let theirs = text.replace("Pool size", "Lantern");
    one.write(&machines.memory.path, &theirs);
    one.store
        .trust(&[one.store.find(machines.id()).unwrap()])
        .unwrap();
    let report = import(two, &export(one));
    assert_eq!((report.imported.len(), report.replaced.len()), (1, 0));
    assert_eq!(machines.on_two().front.topic, "Pool size");
}

#[test]
fn a_later_version_of_a_memory_with_another_id_here_keeps_that_id() {
    let machines = Machines::new();
    let Machines { one, two, memory } = &machines;
    let other = format!("{}-7", memory.id());
    let file = two.file(MemoryState::Active, &other);
    two.write(&file, memory.raw_text.replace(memory.id(), &other));
    let renamed = two.store.find(&other).unwrap();
    two.store.trust(&[renamed]).unwrap();
    fs_err::remove_file(&machines.on_two().path).unwrap();
    let change = MemoryChange {
        importance: Some(Importance::High),
        ..MemoryChange::default()
    };
    one.store
        .change(memory.id(), &change, &days_ago(1))
        .unwrap();
    assert_eq!(ids(&import(two, &export(one)).replaced), [other.as_str()]);
    let here = two.store.find(&other).unwrap();
    assert_eq!(here.front.importance, Importance::High);
    assert_eq!(here.front.when, Triggers::default());
}
