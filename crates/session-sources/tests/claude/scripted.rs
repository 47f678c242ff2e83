//! Transcripts in which one thing comes between the lines of another.

use serde_json::{Value, json};

/// A prompt that was typed while commands and an edit of the turn before ran.
pub fn steered() -> Vec<u8> {
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let result = |id: &str, text: &str, failed: bool| json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed});
    let calls = json!([
        call("t1", "Bash", json!({"command": "make"})),
        call("t2", "Bash", json!({"command": "make test"})),
        call("t0", "Read", json!({"file_path": "/a/b.rs"})),
        call("t3", "Edit", json!({"file_path": "/a/b.rs"})),
    ]);
    let late = json!([
        result("t0", "No such file", true),
        result("t2", "error: 2 tests failed", true),
        result("t3", "No such file", true)
    ]);
    let lines = [
        ("user", json!("Build and test the whole application")),
        ("assistant", calls),
        ("user", json!([result("t1", "ok", false)])),
        ("user", json!("And mind the linker, please, it is slow")),
        (
            "assistant",
            json!([call("t4", "Bash", json!({"command": "ld --version"}))]),
        ),
        ("user", late),
        ("user", json!([result("t4", "ld: fatal error", true)])),
        (
            "assistant",
            json!([{"type": "text", "text": "Two tests failed."}]),
        ),
    ];
    let line = |(n, (kind, content)): (usize, &(&str, Value))| {
        let message = json!({"role": kind, "id": format!("m{n}"), "content": content});
        let line = json!({"type": kind, "uuid": format!("u{n}"), "sessionId": "s", "cwd": "/a",
            "timestamp": format!("2026-01-15T10:0{n}:00Z"), "message": message});
        format!("{line}\n")
    };
    lines
        .iter()
        .enumerate()
        .map(line)
        .collect::<String>()
        .into_bytes()
}

/// Prompts that wait, are taken up, given to the agent and taken back, a shell escape, a
/// question with its answer, a text beside a result.
pub fn interleaved_words() -> Vec<u8> {
    let queue = |operation: &str, content: &str| {
        json!({"type": "queue-operation", "operation": operation,
        "timestamp": "2026-01-15T10:05:00Z", "content": content})
    };
    let line = |kind: &str, id: &str, content: Value| {
        json!({"type": kind, "uuid": id, "cwd": "/a",
        "timestamp": "2026-01-15T10:04:00Z", "message": {"id": id, "content": content}})
    };
    let ask = json!({"questions": [{"question": "Which port?", "options": [{"label": "80"}]}]});
    let asked = json!([{"type": "tool_use", "id": "q1", "name": "AskUserQuestion", "input": ask}]);
    let result =
        json!({"type": "tool_result", "tool_use_id": "q1", "content": "The user answered"});
    let mut answered = line("user", "u2", json!([result]));
    answered["toolUseResult"] = json!({"answers": {"Which port?": "the one of the proxy"}});
    let read =
        json!([{"type": "tool_use", "id": "r1", "name": "Read", "input": {"file_path": "/b"}}]);
    let beside = json!([
        {"type": "tool_result", "tool_use_id": "r1", "content": "No such file", "is_error": true},
        {"type": "text", "text": "It has moved to /c"}
    ]);
    let lines = [
        queue("enqueue", "Deploy it to the staging host"),
        queue("dequeue", ""),
        line("user", "u1", json!("Deploy it to the staging host")),
        line("assistant", "a1", asked),
        queue("enqueue", "And tell ben"),
        queue("enqueue", "half a though"),
        answered,
        queue("remove", "And tell ben"),
        line("user", "u3", json!("<bash-input>make deploy</bash-input>")),
        line("assistant", "a2", read),
        queue("popAll", "half a though"),
        line("user", "u4", beside),
        queue("enqueue", "Then update the notes"),
        line("assistant", "a3", json!("It is deployed.")),
        queue("enqueue", "And go home"),
    ];
    let lines = lines.iter().map(|line| format!("{line}\n"));
    lines.collect::<String>().into_bytes()
}
