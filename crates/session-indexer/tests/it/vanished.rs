//! Histories that go and come back.

use crate::embedder::Buckets;
use crate::home::{Home, say, session_id, touch, turns, word};
use crate::state::{found, vectors};
use session_indexer::{Mode, Refresh, refresh};

fn gone(home: &Home) -> Vec<bool> {
    let mut sessions = home.reader().sessions().unwrap();
    sessions.sort_by(|a, b| a.uid.cmp(&b.uid));
    sessions.iter().map(|s| s.gone).collect()
}

fn full(home: &Home) {
    let how = Refresh {
        mode: Mode::Full,
        ..home.how()
    };
    assert!(refresh(&how).unwrap().is_complete());
}

fn two() -> Home {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    home.write(1, turns(1, 0, 2).as_bytes());
    home.refresh();
    home
}

#[test]
fn what_vanished_is_marked_and_still_found() {
    let home = two();
    let away = home.root().join("away.jsonl");
    fs_err::rename(home.transcript(0), &away).unwrap();
    assert_eq!(home.refresh().files_gone, 1);
    assert_eq!(gone(&home), [true, false]);
    assert_eq!(
        found(&home.reader(), &word(0, 1)),
        [(session_id(0), 1)].into()
    );
    assert_eq!(home.refresh().files_gone, 0, "it is told once");

    fs_err::rename(&away, home.transcript(0)).unwrap();
    assert_eq!(home.refresh().files_read, 0, "it is back as it was");
    assert_eq!(gone(&home), [false, false]);
}

#[test]
fn a_file_that_comes_back_changed_is_read() {
    let home = two();
    fs_err::remove_file(home.transcript(0)).unwrap();
    home.refresh();
    home.write(0, turns(0, 0, 3).as_bytes());
    touch(&home.transcript(0), 50);
    assert_eq!(home.refresh().files_read, 1);
    assert_eq!(gone(&home), [false, false]);
    assert_eq!(found(&home.reader(), &word(0, 2)).len(), 1);
}

#[test]
fn a_full_read_keeps_what_vanished_files_left() {
    let home = two();
    fs_err::remove_file(home.transcript(0)).unwrap();
    full(&home);
    assert_eq!(gone(&home), [true, false]);
    for n in 0..2 {
        assert_eq!(
            found(&home.reader(), &word(n, 1)),
            [(session_id(n), 1)].into()
        );
    }
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    assert_eq!(gone(&home), [false, false]);
}

/// The database is whole, and holds what no history does any more.
#[test]
fn a_full_read_makes_lost_vectors_anew_and_keeps_the_rest() {
    let home = two();
    let model = Buckets::new("b");
    let how = |mode| Refresh {
        mode,
        embedders: vec![&model],
        ..home.how()
    };
    refresh(&how(Mode::Changes)).unwrap();
    let before = vectors(&home.reader(), &model.fingerprint());
    fs_err::remove_file(home.transcript(0)).unwrap();
    fs_err::remove_dir_all(home.root().join("vectors")).unwrap();
    assert!(refresh(&how(Mode::Full)).unwrap().is_complete());
    assert_eq!(gone(&home), [true, false]);
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
    assert_eq!(vectors(&home.reader(), &model.fingerprint()), before);
    assert!(!home.root().join("index.db.old").exists());
}

#[test]
fn a_full_read_takes_the_place_of_what_it_cannot_read() {
    let home = two();
    fs_err::write(home.root().join("index.db"), "no database ".repeat(500)).unwrap();
    assert!(refresh(&home.how()).is_err());
    full(&home);
    assert_eq!(found(&home.reader(), &word(1, 0)).len(), 1);
}

#[test]
fn a_history_that_its_agent_packs_is_no_second_one() {
    let home = Home::new();
    let rollout = home.codex_rollout("Where is the harbour?");
    home.refresh();
    let plain = fs_err::read(&rollout).unwrap();
    let packed = rollout.with_extension("jsonl.zst");
    fs_err::write(&packed, zstd::encode_all(&*plain, 3).unwrap()).unwrap();
    fs_err::remove_file(&rollout).unwrap();
    home.refresh();
    assert_eq!(gone(&home), [false]);
    fs_err::write(&rollout, plain).unwrap();
    fs_err::remove_file(&packed).unwrap();
    home.refresh();
    assert_eq!(gone(&home), [false]);
    assert_eq!(found(&home.reader(), "harbour").len(), 1);
}

#[test]
fn a_session_that_is_deleted_from_a_database_is_marked() {
    let home = Home::new();
    let db = home.database();
    for (id, time) in [("ses_a", 1), ("ses_b", 2)] {
        let words = "Where are the settings of the harbour?";
        say(&db, id, time, "user", words);
    }
    home.refresh();
    assert_eq!(gone(&home), [false, false]);
    db.execute_batch("DELETE FROM part WHERE session_id = 'ses_a'; DELETE FROM message WHERE session_id = 'ses_a';
        DELETE FROM session WHERE id = 'ses_a'").unwrap();
    home.refresh();
    assert_eq!(gone(&home), [true, false]);
    assert_eq!(found(&home.reader(), "harbour").len(), 2);
}

#[test]
fn a_transcript_that_is_written_anew_is_read_from_its_beginning() {
    let home = two();
    home.write(0, turns(3, 0, 1).as_bytes());
    touch(&home.transcript(0), 60);
    home.refresh();
    let reader = home.reader();
    assert_eq!(found(&reader, &word(0, 0)), [].into());
    assert_eq!(found(&reader, &word(3, 0)), [(session_id(0), 0)].into());
    assert_eq!(reader.sessions().unwrap().len(), 2);
}
