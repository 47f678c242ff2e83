//! Migrating an index redacts what it holds, and leaves no trace of it.

use crate::support::{Index, bash, deliver, embed, found, meta, prompts, turn, write_older_tables};
use rusqlite::Connection;
use session_core::{SessionMeta, Turn};
use session_redact::Redactor;
use session_store::{
    DocumentKind, PendingPurge, PurgeOutcome, Reader, StoreError, Writer, WriterOptions,
};

/// One word of the word index.
const PASSWORD: &str = "zq8lanternw7xk9";

/// An index of format 5 with a password in one of its two sessions.
fn older() -> Index {
    let index = Index::new();
    let mut writer = index.writer();
    let asked = Turn {
        parts: vec![bash(
            &format!("PGPASSWORD={PASSWORD} psql"),
            "error: no host",
        )],
        ..turn(
            0,
            &format!("Why does postgres://ann:{PASSWORD}@db refuse me?"),
            &["Wrong host."],
        )
    };
    let meta_with_title = SessionMeta {
        title: Some(format!("DB_PASSWORD={PASSWORD}")),
        ..meta("a")
    };
    deliver(&mut writer, &meta_with_title, &[asked]);
    deliver(
        &mut writer,
        &meta("b"),
        &[turn(0, "Where is the port configured?", &["In port.toml."])],
    );
    embed(&mut writer);
    writer.commit().unwrap();
    writer.vacuum().unwrap();
    drop(writer);
    DocumentKind::ALL
        .iter()
        .for_each(|kind| write_half_floats(&index, *kind));
    let db = Connection::open(index.root().join("index.db")).unwrap();
    write_older_tables(&db);
    db.execute_batch("DROP TABLE pending_purge; DROP TABLE settings; DROP TABLE owner_blocks; DROP TABLE turn_blocks; DROP TABLE file_blocks; DROP TABLE changed_sessions; DROP TABLE session_blocks; DROP INDEX files_gone; DROP INDEX sessions_prompts; ALTER TABLE models DROP COLUMN complete; ALTER TABLE models DROP COLUMN session_dead; ALTER TABLE models DROP COLUMN turn_dead; DROP TABLE error_signatures; PRAGMA user_version = 5")
        .unwrap();
    index
}

/// Writes a matrix as formats before 9 have it.
fn write_half_floats(index: &Index, kind: DocumentKind) {
    let reader = index.reader();
    let model = reader.model("f00d").unwrap().unwrap();
    let matrix = reader.matrix(&model, kind).unwrap();
    let (rows, dims) = (matrix.rows(), matrix.dims());
    let header = format!("{{'descr': '<f2', 'fortran_order': False, 'shape': ({rows}, {dims}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    let numbers = (0..rows).flat_map(|row| matrix.row(row));
    bytes.extend(numbers.flat_map(|x| half::f16::from_f32(x).to_le_bytes()));
    drop((matrix, reader));
    let name = format!("vectors/f00d/{}.0.npy", kind.name());
    fs_err::write(index.root().join(name), bytes).unwrap();
}

/// All bytes of the index's files, and its contents unpacked.
fn decoded(index: &Index) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs_err::read_dir(index.root()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            all.extend(fs_err::read(path).unwrap());
        }
    }
    let reader = index.reader();
    for session in reader.sessions().unwrap() {
        all.extend(format!("{session:?} {:?}", reader.contents(session.id).unwrap()).bytes());
    }
    all
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn vectors(index: &Reader) -> usize {
    let model = index.model("f00d").unwrap().unwrap();
    let rows = DocumentKind::ALL.map(|kind| index.matrix(&model, kind).unwrap().rows());
    rows.iter().sum()
}

#[test]
fn a_migration_redacts_what_the_index_holds_and_leaves_no_trace() {
    let index = older();
    let bytes = fs_err::read(index.root().join("index.db")).unwrap();
    assert!(holds(&bytes, PASSWORD));
    let told = std::cell::RefCell::new(Vec::new());
    let options = WriterOptions {
        on_migrated: &|at| told.borrow_mut().push((at.done, at.total)),
        ..WriterOptions::default()
    };
    let mut writer = Writer::open_with(index.root(), options).unwrap();
    // Once for redaction, once for the words.
    assert_eq!(*told.borrow(), [(1, 2), (2, 2)].repeat(2));
    assert_eq!(writer.purge().unwrap(), PurgeOutcome::Complete);
    assert!(!writer.reader().unwrap().is_purge_pending().unwrap());
    drop(writer);
    assert!(!holds(&decoded(&index), PASSWORD));
    let reader = index.reader();
    reader.verify_thoroughly().unwrap();
    assert_eq!(
        prompts(&reader, "refuse"),
        ["Why does postgres://ann:[redacted:url-password]@db refuse me?"]
    );
    assert!(found(&reader, PASSWORD).is_empty());
    // Vectors of what held no secret are kept; the others are made again.
    assert_eq!(vectors(&reader), 2);
    let pending = reader
        .pending_sessions(&[reader.model("f00d").unwrap().unwrap().id])
        .unwrap();
    assert_eq!(pending.len(), 1);
}

#[test]
fn an_index_is_migrated_as_it_is_where_redaction_is_off() {
    let index = older();
    let options = WriterOptions {
        redactor: Redactor::off(),
        ..WriterOptions::default()
    };
    let mut writer = Writer::open_with(index.root(), options).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&index.reader(), PASSWORD).len(), 1);
}

#[test]
fn a_purge_deletes_the_matrices_that_were_put_aside() {
    let index = Index::new();
    let mut writer = index.writer();
    deliver(
        &mut writer,
        &meta("a"),
        &[turn(0, "Where is the port configured?", &["In port.toml."])],
    );
    embed(&mut writer);
    writer.commit().unwrap();
    let write = |path: &str| {
        let path = index.root().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, "lantern").unwrap();
        path
    };
    let old = [
        "vectors.old/f00d/turn.0.npy",
        "vectors/f00d.old.2/session.0.npy",
    ]
    .map(write);
    let others = ["vectors.old/f00d/notes.txt", "vectors.older"].map(write);
    assert_eq!(writer.purge().unwrap(), PurgeOutcome::Complete);
    assert!(old.iter().all(|path| !path.exists()));
    assert!(!index.root().join("vectors/f00d.old.2").exists());
    assert!(others.iter().all(|path| path.exists()));
    let reader = index.reader();
    let model = reader.model("f00d").unwrap().unwrap();
    assert!(reader.matrix(&model, DocumentKind::Chunk).unwrap().rows() > 0);
}

#[test]
fn a_purge_waits_for_a_reader_and_is_taken_up() {
    let index = older();
    let mut writer = index.writer();
    writer.commit().unwrap();
    let reader = index.reader();
    reader.begin_snapshot().unwrap();
    assert_eq!(reader.sessions().unwrap().len(), 2);
    let pending = |reader: &Reader| reader.pending_purge().unwrap();
    assert_eq!(pending(&reader), Some(PendingPurge::Rewriting));
    writer.set_lock_wait(std::time::Duration::ZERO).unwrap();
    assert_eq!(writer.purge().unwrap(), PurgeOutcome::Waiting);
    assert_eq!(pending(&index.reader()), Some(PendingPurge::Truncation));
    drop((reader, writer));
    let mut writer = index.writer();
    assert!(writer.reader().unwrap().is_purge_pending().unwrap());
    assert_eq!(writer.finish_purge().unwrap(), PurgeOutcome::Complete);
    assert!(!writer.reader().unwrap().is_purge_pending().unwrap());
    drop(writer);
    assert!(!holds(&decoded(&index), PASSWORD));
}

#[test]
fn a_migration_that_is_killed_leaves_the_older_index() {
    let index = older();
    drop(index.writer());
    let error = Reader::open(index.root()).err().unwrap();
    assert!(
        matches!(error, StoreError::Format { found: 5, .. }),
        "{error}"
    );
}
