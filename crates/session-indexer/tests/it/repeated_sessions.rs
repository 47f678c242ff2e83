//! A session that two histories of the user's own home hold.

use crate::home::{Home, say, session_id, touch, turns};
use crate::state::found;
use session_indexer::RefreshOutcome;
use session_store::SessionRow;
use std::path::PathBuf;

/// The path of the history of the session that an id names first.
fn named_path(home: &Home) -> PathBuf {
    let reader = home.reader();
    let sessions = reader.sessions().unwrap();
    let named = sessions.iter().min_by_key(|row| row.id_rank()).unwrap();
    reader.file(named.file).unwrap().unwrap().path.into()
}

fn repeated(home: &Home) -> usize {
    let sessions = home.reader().sessions().unwrap();
    sessions.iter().filter(|row| row.is_repeated).count()
}

#[test]
fn of_a_transcript_in_two_folders_the_id_names_the_one_that_goes_on() {
    let home = Home::new();
    let copied = home
        .env()
        .home
        .join(".config/claude/projects/-home-ann-app");
    fs_err::create_dir_all(&copied).unwrap();
    let copied = copied.join(format!("{}.jsonl", session_id(0)));
    home.write(0, turns(0, 0, 2).as_bytes());
    fs_err::write(&copied, turns(0, 0, 2)).unwrap();
    // It is read first, and has the turns.
    touch(&copied, 0);
    touch(&home.transcript(0), 5);
    home.refresh();
    assert_eq!((named_path(&home), repeated(&home)), (copied.clone(), 1));
    assert_eq!(home.refresh(), RefreshOutcome::default());
    home.write(0, turns(0, 0, 3).as_bytes());
    home.refresh();
    assert_eq!(named_path(&home), home.transcript(0));
    fs_err::remove_file(home.transcript(0)).unwrap();
    home.refresh();
    assert_eq!(named_path(&home), copied, "it is there");
}

#[test]
fn two_ends_of_a_session_are_none_of_them_repeated() {
    let home = Home::new();
    let copied = home
        .env()
        .home
        .join(".config/claude/projects/-home-ann-app");
    fs_err::create_dir_all(&copied).unwrap();
    let copied = copied.join(format!("{}.jsonl", session_id(0)));
    home.write(0, turns(0, 0, 2).as_bytes());
    fs_err::write(copied, turns(0, 0, 1) + &turns(0, 7, 1)).unwrap();
    home.refresh();
    assert_eq!(home.reader().sessions().unwrap().len(), 2);
    assert_eq!(repeated(&home), 0);
}

/// A backup before an update, or the conflict of a synced folder. The program reads each `opencode*.db`.
#[test]
fn sessions_of_a_database_beside_its_backup_are_held_once() {
    for backup_age in [0, 9] {
        let home = Home::new();
        let db = home.database();
        say(&db, "ses_a", 1, "user", "Where is the harbour?");
        say(&db, "ses_b", 2, "user", "Who lights the lanterns?");
        let path = home.env().home.join(".local/share/opencode/opencode.db");
        let backup = path.with_file_name("opencode-2026-11-01.db");
        fs_err::copy(&path, &backup).unwrap();
        touch(&backup, backup_age);
        touch(&path, 5);
        home.refresh();
        let uids = |home: &Home| {
            let reader = home.reader();
            let uid = |row: SessionRow| {
                let file = reader.file(row.file).unwrap().unwrap();
                assert_eq!(PathBuf::from(file.path), path, "{}", row.uid);
                row.uid
            };
            let mut uids: Vec<String> = reader.sessions().unwrap().into_iter().map(uid).collect();
            uids.sort();
            uids
        };
        assert_eq!(uids(&home), ["ses_a", "ses_b"]);
        assert_eq!(home.refresh(), RefreshOutcome::default());
        say(&db, "ses_a", 3, "user", "And the breakwater?");
        home.refresh();
        assert_eq!(uids(&home), ["ses_a", "ses_b"]);
        for found_word in ["harbour", "lanterns", "breakwater"] {
            assert_eq!(found(&home.reader(), found_word).len(), 1, "{found_word}");
        }
    }
}
