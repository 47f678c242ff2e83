//! Gemini CLI: sessions of lines.

use crate::support::{
    AgentHome, check_damage, check_splits, indexed, lines, session, shown, source,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::{SessionMeta, TokenTotals, Turn, TurnPart};
use session_sources::{Caller, Source};

const ID: &str = "5a1f0c3e-0000-4000-8000-000000000001";
const PATH: &str = ".gemini/tmp/app/chats/session-2026-05-04T09-00-5a1f0c3e.jsonl";

fn gemini() -> &'static dyn Source {
    source("gemini")
}

fn header() -> Value {
    json!({"sessionId": ID, "projectHash": "ab", "startTime": "2026-05-04T09:00:00.000Z", "kind": "main"})
}

fn context() -> Value {
    let text = "<session_context>\nThis is the Gemini CLI.\n</session_context>";
    json!({"id": "c0", "timestamp": time(0), "type": "user", "content": [{"text": text}]})
}

fn list(messages: &[Value]) -> Value {
    json!({"$set": {"messages": messages, "lastUpdated": time(0)}})
}

fn time(second: u32) -> String {
    format!("2026-05-04T09:{:02}:{:02}.000Z", second / 60, second % 60)
}

fn user(id: &str, second: u32, text: &str) -> Value {
    json!({"id": id, "timestamp": time(second), "type": "user", "content": [{"text": text}]})
}

fn answer(id: &str, second: u32, text: &str) -> Value {
    json!({"id": id, "timestamp": time(second), "type": "gemini", "content": text, "model": "gemini-3",
        "thoughts": [{"subject": "Plan", "description": "Look first."}],
        "tokens": {"input": 100, "cached": 40, "output": 5, "thoughts": 7, "total": 112}})
}

fn call(id: &str, name: &str, args: &Value, status: &str, response: &Value) -> Value {
    json!({"id": id, "name": name, "args": args, "status": status, "timestamp": time(30),
        "result": [{"functionResponse": {"id": id, "name": name, "response": response}}]})
}

fn with_calls(mut answer: Value, calls: &[Value]) -> Value {
    answer["toolCalls"] = calls.into();
    answer
}

fn ran(id: &str, command: &str, printed: &str) -> Value {
    let output =
        format!("<untrusted_context>\n{printed}\nProcess Group PGID: 7\n</untrusted_context>");
    call(
        id,
        "run_shell_command",
        &json!({"command": command}),
        "success",
        &json!({"output": output}),
    )
}

fn content() -> String {
    let results = json!([{"functionResponse": {"id": "k1", "response": {"output": "a"}}}]);
    let file = json!({"file_path": "/app/a.rs", "old_string": "1", "new_string": "2"});
    lines(&[
        header(),
        list(&[context()]),
        user("u1", 1, "Fix the flaky timer"),
        json!({"$set": {"lastUpdated": time(1)}}),
        answer("a1", 2, "I look at it."),
        with_calls(
            answer("a1", 2, "I look at it."),
            &[ran("k1", "cat timer.rs", "Output: a\nb")],
        ),
        json!({"id": "r1", "timestamp": time(31), "type": "user", "content": results}),
        with_calls(
            answer("a2", 32, ""),
            &[
                ran("k2", "cargo test", "Output: error: no test\nExit Code: 101"),
                call(
                    "k3",
                    "replace",
                    &file,
                    "error",
                    &json!({"error": "no match for '1'"}),
                ),
                call(
                    "k4",
                    "mcp_demo_ping",
                    &json!({}),
                    "cancelled",
                    &json!({"error": "[Operation Cancelled]"}),
                ),
            ],
        ),
        answer("a3", 40, "It slept too short."),
        user(
            "u2",
            50,
            "I ran the following shell command:\n```sh\nls x\n```\n\nThis produced the following result:\n```\nCommand exited with code 2.\nls: x\n```",
        ),
        json!({"id": "u3", "timestamp": time(60), "type": "user", "content": [
            {"text": "read @a.md and b"}, {"text": "\n--- Content from referenced files ---"}, {"text": "secret of a file"}],
            "displayContent": [{"text": "read @a.md"}]}),
        json!({"id": "i1", "timestamp": time(61), "type": "info", "content": "Request cancelled."}),
        user("s1", 62, "System: Potential loop detected. Details: a"),
        json!({"id": "e1", "timestamp": time(63), "type": "error", "content": "quota exceeded"}),
        json!({"$set": {"summary": "Timer repair", "memoryScratchpad": {"version": 1}}}),
    ])
}

#[test]
fn turns_are_read() {
    assert_snapshot!(indexed(gemini(), PATH, content()), @r##"
    0 Typed: "Fix the flaky timer"
      text "I look at it."
      call Bash(k1) $ "cat timer.rs"
      call Bash(k2) $ "cargo test" -> "error: no test" failed
      call Edit(k3) @/app/a.rs -> "no match for '1'" failed
      call mcp__demo__ping(k4) unfinished
      text "It slept too short."
    1 Command: "!ls x"
      call Bash(u2-0) $ "ls x" -> "Command exited with code 2.\nls: x" failed
    2 Typed: "read @a.md"
      error "quota exceeded"
    "##);
}

#[test]
fn turns_are_shown_in_full() {
    assert_snapshot!(shown(gemini(), PATH, content()), @r##"
    0 Typed: "Fix the flaky timer"
      thinking "Plan\nLook first."
      text "I look at it."
      call Bash(k1) $ "cat timer.rs" {"command":"cat timer.rs"} -> "a\nb"
      thinking "Plan\nLook first."
      call Bash(k2) $ "cargo test" {"command":"cargo test"} -> "error: no test" failed
      call Edit(k3) @/app/a.rs {"file_path":"/app/a.rs","new_string":"2","old_string":"1"} -> "no match for '1'" failed
      call mcp__demo__ping(k4) {} -> "[Operation Cancelled]" unfinished
      thinking "Plan\nLook first."
      text "It slept too short."
    1 Command: "!ls x"
      call Bash(u2-0) $ "ls x" {"command":"ls x"} -> "Command exited with code 2.\nls: x" failed
    2 Typed: "read @a.md"
      notice "Request cancelled."
      notice "System: Potential loop detected. Details: a"
      error "quota exceeded"
    "##);
}

#[test]
fn a_command_that_was_denied_did_not_run() {
    let denied = "[Operation Cancelled] Reason: User denied execution.";
    for (told, words) in [(denied, "not run"), ("Operation cancelled.", "unfinished")] {
        let command = json!({"command": "make"});
        let result = json!({ "error": told });
        let denied = call("k1", "run_shell_command", &command, "cancelled", &result);
        let text = lines(&[
            header(),
            user("u1", 1, "Build it"),
            with_calls(answer("g1", 2, "I do."), &[denied]),
        ]);
        let found = indexed(gemini(), PATH, text);
        assert!(found.ends_with(&format!("$ \"make\" {words}\n")), "{found}");
    }
}

/// The folder stands beside the file, and not in its lines.
#[test]
fn a_relative_path_is_one_from_the_projects_folder() {
    let args = json!({"file_path": "src/a.rs"});
    let read = call("k1", "read_file", &args, "success", &json!({"output": "a"}));
    let read = with_calls(answer("g1", 2, "I read it."), &[read]);
    let text = lines(&[header(), user("u1", 1, "Read it"), read]);
    let home = AgentHome::with(gemini(), PATH, text);
    home.write(".gemini/tmp/app/.project_root", "/home/ann/app");
    let found = home.read(None);
    let files = |turns: &[Turn]| {
        let calls = turns.iter().flat_map(|turn| &turn.parts);
        calls
            .filter_map(|part| match part {
                TurnPart::Call(call) => Some(call.files.clone()),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let indexed: Vec<Turn> = found
        .turns
        .iter()
        .map(|collected| collected.turn.clone())
        .collect();
    assert_eq!(files(&indexed), [["/home/ann/app/src/a.rs"]]);
    assert_eq!(files(&home.show(&found)), files(&indexed));
}

#[test]
fn files_may_be_split_and_damaged_anywhere() {
    check_splits(gemini(), PATH, content().as_bytes());
    check_damage(gemini(), PATH, content().as_bytes());
    check_splits(gemini(), PATH, changed().as_bytes());
    check_damage(gemini(), PATH, changed().as_bytes());
}

#[test]
fn a_session_is_described() {
    let home = AgentHome::with(gemini(), PATH, content());
    home.write(".gemini/tmp/app/.project_root", "/home/ann/app");
    let expected = SessionMeta {
        id: ID.to_owned(),
        title: Some("Timer repair".to_owned()),
        cwd: Some("/home/ann/app".to_owned()),
        ..SessionMeta::default()
    };
    let found = home.read(None);
    assert_eq!(found.sessions.last(), Some(&expected));
    assert_eq!(
        found.sessions[0].cwd, expected.cwd,
        "known before the first turn"
    );
    assert_eq!(
        gemini().resume(&expected).unwrap(),
        ["gemini", "--resume", ID]
    );
    assert_eq!(gemini().fork(&expected), None);
    let env = home.env().var("GEMINI_CLI", "1");
    assert_eq!(gemini().agent().caller(&env), Some(Caller::Unnamed));
}

#[test]
fn a_folder_that_is_named_later_counts_when_the_file_grows() {
    let home = AgentHome::with(gemini(), PATH, content());
    let first = home.read(None);
    assert_eq!(first.sessions[0].cwd, None);
    home.write(".gemini/tmp/app/.project_root", "/home/ann/app");
    home.write(PATH, content() + &lines(&[user("u9", 59, "And the wick?")]));
    let found = home.read(first.cursor.as_ref()).sessions.pop().unwrap();
    assert_eq!(found.cwd.as_deref(), Some("/home/ann/app"));
}

#[test]
fn tokens_of_an_answer_count_once() {
    let found = AgentHome::with(gemini(), PATH, content()).read(None);
    let stats = &found.turns[0].turn.turn_stats;
    let expected = TokenTotals {
        input: 180,
        cached: 120,
        output: 36,
    };
    assert_eq!(stats.tokens, expected);
}

/// A session that was resumed, compressed, rewound, and into which a checkpoint was brought.
fn changed() -> String {
    let summary = user("s1", 9, "The timer sleeps longer now.");
    let thanks = json!({"id": "s2", "type": "gemini", "content": [{"text": "Got it. Thanks for the additional context!"}]});
    let opening = context()["content"][0].clone();
    let replayed = json!({"id": "c1", "timestamp": time(30), "type": "user",
        "content": [opening, {"text": "Fix the timer"}]});
    lines(&[
        header(),
        list(&[context()]),
        user("u1", 1, "Fix the timer"),
        answer("a1", 2, "Done."),
        header(),
        list(&[
            context(),
            user("u1", 8, "Fix the timer"),
            json!({"id": "a1", "type": "gemini", "content": [{"text": "Plan", "thought": true}, {"text": "Done."}]}),
        ]),
        list(&[context(), summary.clone(), thanks.clone()]),
        user("u2", 10, "And test it"),
        answer("a2", 11, "Tested."),
        json!({"$rewindTo": "u2"}),
        list(&[context(), summary, thanks]),
        user("u3", 20, "Or rather not"),
        replayed,
        json!({"id": "p1", "timestamp": time(30), "type": "gemini", "content": [{"text": "Done."}], "thoughts": [], "tokens": null}),
        user("p2", 30, "And test it"),
        list(&[context()]),
        user("u4", 31, "Go on from there"),
        answer("a4", 32, "On it."),
    ])
}

#[test]
fn what_a_client_writes_again_is_told_once() {
    assert_snapshot!(shown(gemini(), PATH, changed()), @r##"
    0 Typed: "Fix the timer"
      thinking "Plan\nLook first."
      text "Done."
      summary "The timer sleeps longer now."
    1 Typed: "And test it"
      thinking "Plan\nLook first."
      text "Tested."
      notice "undone: the user took turns back"
    2 Typed: "Or rather not"
      notice "a checkpoint was resumed"
    3 Typed: "Go on from there"
      thinking "Plan\nLook first."
      text "On it."
    "##);
}

#[test]
fn a_checkpoint_ends_by_itself() {
    let mut context = context();
    context["id"] = "c1".into();
    let broken_off = lines(&[header(), list(&[]), context, user("u1", 60, "Still here")]);
    assert_snapshot!(indexed(gemini(), PATH, broken_off), @r##"
    0 Typed: "Still here"
    "##);
}

#[test]
fn an_answer_may_come_in_pieces() {
    let running = json!({"id": "k1", "name": "run_shell_command", "args": {"command": "make"}, "status": "executing"});
    let pieces = lines(&[
        header(),
        user("u1", 1, "Build it"),
        with_calls(answer("a1", 2, "Yes."), std::slice::from_ref(&running)),
        with_calls(
            answer("a1", 2, "Yes."),
            &[running, ran("k2", "ls", "Output: (empty)")],
        ),
        with_calls(
            answer("a1", 2, "Yes."),
            &[
                ran("k1", "make", "Output: done"),
                ran("k2", "ls", "Output: (empty)"),
            ],
        ),
        user("u1", 1, "Build it"),
    ]);
    check_splits(gemini(), PATH, pieces.as_bytes());
    assert_snapshot!(shown(gemini(), PATH, pieces), @r##"
    0 Typed: "Build it"
      thinking "Plan\nLook first."
      text "Yes."
      call Bash(k1) $ "make" {"command":"make"} -> "done"
      call Bash(k2) $ "ls" {"command":"ls"} -> ""
    "##);
}

#[test]
fn answers_to_questions_are_the_users() {
    let args = json!({"questions": [{"question": "Which store?", "header": "Store"}]});
    let asked = call(
        "k1",
        "ask_user",
        &args,
        "success",
        &json!({"output": r#"{"answers":{"0":"the quick one"}}"#}),
    );
    let content = lines(&[
        header(),
        user("u1", 1, "Choose"),
        with_calls(answer("a1", 2, ""), &[asked]),
    ]);
    let found = AgentHome::with(gemini(), PATH, content).read(None);
    let calls = found.turns[0]
        .turn
        .parts
        .iter()
        .filter_map(|part| match part {
            session_core::TurnPart::Call(call) => call.dialog.as_ref(),
            _ => None,
        });
    let dialogs: Vec<_> = calls.map(|dialog| format!("{dialog:?}")).collect();
    assert!(dialogs[0].contains("Which store?") && dialogs[0].contains("the quick one"));
}

#[test]
fn a_subagent_has_its_task_alone() {
    let content = lines(&[
        json!({"sessionId": "sub1", "kind": "subagent", "directories": ["/home/ann/app"]}),
        user("u1", 1, "Find the tests"),
        answer("a1", 2, "There."),
        user(
            "u2",
            3,
            "You have stopped calling tools without finishing. Go on.",
        ),
        user("u3", 4, "One more reminder"),
        answer("a2", 5, "In tests/."),
    ]);
    let path = format!(".gemini/tmp/app/chats/{ID}/sub1.jsonl");
    assert_snapshot!(indexed(gemini(), &path, &content), @r##"
    0 Model: "Find the tests"
      text "There."
      text "In tests/."
    "##);
    let expected = SessionMeta {
        id: "sub1".to_owned(),
        parent: Some(ID.to_owned()),
        cwd: Some("/home/ann/app".to_owned()),
        ..SessionMeta::default()
    };
    assert_eq!(session(gemini(), &path, &content), expected);
    let started = json!({"id": "k1", "name": "invoke_agent", "args": {"agent_name": "a", "prompt": "Find the tests"},
        "status": "success", "agentId": "sub1", "result": []});
    let parent = lines(&[
        header(),
        user("u1", 1, "Ask"),
        with_calls(answer("a1", 2, ""), &[started]),
    ]);
    assert_snapshot!(indexed(gemini(), PATH, parent), @r##"
    0 Typed: "Ask"
      call Task(k1) subagent=sub1
    "##);
}

#[test]
fn a_prompt_is_what_was_typed() {
    let steering = "User steering update:\n<user_input>\nUse the other store\n</user_input>\nInternal instruction: Re-evaluate.";
    let typed = json!({"id": "u2", "type": "user", "content": ["Why?", {"text": "<hook_context>a</hook_context>"}]});
    let old = json!({"id": "u3", "type": "user", "content": "read @a\n--- Content from referenced files ---\nb"});
    let editor = json!({"id": "u7", "type": "user", "content": [{"text": "read @c"}, {"text": "\n--- Content from referenced context ---"}, {"text": "d"}]});
    let command = json!({"id": "u4", "type": "user", "content": [{"text": "Deploy to staging."}], "displayContent": [{"text": "/deploy staging"}]});
    let again = |id: &str, content: &Value| json!({"id": id, "type": "user", "content": content, "displayContent": "/deploy staging"});
    let goes_on = again("u5", &json!("Please continue."));
    let result = again(
        "u6",
        &json!([{"functionResponse": {"response": {"output": "a"}}}]),
    );
    let content = lines(&[
        header(),
        user("u1", 1, steering),
        typed,
        old,
        editor,
        command,
        goes_on,
        result,
    ]);
    assert_snapshot!(indexed(gemini(), PATH, content), @r##"
    0 Typed: "Use the other store"
    1 Typed: "Why?"
    2 Typed: "read @a"
    3 Typed: "read @c"
    4 Command: "/deploy staging"
    "##);
}

#[test]
fn a_header_after_the_first_message_is_not_the_files_own() {
    let said = lines(&[user("u1", 1, "Read it"), header(), user("u2", 2, "Go on")]);
    let content = format!("{{\"sessionId\":\n{said}");
    let found = AgentHome::with(gemini(), PATH, content).read(None);
    let ids: Vec<&str> = found.sessions.iter().map(|s| s.id.as_str()).collect();
    assert_eq!((ids.len(), found.turns.len()), (1, 2), "{ids:?}");
}
