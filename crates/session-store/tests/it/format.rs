//! Indexes of this format and of each older one that is migrated, made once and
//! kept: this program must read them.
//!
//! To make the sample of a new format, remove its folder and run this test with
//! `SESSION_SEARCH_WRITE_FIXTURES=1`.

use crate::random::check_turn_keys;
use crate::support::{
    Index, bash, deliver, documents, embed, found, is_near, meta, prompts, turn, vector,
};
use rusqlite::Connection;
use session_core::{Progress, SessionMeta, Turn};
use session_store::{DocumentKind, FORMAT_VERSION, Reader, StoreError, Writer};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FILES: [&str; 3] = ["index.db", MATRICES[0], MATRICES[1]];

const MATRICES: [&str; 2] = ["vectors/f00d/session.0.npy", "vectors/f00d/turn.0.npy"];

/// Formats that are migrated.
const OLDER: [u32; 1] = [15];

fn sample(format: u32) -> PathBuf {
    let version = format!("fixtures/v{format}");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(version)
}

fn copy(from: &Path, to: &Path) {
    for file in FILES {
        fs_err::create_dir_all(to.join(file).parent().unwrap()).unwrap();
        fs_err::copy(from.join(file), to.join(file)).unwrap();
    }
}

fn turns() -> [Turn; 2] {
    let asked = Turn {
        origin: Some("u1".into()),
        parts: vec![bash("cargo test", "error[E0502]: cannot borrow")],
        branch: Some("main".into()),
        ..turn(0, "Why does the borrow checker refuse this loop?", &[])
    };
    let next = turn(
        1,
        "Then clone the names first.",
        &["Done, all tests pass:\n\n```\n3 passed\n```"],
    );
    [asked, next]
}

fn write_sample() {
    let index = Index::new();
    let mut writer = index.writer();
    let first = SessionMeta {
        title: Some("Borrow checker".into()),
        cwd: Some("/home/ann/app".into()),
        ..meta("7a1e0c52-0000-4000-8000-000000000001")
    };
    deliver(&mut writer, &first, &turns());
    let fork = meta("7a1e0c52-0000-4000-8000-000000000002");
    deliver(&mut writer, &fork, &turns()[..1]);
    embed(&mut writer);
    writer.commit().unwrap();
    writer.vacuum().unwrap();
    drop(writer);
    copy(index.root(), &sample(FORMAT_VERSION));
}

fn assert_sample(index: &Reader) {
    let sessions = index.sessions().unwrap();
    let titles = [0, 1].map(|n: usize| sessions[n].title.as_deref());
    let prompt = "Why does the borrow checker refuse this loop?";
    assert_eq!(titles, [Some("Borrow checker"), Some(prompt)]);
    assert_eq!(prompts(index, "E0502"), [prompt]);
    let copy = &index.turns(sessions[1].id).unwrap()[0];
    assert_eq!(copy.owner, found(index, "refuse").first().copied());
    assert_eq!(index.content(copy.id).unwrap().commands, ["cargo test"]);
    let model = index.model("f00d").unwrap().unwrap();
    let matrix = index.matrix(&model, DocumentKind::Turn).unwrap();
    for owner in index
        .vector_owners(model.id, DocumentKind::Turn)
        .unwrap()
        .rows()
    {
        let documents = documents(index, owner.session);
        let document = documents.iter().find(|d| d.turn == owner.turn).unwrap();
        assert!(is_near(&matrix.row(owner.row), &vector(&document.text)));
    }
    assert!(matrix.rows() > 0);
}

/// The index of a format, with its second session marked as gone.
fn older(format: u32) -> Index {
    let index = Index::new();
    copy(&sample(format), index.root());
    let db = database(&index);
    let fork = "7a1e0c52-0000-4000-8000-000000000002";
    db.execute("UPDATE sessions SET gone = 1 WHERE uid = ?1", [fork])
        .unwrap();
    let read = "UPDATE files SET size = 7, mtime_ns = 7; UPDATE files SET gone = 1 WHERE id = 2";
    db.execute_batch(read).unwrap();
    assert_eq!(format_of(&index), format);
    index
}

fn database(index: &Index) -> Connection {
    Connection::open(index.root().join("index.db")).unwrap()
}

fn format_of(index: &Index) -> u32 {
    let db = database(index);
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

/// All columns of all tables and indexes.
fn columns(index: &Index) -> BTreeSet<(String, String)> {
    let db = database(index);
    let mut find = db
        .prepare("SELECT m.name, c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c")
        .unwrap();
    let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn an_index_of_this_format_is_read_and_written_on() {
    let asked_to = std::env::var_os("SESSION_SEARCH_WRITE_FIXTURES").is_some();
    if asked_to && !sample(FORMAT_VERSION).exists() {
        write_sample();
    }
    let index = Index::new();
    copy(&sample(FORMAT_VERSION), index.root());
    assert_sample(&index.reader());
    let mut writer = Writer::open(index.root()).unwrap();
    deliver(
        &mut writer,
        &meta("c"),
        &[turn(0, "Where is the port configured?", &[])],
    );
    embed(&mut writer);
    writer.commit().unwrap();
    assert_sample(&index.reader());
    assert_eq!(found(&index.reader(), "port").len(), 1);
}

#[test]
fn an_index_of_an_older_format_is_migrated_with_all_that_it_holds() {
    for format in OLDER {
        let index = older(format);
        let told = RefCell::new(Vec::new());
        let report = |at: Progress| told.borrow_mut().push((at.done, at.total));
        let mut writer = Writer::open_reporting(index.root(), &report).unwrap();
        assert_eq!(*told.borrow(), [(1, 2), (2, 2)]);
        assert_sample(writer.reader().unwrap());
        writer.commit().unwrap();
        drop(writer);
        assert_eq!(format_of(&index), FORMAT_VERSION);
        assert_sample(&index.reader());
        index.reader().verify_thoroughly().unwrap();
        check_turn_keys(&index.reader());
        let gone = index.reader().sessions().unwrap();
        assert_eq!(
            gone.iter().map(|s| s.gone).collect::<Vec<_>>(),
            [false, true]
        );
        assert_eq!(columns(&index), columns(&empty()));
        let files = index.reader().files().unwrap();
        assert!(files.iter().all(|file| file.stamp.mtime_ns == 7));
        let mut writer = index.writer();
        let asked = turn(0, "Where is the port configured?", &[]);
        deliver(&mut writer, &meta("c"), &[asked]);
        embed(&mut writer);
        writer.commit().unwrap();
        assert_sample(&index.reader());
        assert_eq!(found(&index.reader(), "port").len(), 1);
    }
}

fn empty() -> Index {
    let index = Index::new();
    drop(index.writer());
    index
}

#[test]
fn a_migration_is_seen_after_the_first_commit() {
    for format in OLDER {
        let index = older(format);
        let before = columns(&index);
        let writer = index.writer();
        assert_eq!(format_of(&index), format);
        drop(writer);
        assert_eq!((format_of(&index), columns(&index)), (format, before));
        let error = Reader::open(index.root()).err().unwrap();
        let is_format = matches!(error, StoreError::Format { found, .. } if found == format);
        assert!(is_format && error.needs_migration(), "{error}");
        assert!(!error.needs_rebuild() && !error.needs_update());
        index.writer().commit().unwrap();
        assert_sample(&index.reader());
    }
}
