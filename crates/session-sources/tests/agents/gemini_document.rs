//! Gemini CLI: sessions that are one document, and where files lie.

use crate::support::{AgentHome, check_damage, indexed, lines, shown, source};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_sources::Source;

const PATH: &str = ".gemini/tmp/app/chats/session-2026-01-04T09-00-5a1f0c3e.json";
/// SHA-256 of `/home/ann/app`.
const HASH: &str = "c6e422ae6b09f558f24611bf74f929338a29dc2b574960ea80fcf4d1bbdd6b57";

fn gemini() -> &'static dyn Source {
    source("gemini")
}

fn messages() -> Vec<Value> {
    let output = "Command: make\nDirectory: (root)\nOutput: error: no rule\nError: (none)\nExit Code: 2\nSignal: 0\nProcess Group PGID: 7";
    let result = json!([{"functionResponse": {"response": {"output": output}}}]);
    vec![
        json!({"id": "w1", "type": "warning", "content": "a hook failed"}),
        json!({"id": "u1", "timestamp": "2026-01-04T09:00:01Z", "type": "user", "content": "Build it"}),
        json!({"id": "a1", "type": "gemini", "content": "With make.", "thoughts": [{"subject": "Plan", "description": "Make."}], "toolCalls": [
            {"id": "k1", "name": "run_shell_command", "args": {"command": "make"}, "status": "success", "result": result},
            {"name": "read_file", "args": {"absolute_path": "/app/a"}, "status": "success"}]}),
        json!({"id": "s1", "type": "user", "content": "System: Please continue."}),
        json!({"id": "u2", "type": "user", "content": [{"text": "And test it"}]}),
        json!({"id": "a2", "type": "gemini", "content": "Tested."}),
    ]
}

fn document(messages: &[Value]) -> String {
    let document = json!({"sessionId": "5a1f0c3e-01", "projectHash": HASH, "startTime": "2026-01-04T09:00:00Z",
        "summary": "Builds", "messages": messages});
    serde_json::to_string_pretty(&document).unwrap()
}

#[test]
fn a_document_is_read() {
    let marked = format!("\u{feff}{}", document(&messages()));
    assert_eq!(
        indexed(gemini(), PATH, marked),
        indexed(gemini(), PATH, document(&messages()))
    );
    assert_snapshot!(indexed(gemini(), PATH, document(&messages())), @r##"
    0 Typed: "Build it"
      text "With make."
      call Bash(k1) $ "make" -> "error: no rule" failed
      call Read(a1-1) @/app/a
    1 Typed: "And test it"
      text "Tested."
    "##);
    assert_snapshot!(shown(gemini(), PATH, document(&messages())), @r##"
    0 Typed: "Build it"
      thinking "Plan\nMake."
      text "With make."
      call Bash(k1) $ "make" {"command":"make"} -> "error: no rule" failed
      call Read(a1-1) @/app/a {"file_path":"/app/a"} -> ""
      notice "System: Please continue."
    1 Typed: "And test it"
      text "Tested."
    "##);
    check_damage(gemini(), PATH, document(&messages()).as_bytes());
}

#[test]
fn a_document_is_read_again_when_it_changes() {
    let home = AgentHome::with(gemini(), PATH, document(&messages()[..3]));
    let first = home.read(None);
    assert_eq!((first.sessions.len(), first.turns.len()), (1, 1));
    assert_eq!(first.sessions[0].id, "5a1f0c3e-01");
    assert_eq!(first.sessions[0].title.as_deref(), Some("Builds"));
    home.write(PATH, document(&messages()[..3]));
    let same = home.read(first.cursor.as_ref());
    assert_eq!((same.sessions.len(), same.turns.len()), (0, 0));
    home.write(PATH, document(&messages()));
    let grown = home.read(same.cursor.as_ref());
    assert_eq!((grown.sessions.len(), grown.turns.len()), (1, 2));
    home.write(PATH, &document(&messages())[..200]);
    let half = home.read(grown.cursor.as_ref());
    assert_eq!((half.gone.len(), half.warnings.len()), (0, 1));
    home.write(PATH, document(&messages()));
    let whole = home.read(half.cursor.as_ref());
    assert_eq!((whole.sessions.len(), whole.turns.len()), (0, 0));
}

#[test]
fn a_session_in_which_nothing_was_said_is_none() {
    let found = AgentHome::with(gemini(), PATH, document(&messages()[..1])).read(None);
    assert_eq!((found.sessions.len(), found.warnings.len()), (0, 0));
}

#[test]
fn a_document_that_goes_on_as_lines_is_read_once() {
    let home = AgentHome::with(gemini(), PATH, document(&messages()));
    let hashed = PATH.replace("app", HASH);
    home.write(&hashed, document(&messages()));
    assert_eq!(home.found(), [PATH]);
    home.write(&format!("{PATH}l"), lines(&messages()));
    assert_eq!(home.found(), [format!("{PATH}l")]);
}

#[test]
fn a_project_is_known_by_the_hash_of_its_path() {
    let path = PATH.replace("app", HASH);
    let home = AgentHome::with(gemini(), &path, document(&messages()));
    assert_eq!(home.read(None).sessions[0].cwd, None);
    home.write(
        ".gemini/trustedFolders.json",
        r#"{"/home/ann/app":"TRUST_FOLDER"}"#,
    );
    assert_eq!(
        home.read(None).sessions[0].cwd.as_deref(),
        Some("/home/ann/app")
    );
    let slug = AgentHome::with(gemini(), PATH, document(&messages()));
    slug.write(
        ".gemini/projects.json",
        r#"{"projects":{"/srv/app":"app"}}"#,
    );
    assert_eq!(slug.read(None).sessions[0].cwd.as_deref(), Some("/srv/app"));
}

#[test]
fn another_home_folder_may_be_named() {
    let home = AgentHome::with(gemini(), &format!("other/{PATH}"), document(&messages()));
    let named = |path: &str| gemini().locate(&home.env().var("GEMINI_CLI_HOME", path));
    assert_eq!(named("~/other").locations.len(), 1);
    assert_eq!(named("~/none").warnings.len(), 1);
}
