//! What a source has of itself, shown by the smallest one.

use crate::support::{
    AgentHome, check_damage, check_splits, indexed, lines, session, shown, source,
};
use crate::toy_agent::TOY;
use serde_json::json;
use session_core::SessionMeta;
use session_sources::{Caller, Source, agents};
use std::collections::HashSet;

const PATH: &str = ".toy/sessions/app/s1.jsonl";

fn content() -> String {
    lines(&[
        json!({"is": "session", "folder": "/home/ann/app", "branch": "main"}),
        json!({"is": "user", "id": "u1", "time": "2026-03-02T09:00:00Z", "text": "Build it, please"}),
        json!({"is": "thought", "text": "With make."}),
        json!({"is": "call", "call": "c1", "tool": "sh", "input": {"cmd": "make"}}),
        json!({"is": "call", "call": "c2", "tool": "change", "input": {"file": "src/a.rs", "to": "b"}}),
        json!({"is": "result", "call": "c2", "output": "changed"}),
        json!({"is": "user", "id": "u2", "time": "2026-03-02T09:01:00Z", "text": "And test it"}),
        json!({"is": "result", "call": "c1", "exit": 2, "output": "cc a.c\nerror: no rule"}),
        json!({"is": "toy", "text": "There is no rule.", "time": "2026-03-02T09:02:00Z"}),
        json!({"is": "title", "text": "Builds"}),
    ])
}

#[test]
fn turns_are_read() {
    insta::assert_snapshot!(indexed(&TOY, PATH, content()), @r##"
    0 Typed: "Build it, please"
      call Bash(c1) $ "make" -> "error: no rule" failed
      call Edit(c2) @/home/ann/app/src/a.rs
    1 Typed: "And test it"
      text "There is no rule."
    "##);
}

#[test]
fn turns_are_shown_in_full() {
    insta::assert_snapshot!(shown(&TOY, PATH, content()), @r##"
    0 Typed: "Build it, please"
      thinking "With make."
      call Bash(c1) $ "make" {"command":"make"} -> "cc a.c\nerror: no rule" failed
      call Edit(c2) @/home/ann/app/src/a.rs {"file_path":"src/a.rs","to":"b"} -> "changed"
    1 Typed: "And test it"
      text "There is no rule."
    "##);
}

#[test]
fn a_session_is_described() {
    let session = session(&TOY, PATH, content());
    let expected = SessionMeta {
        id: "s1".to_owned(),
        title: Some("Builds".to_owned()),
        cwd: Some("/home/ann/app".to_owned()),
        branch: Some("main".to_owned()),
        ..SessionMeta::default()
    };
    assert_eq!(session, expected);
    assert_eq!(TOY.resume(&session).unwrap(), ["toy", "resume", "s1"]);
    assert_eq!(TOY.fork(&session), None);
}

#[test]
fn a_caller_is_known_by_its_variable() {
    let env = AgentHome::new(&TOY).env().var("TOY_SESSION", "s1");
    assert_eq!(
        TOY.agent().caller(&env),
        Some(Caller::Session("s1".to_owned()))
    );
}

#[test]
fn files_may_be_split_and_damaged_anywhere() {
    check_splits(&TOY, PATH, content().as_bytes());
    check_damage(&TOY, PATH, content().as_bytes());
}

#[test]
fn every_file_is_a_session() {
    let home = AgentHome::with(&TOY, PATH, content());
    home.write(".toy/sessions/other/s2.jsonl", content());
    let ids = home.read_all().into_iter().flat_map(|read| read.sessions);
    let mut ids: Vec<String> = ids.map(|session| session.id).collect();
    ids.sort();
    assert_eq!(ids, ["s1", "s2"]);
}

#[test]
fn agents_are_told_apart_by_their_names() {
    assert_eq!(source("claude").agent().title, "Claude Code");
    let names: HashSet<&str> = agents().map(|agent| agent.name).collect();
    let titles: HashSet<&str> = agents().map(|agent| agent.title).collect();
    assert_eq!(
        (names.len(), titles.len()),
        (agents().count(), agents().count())
    );
}

#[test]
fn a_packed_file_is_read_unless_it_is_there_unpacked() {
    let packed = zstd::encode_all(content().as_bytes(), 3).unwrap();
    let path = format!("{PATH}.zst");
    assert_eq!(
        indexed(&TOY, &path, &packed),
        indexed(&TOY, PATH, content())
    );
    assert_eq!(shown(&TOY, &path, &packed), shown(&TOY, PATH, content()));
    let home = AgentHome::with(&TOY, PATH, content());
    home.write(&path, &packed);
    home.write(".toy/sessions/app/deep/s2.jsonl", content());
    assert_eq!(home.found(), [PATH]);
    let again = home.read(home.read(None).cursor.as_ref());
    assert_eq!((again.sessions.len(), again.turns.len()), (0, 0));
}

#[test]
fn a_folder_that_is_named_should_be_there() {
    let home = AgentHome::with(&TOY, PATH, content());
    let named = |path: &str| TOY.locate(&home.env().var("TOY_HOME", path));
    assert_eq!(named("~/.toy").locations, home.locate().locations);
    let reasons = |path: &str| {
        let warnings = named(path).warnings;
        warnings.into_iter().map(|w| w.reason).collect::<Vec<_>>()
    };
    assert_eq!(
        reasons("~/none"),
        ["TOY_HOME names a folder that does not exist"]
    );
    home.write("other/x", "");
    assert_eq!(
        reasons("~/other"),
        ["TOY_HOME names a folder without a `sessions` folder in it"]
    );
}
