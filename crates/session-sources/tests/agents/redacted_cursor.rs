//! Cursors without the titles and sessions that are excluded.

use crate::codex_history;
use crate::support::{AgentHome, lines, source};
use crate::toy_agent::TOY;
use serde_json::{Value, json};
use session_core::SessionMeta;
use session_sources::{Cursor, CursorRedaction};

const TITLE: &str = "Dark lamp";
const ID: &str = "7a1e0c52-0000-4000-8000-000000000001";

/// Returns the cursor of the one history of a home without a title and a session.
fn redact(home: &AgentHome, cursor: &Cursor, title: &str, session: &str) -> Cursor {
    let redaction = CursorRedaction {
        excludes_title: &|given| given == title,
        excludes_session: &|meta| meta.id == session,
        ..CursorRedaction::none()
    };
    let path = &home.locate().locations[0].path;
    home.source.redact_cursor(path, cursor, &redaction)
}

/// Returns the cursor of the one history of a home without some sessions.
fn redact_session(
    home: &AgentHome,
    cursor: &Cursor,
    session: &dyn Fn(&SessionMeta) -> bool,
) -> Cursor {
    let redaction = CursorRedaction {
        excludes_session: session,
        ..CursorRedaction::none()
    };
    let path = &home.locate().locations[0].path;
    home.source.redact_cursor(path, cursor, &redaction)
}

/// Checks that the title leaves the cursor of a history, and nothing else: the next read goes on from it.
fn check_title(home: &AgentHome) {
    let cursor = home.read(None).cursor.unwrap();
    assert!(cursor.0.contains(TITLE), "{cursor:?}");
    assert_eq!(redact(home, &cursor, "another", ""), cursor);
    let redacted = redact(home, &cursor, TITLE, "");
    assert!(!redacted.0.contains(TITLE), "{redacted:?}");
    let of_excluded = redact_session(home, &cursor, &|_| true);
    assert!(!of_excluded.0.contains(TITLE), "{of_excluded:?}");
    let next = home.read(Some(&redacted));
    assert_eq!((next.turns.len(), next.warnings.len()), (0, 0));
    assert!(next.cursor.is_some());

    let state: Value = serde_json::from_str(&cursor.0).unwrap();
    let mut of_another_version = state.clone();
    of_another_version["version"] = 0.into();
    let of_another_version = Cursor(of_another_version.to_string());
    assert_eq!(
        redact(home, &of_another_version, TITLE, ""),
        Cursor::default()
    );
}

#[test]
fn a_transcript_has_two_titles() {
    let path = format!(".claude/projects/-home-ann-app/{ID}.jsonl");
    let prompt = json!({"type": "user", "uuid": "u1", "message": {"content": "Hello"}});
    for title in [
        json!({"type": "custom-title", "customTitle": TITLE}),
        json!({"type": "ai-title", "aiTitle": TITLE}),
    ] {
        let home = AgentHome::with(source("claude"), &path, lines(&[prompt.clone(), title]));
        check_title(&home);
    }
}

/// Its folders stay, by which it is excluded.
#[test]
fn a_transcript_of_an_excluded_project_has_no_branch() {
    let path = format!(".claude/projects/-home-ann-app/{ID}.jsonl");
    let prompt = json!({"type": "user", "uuid": "u1", "cwd": "/home/ann/app", "gitBranch": "oil",
        "message": {"content": "Hello"}});
    let home = AgentHome::with(source("claude"), &path, lines(&[prompt]));
    let cursor = home.read(None).cursor.unwrap();
    let in_folder = |folder: &'static str| {
        move |meta: &SessionMeta| meta.id == ID && meta.cwd.as_deref() == Some(folder)
    };
    assert_eq!(redact_session(&home, &cursor, &in_folder("/kiln")), cursor);
    let redacted = redact_session(&home, &cursor, &in_folder("/home/ann/app"));
    assert!(!redacted.0.contains("oil"), "{redacted:?}");
    assert!(redacted.0.contains("/home/ann/app"), "{redacted:?}");
}

#[test]
fn a_cursor_whose_last_turn_is_excluded_has_no_branch() {
    let prompt = json!({"type": "user", "uuid": "u1", "cwd": "/home/ann/app", "gitBranch": "oil",
        "message": {"content": "Hello"}});
    let path = format!(".claude/projects/-home-ann-app/{ID}.jsonl");
    let claude = AgentHome::with(source("claude"), &path, lines(&[prompt]));
    let start = json!({"type": "session.start", "id": "e0", "data": {"context": {"cwd": "/home/ann/app", "branch": "oil"}}});
    let prompt = json!({"type": "user.message", "data": {"content": "Hello"}, "id": "e1"});
    let path = format!(".copilot/session-state/{ID}/events.jsonl");
    let copilot = AgentHome::with(source("copilot"), &path, lines(&[start, prompt]));
    for home in [claude, copilot] {
        let cursor = home.read(None).cursor.unwrap();
        assert!(cursor.0.contains("oil"), "{cursor:?}");
        let redaction = CursorRedaction {
            excludes_branch: true,
            ..CursorRedaction::none()
        };
        let path = &home.locate().locations[0].path;
        let redacted = home.source.redact_cursor(path, &cursor, &redaction);
        assert!(!redacted.0.contains("oil"), "{redacted:?}");
        assert!(redacted.0.contains("/home/ann/app"), "{redacted:?}");
        let next = home.read(Some(&redacted));
        assert_eq!((next.turns.len(), next.warnings.len()), (0, 0));
    }
}

fn prompt_history(source_name: &str, path: &str) -> AgentHome {
    let prompt = |session: &str, display: &str| json!({"display": display, "timestamp": 1, "sessionId": session});
    let prompts = [
        prompt(ID, "Hello"),
        prompt(ID, &format!("/rename {TITLE}")),
        prompt("other", "Hello"),
    ];
    AgentHome::with(source(source_name), path, lines(&prompts))
}

#[test]
fn a_history_of_prompts_has_titles_and_sessions() {
    for (source, path) in [
        ("claude", ".claude/history.jsonl"),
        ("codex", ".codex/history.jsonl"),
    ] {
        let home = prompt_history(source, path);
        check_title(&home);
        let cursor = home.read(None).cursor.unwrap();
        let redacted = redact(&home, &cursor, "", ID);
        assert!(!redacted.0.contains(ID), "{redacted:?}");
        assert!(redacted.0.contains("other"), "{redacted:?}");
    }
}

#[test]
fn a_session_of_lines_has_a_title() {
    let codex = AgentHome::with(
        codex_history::codex(),
        codex_history::PATH,
        codex_history::legacy(),
    );
    let name = json!({"id": codex_history::ID, "thread_name": TITLE});
    codex.write(".codex/session_index.jsonl", lines(&[name]));
    check_title(&codex);

    let gemini = lines(&[
        json!({"sessionId": ID, "kind": "main"}),
        json!({"id": "u1", "timestamp": "2026-05-04T09:00:00Z", "type": "user", "content": [{"text": "Hello"}]}),
        json!({"$set": {"summary": TITLE}}),
    ]);
    let path = ".gemini/tmp/app/chats/session-2026-05-04T09-00-7a1e0c52.jsonl";
    check_title(&AgentHome::with(source("gemini"), path, gemini));

    let folder = format!(".copilot/session-state/{ID}");
    let prompt = json!({"type": "user.message", "data": {"content": "Hello"}, "id": "e1"});
    let path = format!("{folder}/events.jsonl");
    let copilot = AgentHome::with(source("copilot"), &path, lines(&[prompt]));
    copilot.write(
        &format!("{folder}/workspace.yaml"),
        format!("name: {TITLE}\nuser_named: true\n"),
    );
    check_title(&copilot);

    let pi = lines(&[
        json!({"type": "session", "id": ID}),
        json!({"type": "message", "id": "1", "message": {"role": "user", "content": "Hello"}}),
        json!({"type": "session_info", "id": "2", "name": TITLE}),
    ]);
    let path = format!(".pi/agent/sessions/--home-ann--/2026-01-10T09-00-00-000Z_{ID}.jsonl");
    check_title(&AgentHome::with(source("pi"), &path, pi));

    let path = format!(".cursor/projects/app/agent-transcripts/{ID}/{ID}.jsonl");
    let prompt =
        json!({"role": "user", "message": {"content": [{"type": "text", "text": "Hello"}]}});
    let cursor = AgentHome::with(source("cursor-cli"), &path, lines(&[prompt]));
    cursor.write(
        &format!(".cursor/chats/5f4dcc3b/{ID}/meta.json"),
        json!({"title": TITLE}).to_string(),
    );
    check_title(&cursor);

    let toy = lines(&[
        json!({"is": "user", "id": "u1", "text": "Hello"}),
        json!({"is": "title", "text": TITLE}),
    ]);
    check_title(&AgentHome::with(&TOY, ".toy/sessions/app/s1.jsonl", toy));
}

/// Changes of histories that are rewritten in place are found by signatures.
#[test]
fn a_document_has_no_title_in_its_cursor() {
    let message = json!({"id": "u1", "type": "user", "content": "Hello"});
    let document = json!({"sessionId": ID, "summary": TITLE, "messages": [message]});
    let path = ".gemini/tmp/app/chats/session-2026-01-04T09-00-7a1e0c52.json";
    let home = AgentHome::with(source("gemini"), path, document.to_string());
    let cursor = home.read(None).cursor.unwrap();
    assert!(!cursor.0.contains(TITLE), "{cursor:?}");
    assert_eq!(redact(&home, &cursor, TITLE, ID), cursor);
}
