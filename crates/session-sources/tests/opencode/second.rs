//! Sessions of the second storage (`session_message`), and mixed ones.

use crate::fixture::{
    Home, add_second_storage, assistant, insert, insert_second, read, read_from, render, session,
    show, text, user,
};
use insta::assert_snapshot;
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use session_core::{TokenTotals, Turn, TurnContent};
use session_sources::CollectingSink;

/// A database with one session that has no messages yet.
fn home() -> (Home, Connection) {
    let home = Home::new();
    let db = home.connect();
    add_second_storage(&db);
    insert(&db, &session("ses_a", vec![]));
    (home, db)
}

/// Writes messages of the second storage, one a second.
fn write(db: &Connection, messages: &[(&str, Value)]) {
    for ((kind, data), seq) in messages.iter().zip(1i64..) {
        insert_second(db, "ses_a", 10 * seq, 1000 * seq, kind, data);
    }
}

fn prompt(words: &str) -> (&'static str, Value) {
    ("user", json!({"text": words}))
}

fn answer(content: Value) -> (&'static str, Value) {
    ("assistant", json!({"content": content}))
}

fn words(words: &str) -> Value {
    json!({"type": "text", "id": "text-0", "text": words})
}

fn call(name: &str, state: Value) -> Value {
    json!({"type": "tool", "id": "call_1", "name": name, "state": state, "time": {"created": 1}})
}

fn ran(command: &str, output: &str, exit: i64) -> Value {
    let end = format!("Command exited with code {exit}.");
    let content = [output, &end].map(|text| json!({"type": "text", "text": text}));
    let input = json!({"command": command});
    call(
        "bash",
        json!({"status": "completed", "input": input, "content": content, "outputPaths": [],
            "structured": {"exit": exit, "truncated": false}}),
    )
}

fn turns(found: &CollectingSink) -> Vec<Turn> {
    assert_eq!(found.warnings, []);
    found
        .turns
        .iter()
        .map(|collected| collected.turn.clone())
        .collect()
}

fn prompts(found: &CollectingSink) -> Vec<String> {
    turns(found).into_iter().map(|turn| turn.prompt).collect()
}

#[test]
fn a_session_is_read() {
    let (home, db) = home();
    let step = json!({"time": {"created": 2000, "completed": 2700}, "agent": "build",
    "model": {"id": "sonnet", "providerID": "anthropic"},
    "tokens": {"input": 20, "output": 10, "reasoning": 5, "cache": {"read": 100, "write": 3}},
    "content": [
        {"type": "reasoning", "id": "reasoning-0", "text": "What holds it?"},
        words("I will look."),
        ran("lsof -i :8080", "node 4711\n", 0),
    ]});
    let switched = [
        ("agent-switched", json!({"agent": "build"})),
        (
            "model-switched",
            json!({"model": {"id": "sonnet", "providerID": "anthropic"}}),
        ),
        ("system", json!({"text": "You are a coding agent."})),
    ];
    let talk = [
        prompt("Why does the server not start?"),
        ("assistant", step),
        answer(json!([words("Process 4711 holds port 8080.")])),
        prompt("Kill it."),
        answer(json!([ran("kill 4711", "no such process\n", 1)])),
    ];
    write(&db, &[switched.as_slice(), &talk].concat());

    let found = read(&home.database());
    assert_snapshot!(render(&turns(&found)), @r#"
    0 typed: Why does the server not start?
      text: I will look.
      {"id":"call_1","name":"Bash","command":"lsof -i :8080","failed":false}
      text: Process 4711 holds port 8080.
    1 typed: Kill it.
      {"id":"call_1","name":"Bash","command":"kill 4711","output":"no such process\nCommand exited with code 1.","failed":true}
    "#);
    let shown = show(&home.database(), &found);
    assert_snapshot!(render(&shown[..1]), @r#"
    0 typed: Why does the server not start?
      thinking: What holds it?
      text: I will look.
      {"id":"call_1","name":"Bash","command":"lsof -i :8080","input":{"command":"lsof -i :8080"},"output":"node 4711\nCommand exited with code 0.","failed":false}
      text: Process 4711 holds port 8080.
    "#);
    let first = &found.turns[0].turn;
    assert_eq!(first.origin.as_deref(), Some("msg_v2_0040"));
    assert_eq!((first.started_ms, first.ended_ms), (Some(4000), Some(6000)));
    let content = TurnContent::from_turn(first);
    assert_eq!(content, TurnContent::from_turn(&shown[0]));
    assert_eq!(content.turn_stats.models, ["sonnet"]);
    let counted = TokenTotals {
        input: 23,
        cached: 100,
        output: 15,
    };
    assert_eq!(content.turn_stats.tokens, counted);
}

#[test]
fn a_mixed_session_is_read_whole_and_in_order() {
    let home = Home::new();
    let db = home.connect();
    add_second_storage(&db);
    let classic = |id, words| {
        session(
            id,
            vec![user(vec![text(words)]), assistant(vec![text("Yes.")])],
        )
    };
    insert(&db, &classic("ses_a", "First."));
    insert(&db, &classic("ses_b", "Alone."));
    let (_, asked) = prompt("Second.");
    let (_, said) = answer(json!([words("Well.")]));
    // By `seq`, not by time; and classic messages may follow.
    insert_second(&db, "ses_a", 7, 3000, "user", &asked);
    insert_second(&db, "ses_a", 9, 2999, "assistant", &said);
    crate::fixture::insert_message(&db, "ses_a", "msg_a_09", 4000, r#"{"role":"user"}"#);
    crate::fixture::insert_part(&db, "msg_a_09", "prt_9", 4000, &text("Third.").to_string());
    // The same message in both storages is one.
    db.execute(
        "INSERT INTO session_message VALUES ('msg_a_00', 'ses_a', 'user', 1, 1000, 1000, ?1)",
        [json!({"text": "First."}).to_string()],
    )
    .unwrap();

    let found = read(&home.database());
    assert_snapshot!(render(&turns(&found)), @"
    0 typed: First.
      text: Yes.
    1 typed: Second.
      text: Well.
    2 typed: Third.
    0 typed: Alone.
      text: Yes.
    ");
    assert_eq!(show(&home.database(), &found), turns(&found));
}

#[test]
fn a_database_without_the_first_storage_is_read() {
    let home = Home::new();
    let db = Connection::open(home.database()).unwrap();
    db.execute_batch("CREATE TABLE session (id TEXT)").unwrap();
    add_second_storage(&db);
    db.execute("INSERT INTO session VALUES ('ses_a')", [])
        .unwrap();
    let empty = read(&home.database());
    assert_eq!((empty.warnings, empty.sessions), (vec![], vec![]));
    write(&db, &[prompt("Hello."), answer(json!([words("Hi.")]))]);
    assert_eq!(prompts(&read(&home.database())), ["Hello."]);
}

#[test]
fn its_changes_are_noticed() {
    let (home, db) = home();
    write(&db, &[prompt("Hello.")]);
    let cursor = read(&home.database()).cursor;
    let delivered = || {
        let mut found = CollectingSink::default();
        read_from(&home.database(), cursor.as_ref(), &mut found);
        prompts(&found)
    };
    assert_eq!(delivered(), [""; 0]);
    let (_, more) = prompt("More.");
    insert_second(&db, "ses_a", 20, 1, "user", &more);
    assert_eq!(delivered().len(), 2);
    db.execute("DELETE FROM session_message WHERE seq = 20", [])
        .unwrap();
    assert_eq!(delivered(), [""; 0]);
    db.execute("UPDATE session_message SET time_updated = 9999", [])
        .unwrap();
    assert_eq!(delivered(), ["Hello."]);
}

#[test]
fn tools_tell_their_results() {
    let (home, db) = home();
    let failed = json!({"status": "error", "input": {"filePath": "src/a.rs", "oldString": "a", "newString": "b"},
        "content": [], "structured": {}, "error": {"type": "unknown", "message": "Could not find oldString"},
        "result": {"type": "error", "value": "Could not find oldString"}});
    let read_file = json!({"status": "completed", "input": {"filePath": "src/a.rs"}, "content": [],
        "structured": {"content": "fn main() {}\n", "mime": "text/plain"}});
    let odd = json!({"status": 7, "input": "{\"comm", "content": {}, "structured": []});
    let changed = json!({"content": [words("Done.")],
        "snapshot": {"start": "1", "end": "2", "files": ["/home/ann/app/Cargo.lock"]}});
    let calls = json!([call("edit", failed), call("read", read_file), call("bash", odd), 7, {"type": "later"}]);
    write(&db, &[prompt("Go."), answer(calls), ("assistant", changed)]);
    let found = read(&home.database());
    assert_snapshot!(render(&turns(&found)), @r#"
    0 typed: Go.
      {"id":"call_1","name":"Edit","files":["/home/ann/app/src/a.rs"],"output":"Could not find oldString","failed":true}
      {"id":"call_1","name":"Read","files":["/home/ann/app/src/a.rs"],"failed":false}
      {"id":"call_1","name":"Bash","failed":false}
      text: Done.
      {"id":"","name":"Patch","files":["/home/ann/app/Cargo.lock"],"failed":false}
    "#);
    assert_snapshot!(render(&show(&home.database(), &found)), @r#"
    0 typed: Go.
      {"id":"call_1","name":"Edit","files":["/home/ann/app/src/a.rs"],"input":{"file_path":"src/a.rs","new_string":"b","old_string":"a"},"output":"Could not find oldString","failed":true}
      {"id":"call_1","name":"Read","files":["/home/ann/app/src/a.rs"],"input":{"file_path":"src/a.rs"},"output":"fn main() {}\n","failed":false}
      {"id":"call_1","name":"Bash","input":"{\"comm","failed":false}
      text: Done.
      {"id":"","name":"Patch","files":["/home/ann/app/Cargo.lock"],"failed":false}
    "#);
}

#[test]
fn shell_commands_and_compactions_are_told() {
    let (home, db) = home();
    let shell = |command: &str, time: Value| json!({"callID": "call_1", "command": command, "output": "clean\n", "time": time});
    let ended = shell("git status", json!({"created": 1, "completed": 2}));
    let killed = shell("sleep 60", json!({"created": 1}));
    let compaction = json!({"reason": "auto", "summary": "The port was fixed.", "recent": "…"});
    write(
        &db,
        &[
            ("shell", killed),
            ("shell", ended),
            ("synthetic", json!({"text": "Called the Read tool."})),
            ("compaction", compaction),
            answer(json!([words("Going on.")])),
        ],
    );
    let found = read(&home.database());
    assert_snapshot!(render(&turns(&found)), @r#"
    0 command: !sleep 60
      {"id":"call_1","name":"Bash","command":"sleep 60","failed":false,"unfinished":true}
    1 command: !git status
      {"id":"call_1","name":"Bash","command":"git status","failed":false}
      text: Going on.
    "#);
    assert_snapshot!(render(&show(&home.database(), &found)), @r#"
    0 command: !sleep 60
      {"id":"call_1","name":"Bash","command":"sleep 60","input":{"command":"sleep 60"},"output":"clean\n","failed":false,"unfinished":true}
    1 command: !git status
      {"id":"call_1","name":"Bash","command":"git status","input":{"command":"git status"},"output":"clean\n","failed":false}
      notice: Called the Read tool.
      summary: The port was fixed.
      text: Going on.
    "#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_data_is_read(rows in prop::collection::vec((kind(), any_json(3)), 0..6)) {
        let (home, db) = home();
        let rows: Vec<(&str, Value)> = rows.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
        write(&db, &rows);
        let (_, last) = prompt("Hello.");
        insert_second(&db, "ses_a", 999, 9000, "user", &last);
        let found = read(&home.database());
        prop_assert_eq!(&found.turns.last().unwrap().turn.prompt, "Hello.");
        prop_assert!(!show(&home.database(), &found).is_empty());
    }
}

fn kind() -> impl Strategy<Value = String> {
    "user|assistant|shell|compaction|synthetic|system|other"
}

/// Objects with the fields that are read, and values of any type in them.
fn any_json(depth: u32) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "text|tool|reasoning|completed|bash|error|\\PC{0,6}".prop_map(Value::from),
    ];
    let keys = "text|content|type|name|state|status|structured|input|command|files|snapshot|error|message|time|exit";
    leaf.prop_recursive(depth, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
    .boxed()
}
