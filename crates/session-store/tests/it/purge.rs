//! Deleted texts leave the files.

use crate::support::{Index, bash, deliver, embed, meta, turn};
use session_core::{SessionMeta, Turn};
use session_store::{DocumentKind, PendingPurge, PurgeOutcome, Reader, SessionId};

/// One word of the word index.
const WORD: &str = "zq8lanternw7xk9";

/// An index of two sessions, and the one that has the word.
fn with_word() -> (Index, SessionId) {
    let index = Index::new();
    let mut writer = index.writer();
    let asked = Turn {
        parts: vec![bash(&format!("psql {WORD}"), "error: no host")],
        ..turn(0, &format!("Why does {WORD} refuse me?"), &["Wrong host."])
    };
    let titled = SessionMeta {
        title: Some(format!("The {WORD}")),
        ..meta("a")
    };
    let session = deliver(&mut writer, &titled, &[asked]);
    let other = turn(0, "Where is the port configured?", &["In port.toml."]);
    deliver(&mut writer, &meta("b"), &[other]);
    embed(&mut writer);
    writer.commit().unwrap();
    writer.vacuum().unwrap();
    drop(writer);
    assert!(holds(&decoded(&index), WORD));
    (index, session)
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
    let (index, session) = with_word();
    let mut writer = index.writer();
    writer.delete_session(session).unwrap();
    writer.commit().unwrap();
    let reader = index.reader();
    reader.begin_snapshot().unwrap();
    assert_eq!(reader.sessions().unwrap().len(), 1);
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
    assert!(!holds(&decoded(&index), WORD));
}
