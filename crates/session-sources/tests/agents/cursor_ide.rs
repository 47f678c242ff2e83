//! Cursor, the editor.

use crate::support::{AgentHome, source};
use crate::turns::{joined, rendered};
use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::Connection;
use serde_json::{Value, json};
use session_sources::{CollectingSink, IndexedSpan, Source};

const GLOBAL: &str = ".config/Cursor/User/globalStorage/state.vscdb";
const WORKSPACE: &str = ".config/Cursor/User/workspaceStorage/5f4dcc3b/state.vscdb";
const ID: &str = "e0a20000-0000-4000-8000-000000000001";

fn cursor() -> &'static dyn Source {
    source("cursor")
}

/// A home folder with databases of Cursor's.
struct CursorHome(AgentHome);

impl CursorHome {
    fn new() -> Self {
        Self(AgentHome::new(cursor()))
    }

    /// Makes one with the conversation of [`bubbles`].
    fn with_conversation() -> Self {
        let home = Self::new();
        home.add_conversation(ID, &composer(), &bubbles());
        home
    }

    fn database(&self, path: &str) -> Connection {
        let path = self.0.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        let database = Connection::open(path).unwrap();
        let tables = "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
        database.execute_batch(tables).unwrap();
        database
    }

    fn put(&self, path: &str, table: &str, key: &str, value: &str) {
        let insert = format!("INSERT INTO {table} VALUES (?1, ?2)");
        self.database(path).execute(&insert, [key, value]).unwrap();
    }

    fn add_conversation(&self, id: &str, composer: &Value, bubbles: &[Value]) {
        for bubble in bubbles {
            let key = format!("bubbleId:{id}:{}", bubble["bubbleId"].as_str().unwrap());
            self.put(GLOBAL, "cursorDiskKV", &key, &bubble.to_string());
        }
        let mut composer = composer.clone();
        let header =
            |bubble: &Value| json!({"bubbleId": bubble["bubbleId"], "type": bubble["type"]});
        composer["fullConversationHeadersOnly"] = bubbles.iter().map(header).collect();
        let key = format!("composerData:{id}");
        self.put(GLOBAL, "cursorDiskKV", &key, &composer.to_string());
    }

    fn indexed(&self) -> String {
        rendered(&joined(&[self.0.read(None)]))
    }

    /// Reads what changed since an earlier read.
    fn read_again(&self, earlier: &CollectingSink) -> CollectingSink {
        self.0.read(earlier.cursor.as_ref())
    }
}

fn composer() -> Value {
    json!({"_v": 10, "composerId": ID, "name": "Dark lamp", "createdAt": 1_768_035_600_000_i64,
        "createdOnBranch": "main", "modelConfig": {"modelName": "m1"},
        "workspaceIdentifier": {"id": "5f4dcc3b", "uri": {"fsPath": "/home/ann/harbour"}}})
}

fn bubble(number: u32, speaker: u32, mut fields: Value) -> Value {
    fields["_v"] = 3.into();
    fields["type"] = speaker.into();
    fields["bubbleId"] = format!("b{number}").into();
    fields["createdAt"] = format!("2026-01-10T09:00:{number:02}.000Z").into();
    fields
}

fn tool(number: u32, tool: Value) -> Value {
    bubble(
        number,
        2,
        json!({"text": "", "capabilityType": 15, "toolFormerData": tool}),
    )
}

fn bubbles() -> Vec<Value> {
    vec![
        bubble(
            1,
            1,
            json!({"text": "Why is the lamp dark?", "tokenCount": {"inputTokens": 0, "outputTokens": 0}}),
        ),
        bubble(
            2,
            2,
            json!({"text": "", "thinking": {"text": "The oil?", "signature": "s"}}),
        ),
        bubble(
            3,
            2,
            json!({"text": "I will look.", "tokenCount": {"inputTokens": 12, "outputTokens": 3}}),
        ),
        tool(
            4,
            json!({"name": "run_terminal_command_v2", "toolCallId": "c1", "status": "completed", "rawArgs": "",
            "params": r#"{"command":"lamp --test"}"#, "additionalData": {"status": "error"},
            "result": r#"{"output":"error: no oil","exitCode":3,"rejected":false}"#}),
        ),
        tool(
            5,
            json!({"name": "read_file_v2", "status": "error", "rawArgs": r#"{"targetFile":"lamp.toml"}"#,
            "error": r#"{"clientVisibleErrorMessage":"File not found"}"#}),
        ),
        tool(
            6,
            json!({"name": "edit_file_v2", "toolCallId": "c3", "status": "completed", "rawArgs": "not JSON",
            "params": {"relativeWorkspacePath": "/home/ann/harbour/oil.toml"}, "result": r#"{"afterContentId":"composer.content.1"}"#}),
        ),
        bubble(7, 2, json!({"text": "It had no oil."})),
        bubble(8, 1, json!({"text": "Thanks"})),
        tool(
            9,
            json!({"name": "ask_question", "toolCallId": "c4", "status": "loading",
            "params": {"questions": [{"id": "q1", "prompt": "Which oil?"}]}}),
        ),
        bubble(
            10,
            2,
            json!({"text": "Any time.", "errorDetails": {"message": "connection lost"}}),
        ),
    ]
}

#[test]
fn a_conversation_is_read() {
    let home = CursorHome::with_conversation();
    assert_snapshot!(home.indexed(), @r##"
    0 Typed: "Why is the lamp dark?"
      text "I will look."
      call Bash(c1) $ "lamp --test" -> "error: no oil" failed
      call Read(call-4) @/home/ann/harbour/lamp.toml -> "File not found" failed
      call Edit(c3) @/home/ann/harbour/oil.toml
      text "It had no oil."
    1 Typed: "Thanks"
      call AskUserQuestion(c4) unfinished
      text "Any time."
      error "connection lost"
    "##);
}

#[test]
fn a_conversation_is_shown() {
    let home = CursorHome::with_conversation();
    let found = home.0.read(None);
    assert_snapshot!(rendered(&home.0.show(&found)), @r##"
    0 Typed: "Why is the lamp dark?"
      thinking "The oil?"
      text "I will look."
      call Bash(c1) $ "lamp --test" {"command":"lamp --test"} -> "error: no oil" failed
      call Read(call-4) @/home/ann/harbour/lamp.toml {"file_path":"lamp.toml"} -> "File not found" failed
      call Edit(c3) @/home/ann/harbour/oil.toml {"file_path":"/home/ann/harbour/oil.toml"} -> "{\"afterContentId\":\"composer.content.1\"}"
      text "It had no oil."
    1 Typed: "Thanks"
      call AskUserQuestion(c4) {"questions":[{"question":"Which oil?"}]} unfinished
      text "Any time."
      error "connection lost"
    "##);
}

#[test]
fn a_session_has_title_folder_branch_and_parent() {
    let home = CursorHome::with_conversation();
    let mut child = composer();
    child["subagentInfo"] = json!({"parentComposerId": ID});
    home.add_conversation("child", &child, &bubbles());
    let sessions = home.0.read(None).sessions;
    let parent = sessions.iter().find(|session| session.id == ID).unwrap();
    assert_eq!(parent.title.as_deref(), Some("Dark lamp"));
    assert_eq!(parent.cwd.as_deref(), Some("/home/ann/harbour"));
    assert_eq!(parent.branch.as_deref(), Some("main"));
    let child = sessions
        .iter()
        .find(|session| session.id == "child")
        .unwrap();
    assert_eq!(child.parent.as_deref(), Some(ID));
    assert_eq!(cursor().resume(parent), None);
}

#[test]
fn a_folder_is_found_by_the_workspace() {
    let folder = |composer: Value, prepare: &dyn Fn(&CursorHome)| {
        let home = CursorHome::new();
        home.0.write(
            ".config/Cursor/User/workspaceStorage/5f4dcc3b/workspace.json",
            r#"{"folder":"file:///home/ann/light%20house"}"#,
        );
        prepare(&home);
        home.add_conversation(ID, &composer, &bubbles());
        let locations = home.0.locate().locations;
        let global = locations
            .iter()
            .find(|at| at.path.ends_with(GLOBAL))
            .unwrap();
        let mut found = CollectingSink::default();
        cursor().read(global, None, &mut found);
        found.sessions.remove(0).cwd
    };
    let expected = Some("/home/ann/light house".to_owned());
    let by_id = json!({"workspaceIdentifier": {"id": "5f4dcc3b"}});
    assert_eq!(folder(by_id, &|_| ()), expected);
    let outside = json!({"workspaceIdentifier": {"id": "../workspaceStorage/5f4dcc3b"}});
    assert_eq!(folder(outside, &|_| ()), None);
    let list = json!({"allComposers": [{"composerId": ID}]}).to_string();
    let listed = folder(json!({}), &|home| {
        home.put(WORKSPACE, "ItemTable", "composer.composerData", &list);
    });
    assert_eq!(listed, expected);
    let in_header = folder(json!({}), &|home| {
        let header = json!({"workspaceIdentifier": {"uri": {"path": "/home/ann/light house"}}});
        let tables = format!(
            "CREATE TABLE composerHeaders (composerId TEXT, createdAt INTEGER, value TEXT);
             INSERT INTO composerHeaders VALUES ('{ID}', 1, '{header}')"
        );
        home.database(GLOBAL).execute_batch(&tables).unwrap();
    });
    assert_eq!(in_header, expected);
}

#[test]
fn a_first_message_may_name_the_folder() {
    let home = CursorHome::new();
    let first = bubble(
        1,
        1,
        json!({"text": "Hello", "workspaceUris": ["vscode-remote://box/srv", "file:///c%3A/app"]}),
    );
    home.add_conversation(ID, &json!({}), &[first]);
    assert_eq!(home.0.read(None).sessions[0].cwd.as_deref(), Some("c:/app"));
}

#[test]
fn only_what_changed_is_read_again() {
    let home = CursorHome::with_conversation();
    home.add_conversation("other", &composer(), &bubbles()[..3]);
    let first = home.0.read(None);
    assert_eq!(first.sessions.len(), 2);
    home.put(GLOBAL, "ItemTable", "workbench.view", "{}");
    assert_eq!(home.read_again(&first).sessions, []);
    let mut bubbles = bubbles();
    bubbles[6]["text"] = "It has some oil.".into();
    home.put(
        GLOBAL,
        "cursorDiskKV",
        &format!("bubbleId:{ID}:b7"),
        &bubbles[6].to_string(),
    );
    let second = home.read_again(&first);
    assert_eq!(second.sessions.len(), 1);
    assert!(rendered(&joined(std::slice::from_ref(&second))).contains("It has some oil."));
    home.database(GLOBAL)
        .execute("DELETE FROM cursorDiskKV WHERE key LIKE '%other%'", [])
        .unwrap();
    assert_eq!(home.read_again(&second).gone, ["other"]);
}

#[test]
fn an_empty_conversation_is_none() {
    let home = CursorHome::new();
    home.add_conversation(ID, &composer(), &[]);
    let found = home.0.read(None);
    assert_eq!((found.sessions, found.warnings), (vec![], vec![]));
}

/// Its rows are those of a view, which may have no end.
#[test]
fn a_virtual_table_is_not_read() {
    let home = CursorHome::with_conversation();
    let tables = "ALTER TABLE cursorDiskKV RENAME TO kept;
         CREATE VIEW rows AS SELECT rowid AS rid, key, value FROM kept;
         CREATE VIRTUAL TABLE cursorDiskKV USING fts5(key, value, content='rows', content_rowid='rid');
         DROP TABLE ItemTable;";
    home.database(GLOBAL).execute_batch(tables).unwrap();
    let found = home.0.read(None);
    assert_eq!(found.sessions, []);
    let [warning] = &found.warnings[..] else {
        panic!("{:?}", found.warnings);
    };
    assert!(
        format!("{warning:?}").contains("no Cursor tables"),
        "{warning:?}"
    );
}

#[test]
fn conversations_of_older_versions_are_read() {
    let home = CursorHome::new();
    let mut inline = composer();
    inline["conversation"] = bubbles().into();
    home.put(
        GLOBAL,
        "cursorDiskKV",
        &format!("composerData:{ID}"),
        &inline.to_string(),
    );
    assert_eq!(home.indexed(), CursorHome::with_conversation().indexed());

    let mapped = CursorHome::new();
    let mut composer = composer();
    let named = |bubble: &Value| {
        (
            bubble["bubbleId"].as_str().unwrap().to_owned(),
            bubble.clone(),
        )
    };
    composer["conversationMap"] = bubbles()
        .iter()
        .map(named)
        .collect::<serde_json::Map<_, _>>()
        .into();
    composer["fullConversationHeadersOnly"] = bubbles().into();
    mapped.put(
        GLOBAL,
        "cursorDiskKV",
        &format!("composerData:{ID}"),
        &composer.to_string(),
    );
    assert_eq!(mapped.indexed(), home.indexed());
}

#[test]
fn a_conversation_that_is_stored_twice_is_read_once() {
    let home = CursorHome::with_conversation();
    let mut older = composer();
    older["conversation"] = bubbles()[..3].into();
    let list = json!({"allComposers": [older]}).to_string();
    home.put(GLOBAL, "ItemTable", "composer.composerData", &list);
    let first = home.0.read(None);
    assert_eq!(
        rendered(&joined(std::slice::from_ref(&first))),
        CursorHome::with_conversation().indexed()
    );
    assert_eq!(first.sessions.len(), 1);
    assert_eq!(home.read_again(&first).sessions, []);
}

#[test]
fn chats_of_a_workspace_are_read() {
    let home = CursorHome::new();
    home.0.write(
        ".config/Cursor/User/workspaceStorage/5f4dcc3b/workspace.json",
        r#"{"workspace":"file:///home/ann/harbour/all.code-workspace"}"#,
    );
    let tab = json!({"tabId": "t1", "chatTitle": "Dark lamp", "lastSendTime": 1_700_000_000_000_i64, "bubbles": [
        {"type": "user", "id": "u1", "text": "Why is the lamp dark?"},
        {"type": "ai", "id": "a1", "rawText": "It had no oil."}]});
    let chats = json!({"tabs": [tab, {"tabId": "t2", "bubbles": []}]}).to_string();
    home.put(
        WORKSPACE,
        "ItemTable",
        "workbench.panel.aichat.view.aichat.chatdata",
        &chats,
    );
    assert_snapshot!(home.indexed(), @r##"
    0 Typed: "Why is the lamp dark?"
      text "It had no oil."
    "##);
    let sessions = home.0.read(None).sessions;
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0].cwd.as_deref(), Some("/home/ann/harbour"));
}

#[test]
fn a_message_that_is_listed_again_is_read_once() {
    let home = CursorHome::with_conversation();
    let mut composer = composer();
    let header = |id: u32| json!({"bubbleId": format!("b{id}")});
    composer["fullConversationHeadersOnly"] = (1..=10).chain([1; 3]).map(header).collect();
    let key = format!("composerData:{ID}");
    home.put(GLOBAL, "cursorDiskKV", &key, &composer.to_string());
    assert_eq!(home.indexed(), CursorHome::with_conversation().indexed());
}

#[test]
fn a_database_of_another_program_is_told() {
    let home = CursorHome::new();
    let path = home.0.path(GLOBAL);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    let database = Connection::open(path).unwrap();
    database.execute_batch("CREATE TABLE t (x)").unwrap();
    let warnings = home.0.read(None).warnings;
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].reason.contains("no Cursor tables"),
        "{warnings:?}"
    );
}

#[test]
fn values_of_any_shape_cost_themselves() {
    let values = prop::collection::vec((0usize..10, ".{0,60}"), 1..6);
    let run = |values: Vec<(usize, String)>| {
        let home = CursorHome::with_conversation();
        for (at, junk) in values {
            let value = bubbles()[at].to_string();
            let cut: String = value.chars().take(junk.len() * 4).collect();
            let key = format!("bubbleId:{ID}:b{}", at + 1);
            home.put(GLOBAL, "cursorDiskKV", &key, &format!("{cut}{junk}"));
        }
        let found = home.0.read(None);
        let spans: Vec<_> = found
            .turns
            .iter()
            .map(|collected| IndexedSpan::from(&collected.turn))
            .collect();
        let path = home.0.path(GLOBAL);
        let shown = cursor().show(&path, &found.sessions[0], &spans);
        assert_eq!(shown.turns.len(), found.turns.len());
        Ok(())
    };
    TestRunner::new(Config::with_cases(32))
        .run(&values, run)
        .unwrap();
}

#[test]
fn a_damaged_conversation_is_told_and_not_taken_for_gone() {
    let home = CursorHome::with_conversation();
    let first = home.0.read(None);
    assert_eq!(first.sessions.len(), 1);
    let key = format!("composerData:{ID}");
    for damaged in ["{\"composerId\": \"e0a2", "garbage", "[]"] {
        home.put(GLOBAL, "cursorDiskKV", &key, damaged);
        let again = home.read_again(&first);
        assert_eq!(again.gone, [""; 0], "{damaged}");
        let reasons: Vec<&str> = again.warnings.iter().map(|w| w.reason.as_str()).collect();
        assert_eq!(
            reasons,
            ["session could not be read: its description is not valid JSON"],
            "{damaged}"
        );
    }
    home.add_conversation(ID, &composer(), &bubbles());
    assert_eq!(
        rendered(&joined(&[home.0.read(None)])),
        rendered(&joined(&[first]))
    );
}
