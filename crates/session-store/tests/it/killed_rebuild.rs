//! A rebuild that is killed keeps the database and its log together.

use crate::support::{Index, deliver, meta, turn};
use rusqlite::Connection;
use session_store::Writer;

/// An index as a rebuild leaves it that was killed between its renames, with a session that only the log holds.
fn killed_rebuild(is_database_moved: bool) -> Index {
    let (index, killed) = (Index::new(), Index::new());
    let mut writer = index.writer();
    deliver(&mut writer, &meta("a"), &[turn(0, "Why?", &[])]);
    writer.commit().unwrap();
    let database = if is_database_moved {
        "index.db.old"
    } else {
        "index.db"
    };
    for (from, to) in [
        ("lock", "lock"),
        ("index.db", database),
        ("index.db-wal", "index.db.old-wal.parted"),
    ] {
        fs_err::copy(index.root().join(from), killed.root().join(to)).unwrap();
    }
    killed
}

#[track_caller]
fn assert_put_aside(index: &Index) {
    let old = Connection::open(index.root().join("index.db.old")).unwrap();
    let count = "SELECT count(*) FROM sessions";
    let sessions: u32 = old.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(sessions, 1);
}

#[test]
fn a_killed_rebuild_loses_no_commit() {
    let index = killed_rebuild(false);
    let mut writer = index.writer();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 1);
    let index = killed_rebuild(false);
    let mut writer = Writer::rebuild(index.root()).unwrap();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 0);
    assert_put_aside(&index);
    let index = killed_rebuild(true);
    let mut writer = index.writer();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 0);
    assert_put_aside(&index);
}
