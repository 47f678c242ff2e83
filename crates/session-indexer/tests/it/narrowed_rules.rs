//! Rules that keep out less or more than they did in an earlier version, and removals that no rule asks for.

use crate::exclusions::{records_path, refresh_excluding};
use crate::home::{Home, session_id, turns, word};
use crate::state::found;
use rusqlite::Connection;
use session_forget::{ExcludeSettings, ExcludedSession, Exclusions, ForgottenRecords};

/// The hash that a version noted of the rule `ap`, which kept out `app`.
const EARLIER_HASH: &str = "62424c50ac425b470c942e9a943cc88b";

/// The notes of a version for which `/home/ann/app/*` was no rule about `/home/ann/app`: a hash of all that is excluded,
/// and that of the rule.
const EARLIER_NOTES: [(&str, &str); 2] = [
    (
        "exclusions",
        "1a73b8077ed7c019ac20c2c4e0f12b2c581605d93cf433753f4adf1c01a5f481",
    ),
    ("exclusion_rules", "3b560db99eed6f92c4b00223d5dbe625"),
];

fn excluding(project: &str) -> ExcludeSettings {
    ExcludeSettings {
        projects: vec![project.to_owned()],
        ..ExcludeSettings::default()
    }
}

#[test]
fn sessions_that_an_earlier_version_kept_out_are_named_once() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    refresh_excluding(&home, &excluding("app")).unwrap();
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
    let db = Connection::open(home.root().join("index.db")).unwrap();
    let update = "UPDATE settings SET value = ?1 WHERE key = 'exclusion_rules'";
    db.execute(update, [EARLIER_HASH]).unwrap();
    drop(db);
    let outcome = refresh_excluding(&home, &excluding("ap")).unwrap();
    assert_eq!(outcome.returned_sessions, 1);
    assert_eq!(outcome.returned_projects, ["/home/ann/app"]);
    assert_eq!(found(&home.reader(), &word(0, 0)).len(), 1);
    home.write(1, turns(1, 0, 1).as_bytes());
    let outcome = refresh_excluding(&home, &excluding("ap")).unwrap();
    assert_eq!((outcome.files_read, outcome.returned_sessions), (1, 0));
}

#[test]
fn sessions_that_an_earlier_version_kept_in_leave_the_index() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.refresh();
    let db = Connection::open(home.root().join("index.db")).unwrap();
    for note in EARLIER_NOTES {
        db.execute("REPLACE INTO settings VALUES (?1, ?2)", note)
            .unwrap();
    }
    drop(db);
    let outcome = refresh_excluding(&home, &excluding("/home/ann/app/*")).unwrap();
    assert_eq!(
        (outcome.removed.sessions, outcome.returned_sessions),
        (1, 0)
    );
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
}

#[test]
fn what_comes_back_as_a_rule_was_deleted_is_not_told() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    refresh_excluding(&home, &excluding("app")).unwrap();
    let outcome = refresh_excluding(&home, &excluding("ap")).unwrap();
    assert_eq!((outcome.files_read, outcome.returned_sessions), (1, 0));
}

/// Another index was asked to forget it.
#[test]
fn projects_of_forgotten_sessions_are_not_those_of_a_rule() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.refresh();
    let records = ForgottenRecords::open(&records_path(&home)).unwrap();
    let settings = ExcludeSettings::default();
    let forgotten = ExcludedSession {
        source: "claude".to_owned(),
        id: session_id(0),
    };
    let exclusions = Exclusions::new(records, &settings).unwrap();
    exclusions.with_sessions(&[forgotten]).unwrap();
    let outcome = refresh_excluding(&home, &settings).unwrap();
    assert_eq!(outcome.removed.sessions, 1);
    assert_eq!(outcome.removed_projects, [""; 0]);
}
