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
    assert_eq!(before[0].raw_text, machines.memory.raw_text);
    // An older version changes nothing, and neither does the same one.
    for document in [export(one), export(two)] {
        let report = import(two, &document);
        let counts = (report.imported.len(), report.replaced.len(), report.known);
        assert_eq!(counts, (0, 0, 1), "{report:?}");
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
    let Machines { one, two, .. } = &machines;
    change_info(&one.store, machines.id(), "60 connections", 2);
    import(two, &export(one));
    let both = two.store.list(&MemoryState::ALL).memories;
    assert_eq!(both.len(), 2, "the trash keeps the earlier version");
    let third = TestMemories::new();
    let report = import(&third, &export(two));
    assert_eq!(ids(&report.imported), [machines.id()]);
    let imported = third.store.list(&MemoryState::ALL).memories;
    assert_eq!(imported[0].key_info(), ["60 connections"]);
    assert_eq!(imported.len(), 1);
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
