//! Cursor's command line.

use crate::support::{
    AgentHome, check_damage, check_splits, indexed, lines, session, shown, source,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_sources::Source;

const ID: &str = "c0a20000-0000-4000-8000-000000000001";
const PATH: &str = ".cursor/projects/home-ann-harbour/agent-transcripts/c0a20000-0000-4000-8000-000000000001/c0a20000-0000-4000-8000-000000000001.jsonl";
const CHAT: &str = ".cursor/chats/5f4dcc3b/c0a20000-0000-4000-8000-000000000001";
const DATABASE: &str = ".config/Cursor/User/globalStorage/state.vscdb";

fn cursor() -> &'static dyn Source {
    source("cursor-cli")
}

fn line(role: &str, content: Value) -> Value {
    json!({"role": role, "message": {"content": content}})
}

fn user(words: &str) -> Value {
    line("user", json!([{"type": "text", "text": words}]))
}

fn prompt(time: &str, words: &str) -> Value {
    user(&format!(
        "<timestamp>{time}</timestamp>\n<user_query>\n{words}\n</user_query>"
    ))
}

fn tool(name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "name": name, "input": input})
}

fn history() -> String {
    lines(&[
        user("<dynamic_tools><tool>Context for the model</tool></dynamic_tools>"),
        prompt(
            "Saturday, Jan 10, 2026, 9:00 AM (UTC+1)",
            "Why is the lamp dark?",
        ),
        line(
            "assistant",
            json!([
                {"type": "text", "text": "I will look.\n\n[REDACTED]"},
                tool("Shell", json!({"command": "lamp --test", "description": "Tests it"})),
                tool("StrReplace", json!({"path": "/home/ann/harbour/oil.toml", "old_string": "0", "new_string": "9"})),
            ]),
        ),
        line(
            "assistant",
            json!([{"type": "text", "text": "It had no oil."}]),
        ),
        json!({"type": "turn_ended", "status": "success"}),
        prompt("Saturday, Jan 10, 2026, 2:05 PM (UTC-7:30)", "Thanks"),
        line("assistant", json!("Any time.")),
    ])
}

#[test]
fn a_transcript_is_read() {
    assert_snapshot!(indexed(cursor(), PATH, history()), @r##"
    0 Typed: "Why is the lamp dark?"
      text "I will look."
      call Bash() $ "lamp --test"
      call Edit() @/home/ann/harbour/oil.toml
      text "It had no oil."
    1 Typed: "Thanks"
      text "Any time."
    "##);
}

#[test]
fn a_transcript_is_shown() {
    assert_snapshot!(shown(cursor(), PATH, history()), @r##"
    0 Typed: "Why is the lamp dark?"
      text "I will look."
      call Bash() $ "lamp --test" {"command":"lamp --test","description":"Tests it"}
      call Edit() @/home/ann/harbour/oil.toml {"file_path":"/home/ann/harbour/oil.toml","new_string":"9","old_string":"0"}
      text "It had no oil."
    1 Typed: "Thanks"
      text "Any time."
    "##);
}

#[test]
fn a_prompt_without_a_time_has_that_of_the_file() {
    let content = lines(&[user("<user_query>Hello</user_query>")]);
    let home = AgentHome::with(cursor(), PATH, content);
    let modified = home.locate().locations[0].stamp.mtime_ns / 1_000_000;
    let turn = &home.read(None).turns[0].turn;
    assert_eq!(
        (turn.prompt.as_str(), turn.started_ms),
        ("Hello", Some(modified))
    );
}

#[test]
fn the_folder_and_title_stand_beside_the_chat() {
    let home = AgentHome::with(cursor(), PATH, history());
    home.write(
        &format!("{CHAT}/meta.json"),
        r#"{"cwd":"/home/ann/harbour","title":"Dark lamp","hasConversation":true}"#,
    );
    let found = home.read(None).sessions.remove(0);
    assert_eq!(found.id, ID);
    assert_eq!(found.cwd.as_deref(), Some("/home/ann/harbour"));
    assert_eq!(found.title.as_deref(), Some("Dark lamp"));
    let command = cursor().resume(&found).unwrap();
    assert_eq!(command, ["cursor-agent", "--resume", ID]);
}

#[test]
fn a_title_that_comes_later_counts_when_the_transcript_grows() {
    let home = AgentHome::with(cursor(), PATH, history());
    let first = home.read(None);
    assert_eq!(first.sessions[0].title, None);
    home.write(
        &format!("{CHAT}/meta.json"),
        r#"{"cwd":"/home/ann/harbour","title":"Dark lamp"}"#,
    );
    home.write(PATH, history() + &lines(&[user("And the wick?")]));
    let found = home.read(first.cursor.as_ref()).sessions.pop().unwrap();
    assert_eq!(found.cwd.as_deref(), Some("/home/ann/harbour"));
    assert_eq!(found.title.as_deref(), Some("Dark lamp"));
}

#[test]
fn a_subagent_has_its_parent() {
    let path =
        format!(".cursor/projects/home-ann-harbour/agent-transcripts/{ID}/subagents/sub-1.jsonl");
    let found = session(cursor(), &path, history());
    assert_eq!(
        (found.id.as_str(), found.parent.as_deref()),
        ("sub-1", Some(ID))
    );
}

#[test]
fn sessions_of_the_editor_are_left_to_its_database() {
    let home = AgentHome::with(cursor(), PATH, history());
    assert_eq!(home.found(), [PATH]);
    home.write(DATABASE, "SQLite");
    assert_eq!(home.found(), [""; 0]);
    home.write(&format!("{CHAT}/store.db"), "SQLite");
    assert_eq!(home.found(), [PATH]);
}

#[test]
fn a_transcript_may_grow_anywhere() {
    check_splits(cursor(), PATH, history().as_bytes());
}

#[test]
fn damage_costs_itself() {
    check_damage(cursor(), PATH, history().as_bytes());
}

/// Which sessions are its own cannot be told.
#[cfg(unix)]
#[test]
fn chats_that_cannot_be_listed_make_no_transcript_gone() {
    let home = AgentHome::with(cursor(), PATH, history());
    home.write(DATABASE, "");
    session_test::files::make_unlistable(&home.path(".cursor/chats"));
    assert_unlisted(&home, ".cursor/chats");
}

#[cfg(unix)]
#[test]
fn chats_of_a_folder_that_cannot_be_listed_hide_no_others() {
    let home = AgentHome::with(cursor(), PATH, history());
    home.write(DATABASE, "");
    home.write(&format!("{CHAT}/store.db"), "SQLite");
    let folder = ".cursor/chats/0a1b2c3d";
    session_test::files::make_unlistable(&home.path(folder));
    assert_eq!(home.found(), [PATH]);
    assert_unlisted(&home, folder);
}

/// The warning names the folder, and holds for all transcripts.
#[cfg(unix)]
fn assert_unlisted(home: &AgentHome, folder: &str) {
    let [warning] = &*home.locate().warnings else {
        panic!("not one warning")
    };
    assert_eq!(warning.path, home.path(".cursor"));
    let told = format!("`{}` cannot be listed: ", home.path(folder).display());
    assert!(warning.reason.starts_with(&told), "{}", warning.reason);
}
