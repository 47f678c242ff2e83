//! Copilot CLI.

use crate::support::{
    AgentHome, check_damage, check_splits, indexed, lines, session, shown, source,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::TokenTotals;
use session_sources::Source;

const ID: &str = "2fc20000-0000-4000-8000-000000000001";
const PATH: &str = ".copilot/session-state/2fc20000-0000-4000-8000-000000000001/events.jsonl";

fn copilot() -> &'static dyn Source {
    source("copilot")
}

fn event(number: u32, kind: &str, data: Value) -> Value {
    json!({"type": kind, "data": data, "id": format!("e{number}"), "timestamp": format!("2026-01-10T09:00:{number:02}Z"), "parentId": null})
}

fn of_subagent(mut event: Value) -> Value {
    event["agentId"] = "8e5f".into();
    event
}

fn start(folder: &str) -> Value {
    let context = json!({"cwd": folder, "gitRoot": folder, "branch": "main"});
    event(
        0,
        "session.start",
        json!({"sessionId": ID, "version": 1, "context": context}),
    )
}

fn asked_and_answered() -> Vec<Value> {
    vec![
        start("/home/ann/harbour"),
        event(
            1,
            "system.message",
            json!({"role": "system", "content": "You are Copilot."}),
        ),
        event(
            2,
            "user.message",
            json!({"content": "Why is the lamp dark?", "transformedContent": "<current_datetime>x</current_datetime>\n\nWhy is the lamp dark?", "delivery": "idle"}),
        ),
        event(
            3,
            "assistant.message",
            json!({"model": "m1", "content": "I will look.", "reasoningText": "The oil?", "outputTokens": 12,
            "toolRequests": [{"toolCallId": "c1", "name": "bash", "arguments": {"command": "lamp --test"}}]}),
        ),
        event(
            4,
            "tool.execution_start",
            json!({"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "lamp --test", "description": "test it"}}),
        ),
        event(
            5,
            "tool.execution_complete",
            json!({"toolCallId": "c1", "success": true, "shellExecution": {"exitCode": 3}, "result": {"content": "error: no oil\n<shellId: 1 completed with exit code 3>"}}),
        ),
        event(
            6,
            "tool.execution_start",
            json!({"toolCallId": "c2", "toolName": "edit", "arguments": {"path": "/home/ann/harbour/oil.toml", "old_str": "0", "new_str": "9"}}),
        ),
        event(
            7,
            "tool.execution_complete",
            json!({"toolCallId": "c2", "success": true, "result": {"content": "updated"}}),
        ),
        event(
            8,
            "tool.execution_start",
            json!({"toolCallId": "c3", "toolName": "view", "arguments": {"path": "/nowhere"}}),
        ),
        event(
            9,
            "tool.execution_complete",
            json!({"toolCallId": "c3", "success": false, "error": {"message": "Path does not exist", "code": "failure"}}),
        ),
        event(
            10,
            "user.message",
            json!({"content": "<skill-context name=\"oil\">…</skill-context>", "source": "skill-oil"}),
        ),
        event(
            11,
            "assistant.message",
            json!({"model": "m1", "content": "It burns.", "toolRequests": []}),
        ),
        event(
            12,
            "session.usage_record",
            json!({"usage": {"model": "m1", "inputTokens": 100, "cacheReadTokens": 40, "outputTokens": 7}}),
        ),
    ]
}

fn escape_and_subagent() -> Vec<Value> {
    vec![
        event(
            13,
            "tool.user_requested",
            json!({"toolCallId": "u1", "toolName": "local_shell", "arguments": {"command": "ls /nowhere", "description": "Execute"}}),
        ),
        event(
            14,
            "tool.execution_complete",
            json!({"toolCallId": "u1", "isUserRequested": true, "success": true, "result": {"content": "ls: no such file\n<exited with exit code 2>"}}),
        ),
        event(
            15,
            "user.message",
            json!({"content": "Find the tests", "delivery": "queued"}),
        ),
        event(
            16,
            "tool.execution_start",
            json!({"toolCallId": "c4", "toolName": "task", "arguments": {"description": "look", "prompt": "Find the tests of the lamp", "agent_type": "explore"}}),
        ),
        of_subagent(event(
            17,
            "user.message",
            json!({"content": "Find the tests of the lamp", "source": "agent-x"}),
        )),
        of_subagent(event(
            18,
            "tool.execution_start",
            json!({"toolCallId": "c5", "toolName": "bash", "arguments": {"command": "ls tests"}}),
        )),
        of_subagent(event(
            19,
            "tool.execution_complete",
            json!({"toolCallId": "c5", "success": true, "result": {"content": "lamp.rs"}}),
        )),
        of_subagent(event(
            20,
            "assistant.message",
            json!({"content": "They are in tests."}),
        )),
        event(
            21,
            "tool.execution_complete",
            json!({"toolCallId": "c4", "success": true, "result": {"content": "They are in tests."}}),
        ),
        event(
            22,
            "tool.execution_start",
            json!({"toolCallId": "c6", "toolName": "ask_user", "arguments": {"question": "Which lamp?", "choices": ["pier", "mole"]}}),
        ),
        event(
            23,
            "tool.execution_complete",
            json!({"toolCallId": "c6", "success": true, "result": {"content": "User selected: the pier"}}),
        ),
        event(24, "abort", json!({"reason": "user_initiated"})),
        event(
            25,
            "session.compaction_complete",
            json!({"success": true, "summaryContent": "The lamp has oil."}),
        ),
        event(
            26,
            "session.error",
            json!({"errorType": "query", "message": "400 bad request"}),
        ),
    ]
}

fn history() -> String {
    lines(&[asked_and_answered(), escape_and_subagent()].concat())
}

#[test]
fn a_history_is_read() {
    assert_snapshot!(indexed(copilot(), PATH, history()), @r##"
    0 Typed: "Why is the lamp dark?"
      text "I will look."
      call Bash(c1) $ "lamp --test" -> "error: no oil" failed
      call Edit(c2) @/home/ann/harbour/oil.toml
      call Read(c3) @/nowhere -> "Path does not exist" failed
      text "It burns."
    1 Command: "!ls /nowhere"
      call Bash(u1) $ "ls /nowhere" -> "ls: no such file" failed
    2 Typed: "Find the tests"
      call Task(c4)
      call Bash(c5) $ "ls tests"
      call AskUserQuestion(c6)
      error "400 bad request"
    "##);
}

#[test]
fn a_history_is_shown() {
    assert_snapshot!(shown(copilot(), PATH, history()), @r##"
    0 Typed: "Why is the lamp dark?"
      thinking "The oil?"
      text "I will look."
      call Bash(c1) $ "lamp --test" {"command":"lamp --test","description":"test it"} -> "error: no oil" failed
      call Edit(c2) @/home/ann/harbour/oil.toml {"file_path":"/home/ann/harbour/oil.toml","new_string":"9","old_string":"0"} -> "updated"
      call Read(c3) @/nowhere {"file_path":"/nowhere"} -> "Path does not exist" failed
      text "It burns."
    1 Command: "!ls /nowhere"
      call Bash(u1) $ "ls /nowhere" {"command":"ls /nowhere"} -> "ls: no such file" failed
    2 Typed: "Find the tests"
      call Task(c4) {"description":"look","prompt":"Find the tests of the lamp","subagent_type":"explore"} -> "They are in tests."
      call Bash(c5) $ "ls tests" {"command":"ls tests"} -> "lamp.rs"
      call AskUserQuestion(c6) {"questions":[{"choices":["pier","mole"],"question":"Which lamp?"}]} -> "User selected: the pier"
      notice "interrupted"
      summary "The lamp has oil."
      error "400 bad request"
    "##);
}

#[test]
fn the_session_is_known_by_its_folder_and_its_workspace() {
    let home = AgentHome::with(copilot(), PATH, history());
    let workspace = ".copilot/session-state/2fc20000-0000-4000-8000-000000000001/workspace.yaml";
    home.write(
        workspace,
        "id: 2fc2\nname: \"Lamps: all of them\"\nuser_named: true\n",
    );
    let found = home.read(None);
    let known = &found.sessions[0];
    assert_eq!(known.id, ID);
    assert_eq!(known.title.as_deref(), Some("Lamps: all of them"));
    assert_eq!(known.cwd.as_deref(), Some("/home/ann/harbour"));
    assert_eq!(known.branch.as_deref(), Some("main"));
    let resume = copilot().resume(known).unwrap();
    assert_eq!(resume, ["copilot", "--resume", ID]);
    let counted = found.turns[0].turn.turn_stats.tokens;
    assert_eq!(
        (counted.input, counted.cached, counted.output),
        (60, 40, 19)
    );
}

#[test]
fn few_aliases_of_a_workspace_are_expanded() {
    let workspace = ".copilot/session-state/2fc20000-0000-4000-8000-000000000001/workspace.yaml";
    let title = |aliases: usize| {
        let home = AgentHome::with(copilot(), PATH, history());
        let (list, aliases) = ("x,".repeat(100), "*a,".repeat(aliases));
        let text = format!("a: &a [{list}]\nb: [{aliases}]\nname: Lamps\n");
        home.write(workspace, &text);
        home.read(None).sessions[0].title.clone()
    };
    assert_eq!(title(5).as_deref(), Some("Lamps"));
    assert_ne!(title(20).as_deref(), Some("Lamps"));
}

#[test]
fn answers_to_questions_are_the_users() {
    let found = AgentHome::with(copilot(), PATH, history()).read(None);
    let content = session_core::TurnContent::from_turn(&found.turns[2].turn);
    assert!(content.prompt.contains("the pier"), "{content:?}");
}

#[test]
fn a_fork_names_its_origin_and_its_copies_keep_their_ids() {
    let info = "Forked from \"Lamps (old)\" (19e9) as \"Lamps (fork)\" (a012).";
    let fork = lines(&[
        start("/home/ann/harbour"),
        event(
            2,
            "user.message",
            json!({"content": "Why is the lamp dark?"}),
        ),
        event(
            3,
            "session.info",
            json!({"infoType": "fork", "message": info}),
        ),
        event(30, "user.message", json!({"content": "And the other?"})),
        event(
            31,
            "session.info",
            json!({"infoType": "fork", "message": "Forked this session into \"B\" (b012)."}),
        ),
    ]);
    let found = AgentHome::with(copilot(), PATH, fork).read(None);
    assert_eq!(found.sessions[0].forked_from.as_deref(), Some("19e9"));
    let origin = AgentHome::with(copilot(), PATH, history()).read(None);
    assert_eq!(found.turns[0].turn.origin, origin.turns[0].turn.origin);
}

#[test]
fn tokens_that_no_message_tells_are_those_of_the_session() {
    let usage = |input: u64, cached: u64, output: u64| json!({"inputTokens": input, "cacheReadTokens": cached, "outputTokens": output});
    let metrics = json!({"m1": {"usage": usage(900, 300, 19)}, "m2": {"usage": usage(100, 0, 7)}});
    let mut of_subagent = event(
        3,
        "session.usage_record",
        json!({"usage": usage(100, 0, 7)}),
    );
    of_subagent["agentId"] = json!("a1");
    let shutdown = || event(4, "session.shutdown", json!({"modelMetrics": metrics}));
    let text = lines(&[
        start("/home/ann/harbour"),
        event(1, "user.message", json!({"content": "Why?"})),
        event(
            2,
            "assistant.message",
            json!({"model": "m1", "content": "No oil.", "outputTokens": 19}),
        ),
        of_subagent,
        shutdown(),
        shutdown(),
    ]);
    let found = AgentHome::with(copilot(), PATH, text).read(None);
    let expected = TokenTotals {
        input: 700,
        cached: 300,
        output: 26,
    };
    assert_eq!(found.turns[0].turn.turn_stats.tokens, expected);
}

#[test]
fn a_command_that_was_interrupted_is_unfinished() {
    let bash =
        json!({"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "sleep 60"}});
    let text = lines(&[
        start("/home/ann/harbour"),
        event(1, "user.message", json!({"content": "Wait"})),
        event(2, "tool.execution_start", bash),
        event(3, "abort", json!({"reason": "user_initiated"})),
        event(4, "user.message", json!({"content": "Go on"})),
    ]);
    assert_snapshot!(indexed(copilot(), PATH, text), @r##"
    0 Typed: "Wait"
      call Bash(c1) $ "sleep 60" unfinished
    1 Typed: "Go on"
    "##);
}

#[test]
fn a_session_of_before_folders_is_read() {
    let path = ".copilot/session-state/2fc2.jsonl";
    assert_eq!(session(copilot(), path, history()).id, "2fc2");
}

#[test]
fn a_read_goes_on_wherever_it_stopped() {
    check_splits(copilot(), PATH, history().as_bytes());
}

/// A fork begins with the bytes of its origin.
#[test]
fn the_cursor_of_another_session_is_not_gone_on_with() {
    let home = AgentHome::with(copilot(), PATH, lines(&asked_and_answered()));
    let cursor = home.read(None).cursor;
    let fork = PATH.replace("0001/", "0002/");
    let forked = AgentHome::with(copilot(), &fork, lines(&asked_and_answered()));
    let read = forked.read(cursor.as_ref());
    assert_eq!(read.sessions[0].id, ID.replace("0001", "0002"));
    assert_eq!(read.turns.len(), home.read(None).turns.len());
}

#[test]
fn no_bytes_are_fatal() {
    check_damage(copilot(), PATH, history().as_bytes());
}
