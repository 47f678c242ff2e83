//! Histories that go and come back.

use crate::embedder::Buckets;
use crate::home::{Home, database_in, say, session_id, touch, turns, word};
use crate::state::{found, vectors};
use session_indexer::{IndexError, OldDatabase, RefreshMode, RefreshOptions, refresh};
use session_sources::Env;
use session_store::{FORMAT_VERSION, Reader, SessionRow};
use std::path::Path;

fn full(home: &Home) {
    assert!(home.refresh_fully().is_complete());
}

#[test]
fn what_vanished_is_marked_and_still_found() {
    let home = Home::with_two_sessions();
    let away = home.root().join("away.jsonl");
    fs_err::rename(home.transcript(0), &away).unwrap();
    assert_eq!(home.refresh().files_gone, 1);
    assert_eq!(home.gone(), [true, false]);
    assert_eq!(
        found(&home.reader(), &word(0, 1)),
        [(session_id(0), 1)].into()
    );
    assert_eq!(home.refresh().files_gone, 0, "it is told once");

    fs_err::rename(&away, home.transcript(0)).unwrap();
    assert_eq!(home.refresh().files_read, 0, "it is back as it was");
    assert_eq!(home.gone(), [false, false]);
}

/// The cut is told by the size that was read before alone.
#[test]
fn what_was_cut_off_stays_when_all_is_read_again() {
    let home = Home::with_two_sessions();
    home.write(0, turns(0, 0, 1).as_bytes());
    full(&home);
    for turn in 0..2 {
        assert_eq!(found(&home.reader(), &word(0, turn)).len(), 1, "{turn}");
    }
    full(&home);
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
}

/// A folder was copied, and its original deleted.
#[test]
fn a_copy_takes_the_place_of_its_original() {
    let home = Home::with_two_sessions();
    let copy = home.transcript(0).parent().unwrap().with_file_name("-copy");
    fs_err::create_dir(&copy).unwrap();
    for n in 0..2 {
        let original = home.transcript(n);
        fs_err::copy(&original, copy.join(original.file_name().unwrap())).unwrap();
    }
    home.refresh();
    assert_eq!(home.gone(), [false; 4]);
    fs_err::remove_dir_all(home.transcript(0).parent().unwrap()).unwrap();
    assert_eq!(home.refresh().files_gone, 2);
    assert_eq!(home.gone(), [false; 2]);
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
}

/// The original was cut off while the copy went, and restored after it.
#[test]
fn a_full_read_deletes_a_copy_that_is_held_again() {
    let home = Home::with_two_sessions();
    let whole = turns(0, 0, 2);
    let copy = home.transcript(0).parent().unwrap().with_file_name("-copy");
    fs_err::create_dir(&copy).unwrap();
    fs_err::write(copy.join(format!("{}.jsonl", session_id(0))), &whole).unwrap();
    home.refresh();
    let without_answer = whole.trim_end().rfind('\n').unwrap() + 1;
    home.write(0, &whole.as_bytes()[..without_answer]);
    home.refresh();
    fs_err::remove_dir_all(&copy).unwrap();
    home.refresh();
    assert_eq!(home.gone().len(), 3, "the copy alone has the answer");
    home.write(0, whole.as_bytes());
    home.refresh();
    full(&home);
    assert_eq!(home.gone(), [false; 2]);
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
}

/// A folder was renamed, and its session went on there.
#[test]
fn a_copy_that_outlived_its_original_goes_on_as_it() {
    let home = Home::with_two_sessions();
    let original = home.transcript(0);
    let renamed = original.parent().unwrap().with_file_name("-renamed");
    fs_err::create_dir(&renamed).unwrap();
    let copy = renamed.join(original.file_name().unwrap());
    fs_err::write(&copy, turns(0, 0, 3)).unwrap();
    fs_err::remove_file(&original).unwrap();
    home.refresh();
    assert_eq!(home.gone(), [false; 2]);
    let grown = [(session_id(0), 2)].into();
    assert_eq!(found(&home.reader(), &word(0, 2)), grown);
}

/// A file that is still there has not moved.
#[test]
fn a_history_of_another_folder_takes_no_ones_place() {
    let home = Home::new();
    let folders = ["a", "b"].map(|folder| home.root().with_file_name(folder));
    for (folder, session) in folders.iter().zip(["ses_a", "ses_b"]) {
        let db = database_in(&folder.join("opencode"));
        say(&db, session, 1, "user", "Where is the lamp post?");
    }
    let refresh_from = |folder: &Path| {
        let options = RefreshOptions {
            env: home.env().var("XDG_DATA_HOME", &folder.to_string_lossy()),
            ..home.options()
        };
        refresh(&options).unwrap();
        home.reader().files().unwrap().len()
    };
    let [a, b] = &folders;
    assert_eq!([a, b, a].map(|folder| refresh_from(folder)), [1, 2, 2]);
}

#[test]
fn a_copy_with_less_in_it_takes_no_ones_place() {
    let home = Home::with_two_sessions();
    let original = home.transcript(0);
    fs_err::remove_file(&original).unwrap();
    home.refresh();
    let restored = original.parent().unwrap().with_file_name("-restored");
    fs_err::create_dir(&restored).unwrap();
    let half = turns(0, 0, 1);
    fs_err::write(restored.join(original.file_name().unwrap()), half).unwrap();
    home.refresh();
    let sessions = home.reader().sessions().unwrap();
    let is_gone = |row: &&SessionRow| row.uid == session_id(0) && row.gone;
    assert_eq!(sessions.iter().filter(is_gone).count(), 1);
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
}

#[test]
fn a_file_that_comes_back_changed_is_read() {
    let home = Home::with_two_sessions();
    fs_err::remove_file(home.transcript(0)).unwrap();
    home.refresh();
    home.write(0, turns(0, 0, 3).as_bytes());
    touch(&home.transcript(0), 50);
    assert_eq!(home.refresh().files_read, 1);
    assert_eq!(home.gone(), [false, false]);
    assert_eq!(found(&home.reader(), &word(0, 2)).len(), 1);
}

#[test]
fn a_full_read_keeps_what_vanished_files_left() {
    let home = Home::with_two_sessions();
    fs_err::remove_file(home.transcript(0)).unwrap();
    full(&home);
    assert_eq!(home.gone(), [true, false]);
    for n in 0..2 {
        assert_eq!(
            found(&home.reader(), &word(n, 1)),
            [(session_id(n), 1)].into()
        );
    }
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    assert_eq!(home.gone(), [false, false]);
}

/// The database is whole, and holds what no history does any more.
#[test]
fn a_full_read_makes_lost_vectors_anew_and_keeps_the_rest() {
    let home = Home::with_two_sessions();
    let model = Buckets::new("b");
    let options = |mode| RefreshOptions {
        mode,
        ..home.options_with(&model)
    };
    refresh(&options(RefreshMode::Changes)).unwrap();
    let before = vectors(&home.reader(), &model.fingerprint());
    fs_err::remove_file(home.transcript(0)).unwrap();
    fs_err::remove_dir_all(home.root().join("vectors")).unwrap();
    assert!(refresh(&options(RefreshMode::Full)).unwrap().is_complete());
    assert_eq!(home.gone(), [true, false]);
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
    assert_eq!(vectors(&home.reader(), &model.fingerprint()), before);
    assert!(!home.root().join("index.db.old").exists());
}

#[test]
fn a_refresh_makes_lost_vectors_anew() {
    let home = Home::with_two_sessions();
    let model = Buckets::new("b");
    let options = || home.options_with(&model);
    refresh(&options()).unwrap();
    let before = vectors(&home.reader(), &model.fingerprint());
    fs_err::remove_dir_all(home.root().join("vectors")).unwrap();
    let outcome = refresh(&options()).unwrap();
    assert!(outcome.is_complete() && outcome.embedded > 0, "{outcome:?}");
    assert_eq!(vectors(&home.reader(), &model.fingerprint()), before);
    assert_eq!(refresh(&options()).unwrap().embedded, 0);
}

#[test]
fn a_full_read_takes_the_place_of_what_it_cannot_read() {
    let home = Home::with_two_sessions();
    fs_err::write(home.root().join("index.db"), "no database ".repeat(500)).unwrap();
    assert!(refresh(&home.options()).is_err());
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
    assert_eq!(home.gone(), [false]);
    fs_err::write(&rollout, plain).unwrap();
    fs_err::remove_file(&packed).unwrap();
    home.refresh();
    assert_eq!(home.gone(), [false]);
    assert_eq!(found(&home.reader(), "harbour").len(), 1);
}

/// All sessions of Copilot are in files of the same name.
#[test]
fn a_new_session_is_not_the_deleted_one_whose_file_had_the_same_name() {
    let home = Home::new();
    let first = home.write_copilot(0, &["Where is the harbour?"]);
    home.refresh();
    fs_err::remove_dir_all(&first).unwrap();
    home.write_copilot(1, &["Where is the harbour?", "And where is the quay?"]);
    home.refresh();
    assert_eq!(home.gone(), [true, false]);
    let quay = found(&home.reader(), "quay");
    assert_eq!(quay, [(session_id(1), 1)].into());
}

#[test]
fn a_session_whose_folder_moved_stays_one() {
    let home = Home::new();
    for n in 0..2 {
        home.write_copilot(n, &[&format!("Where is {}?", word(n, 0))]);
    }
    home.refresh();
    let moved = home.root().with_file_name("moved");
    fs_err::create_dir(&moved).unwrap();
    let folder = home.root().with_file_name(".copilot");
    fs_err::rename(folder, moved.join(".copilot")).unwrap();
    let options = RefreshOptions {
        env: Env::with_home(&moved),
        ..home.options()
    };
    assert_eq!(refresh(&options).unwrap().files_read, 0);
    assert_eq!(home.gone(), [false, false]);
}

/// As a power cut, or a restore that stopped half way, leaves it.
#[test]
fn what_a_damaged_file_held_is_still_found() {
    let whole = turns(0, 0, 3);
    let half = &whole.as_bytes()[..whole.len() / 2];
    let zeros = vec![0; whole.len()];
    let half_zeros = [half, &zeros[half.len()..]].concat();
    let damaged: [&[u8]; 6] = [half, &zeros, &half_zeros, &zeros[..20], b"\n", b"\xff{]}"];
    for (case, content) in damaged.into_iter().enumerate() {
        let home = Home::new();
        home.write(0, whole.as_bytes());
        home.refresh();
        let before = home.reader().sessions().unwrap();
        home.write(0, content);
        touch(&home.transcript(0), 50);
        let is_still_there = |when: &str| {
            for turn in 0..3 {
                let held = found(&home.reader(), &word(0, turn));
                let place = [(session_id(0), turn as u32)].into();
                assert_eq!(held, place, "case {case}, turn {turn}, {when}");
            }
            let now = home.reader().sessions().unwrap();
            let told = |s: &SessionRow| (s.turns, s.started_ms, s.ended_ms, s.project.clone());
            assert_eq!(told(&now[0]), told(&before[0]), "case {case}, {when}");
        };
        home.refresh();
        is_still_there("damaged");
        full(&home);
        is_still_there("read anew");
        home.write(0, whole.as_bytes());
        touch(&home.transcript(0), 60);
        home.refresh();
        is_still_there("repaired");
        assert_eq!(home.gone(), [false]);
        full(&home);
        is_still_there("repaired and read anew");
    }
}

#[test]
fn a_turn_that_is_taken_back_in_a_document_goes() {
    let home = Home::new();
    home.write_document(&["Keep the harbour alpha", "Keep the quay beta"]);
    home.refresh();
    let held = |word| found(&home.reader(), word).len();
    assert_eq!([held("harbour"), held("quay")], [1, 1]);
    home.write_document(&["Keep the harbour alpha"]);
    home.refresh();
    assert_eq!([held("harbour"), held("quay")], [1, 0]);
}

#[test]
fn turns_that_come_after_a_cut_stand_before_lost_ones() {
    let home = Home::new();
    home.write(0, turns(0, 0, 3).as_bytes());
    home.refresh();
    let cut = turns(0, 0, 1);
    home.write(0, cut.as_bytes());
    touch(&home.transcript(0), 50);
    home.refresh();
    home.write(0, (cut + &turns(0, 7, 1)).as_bytes());
    touch(&home.transcript(0), 60);
    home.refresh();
    let held = |turn| found(&home.reader(), &word(0, turn)).len();
    assert_eq!([held(0), held(7), held(1), held(2)], [1; 4]);
    let at = |turn| found(&home.reader(), &word(0, turn)).pop_first().unwrap().1;
    assert_eq!([at(0), at(7), at(1), at(2)], [0, 1, 2, 3]);
    full(&home);
    assert_eq!([at(0), at(7), at(1), at(2)], [0, 1, 2, 3]);
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
    assert_eq!(home.gone(), [false, false]);
    db.execute_batch("DELETE FROM part WHERE session_id = 'ses_a'; DELETE FROM message WHERE session_id = 'ses_a';
        DELETE FROM session WHERE id = 'ses_a'").unwrap();
    home.refresh();
    assert_eq!(home.gone(), [true, false]);
    assert_eq!(found(&home.reader(), "harbour").len(), 2);
}

#[test]
fn a_transcript_that_is_written_anew_is_read_from_its_beginning() {
    let home = Home::with_two_sessions();
    home.write(0, turns(3, 0, 1).as_bytes());
    touch(&home.transcript(0), 60);
    home.refresh();
    let reader = home.reader();
    assert_eq!(found(&reader, &word(0, 0)), [].into());
    assert_eq!(found(&reader, &word(3, 0)), [(session_id(0), 0)].into());
    assert_eq!(reader.sessions().unwrap().len(), 2);
}

/// Sessions that nothing but the index holds survive damage to what is derived from them, and to other tables.
#[test]
fn a_full_read_mends_a_damaged_index_and_keeps_what_vanished() {
    for damage in [
        "UPDATE models SET dims = 3",
        "UPDATE session_blocks SET block = 1 << 62",
        "DELETE FROM owner_blocks",
        "UPDATE turn_blocks SET turns = x''",
        "DELETE FROM turns WHERE session = (SELECT max(session) FROM turns)",
        "DROP TABLE embedded",
        "DROP TABLE pending_purge",
        "DROP TABLE error_signatures",
        "DROP INDEX turns_session",
    ] {
        let home = Home::with_two_sessions();
        let model = Buckets::new("b");
        let options = |mode| RefreshOptions {
            mode,
            ..home.options_with(&model)
        };
        refresh(&options(RefreshMode::Changes)).unwrap();
        fs_err::remove_file(home.transcript(0)).unwrap();
        home.refresh();
        let db = rusqlite::Connection::open(home.root().join("index.db")).unwrap();
        db.execute_batch(damage).unwrap();
        db.close().unwrap();
        let open = || session_store::Reader::open_thoroughly_verified(&home.root());
        assert!(open().is_err(), "{damage}");
        assert!(refresh(&options(RefreshMode::Full)).unwrap().is_complete());
        open().unwrap();
        assert_eq!(home.gone(), [true, false], "{damage}");
        for n in 0..2 {
            let hits = found(&home.reader(), &word(n, 1));
            assert_eq!(hits, [(session_id(n), 1)].into(), "{damage}");
        }
        assert!(!home.root().join("index.db.old").exists(), "{damage}");
    }
}

fn set_format(database: &Path, format: u32) {
    let db = rusqlite::Connection::open(database).unwrap();
    db.pragma_update(None, "user_version", format).unwrap();
    db.close().unwrap();
}

/// Nothing else holds a session whose history is gone.
#[test]
fn an_index_of_a_format_that_is_too_old_is_kept_as_it_is() {
    let home = Home::with_two_sessions();
    fs_err::remove_file(home.transcript(0)).unwrap();
    home.refresh();
    let path = home.root().join("index.db");
    set_format(&path, 14);
    let held = fs_err::read(&path).unwrap();
    let error = refresh(&home.options()).unwrap_err();
    let asks = matches!(&error, IndexError::Store(error) if error.needs_rebuild());
    assert!(asks, "{error}");
    assert_eq!(fs_err::read(&path).unwrap(), held);

    let old = home.root().join("index.db.old");
    let renamed = home.refresh_fully().old_database;
    assert_eq!(renamed, Some(OldDatabase::Renamed(old.clone())));
    assert_eq!(fs_err::read(&old).unwrap(), held);
    assert!(found(&home.reader(), &word(0, 1)).is_empty());
    assert_eq!(found(&home.reader(), &word(1, 1)).len(), 1);

    // The turns of the session are in that file: a program that reads its format finds them.
    let back = tempfile::tempdir().unwrap();
    let path = back.path().join("index.db");
    fs_err::copy(&old, &path).unwrap();
    set_format(&path, FORMAT_VERSION);
    let index = Reader::open(back.path()).unwrap();
    assert_eq!(found(&index, &word(0, 1)), [(session_id(0), 1)].into());
    assert_eq!(found(&index, &word(1, 1)).len(), 1);
}

/// Bytes of a page of the database.
const PAGE_BYTES: usize = 2048;

/// Whichever page is damaged: an outcome, or an error that asks for a full read, which heals it.
#[test]
fn a_full_read_heals_any_damaged_page() {
    let home = Home::with_two_sessions();
    let path = home.root().join("index.db");
    let good = fs_err::read(&path).unwrap();
    let pages = good.len() / PAGE_BYTES;
    assert!(pages > 20, "{pages}");
    for page in 1..pages {
        let mut damaged = good.clone();
        damaged[page * PAGE_BYTES..][..PAGE_BYTES].fill(0xa5);
        fs_err::write(&path, damaged).unwrap();
        if let Err(error) = refresh(&home.options()) {
            let asks = matches!(&error, IndexError::Store(error) if error.needs_rebuild());
            assert!(asks, "page {page}: {error}");
        }
        full(&home);
        for n in 0..2 {
            let hits = found(&home.reader(), &word(n, 1));
            assert_eq!(hits, [(session_id(n), 1)].into(), "page {page}");
        }
    }
}
