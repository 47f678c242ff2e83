//! A rebuild that is killed keeps the database and its log together.

use crate::support::{Index, deliver, meta, turn};
use rusqlite::Connection;
use session_store::Writer;

/// An index as a rebuild leaves it that was killed behind its first rename, with a session that only the log holds.
fn killed_rebuild() -> Index {
    let (index, killed) = (Index::new(), Index::new());
    let mut writer = index.writer();
    deliver(&mut writer, &meta("a"), &[turn(0, "Why?", &[])]);
    writer.commit().unwrap();
    for (from, to) in [
        ("lock", "lock"),
        ("index.db", "index.db.old"),
        ("index.db-wal", "index.db-wal"),
    ] {
        fs_err::copy(index.root().join(from), killed.root().join(to)).unwrap();
    }
    killed
}

#[track_caller]
fn assert_renamed_to_old(index: &Index) {
    let old = Connection::open(index.root().join("index.db.old")).unwrap();
    let count = "SELECT count(*) FROM sessions";
    let sessions: u32 = old.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(sessions, 1);
}

#[test]
fn a_killed_rebuild_loses_no_commit() {
    let index = killed_rebuild();
    let mut writer = index.writer();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 0);
    assert_renamed_to_old(&index);
    let index = killed_rebuild();
    let mut writer = Writer::rebuild(index.root()).unwrap();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 0);
    assert_renamed_to_old(&index);
}
