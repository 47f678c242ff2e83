//! Generated views: what they list, and whose they are.

use crate::support::{TestMemories, draft};
use session_files::{Dir, Lock};
use session_memory::{MemoryDraft, MemoryKind};
use std::path::PathBuf;
use std::time::Duration;

#[test]
fn views_list_the_active_memories_and_those_of_each_day() {
    let world = TestMemories::new();
    let memory = world.save_draft(&MemoryDraft {
        kind: MemoryKind::KnownIssue,
        ..draft("Pool", "raise DB_POOL")
    });
    let root = &world.store.directories()[0].path;
    let index = fs_err::read_to_string(root.join("index.md")).unwrap();
    assert!(index.contains("| known issue | Pool |"), "{index}");
    let daily = root.join("daily").join(memory.day() + ".md");
    let daily = fs_err::read_to_string(daily).unwrap();
    assert!(daily.contains("## Pool\n"), "{daily}");
    assert!(world.store.list_foreign_views().is_empty());
}

/// It writes them before it records their hashes.
#[test]
fn views_of_another_writer_are_not_foreign() {
    let world = TestMemories::new();
    world.save("Pool", "raise DB_POOL");
    let root = world.store.directories()[0].path.clone();
    let own = fs_err::read(root.join("index.md")).unwrap();
    let dir = Dir::open(&root).unwrap();
    let lock = Lock::try_lock(&dir, ".lock").unwrap();
    assert!(lock.is_some());
    fs_err::write(root.join("index.md"), "half a change").unwrap();
    std::thread::scope(|scope| {
        let foreign = scope.spawn(|| world.store.list_foreign_views());
        // Time enough to look without the lock.
        std::thread::sleep(Duration::from_millis(200));
        fs_err::write(root.join("index.md"), own).unwrap();
        drop(lock);
        assert_eq!(foreign.join().unwrap(), [] as [PathBuf; 0]);
    });
}
