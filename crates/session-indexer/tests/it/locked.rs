//! Histories, and indexes, that another program holds.

use crate::home::{Home, say, session_id, turns};
use crate::state::found;
use session_indexer::{RefreshMode, RefreshOptions, refresh};
use session_store::Writer;

fn reasons(home: &Home) -> Vec<String> {
    let problems = home.reader().problems().unwrap();
    problems.into_iter().map(|p| p.reason).collect()
}

#[test]
fn a_locked_database_is_tried_again_until_it_is_read() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let db = home.database();
    say(
        &db,
        "ses_a",
        1,
        "user",
        "Where are the settings of the harbour?",
    );
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for _ in 0..2 {
        let outcome = home.refresh();
        assert_eq!(outcome.unreadable_paths, 1);
        assert_eq!(reasons(&home), ["database is locked by another program"]);
        assert_eq!(
            found(&home.reader(), "machine"),
            [(session_id(0), 0)].into()
        );
    }
    assert_eq!(home.refresh().files_read, 0, "nothing could be read");
    db.execute_batch("COMMIT").unwrap();
    let outcome = home.refresh();
    assert_eq!((outcome.files_read, outcome.unreadable_paths), (1, 0));
    assert_eq!(reasons(&home), [""; 0]);
    assert_eq!(
        found(&home.reader(), "harbour"),
        [("ses_a".into(), 0)].into()
    );
}

#[test]
fn a_problem_of_a_database_that_is_whole_again_is_forgotten() {
    let home = Home::new();
    let db = home.database();
    say(&db, "ses_a", 1, "user", "Where are the settings?");
    let long = "harbour ".repeat(2000);
    say(&db, "ses_b", 2, "user", &long);
    let path = db.path().unwrap().to_owned();
    db.close().unwrap();
    let whole = fs_err::read(&path).unwrap();
    let mut damaged = whole.clone();
    // A page of the long value, which begins with the number of the next.
    let is_long = |page: &&mut [u8]| page[4..40].windows(8).any(|w| w == b"harbour ");
    let page = damaged.chunks_mut(4096).find(is_long).unwrap();
    page[..4].fill(0xff);
    fs_err::write(&path, damaged).unwrap();
    home.refresh();
    let expected = "session could not be read: database is damaged";
    assert_eq!(reasons(&home), [expected]);
    fs_err::write(&path, whole).unwrap();
    crate::home::touch(path.as_ref(), 60);
    home.refresh();
    assert_eq!(reasons(&home), [""; 0]);
    assert_eq!(found(&home.reader(), "harbour").len(), 1);
}

#[test]
fn a_database_that_is_locked_has_not_lost_its_sessions() {
    let home = Home::new();
    let db = home.database();
    say(
        &db,
        "ses_a",
        1,
        "user",
        "Where are the settings of the harbour?",
    );
    home.refresh();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    home.refresh_fully();
    assert_eq!(reasons(&home), ["database is locked by another program"]);
    assert!(!home.reader().sessions().unwrap()[0].gone);
    assert_eq!(found(&home.reader(), "harbour").len(), 1);
}

#[test]
fn while_another_writes_nothing_is_done() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let writer = Writer::open(&home.root()).unwrap();
    for mode in [RefreshMode::Changes, RefreshMode::Full] {
        let options = RefreshOptions {
            mode,
            ..home.options()
        };
        let outcome = refresh(&options).unwrap();
        assert!(outcome.locked && !outcome.is_complete());
    }
    drop(writer);
    assert!(home.refresh().is_complete());
    assert_eq!(home.reader().sessions().unwrap().len(), 1);
}

#[test]
fn what_is_wrong_with_a_line_is_told_until_the_file_is_read_anew() {
    let home = Home::new();
    let damaged = format!("{}{{not json\n{}", turns(0, 0, 1), turns(0, 1, 1));
    home.write(0, damaged.as_bytes());
    home.refresh();
    let told = ["line is not valid JSON"];
    assert_eq!(reasons(&home), told);
    home.write(0, (damaged + &turns(0, 2, 1)).as_bytes());
    home.refresh();
    assert_eq!(reasons(&home), told);
    assert_eq!(home.reader().sessions().unwrap()[0].turns, 3);
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    assert_eq!(reasons(&home), [""; 0]);
}

/// It is not read again as long as it is as it was, and an answer lacks what it held.
#[test]
fn a_database_that_is_none_is_unread() {
    let home = Home::new();
    let db = home.database();
    let path = db.path().unwrap().to_owned();
    db.close().unwrap();
    fs_err::write(&path, "a text").unwrap();
    for second in [60, 120] {
        crate::home::touch(path.as_ref(), second);
        for _ in 0..2 {
            let outcome = home.refresh();
            assert_eq!((outcome.files_read, outcome.unreadable_paths), (0, 1));
            assert_eq!(reasons(&home), ["file is not a SQLite database"]);
        }
    }
    fs_err::remove_file(&path).unwrap();
    assert_eq!(home.refresh().unreadable_paths, 0);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_told_and_leaves_nothing_unread() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    std::os::unix::fs::symlink("/none/a.jsonl", home.transcript(1)).unwrap();
    for _ in 0..2 {
        assert_eq!(home.refresh().unreadable_paths, 0);
        assert_eq!(reasons(&home), ["cannot be listed: entity not found"]);
    }
}
