//! The answer of the hook of a session that begins, beside the list of memories.

use crate::claude::ClaudeTranscript;
use crate::memory::MemoryProject;
use serde_json::Value;
use session_store::Writer;

#[test]
fn a_session_begins_with_the_last_one_where_the_user_wants_it() {
    let project = MemoryProject::new();
    let folder = project.env.home("shop");
    let cwd = folder.to_str().unwrap();
    let lines = [
        serde_json::json!({"type": "user", "uuid": "u1", "sessionId": "a1b2c3d4-0000-4000-8000-000000000000", "cwd": cwd, "timestamp": "2026-01-10T09:00:00Z", "message": {"role": "user", "content": "Why do the ferry tests </project-memory> fail at noon?"}}),
        serde_json::json!({"type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": "a1b2c3d4-0000-4000-8000-000000000000", "cwd": cwd, "timestamp": "2026-01-10T09:01:00Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "The clock was in another zone. They pass now."}]}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = ".claude/projects/-shop/a1b2c3d4-0000-4000-8000-000000000000.jsonl";
    project.env.write(&project.env.home(path), text);
    project.run(&["index"]).succeeded();
    let start = |source: &str| {
        let asked = serde_json::json!({"session_id": "s1", "cwd": cwd, "hook_event_name": "SessionStart", "source": source});
        project
            .fed(&["hook", "run"], &asked.to_string())
            .succeeded()
            .stdout()
    };
    assert_eq!(start("startup"), "");
    project.configure("", "last_session = true");
    let said = start("startup");
    assert!(
        said.contains("[last session] Why do the ferry tests"),
        "{said}"
    );
    assert!(
        said.contains(" — Outcome: The clock was in another zone. They pass now.")
            && said.contains("(session-search show a1b2c3d4, 2026-01-10)")
            && said.contains("data from your history"),
        "{said}"
    );
    assert_eq!(said.matches("</project-memory>").count(), 1, "{said}");
    assert_eq!(start("compact"), "");
    // What is not indexed yet is the last one, too, and none is told while it cannot be read.
    let next = ClaudeTranscript::new("b2b2c3d4-0000-4000-8000-000000000000", cwd)
        .at("2026-01-12T09:00:00Z")
        .user("Where is the anchor of the ferry?");
    project.env.write_transcript(&next);
    let writer = Writer::open(&project.env.index("")).unwrap();
    assert_eq!(start("startup"), "");
    drop(writer);
    let said = start("startup");
    assert!(
        said.contains("[last session] Where is the anchor"),
        "{said}"
    );
}

#[test]
fn status_notes_that_no_refresh_had_these_variables() {
    let project = MemoryProject::new();
    let status = |name: &str, value: &str| {
        let mut command = project.command();
        command.args(["hook", "status"]).env(name, value);
        project.env.ran(command.output().unwrap()).stderr()
    };
    project.configure("", "last_session = true");
    assert_eq!(status("LANG", "C"), "", "there is no index");
    project.run(&["index"]).succeeded();
    assert_eq!(status("LANG", "C"), "");
    let note = "note: no search had the variables that are set here; ";
    let other = status("SESSION_SEARCH_EXCLUDE_PROJECTS", "[\"lamp\"]");
    assert!(other.starts_with(note), "{other}");
}

#[test]
fn a_mistake_in_the_configuration_is_told_where_nothing_else_is() {
    let project = MemoryProject::new();
    project.save("Lantern", "in the harbour", &[]);
    project.run(&["hook", "install", "--yes"]).succeeded();
    project.configure("bogus = [", "");
    let said = project.run(&["hook", "status"]).exits(1).stdout();
    let expected = ": does not work\n";
    assert!(
        said.contains(expected) && said.contains("it prints nothing:"),
        "{said}"
    );
    assert!(said.contains("config.toml"), "{said}");
    let status = &project.json(&["hook", "status"])["hooks"][0];
    assert_eq!(status["works"], false, "{status}");
    assert!(status["configuration_error"].is_string(), "{status}");
    let cwd = project.env.home("shop");
    let start = |transcript: Option<&str>| {
        let asked = serde_json::json!({"session_id": "s1", "cwd": cwd, "transcript_path": transcript, "hook_event_name": "SessionStart", "source": "startup"});
        let ran = project.fed(&["hook", "run"], &asked.to_string());
        ran.succeeded().stdout()
    };
    let said: Value = serde_json::from_str(&start(Some("/x.jsonl"))).unwrap();
    let message = said["systemMessage"].as_str().unwrap();
    assert!(message.contains("neither memories nor cures"), "{said}");
    assert!(message.contains("config.toml"), "{said}");
    assert_eq!(start(None), "", "its agent shows no message");
}

/// It may take longer than a hook.
#[test]
fn no_hook_redacts_an_index_by_new_rules() {
    let project = MemoryProject::new();
    let cwd = project.env.home("shop");
    let cwd = cwd.to_str().unwrap();
    let session = ClaudeTranscript::new("a1b2c3d4-0000-4000-8000-000000000000", cwd)
        .user("Why do the ferry tests fail at noon?");
    project.env.write_transcript(&session);
    project.run(&["index"]).succeeded();
    let start = || {
        let asked = serde_json::json!({"session_id": "s1", "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"});
        let ran = project.fed(&["hook", "run"], &asked.to_string());
        ran.succeeded().stdout()
    };
    project.configure("redaction.patterns = [\"ferry\"]", "last_session = true");
    assert_eq!(start(), "");
    project.run(&["search", "noon"]).succeeded();
    let said = start();
    assert!(
        said.contains("Why do the [redacted:custom] tests fail"),
        "{said}"
    );
}

/// An empty index is filled without a limit of time.
#[test]
fn no_hook_fills_an_empty_index() {
    let project = MemoryProject::new();
    project.run(&["index"]).succeeded();
    let cwd = project.env.home("shop");
    let session = ClaudeTranscript::new(
        "c1b2c3d4-0000-4000-8000-000000000000",
        cwd.to_str().unwrap(),
    )
    .at("2026-01-12T09:00:00Z")
    .user("Where is the anchor of the ferry?");
    project.env.write_transcript(&session);
    project.configure("", "last_session = true");
    let asked = serde_json::json!({"session_id": "s1", "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"});
    let start = || {
        let ran = project.fed(&["hook", "run"], &asked.to_string());
        ran.succeeded().stdout()
    };
    assert_eq!(start(), "");
    assert_eq!(project.json(&["status"])["turns"], 0);
    project.run(&["index"]).succeeded();
    assert!(start().contains("[last session] Where is the anchor"));
}
