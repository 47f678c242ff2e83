//! Second reads of a changed database.

use crate::fixture::{
    Home, add_second_storage, assistant, insert, insert_message, insert_part, read, read_from,
    session, text, user,
};
use proptest::prelude::*;
use rusqlite::{Connection, params};
use session_core::{KnownTurns, SessionMeta, Turn};
use session_sources::{CollectingSink, Cursor, Sink, Warning};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// The sessions that a read from `cursor` delivers, then those that are gone.
fn delivered(path: &Path, cursor: &Cursor) -> (Vec<String>, Vec<String>) {
    let mut found = CollectingSink::default();
    read_from(path, Some(cursor), &mut found);
    assert_eq!(found.warnings, []);
    (
        found.sessions.into_iter().map(|s| s.id).collect(),
        found.gone,
    )
}

#[test]
fn only_what_changed_is_delivered() {
    let home = Home::new();
    let db = home.connect();
    for id in ["ses_a", "ses_b", "ses_c"] {
        let messages = vec![
            user(vec![text("Hello.")]),
            assistant(vec![text("Hi."), text("Ho.")]),
        ];
        insert(&db, &session(id, messages));
    }
    let cursor = read(&home.database()).cursor.unwrap();
    assert_eq!(delivered(&home.database(), &cursor), (vec![], vec![]));

    let changes = [
        "UPDATE session SET time_updated = 9999 WHERE id = 'ses_b'",
        "UPDATE session SET title = 'Renamed' WHERE id = 'ses_b'",
        "UPDATE session SET directory = '/srv/moved' WHERE id = 'ses_b'",
        "UPDATE message SET time_updated = 9999 WHERE id = 'msg_b_00'",
        "UPDATE part SET time_updated = 9999 WHERE id = 'msg_b_01_prt_00'",
        "INSERT INTO part SELECT 'prt_new', message_id, session_id, 1, 1, data FROM part WHERE id = 'msg_b_01_prt_00'",
        "DELETE FROM part WHERE id = 'msg_b_01_prt_01'",
        "DELETE FROM message WHERE id = 'msg_b_01'",
    ];
    for change in changes {
        db.execute_batch("BEGIN").unwrap();
        db.execute_batch(change).unwrap();
        db.execute_batch("COMMIT").unwrap();
        let (sessions, gone) = delivered(&home.database(), &cursor);
        assert_eq!(
            (sessions.as_slice(), gone.len()),
            (&["ses_b".to_owned()][..], 0),
            "{change}"
        );
    }
    db.execute_batch("DELETE FROM session WHERE id = 'ses_a'")
        .unwrap();
    let (sessions, gone) = delivered(&home.database(), &cursor);
    assert_eq!(
        (sessions, gone),
        (vec!["ses_b".to_owned()], vec!["ses_a".to_owned()])
    );
}

/// A newer version may move the messages to where they are not found.
#[test]
fn a_database_that_changes_its_form_keeps_its_sessions() {
    let changes = [
        "DROP TABLE part",
        "DROP TABLE message",
        "ALTER TABLE part RENAME COLUMN data TO content",
        "ALTER TABLE message RENAME COLUMN session_id TO thread_id",
        "DELETE FROM part; DELETE FROM message;
         INSERT INTO session_message (id, session_id, type, seq, time_created, time_updated, data)
         VALUES ('m1', 'ses_a', 'prompt-v3', 1, 1, 1, '{}')",
    ];
    for change in changes {
        let home = Home::new();
        let db = home.connect();
        add_second_storage(&db);
        insert(&db, &session("ses_a", vec![user(vec![text("Hello.")])]));
        let cursor = read(&home.database()).cursor.unwrap();
        db.execute_batch(change).unwrap();
        for from in [Some(&cursor), None] {
            let mut found = CollectingSink::default();
            read_from(&home.database(), from, &mut found);
            let told = found.warnings.first().map(|w| w.reason.as_str());
            let expected = "database keeps its messages in a newer form that is not read yet";
            assert_eq!(told, Some(expected), "{change}");
            assert_eq!((found.sessions.len(), found.gone.len()), (0, 0), "{change}");
        }
    }
}

#[test]
fn a_session_without_its_messages_is_gone_until_it_has_some() {
    let home = Home::new();
    let db = home.connect();
    for id in ["ses_a", "ses_b"] {
        insert(&db, &session(id, vec![user(vec![text("Hello.")])]));
    }
    let cursor = read(&home.database()).cursor.unwrap();
    db.execute("DELETE FROM message WHERE session_id = 'ses_a'", [])
        .unwrap();
    let mut found = CollectingSink::default();
    read_from(&home.database(), Some(&cursor), &mut found);
    assert_eq!(
        (found.sessions.len(), found.gone),
        (0, vec!["ses_a".to_owned()])
    );
    let cursor = found.cursor.unwrap();
    assert_eq!(delivered(&home.database(), &cursor), (vec![], vec![]));
    insert_message(&db, "ses_a", "msg_new", 9000, r#"{"role":"user"}"#);
    insert_part(&db, "msg_new", "prt_new", 9000, &text("Again.").to_string());
    assert_eq!(delivered(&home.database(), &cursor).0, ["ses_a"]);
}

#[test]
fn a_cursor_that_is_not_understood_begins_anew() {
    let home = Home::new();
    insert(
        &home.connect(),
        &session("ses_a", vec![user(vec![text("Hello.")])]),
    );
    for cursor in ["", "7", "{\"ses_a\":1}"] {
        let (sessions, _) = delivered(&home.database(), &Cursor(cursor.to_owned()));
        assert_eq!(sessions, ["ses_a"], "{cursor}");
    }
}

#[test]
fn a_cursor_of_an_older_program_still_tells_what_is_gone() {
    let home = Home::new();
    insert(
        &home.connect(),
        &session("ses_a", vec![user(vec![text("Hello.")])]),
    );
    let cursor = Cursor(r#"{"ses_a":[1000,1,1],"ses_b":[1000,1,1]}"#.to_owned());
    let (sessions, gone) = delivered(&home.database(), &cursor);
    assert_eq!(
        (sessions, gone),
        (vec!["ses_a".into()], vec!["ses_b".into()])
    );
}

type Sessions = BTreeMap<String, (SessionMeta, Vec<Turn>)>;

/// Sessions with their turns, kept as an index keeps them: what was told since
/// the last checkpoint is lost. Asks to stop after some calls, and then wants
/// to hear nothing more.
#[derive(Default)]
struct Kept {
    sessions: Sessions,
    open: String,
    committed: (Sessions, Option<Cursor>),
    calls_left: Option<u32>,
}

impl Kept {
    fn read(&mut self, path: &Path, calls: Option<u32>) {
        self.calls_left = calls;
        let cursor = self.committed.1.clone();
        read_from(path, cursor.as_ref(), self);
        self.sessions.clone_from(&self.committed.0);
    }

    fn flow(&mut self) -> ControlFlow<()> {
        let Some(left) = &mut self.calls_left else {
            return ControlFlow::Continue(());
        };
        *left = left.checked_sub(1).expect("called after it asked to stop");
        if *left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for Kept {
    fn session(&mut self, meta: &SessionMeta, known: KnownTurns) -> ControlFlow<()> {
        assert_eq!(known, KnownTurns::Replace);
        self.open.clone_from(&meta.id);
        self.sessions
            .insert(meta.id.clone(), (meta.clone(), Vec::new()));
        self.flow()
    }

    fn turn(&mut self, turn: Turn) -> ControlFlow<()> {
        self.sessions.get_mut(&self.open).unwrap().1.push(turn);
        self.flow()
    }

    fn checkpoint(&mut self, cursor: Cursor) -> ControlFlow<()> {
        self.committed = (self.sessions.clone(), Some(cursor));
        self.flow()
    }

    fn report_gone_session(&mut self, session: &str) -> ControlFlow<()> {
        self.sessions.remove(session);
        self.flow()
    }

    fn receive_foreign_title(&mut self, message: &str, title: &str) -> ControlFlow<()> {
        unreachable!("{message} {title}")
    }

    fn warning(&mut self, warning: Warning) {
        unreachable!("{warning:?}")
    }
}

/// A change that OpenCode may make to its database.
#[derive(Debug, Clone)]
enum Change {
    Say { session: u8, user: bool },
    Add { session: u8 },
    Rewrite { session: u8 },
    Rename { session: u8 },
    Undo { session: u8 },
    Delete { session: u8 },
}

fn change() -> impl Strategy<Value = Change> {
    let session = 0..20u8;
    prop_oneof![
        4 => (session.clone(), any::<bool>()).prop_map(|(session, user)| Change::Say { session, user }),
        2 => session.clone().prop_map(|session| Change::Add { session }),
        2 => session.clone().prop_map(|session| Change::Rewrite { session }),
        1 => session.clone().prop_map(|session| Change::Rename { session }),
        1 => session.clone().prop_map(|session| Change::Undo { session }),
        1 => session.prop_map(|session| Change::Delete { session }),
    ]
}

fn apply(db: &Connection, change: &Change, now: i64) {
    match change {
        Change::Say { session, user } => say(db, &format!("ses_{session:02}"), *user, now),
        Change::Add { session } => {
            let message =
                format!("SELECT max(id) FROM message WHERE session_id = 'ses_{session:02}'");
            let last: Option<String> = db.query_row(&message, [], |row| row.get(0)).unwrap();
            if let Some(last) = last {
                insert_part(db, &last, &format!("prt_{now:04}"), now, &words(now));
            }
        }
        Change::Rewrite { session } => {
            let part = format!("(SELECT max(id) FROM part WHERE session_id = 'ses_{session:02}')");
            let sql = format!("UPDATE part SET data = ?1, time_updated = ?2 WHERE id = {part}");
            db.execute(&sql, params![words(now), now]).unwrap();
        }
        Change::Rename { session } => {
            let sql = "UPDATE session SET title = ?1 WHERE id = ?2";
            db.execute(sql, params![now, format!("ses_{session:02}")])
                .unwrap();
        }
        Change::Undo { session } => {
            let message =
                format!("(SELECT max(id) FROM message WHERE session_id = 'ses_{session:02}')");
            db.execute(
                &format!("DELETE FROM part WHERE message_id = {message}"),
                [],
            )
            .unwrap();
            db.execute(&format!("DELETE FROM message WHERE id = {message}"), [])
                .unwrap();
        }
        Change::Delete { session } => {
            let id = format!("ses_{session:02}");
            db.execute("DELETE FROM part WHERE session_id = ?1", [&id])
                .unwrap();
            db.execute("DELETE FROM message WHERE session_id = ?1", [&id])
                .unwrap();
            db.execute("DELETE FROM session WHERE id = ?1", [&id])
                .unwrap();
        }
    }
}

fn say(db: &Connection, session: &str, user: bool, now: i64) {
    let sql = "INSERT OR IGNORE INTO session (id, title, time_created, time_updated) VALUES (?1, 'x', ?2, ?2)";
    db.execute(sql, params![session, now]).unwrap();
    let id = format!("msg_{now:04}");
    let role = if user { "user" } else { "assistant" };
    insert_message(db, session, &id, now, &format!("{{\"role\":\"{role}\"}}"));
    insert_part(db, &id, &format!("prt_{now:04}"), now, &words(now));
}

fn words(now: i64) -> String {
    text(&format!("words of {now}")).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// However often a read is broken off and whatever happens between, going
    /// on from the last checkpoint ends where one read of it all would.
    #[test]
    fn reading_in_steps_is_reading_at_once(
        steps in prop::collection::vec(
            (prop::collection::vec(change(), 0..40), prop::option::of(1..60u32)), 1..4),
    ) {
        let home = Home::new();
        let db = home.connect();
        let mut kept = Kept::default();
        let mut now = 0;
        for (changes, calls) in &steps {
            for change in changes {
                now += 1;
                apply(&db, change, now);
            }
            kept.read(&home.database(), *calls);
        }
        kept.read(&home.database(), None);

        let mut fresh = Kept::default();
        fresh.read(&home.database(), None);
        prop_assert_eq!(kept.sessions, fresh.sessions);
    }
}
