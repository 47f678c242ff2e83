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

/// Commands in the background: one that a later call saw fail, one that the program told to have worked, one that
/// was stopped, and one of which no more is told; and an agent that failed.
pub fn in_background() -> Vec<u8> {
    let line = |kind: &str, id: &str, content: Value| {
        json!({"type": kind, "uuid": id, "cwd": "/a",
        "timestamp": "2026-01-15T10:04:00Z", "message": {"id": id, "content": content}})
    };
    let call = |id: &str, name: &str, input: Value| {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        line("assistant", &format!("a-{id}"), json!([block]))
    };
    let result = |id: &str, text: &str, whole: Value| {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        let mut line = line("user", &format!("u-{id}"), json!([block]));
        line["toolUseResult"] = whole;
        line
    };
    let started = |id: &str, command: &str| {
        let text = format!("Command running in background with ID: task-{id}");
        let whole =
            json!({"stdout": "", "interrupted": false, "backgroundTaskId": format!("task-{id}")});
        let input = json!({"command": command, "run_in_background": true});
        [call(id, "Bash", input), result(id, &text, whole)]
    };
    let news = |id: &str, status: &str| {
        let text = format!(
            "<task-notification>\n<task-id>task-{id}</task-id>\n<status>{status}</status>\n</task-notification>"
        );
        line("user", &format!("n-{id}"), json!(text))
    };
    let summary =
        "<summary>Agent \"Find the &lt;port&gt;\" failed: portOf is not defined</summary>";
    let report = format!(
        "<task-notification>\n<task-id>task-a1</task-id>\n<status>failed</status>\n{summary}\n</task-notification>\nFull transcript available at: /tmp/a1"
    );
    let waiting = json!({"type": "queue-operation", "operation": "enqueue", "content": report, "cwd": "/a",
        "timestamp": "2026-01-15T10:04:00Z"});
    let running = json!({"retrieval_status": "timeout", "task": {"task_id": "task-t1", "status": "running", "exitCode": null}});
    let failed = json!({"shellId": "task-t1", "status": "failed", "exitCode": 1});
    let printed = "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stderr>\nerror: port is taken\n</stderr>";
    let lines = [
        vec![line("user", "u1", json!("Start all of it"))],
        started("t1", "make serve").to_vec(),
        started("t2", "make docs").to_vec(),
        started("t3", "make watch").to_vec(),
        started("t4", "make lint").to_vec(),
        vec![
            call("p1", "TaskOutput", json!({"task_id": "task-t1"})),
            result("p1", "<status>running</status>", running),
        ],
        vec![line("user", "u2", json!("And now?"))],
        vec![
            call("p2", "BashOutput", json!({"bash_id": "task-t1"})),
            result("p2", printed, failed),
        ],
        vec![news("t2", "completed"), news("t3", "killed")],
        vec![waiting, line("user", "n-a1", json!(report))],
    ];
    let lines = lines.iter().flatten().map(|line| format!("{line}\n"));
    lines.collect::<String>().into_bytes()
}
