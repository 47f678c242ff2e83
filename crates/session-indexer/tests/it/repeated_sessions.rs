//! A session that two histories of the user's own home hold.

use crate::home::{Home, say, session_id, touch, turns};
use crate::state::found;
use rusqlite::Connection;
use session_indexer::{RefreshOptions, RefreshOutcome, refresh};
use session_store::SessionRow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// Writes a session of two turns, and another text as its transcript in the second folder of Claude Code. Returns the path
/// of the latter.
fn write_twice(home: &Home, other: &str) -> PathBuf {
    home.write(0, turns(0, 0, 2).as_bytes());
    let folder = ".config/claude/projects/-home-ann-app";
    let folder = home.env().home.join(folder);
    fs_err::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{}.jsonl", session_id(0)));
    fs_err::write(&path, other).unwrap();
    path
}

#[test]
fn of_a_transcript_in_two_folders_the_id_names_the_one_that_goes_on() {
    let home = Home::new();
    let copied = write_twice(&home, &turns(0, 0, 2));
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
    write_twice(&home, &(turns(0, 0, 1) + &turns(0, 7, 1)));
    home.refresh();
    assert_eq!(home.reader().sessions().unwrap().len(), 2);
    assert_eq!(repeated(&home), 0);
}

/// The own database, and its backup before an update or the conflict of a synced folder: the program reads each `opencode*.db`.
struct BackedUpDatabase {
    home: Home,
    db: Connection,
    path: PathBuf,
    backup: PathBuf,
}

impl BackedUpDatabase {
    fn new(backup_age: u64) -> Self {
        let home = Home::new();
        let db = home.database();
        say(&db, "ses_a", 1, "user", "Where is the harbour?");
        say(&db, "ses_a", 2, "user", "Who paints the breakwater?");
        say(&db, "ses_b", 3, "user", "Who lights the lanterns?");
        let path = home.env().home.join(".local/share/opencode/opencode.db");
        let backup = path.with_file_name("opencode-2026-11-01.db");
        fs_err::copy(&path, &backup).unwrap();
        touch(&backup, backup_age);
        touch(&path, 5);
        home.refresh();
        Self {
            home,
            db,
            path,
            backup,
        }
    }

    /// The ids of the sessions of a file that their ids name, and that are not gone.
    fn named_in(&self, path: &Path) -> Vec<String> {
        let reader = self.home.reader();
        let is_in = |row: &SessionRow| {
            let file = reader.file(row.file).unwrap().unwrap();
            PathBuf::from(file.path) == path
        };
        let mut best: BTreeMap<String, SessionRow> = BTreeMap::new();
        for row in reader.sessions().unwrap() {
            match best.get(&row.uid) {
                Some(other) if other.id_rank() < row.id_rank() => {}
                _ => drop(best.insert(row.uid.clone(), row)),
            }
        }
        let named = best.into_values().filter(|row| !row.gone && is_in(row));
        named.map(|row| row.uid).collect()
    }

    fn assert_each_text_is_found_once(&self) {
        for word in ["harbour", "lanterns", "breakwater"] {
            assert_eq!(found(&self.home.reader(), word).len(), 1, "{word}");
        }
    }
}

#[test]
fn of_a_database_and_its_backup_the_id_names_the_one_that_the_agent_opens() {
    for backup_age in [0, 9] {
        let database = BackedUpDatabase::new(backup_age);
        let home = &database.home;
        assert_eq!(database.named_in(&database.path), ["ses_a", "ses_b"]);
        assert_eq!(repeated(home), 2);
        assert_eq!(home.refresh(), RefreshOutcome::default());
        say(&database.db, "ses_a", 4, "user", "And the pier?");
        home.refresh();
        assert_eq!(database.named_in(&database.path), ["ses_a", "ses_b"]);
        database.assert_each_text_is_found_once();
    }
}

#[test]
fn the_backup_of_a_database_that_is_gone_holds_its_sessions() {
    for backup_age in [0, 9] {
        let database = BackedUpDatabase::new(backup_age);
        fs_err::remove_file(&database.path).unwrap();
        database.home.refresh();
        assert_eq!(database.named_in(&database.backup), ["ses_a", "ses_b"]);
        assert_eq!(database.home.reader().sessions().unwrap().len(), 2);
        database.assert_each_text_is_found_once();
    }
}

/// As after `/undo`.
#[test]
fn turns_that_a_database_loses_are_found_in_its_backup() {
    let database = BackedUpDatabase::new(0);
    let delete = "DELETE FROM part WHERE message_id = 'ses_a_0002';
        DELETE FROM message WHERE id = 'ses_a_0002';
        UPDATE session SET time_updated = 9000 WHERE id = 'ses_a'";
    database.db.execute_batch(delete).unwrap();
    database.home.refresh();
    let sessions = database.home.reader().sessions().unwrap();
    let mut turns: Vec<u32> = sessions.iter().map(|row| row.turns).collect();
    turns.sort_unstable();
    assert_eq!(turns, [1, 1, 1, 2]);
    database.assert_each_text_is_found_once();
}

/// Its path is the shorter one.
#[test]
fn a_database_that_a_variable_named_once_takes_no_session_away() {
    let home = Home::new();
    say(
        &home.database(),
        "ses_a",
        1,
        "user",
        "Where is the harbour?",
    );
    home.refresh();
    let path = home.env().home.join(".local/share/opencode/opencode.db");
    let copy = home.env().home.join("o.db");
    fs_err::copy(&path, &copy).unwrap();
    let env = home.env().var("OPENCODE_DB", copy.to_str().unwrap());
    let options = RefreshOptions::new(&home.root(), &env);
    assert_eq!(refresh(&options).unwrap().files_read, 1);
    assert_eq!(home.reader().sessions().unwrap().len(), 2);
    home.refresh();
    assert_eq!(home.reader().sessions().unwrap().len(), 1);
    assert_eq!(named_path(&home), path);
    assert!(!home.reader().sessions().unwrap()[0].gone);
    assert_eq!(found(&home.reader(), "harbour").len(), 1);
}
