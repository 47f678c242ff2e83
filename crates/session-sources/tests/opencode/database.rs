//! Databases as they are met: live, locked, read-only, old, broken.

use crate::fixture::{
    Home, assistant, bash, connect, insert, insert_message, insert_part, opencode, read, render,
    session, show, text, user,
};
use fs_err as fs;
use insta::assert_snapshot;
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::json;
use session_core::{SessionMeta, TurnContent};
use session_sources::{CollectedTurn, CollectingSink, Env, IndexedSpan, locate_in_all_homes};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub fn greeting(id: &str) -> crate::fixture::Conversation {
    session(
        id,
        vec![user(vec![text("Hello.")]), assistant(vec![text("Hi.")])],
    )
}

pub fn prompts(found: &CollectingSink) -> Vec<&str> {
    found
        .turns
        .iter()
        .map(|collected| collected.turn.prompt.as_str())
        .collect()
}

/// The reasons of all warnings, each with its count.
pub fn warnings(found: &CollectingSink) -> String {
    let lines = found
        .warnings
        .iter()
        .map(|w| format!("{}x {}", w.count, w.reason));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_database_is_read_while_a_writer_holds_it_open() {
    let home = Home::new();
    let writer = home.connect();
    insert(&writer, &greeting("ses_a"));
    writer
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM message")
        .unwrap();
    assert!(
        fs::metadata(home.database()).unwrap().len() < 5000,
        "all is in the log"
    );
    assert_eq!(prompts(&read(&home.database())), ["Hello."]);
}

#[test]
fn a_database_is_copied_when_its_log_cannot_be_shared() {
    let home = Home::new();
    let writer = home.connect();
    insert(&writer, &greeting("ses_a"));
    // As in a folder that cannot be written to, which would not stop root.
    let apart = home.data().join("apart");
    fs::create_dir_all(apart.join("opencode.db-shm")).unwrap();
    for name in ["opencode.db", "opencode.db-wal"] {
        fs::copy(home.data().join(name), apart.join(name)).unwrap();
    }
    let found = read(&apart.join("opencode.db"));
    assert_eq!(
        (prompts(&found), warnings(&found)),
        (vec!["Hello."], String::new())
    );
}

/// The files of a directory with their contents.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

/// As a copy of a home has them whose agent was killed: the log, with or without the memory that its readers share.
#[test]
fn nothing_is_written_beside_a_database_that_was_not_closed() {
    for left in [&["-wal"][..], &["-wal", "-shm"]] {
        let (home, copied) = (Home::new(), Home::new());
        let writer = home.connect();
        insert(&writer, &greeting("ses_a"));
        for end in [""].iter().chain(left) {
            let name = format!("opencode.db{end}");
            fs::copy(home.data().join(&name), copied.data().join(&name)).unwrap();
        }
        let before = files(&copied.data());
        let env = Env {
            other_homes: vec![copied.0.path().to_owned()],
            ..Env::with_home(&copied.0.path().join("own"))
        };
        for env in [copied.env(), env] {
            let found = locate_in_all_homes(opencode(), &env, &|_, _| false);
            let [at] = &found.locations[..] else {
                panic!("{found:?}");
            };
            let read = read(&at.path);
            assert_eq!((prompts(&read), read.warnings.len()), (vec!["Hello."], 0));
            assert_eq!(show(&at.path, &read).len(), 1);
            assert!(files(&copied.data()) == before, "{left:?}");
        }
    }
}

#[test]
fn nothing_is_written_beside_a_database_with_an_empty_log() {
    let home = Home::new();
    let writer = home.connect();
    insert(&writer, &greeting("ses_a"));
    writer.close().unwrap();
    fs::write(home.data().join("opencode.db-wal"), "").unwrap();
    let before = files(&home.data());
    assert_eq!(prompts(&read(&home.database())), ["Hello."]);
    assert!(files(&home.data()) == before);
}

#[test]
fn what_a_running_agent_writes_is_read_at_once() {
    let home = Home::new();
    let writer = home.connect();
    for n in 1..20 {
        if n % 5 == 0 {
            writer
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .unwrap();
        }
        insert(&writer, &greeting(&format!("ses_{n}")));
        let found = read(&home.database());
        assert_eq!(
            (prompts(&found).len(), warnings(&found)),
            (n, String::new())
        );
    }
}

#[cfg(unix)]
#[test]
fn a_database_in_a_read_only_folder_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    insert(&home.connect(), &greeting("ses_a"));
    fs::set_permissions(home.data(), PermissionsExt::from_mode(0o500)).unwrap();
    let found = read(&home.database());
    fs::set_permissions(home.data(), PermissionsExt::from_mode(0o700)).unwrap();
    assert_eq!(
        (prompts(&found), warnings(&found)),
        (vec!["Hello."], String::new())
    );
}

#[test]
fn paths_are_not_addresses() {
    let names = ["open code.db", "a#b.db", "100%20.db"];
    let unix_names = ["a?mode=rw.db", "file:x.db"]
        .into_iter()
        .filter(|_| cfg!(unix));
    for name in names.into_iter().chain(unix_names) {
        let home = Home::new();
        let path = home.data().join(name);
        insert(&connect(&path), &greeting("ses_a"));
        assert_eq!(prompts(&read(&path)), ["Hello."], "{name}");
    }
}

#[test]
fn columns_that_are_not_there_are_done_without() {
    let home = Home::new();
    let db = Connection::open(home.database()).unwrap();
    db.execute_batch(
        r#"CREATE TABLE session (id TEXT);
        CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
        CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);
        INSERT INTO session VALUES ('ses_a');
        INSERT INTO message VALUES ('msg_2', 'ses_a', '{"role":"assistant"}'),
            ('msg_1', 'ses_a', '{"role":"user","time":{"created":7}}');
        INSERT INTO part VALUES ('prt_1', 'msg_1', '{"type":"text","text":"Hello."}'),
            ('prt_2', 'msg_2', '{"type":"text","text":"Hi."}');"#,
    )
    .unwrap();
    let found = read(&home.database());
    assert_eq!(
        found.sessions,
        [SessionMeta {
            id: "ses_a".into(),
            ..SessionMeta::default()
        }]
    );
    let turn = &found.turns[0].turn;
    assert_snapshot!(render(std::slice::from_ref(turn)), @"
    0 typed: Hello.
      text: Hi.
    ");
    assert_eq!(turn.started_ms, Some(7));
    assert_eq!(warnings(&found), "");
}

#[test]
fn a_locked_database_is_told_and_what_was_read_stays_known() {
    let home = Home::new();
    let db = Connection::open(home.database()).unwrap();
    db.execute_batch("CREATE TABLE session (id TEXT); BEGIN EXCLUSIVE")
        .unwrap();
    let mut found = CollectingSink::default();
    let before = session_sources::Cursor("{\"ses_a\":[1,2,3]}".to_owned());
    crate::fixture::read_from(&home.database(), Some(&before), &mut found);
    assert_eq!(warnings(&found), "1x database is locked by another program");
    // No checkpoint: it is tried again, from where it was.
    assert_eq!((found.cursor, found.gone.len()), (None, 0));
}

#[test]
fn other_files_are_told_apart() {
    let home = Home::new();
    let told = |make: &dyn Fn(&Path)| {
        let path = home.data().join("opencode.db");
        make(&path);
        let told = warnings(&read(&path));
        fs::remove_file(path).ok();
        told
    };
    let sql = |sql: &'static str| {
        move |path: &Path| Connection::open(path).unwrap().execute_batch(sql).unwrap()
    };

    assert_eq!(
        told(&|path| fs::write(path, "no database ".repeat(100)).unwrap()),
        "1x file is not a SQLite database"
    );
    assert_eq!(
        told(&|path| fs::write(path, "SQLite format 3\0 and then nothing").unwrap()),
        "1x file is not a SQLite database"
    );
    assert_eq!(
        told(&|path| fs::write(path, "").unwrap()),
        "1x database has no OpenCode tables: another program's, or of another version"
    );
    assert_eq!(
        told(&sql(
            "CREATE TABLE sessions (id); CREATE TABLE messages (id)"
        )),
        "1x database has no OpenCode tables: another program's, or of another version"
    );
    assert_eq!(
        told(&|path| {
            let db = connect(path);
            db.execute_batch(
                "CREATE TABLE session_message (id); INSERT INTO session_message VALUES (1)",
            )
            .unwrap();
        }),
        "1x database keeps its messages in a newer form that is not read yet"
    );
    assert_eq!(told(&|_| ()), "1x cannot be read: entity not found");
}

#[test]
fn sessions_come_in_the_order_in_which_they_began() {
    let home = Home::new();
    let db = home.connect();
    for id in ["ses_c", "ses_a", "ses_b"] {
        insert(&db, &greeting(id));
    }
    db.execute("UPDATE session SET time_created = 9 WHERE id = 'ses_a'", [])
        .unwrap();
    let found = read(&home.database());
    let ids: Vec<&str> = found.sessions.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["ses_b", "ses_c", "ses_a"]);
}

#[test]
fn sessions_are_told_with_title_and_project() {
    let home = Home::new();
    let db = home.connect();
    let meta = |title: &str, directory: &str, parent: Option<&str>, project: &str| {
        let mut conversation = greeting("ses_a");
        conversation.title = title.to_owned();
        conversation.directory = directory.to_owned();
        conversation.parent = parent.map(str::to_owned);
        db.execute_batch("DELETE FROM session; DELETE FROM message; DELETE FROM part")
            .unwrap();
        insert(&db, &conversation);
        db.execute("UPDATE session SET project_id = ?1", [project])
            .unwrap();
        let SessionMeta {
            title,
            cwd,
            project,
            parent,
            ..
        } = read(&home.database()).sessions.remove(0);
        json!([title, cwd, project, parent]).to_string()
    };
    db.execute_batch(
        r#"INSERT INTO project VALUES ('prj', '/srv/app', '["/srv/trees/app"]'),
        ('global', '/', '["/srv"]'), ('odd', '/srv/app', 'no list')"#,
    )
    .unwrap();
    assert_snapshot!(meta("Fix it", "/srv/app/src", None, "prj"), @r#"["Fix it","/srv/app/src",null,null]"#);
    assert_snapshot!(meta("New session - 2026-08-09T19:52:15.285Z", "/srv/trees/app", None, "prj"), @r#"[null,"/srv/trees/app","/srv/app",null]"#);
    assert_snapshot!(meta("Child session - 2026-08-09T19:52:15.285Z", "/srv/trees/app/src", Some("ses_p"), "prj"), @r#"[null,"/srv/trees/app/src","/srv/app","ses_p"]"#);
    assert_snapshot!(meta("New session - a plan", "/srv/clone", None, "prj"), @r#"["New session - a plan","/srv/clone",null,null]"#);
    assert_snapshot!(meta(" ", "/srv/app", None, "global"), @r#"[null,"/srv/app",null,null]"#);
    assert_snapshot!(meta("x", "/srv/trees/app", None, "odd"), @r#"["x","/srv/trees/app",null,null]"#);
    assert_snapshot!(meta("x", "", Some(""), "missing"), @r#"["x",null,null,null]"#);
}

#[test]
fn a_session_is_resumed_by_its_id() {
    let resume = |id: &str, parent: Option<&str>| {
        let parent = parent.map(str::to_owned);
        opencode().resume(&SessionMeta {
            id: id.to_owned(),
            parent,
            ..SessionMeta::default()
        })
    };
    assert_eq!(
        resume("ses_01Ab", None).unwrap(),
        ["opencode", "--session", "ses_01Ab"]
    );
    assert_eq!(resume("ses_01Ab", Some("ses_02")), None);
    assert_eq!(resume("ses_1; rm x", None), None);
}

#[test]
fn turns_are_shown_by_their_spans() {
    let home = Home::new();
    let db = home.connect();
    let step = || {
        assistant(vec![
            bash("make", "cc -c a.c\nerror: no a.c", 2),
            text("It failed."),
        ])
    };
    let prompt = |words| user(vec![text(words)]);
    insert(
        &db,
        &session(
            "ses_a",
            vec![prompt("One."), step(), prompt("Two."), step(), step()],
        ),
    );
    let found = read(&home.database());
    let shown = show(&home.database(), &found);
    for (CollectedTurn { turn: indexed, .. }, shown) in found.turns.iter().zip(&shown) {
        assert_eq!(
            TurnContent::from_turn(indexed),
            TurnContent::from_turn(shown)
        );
        assert_eq!((indexed.index, indexed.span), (shown.index, shown.span));
    }
    let some = opencode().show(
        &home.database(),
        &found.sessions[0],
        &[IndexedSpan::from(&found.turns[1].turn)],
    );
    assert_eq!(some.turns, shown[1..]);

    db.execute_batch("DELETE FROM message WHERE id > 'msg_a_01'")
        .unwrap();
    assert_eq!(
        show(&home.database(), &found).len(),
        1,
        "the other is no longer there"
    );
}

#[test]
fn reverted_messages_are_marked() {
    let home = Home::new();
    let db = home.connect();
    let asked = |words| user(vec![text(words)]);
    let said = |words| assistant(vec![text(words)]);
    let messages = vec![
        asked("One."),
        said("Done."),
        said("And more."),
        asked("Two."),
        said("Done."),
    ];
    let conversation = session("ses_a", messages);
    insert(&db, &conversation);
    let found = read(&home.database());
    let delivered = || {
        let mut again = CollectingSink::default();
        crate::fixture::read_from(&home.database(), found.cursor.as_ref(), &mut again);
        again.sessions.len()
    };
    let unmarked = render(&show(&home.database(), &found));
    db.execute_batch("ALTER TABLE session ADD COLUMN revert TEXT")
        .unwrap();
    for odd in ["", "[]", "{\"messageID\":7}"] {
        db.execute("UPDATE session SET revert = ?1", [odd]).unwrap();
        assert_eq!(render(&show(&home.database(), &found)), unmarked);
    }
    db.execute(
        r#"UPDATE session SET revert = '{"messageID":"msg_a_02","snapshot":"1","diff":""}'"#,
        [],
    )
    .unwrap();
    assert_eq!(delivered(), 1);
    let marked = render(&show(&home.database(), &found));
    assert_snapshot!(marked, @"
    0 typed: One.
      text: Done.
      notice: reverted: the user undid what follows
      text: And more.
    1 typed: Two.
      notice: reverted: the user undid what follows
      text: Done.
    ");

    home.write_tree(&conversation);
    fs::remove_file(home.database()).unwrap();
    let file = home.tree().join("session/prj/ses_a.json");
    let json = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        json.replacen('{', r#"{"revert":{"messageID":"msg_a_02"},"#, 1),
    )
    .unwrap();
    assert_eq!(render(&show(&home.tree(), &read(&home.tree()))), marked);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_data_is_read(messages in prop::collection::vec(any_data(), 0..4), parts in prop::collection::vec(any_data(), 0..8)) {
        let home = Home::new();
        let db = home.connect();
        insert(&db, &greeting("ses_a"));
        for (n, data) in messages.iter().enumerate() {
            insert_message(&db, "ses_a", &format!("msg_x{n}"), 5000, "");
            db.execute("UPDATE message SET data = ?1 WHERE time_created = 5000 AND data = ''", [data]).unwrap();
        }
        for (n, data) in parts.iter().enumerate() {
            insert_part(&db, "msg_a_01", &format!("prt_x{n}"), 5000, "");
            db.execute("UPDATE part SET data = ?1 WHERE time_created = 5000 AND data = ''", [data]).unwrap();
        }
        let found = read(&home.database());
        prop_assert_eq!(&found.turns[0].turn.prompt, "Hello.");
        prop_assert!(!show(&home.database(), &found).is_empty());
    }
}

/// Bytes, JSON of any shape, and parts with fields of any type.
fn any_data() -> impl Strategy<Value = rusqlite::types::Value> {
    use rusqlite::types::Value as Sql;
    let field = prop_oneof![
        "[a-z\\\\\"]{0,6}".prop_map(|s| json!(s).to_string()),
        Just("\"\\ud800\"".to_owned()),
        Just("{\"input\":{\"command\":\"x\",\"filePath\":[]},\"output\":\"\\udc00e\\\\\",\"metadata\":[]}".to_owned()),
        Just("[{\"a\":null}]".to_owned()),
        Just("true".to_owned()),
        Just("-1e99".to_owned()),
    ];
    let keys = "text|tool|state|files|synthetic|role|time|summary|error|command|description|url";
    let kinds = "text|tool|reasoning|patch|file|subtask|compaction|other";
    let object =
        (kinds, prop::collection::btree_map(keys, field, 0..5)).prop_map(|(kind, fields)| {
            let fields: String = fields
                .iter()
                .map(|(k, v)| format!(",\"{k}\":{v}"))
                .collect();
            Sql::Text(format!("{{\"type\":\"{kind}\"{fields}}}"))
        });
    prop_oneof![
        6 => object,
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Sql::Blob),
        1 => any::<String>().prop_map(Sql::Text),
        1 => any::<f64>().prop_map(Sql::Real),
    ]
}
