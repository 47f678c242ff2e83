//! An index that is damaged says so, and can be built anew.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, WATCHER, small};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Asserts that commands name the damage and the remedy, and that the remedy
/// works.
#[track_caller]
fn said_and_healed(env: &TestEnvironment) {
    for args in [&["search", "docker bridge"][..], &["show", "a1"]] {
        let ran = env.run(args);
        assert_eq!(ran.code(), 2, "{ran}");
        assert!(ran.stderr().starts_with("error: the index"), "{ran}");
        assert!(
            ran.stderr()
                .contains("hint: run `session-search index --full`"),
            "{ran}"
        );
    }
    healed(env);
}

#[track_caller]
fn healed(env: &TestEnvironment) {
    env.run(&["index", "--full"]).succeeded();
    assert_eq!(env.found(&["docker bridge", "--limit", "1"]), [DOCKER]);
    assert_eq!(env.found(&["EMFILE", "--keyword-only"]), [WATCHER]);
    assert_eq!(
        env.found(&["file watcher crashes", "--vector-only", "--limit", "1"]),
        [WATCHER]
    );
    assert_eq!(env.json(&["status"])["sessions"], 4);
    assert!(
        env.run(&["index"])
            .succeeded()
            .stderr()
            .starts_with("nothing new")
    );
}

/// Bytes of a row of a matrix of 256 components.
const ROW_BYTES: usize = 4 + 256;

/// A row whose scale is no number.
fn row_of_no_numbers() -> Vec<u8> {
    [&f32::NAN.to_le_bytes()[..], &[1; 256]].concat()
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = fs_err::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

/// The matrix of a level.
fn matrix(env: &TestEnvironment, level: &str) -> PathBuf {
    let model = fs_err::read_dir(env.index("vectors"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let files = fs_err::read_dir(model)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with(level)
    };
    files.filter(named).max().unwrap()
}

#[test]
fn garbage_in_place_of_the_database_is_rebuilt() {
    let env = small();
    fs_err::write(env.index("index.db"), vec![0x5a; 50_000]).unwrap();
    insta::assert_snapshot!(env.run(&["search", "docker"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the index in `[TMP]/index` is damaged: file is not a database
    hint: run `session-search index --full` to build it anew; the old database is kept beside it
    ");
    said_and_healed(&env);
}

#[test]
fn a_database_of_a_format_that_is_too_old_is_rebuilt() {
    let env = small();
    let db = rusqlite::Connection::open(env.index("index.db")).unwrap();
    db.pragma_update(None, "user_version", 3).unwrap();
    drop(db);
    insta::assert_snapshot!(env.run(&["search", "docker"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the index in `[TMP]/index` has format 3, this program reads format [CURRENT]
    hint: run `session-search index --full` to build it anew; the old database is kept beside it
    ");
    said_and_healed(&env);
}

/// What it holds of histories that are gone would be lost if it were built anew.
#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let env = small();
    let db = rusqlite::Connection::open(env.index("index.db")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    insta::assert_snapshot!(env.run(&["search", "docker"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the index in `[TMP]/index` has format 99, this program reads format [CURRENT]
    hint: a newer version of session-search wrote it: update this one or, if an agent runs it, restart that; or set SESSION_SEARCH_HOME to another folder
    ");
    let full = env.run(&["index", "--full"]).exits(2);
    assert!(full.stderr().contains("update this one"), "{full}");
    assert!(!env.index("index.db.old").exists());
}

/// An index of format 15 of two sessions whose histories are gone.
fn of_format_15() -> TestEnvironment {
    let env = TestEnvironment::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../session-store/fixtures/v15");
    for file in [
        "index.db",
        "vectors/f00d/session.0.npy",
        "vectors/f00d/turn.0.npy",
    ] {
        let to = env.index(file);
        fs_err::create_dir_all(to.parent().unwrap()).unwrap();
        fs_err::copy(sample.join(file), to).unwrap();
    }
    env
}

const OF_FORMAT_15: &str = "7a1e0c52-0000-4000-8000-000000000001";

#[test]
fn a_database_of_an_older_format_is_migrated_before_it_is_asked() {
    for args in [
        &["search", "borrow checker"][..],
        &["index"],
        &["index", "--full"],
    ] {
        let env = of_format_15();
        env.run(args).succeeded();
        assert!(!env.index("index.db.old").exists());
        let found = env.found(&["borrow checker", "--no-refresh", "--limit", "1"]);
        assert_eq!(found, [OF_FORMAT_15], "{args:?}");
        let status = env.json(&["status"]);
        assert_eq!(
            (&status["sessions"], &status["gone"]),
            (&2.into(), &2.into())
        );
        env.run(&["show", OF_FORMAT_15]).succeeded();
    }
}

#[test]
fn who_does_not_write_says_what_migrates_an_older_format() {
    let env = of_format_15();
    insta::assert_snapshot!(env.run(&["search", "borrow", "--no-refresh"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the index in `[TMP]/index` has format 15, this program reads format [CURRENT]
    hint: run `session-search index`, which migrates it; where its folder cannot be written, set SESSION_SEARCH_HOME to another
    ");
    for args in [&["status"][..], &["model", "list"]] {
        let ran = env.run(args).exits(2);
        assert!(ran.stderr().contains("run `session-search index`"), "{ran}");
    }
}

/// As in a folder that cannot be written to, which would not stop root.
#[test]
fn an_older_format_that_cannot_be_migrated_says_why() {
    let env = of_format_15();
    fs_err::create_dir_all(env.index("lock")).unwrap();
    insta::assert_snapshot!(env.run(&["search", "borrow"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the index in `[TMP]/index` has format 15 and cannot be migrated to format [CURRENT]: `[TMP]/index/lock` is not a regular file
    hint: see that its folder can be written, or set SESSION_SEARCH_HOME to another
    ");
}

#[test]
fn a_database_that_lacks_a_column_is_rebuilt() {
    let env = small();
    let db = rusqlite::Connection::open(env.index("index.db")).unwrap();
    db.execute_batch("ALTER TABLE turns RENAME COLUMN branch TO lost")
        .unwrap();
    drop(db);
    insta::assert_snapshot!(env.run(&["search", "docker", "--no-refresh"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the index database failed: no such column: branch
    hint: run `session-search index --full` to build it anew; the old database is kept beside it
    ");
    said_and_healed(&env);
}

/// The number of a block says how many rows there are before it: it decides no size by itself.
#[test]
fn impossible_numbers_of_blocks_are_healed() {
    for number in [i64::MAX, i64::MAX / 512, 1 << 40] {
        let env = small();
        let db = rusqlite::Connection::open(env.index("index.db")).unwrap();
        for table in ["turn_blocks", "owner_blocks", "file_blocks"] {
            let update = format!("UPDATE {table} SET block = ?1 WHERE block = 0");
            db.execute(&update, [number]).unwrap();
        }
        drop(db);
        let ran = env.run(&["search", "docker bridge"]);
        assert!([0, 1, 2].contains(&ran.code()), "{ran}");
        assert!(!ran.stderr().contains("panicked"), "{ran}");
        healed(&env);
    }
}

/// What was there is kept beside: it may be all that is left of a history.
#[test]
fn the_old_database_is_kept() {
    let env = small();
    let db = rusqlite::Connection::open(env.index("index.db")).unwrap();
    db.pragma_update(None, "user_version", 3).unwrap();
    drop(db);
    let full = env.run(&["index", "--full"]).succeeded();
    assert!(full.stderr().contains("index.db.old"), "{full}");
    let old = rusqlite::Connection::open(env.index("index.db.old")).unwrap();
    let turns: u32 = old
        .query_row("SELECT count(*) FROM turns", [], |row| row.get(0))
        .unwrap();
    assert_eq!(turns, 5);
}

#[test]
fn a_truncated_database_is_rebuilt() {
    let env = small();
    let path = env.index("index.db");
    let half = fs_err::metadata(&path).unwrap().len() / 2;
    fs_err::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(half)
        .unwrap();
    said_and_healed(&env);
}

#[test]
fn an_empty_database_is_filled() {
    let env = small();
    fs_err::write(env.index("index.db"), "").unwrap();
    assert_eq!(env.found(&["EMFILE", "--keyword-only"]), [WATCHER]);
    healed(&env);
}

/// Damages a matrix so that nothing of it can be read.
fn damage_matrix(env: &TestEnvironment, level: &str, damage: &str) {
    let path = matrix(env, level);
    match damage {
        "cut" => fs_err::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(200)
            .unwrap(),
        "remove" => fs_err::remove_file(&path).unwrap(),
        "file" => {
            fs_err::remove_dir_all(env.index("vectors")).unwrap();
            fs_err::write(env.index("vectors"), "x").unwrap();
        }
        _ => overwrite(&path, 0, &[0; 64]),
    }
}

/// Words answer where nothing is refreshed; a refresh makes the vectors again.
#[test]
fn a_lost_matrix_is_made_again() {
    for damage in ["cut", "remove", "file", "header"] {
        let env = small();
        damage_matrix(&env, "turn", damage);
        let ran = env
            .run(&["search", "docker bridge", "--no-refresh"])
            .succeeded();
        let note = "note: the vectors of `table` in the index are lost";
        assert!(ran.stderr().contains(note), "{damage}: {ran}");
        assert_eq!(
            env.run(&["search", "docker bridge"]).succeeded().stderr(),
            ""
        );
        healed(&env);
    }
}

#[test]
fn a_matrix_of_no_numbers_is_reported_and_rebuilt() {
    let env = small();
    let turns = matrix(&env, "turn");
    let rows = (fs_err::read(&turns).unwrap().len() - 128) / ROW_BYTES;
    overwrite(&turns, 128, &row_of_no_numbers().repeat(rows));
    let ran = env.run(&["search", "docker bridge"]).exits(2);
    let hint = "hint: run `session-search index --full`";
    assert!(ran.stderr().contains(hint), "{ran}");
    healed(&env);
}
