//! Histories as Codex CLI writes them.

use crate::support::{lines, source};
use serde_json::{Value, json};
use session_sources::Source;

pub const ID: &str = "019e0000-0000-7000-8000-000000000001";
pub const PATH: &str = ".codex/sessions/2026/06/01/rollout-2026-06-01T10-00-00-019e0000-0000-7000-8000-000000000001.jsonl";

pub fn codex() -> &'static dyn Source {
    source("codex")
}

/// Numbers lines by the second.
pub fn at(second: usize, kind: &str, payload: &Value) -> Value {
    json!({"timestamp": format!("2026-06-01T10:00:{:02}.000Z", second % 60), "type": kind, "payload": payload})
}

pub fn content(records: &[(&str, Value)]) -> String {
    let records = records.iter().enumerate();
    let records: Vec<Value> = records
        .map(|(n, (kind, value))| at(n, kind, value))
        .collect();
    lines(&records)
}

pub fn meta(more: Value) -> (&'static str, Value) {
    let mut meta = json!({"id": ID, "cwd": "/home/ann/app", "source": "cli", "git": {"branch": "main"},
        "base_instructions": {"text": "You are Codex"}});
    let (known, more) = (meta.as_object_mut().unwrap(), more.as_object().cloned());
    known.extend(more.unwrap_or_default());
    ("session_meta", meta)
}

pub fn event(value: Value) -> (&'static str, Value) {
    ("event_msg", value)
}

pub fn item(value: Value) -> (&'static str, Value) {
    ("response_item", value)
}

pub fn user(text: &str) -> (&'static str, Value) {
    event(json!({"type": "user_message", "message": text, "images": []}))
}

pub fn answer(text: &str) -> (&'static str, Value) {
    item(
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
    )
}

pub fn call(id: &str, name: &str, arguments: &Value) -> (&'static str, Value) {
    item(
        json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}),
    )
}

pub fn output(id: &str, text: &str) -> (&'static str, Value) {
    item(json!({"type": "function_call_output", "call_id": id, "output": text}))
}

pub fn completed(item: Value) -> (&'static str, Value) {
    event(json!({"type": "item_completed", "thread_id": ID, "turn_id": "t1", "item": item}))
}

pub fn started(turn: &str) -> [(&'static str, Value); 2] {
    [
        event(json!({"type": "task_started", "turn_id": turn})),
        (
            "turn_context",
            json!({"turn_id": turn, "cwd": "/home/ann/app", "model": "gpt-x"}),
        ),
    ]
}

/// A history in the mode `legacy`: what was said stands there twice.
pub fn legacy() -> String {
    let instructions = json!({"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "<environment_context>\n<cwd>/home/ann/app</cwd>"},
        {"type": "input_text", "text": "# AGENTS.md instructions for /home/ann/app"}]});
    let said = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix the flaky test"}]});
    let tokens = |answers: u64| {
        json!({"type": "token_count", "info": {
        "total_token_usage": {"input_tokens": 30 * answers, "cached_input_tokens": 10 * answers, "output_tokens": 5 * answers},
        "last_token_usage": {"input_tokens": 30, "cached_input_tokens": 10, "output_tokens": 5}}})
    };
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-1\n+2\n*** Add File: src/b.rs\n+3\n*** End Patch";
    content(&[
        meta(json!({})),
        started("t1")[0].clone(),
        item(instructions),
        started("t1")[1].clone(),
        item(said),
        user("Fix the flaky test"),
        event(json!({"type": "agent_reasoning", "text": "Look first."})),
        item(
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look first."}], "content": null}),
        ),
        event(json!({"type": "agent_message", "message": "I look at it."})),
        answer("I look at it."),
        call(
            "c1",
            "exec_command",
            &json!({"cmd": "cargo test", "workdir": "/home/ann/app"}),
        ),
        output(
            "c1",
            "Chunk ID: 1a2b3c\nWall time: 0.1 seconds\nProcess exited with code 101\nOriginal token count: 9\nOutput:\nrunning\ntest a ... FAILED\n",
        ),
        event(tokens(1)),
        event(tokens(1)),
        item(
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": patch}),
        ),
        event(
            json!({"type": "patch_apply_end", "call_id": "c2", "success": true, "status": "completed"}),
        ),
        item(
            json!({"type": "custom_tool_call_output", "call_id": "c2", "output": "{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}"}),
        ),
        call(
            "c3",
            "exec_command",
            &json!({"cmd": "cd /home/ann/app && apply_patch <<'E'\n*** Begin Patch\n*** Delete File: c.rs\n*** End Patch\nE"}),
        ),
        output("c3", "apply_patch verification failed: no such file"),
        answer("<proposed_plan>\nDone.\n</proposed_plan>"),
        event(json!({"type": "task_complete", "turn_id": "t1"})),
        started("t2")[0].clone(),
        user(
            "# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request for Codex:\nAnd what is this?\n",
        ),
        event(json!({"type": "turn_aborted", "turn_id": "t2", "reason": "interrupted"})),
        user("Go on"),
        event(tokens(2)),
        event(json!({"type": "error", "message": "You've hit your usage limit."})),
    ])
}

/// The same program's newer mode, `paginated`: items of the interface, written when they end.
pub fn paginated() -> String {
    let said = |text: &str| {
        completed(json!({"type": "UserMessage", "content": [{"type": "text", "text": text}]}))
    };
    let [task, context] = started("t1");
    content(&[
        meta(json!({"history_mode": "paginated"})),
        task.clone(),
        context,
        said("Start the server"),
        completed(
            json!({"type": "AgentMessage", "content": [{"type": "Text", "text": "It starts."}]}),
        ),
        answer("It starts."),
        call("c1", "exec_command", &json!({"cmd": "make serve"})),
        output(
            "c1",
            "Chunk ID: 1a2b3c\nProcess running with session ID 77\nOutput:\nlistening\n",
        ),
        call("c2", "write_stdin", &json!({"session_id": 77, "chars": ""})),
        said("And tell me the port"),
        output(
            "c2",
            "Chunk ID: 1a2b3d\nProcess exited with code 2\nOutput:\nfatal: port is taken\n",
        ),
        call(
            "c3",
            "request_user_input",
            &json!({"questions": [{"id": "q", "question": "Which port?"}]}),
        ),
        output("c3", "{\"answers\":{\"q\":{\"answers\":[\"8080\"]}}}"),
        call(
            "c4",
            "spawn_agent",
            &json!({"message": "Find the port", "agent_type": "default"}),
        ),
        output(
            "c4",
            "{\"agent_id\":\"019e0000-0000-7000-8000-000000000002\",\"nickname\":\"Kepler\"}",
        ),
        item(
            json!({"type": "function_call", "name": "_find", "namespace": "mcp__docs", "arguments": "{\"q\":\"port\"}", "call_id": "c5"}),
        ),
        item(
            json!({"type": "function_call_output", "call_id": "c5", "output": [{"type": "input_text", "text": "Wall time: 0.1 seconds\nOutput:"}, {"type": "input_text", "text": "found"}]}),
        ),
        item(json!({"type": "web_search_call", "action": {"type": "search", "query": "ports"}})),
        completed(
            json!({"type": "CommandExecution", "id": "u1", "source": "user_shell", "command": ["/bin/bash", "-lc", "ls"], "status": "failed", "exit_code": 2, "aggregated_output": "ls: denied\n"}),
        ),
        event(
            json!({"type": "item_completed", "thread_id": "another", "item": {"type": "UserMessage", "content": [{"type": "text", "text": "Review it"}]}}),
        ),
        task,
        answer("A summary of all that was said."),
        (
            "compacted",
            json!({"message": "Another language model: A summary of all that was said.", "replacement_history": []}),
        ),
        completed(json!({"type": "EnteredReviewMode", "user_facing_hint": "current changes"})),
        completed(
            json!({"type": "ExitedReviewMode", "review_output": {"overall_explanation": "Good.", "findings": [{"title": "P1", "body": "A leak."}]}}),
        ),
        event(json!({"type": "task_complete", "error": {"message": "400 bad request"}})),
        event(json!({"type": "thread_name_updated", "thread_name": "The server"})),
    ])
}
