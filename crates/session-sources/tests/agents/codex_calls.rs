//! Calls of Codex CLI that more than one line tells of, or another line than usual.

use crate::codex_history::{
    PATH, call, codex, completed, content, event, item, meta, output, started, user,
};
use crate::support::{AgentHome, check_damage, check_splits, indexed, shown};
use crate::turns::searched;
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::{CallStatus, FileAccess};

fn script(id: &str, text: &str) -> (&'static str, Value) {
    item(json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": text}))
}

fn script_output(id: &str, text: &str) -> (&'static str, Value) {
    let texts = ["Script completed\nWall time 0.2 seconds\nOutput:\n", text];
    let texts = texts.map(|text| json!({"type": "input_text", "text": text}));
    item(json!({"type": "custom_tool_call_output", "call_id": id, "output": texts}))
}

fn ran(id: &str, command: &str, exit_code: i64, printed: &str) -> (&'static str, Value) {
    let status = match exit_code {
        0 => "completed",
        _ => "failed",
    };
    completed(
        json!({"type": "CommandExecution", "id": id, "command": ["/usr/bin/zsh", "-lc", command],
        "source": "unified_exec_startup", "status": status, "exit_code": exit_code, "aggregated_output": printed}),
    )
}

fn changed(id: &str, status: &str, changes: &Value) -> (&'static str, Value) {
    completed(
        json!({"type": "FileChange", "id": id, "status": status, "changes": changes, "stdout": "", "stderr": ""}),
    )
}

fn begun(records: &[(&'static str, Value)]) -> String {
    let [task, context] = started("t1");
    let first = [meta(json!({})), task, context, user("Fix the test")];
    content(&[&first, records].concat())
}

/// The model writes a script; only items of the interface say what that ran.
fn code_mode() -> String {
    let moved = json!({
        "/home/ann/app/a.rs": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-1\n+2\n", "move_path": "/home/ann/app/b.rs"},
        "c.rs": {"type": "add", "content": "3\n"},
        "/home/ann/app/d.rs": {"type": "delete", "content": "4\n"},
    });
    let stdin = json!({"type": "CommandExecution", "id": "exec-9", "command": ["bash", "-lc", "cargo test"],
        "source": "unified_exec_interaction", "status": "completed", "exit_code": 0});
    begun(&[
        script(
            "c1",
            "text(await tools.exec_command({cmd: \"cargo test\"}));",
        ),
        ran("exec-1", "cargo test", 101, "error: test failed"),
        script_output("c1", "error: test failed"),
        script("c2", "await tools.apply_patch(patch);"),
        changed("exec-2", "completed", &moved),
        changed(
            "exec-3",
            "declined",
            &json!({"e.rs": {"type": "add", "content": "5"}}),
        ),
        script_output("c2", ""),
        ran("exec-4", "cargo test", 0, "ok"),
        ran("exec-4", "cargo test", 0, "ok"),
        completed(stdin),
        ran("exec-5", "sleep 90", -1, ""),
    ])
}

#[test]
fn what_a_script_ran_is_read() {
    assert_snapshot!(indexed(codex(), PATH, code_mode()), @r##"
    0 Typed: "Fix the test"
      call exec(c1) -> "error: test failed"
      call Bash(exec-1) $ "cargo test" -> "error: test failed" failed
      call exec(c2)
      call ApplyPatch(exec-2) @/home/ann/app/a.rs @/home/ann/app/b.rs @/home/ann/app/d.rs @/home/ann/app/c.rs
      call ApplyPatch(exec-3) @/home/ann/app/e.rs not run
      call Bash(exec-4) $ "cargo test"
      call Bash(exec-5) $ "sleep 90" unfinished
    "##);
}

#[test]
fn what_a_script_ran_is_shown() {
    assert_snapshot!(shown(codex(), PATH, code_mode()), @r##"
    0 Typed: "Fix the test"
      call exec(c1) {"command":"text(await tools.exec_command({cmd: \"cargo test\"}));"} -> "Script completed\nWall time 0.2 seconds\nOutput:\n\nerror: test failed"
      call Bash(exec-1) $ "cargo test" {"command":"cargo test"} -> "error: test failed" failed
      call exec(c2) {"command":"await tools.apply_patch(patch);"} -> "Script completed\nWall time 0.2 seconds\nOutput:"
      call ApplyPatch(exec-2) @/home/ann/app/a.rs @/home/ann/app/b.rs @/home/ann/app/d.rs @/home/ann/app/c.rs {"patch":"*** Update File: /home/ann/app/a.rs\n*** Move to: /home/ann/app/b.rs\n@@ -1 +1 @@\n-1\n+2\n*** Delete File: /home/ann/app/d.rs\n*** Add File: c.rs\n+3\n"} -> ""
      call ApplyPatch(exec-3) @/home/ann/app/e.rs {"patch":"*** Add File: e.rs\n+5\n"} -> "" not run
      call Bash(exec-4) $ "cargo test" {"command":"cargo test"} -> "ok"
      call Bash(exec-5) $ "sleep 90" {"command":"sleep 90"} -> "" unfinished
    "##);
}

#[test]
fn what_a_script_ran_may_be_split_and_damaged_anywhere() {
    check_splits(codex(), PATH, code_mode().as_bytes());
    check_damage(codex(), PATH, code_mode().as_bytes());
}

/// A script of another thread, as a review, is told there.
#[test]
fn only_scripts_tell_calls_by_items() {
    let other = json!({"type": "CommandExecution", "id": "exec-1", "command": ["ls"], "status": "completed"});
    let text = begun(&[
        event(json!({"type": "item_completed", "thread_id": "another", "item": other})),
        call("c1", "exec_command", &json!({"cmd": "make"})),
        output("c1", "Process exited with code 0\nOutput:\nbuilt"),
        user("Go on"),
        ran("c1", "make", 0, "built"),
        ran("c0", "ls", 0, "a"),
        changed("c0", "completed", &json!({"/a": {"type": "add"}})),
        call("exec-7", "exec_command", &json!({"cmd": "make docs"})),
        ran("exec-7", "make docs", 0, "built"),
        output("exec-7", "Process exited with code 0\nOutput:\nbuilt"),
    ]);
    assert_snapshot!(indexed(codex(), PATH, text), @r##"
    0 Typed: "Fix the test"
      call Bash(c1) $ "make"
    1 Typed: "Go on"
      call Bash(exec-7) $ "make docs"
    "##);
}

/// In the mode `legacy` events stand in the place of such items.
#[test]
fn events_tell_what_a_script_ran_too() {
    let end = json!({"type": "exec_command_end", "call_id": "exec-1", "source": "agent",
        "command": ["bash", "-lc", "ls"], "status": "completed", "exit_code": 0});
    let patched = json!({"type": "patch_apply_end", "call_id": "exec-2", "status": "failed", "success": false,
        "changes": {"a.rs": {"type": "add", "content": "1"}}, "stdout": "", "stderr": "error: no such folder"});
    assert_snapshot!(indexed(codex(), PATH, begun(&[event(end), event(patched)])), @r##"
    0 Typed: "Fix the test"
      call Bash(exec-1) $ "ls"
      call ApplyPatch(exec-2) @/home/ann/app/a.rs -> "error: no such folder" failed
    "##);
}

/// The copy of a parent's lines has the parent's turns, whatever ran in them.
#[test]
fn a_fork_repeats_what_a_script_ran() {
    let read = |text: &str| searched(&[AgentHome::with(codex(), PATH, text).read(None)]);
    let fork = format!("{}{}", code_mode(), content(&[user("And now?")]));
    assert_eq!(read(&fork)[0].runs, read(&code_mode())[0].runs);
}

/// Relative paths of a patch are from the folder in which it is applied.
#[test]
fn a_patch_is_applied_in_its_folder() {
    let patch = "apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.rs\n*** Add File: /tmp/b.rs\n*** End Patch\nE";
    let files = |arguments: Value| {
        let text = begun(&[call("c1", "exec_command", &arguments)]);
        let turns = indexed(codex(), PATH, text);
        let files = turns
            .split_whitespace()
            .filter(|word| word.starts_with('@'));
        files.map(str::to_owned).collect::<Vec<_>>()
    };
    let within = |folder: &str| json!({"cmd": format!("cd {folder} && {patch}")});
    for (arguments, file) in [
        (json!({"cmd": patch}), "@/home/ann/app/a.rs"),
        (within("sub"), "@/home/ann/app/sub/a.rs"),
        (within("'sub'"), "@/home/ann/app/sub/a.rs"),
        (within("../web"), "@/home/ann/web/a.rs"),
        (within("/srv"), "@/srv/a.rs"),
        (within("~/web"), "@~/web/a.rs"),
        (
            json!({"cmd": patch, "workdir": "/home/ann/web"}),
            "@/home/ann/web/a.rs",
        ),
        (
            json!({"cmd": patch, "workdir": "web"}),
            "@/home/ann/app/web/a.rs",
        ),
        (
            json!({"cmd": format!("cd sub && {patch}"), "workdir": "/srv"}),
            "@/srv/sub/a.rs",
        ),
    ] {
        assert_eq!(
            files(arguments.clone()),
            [file, "@/tmp/b.rs"],
            "{arguments}"
        );
    }
}

#[test]
fn a_command_changes_the_files_that_it_writes() {
    for (arguments, file) in [
        (
            json!({"cmd": "sed -i s/a/b/ main.rs"}),
            "/home/ann/app/main.rs",
        ),
        (
            json!({"cmd": "echo x | tee a.txt", "workdir": "/home/ann/web"}),
            "/home/ann/web/a.txt",
        ),
    ] {
        let records = [call("c1", "exec_command", &arguments), output("c1", "x")];
        let found = AgentHome::with(codex(), PATH, begun(&records)).read(None);
        let content = &searched(&[found])[0];
        let files: Vec<_> = content.accessed_files().collect();
        let [accessed] = files[..] else {
            panic!("{files:?}");
        };
        assert_eq!((accessed.path, accessed.access), (file, FileAccess::Edited));
    }
}

/// In the mode `legacy` only its end says that a server's tool failed.
#[test]
fn a_call_of_a_server_failed_where_its_end_says_so() {
    let failed = |answer: Value| {
        let end = json!({"type": "mcp_tool_call_end", "call_id": "c1", "result": answer,
            "invocation": {"server": "lamps", "tool": "light", "arguments": {}}});
        let text = begun(&[
            call("c1", "light", &json!({})),
            event(end),
            output(
                "c1",
                "Wall time: 0.1 seconds\nOutput:\n{\"said\":\"no oil\"}",
            ),
        ]);
        indexed(codex(), PATH, text).ends_with(" failed\n")
    };
    let content = json!([{"type": "text", "text": "no oil"}]);
    assert!(failed(json!({"Ok": {"content": content, "isError": true}})));
    assert!(failed(json!({"Err": "tool call error: timed out"})));
    assert!(!failed(
        json!({"Ok": {"content": content, "isError": false}})
    ));
    assert!(!failed(json!({"Ok": {"content": content}})));
    assert!(!failed(json!("Err")));
}

/// Its output says that the user stopped it; its end only that it was killed.
#[test]
fn a_command_that_was_killed_is_unfinished() {
    let killed = json!({"status": "failed", "exit_code": -1, "aggregated_output": ""});
    let with = |mut end: Value, more: Value| {
        end.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        end
    };
    let ends = [
        event(with(
            killed.clone(),
            json!({"type": "exec_command_end", "call_id": "c1"}),
        )),
        completed(with(
            killed,
            json!({"type": "CommandExecution", "id": "c1"}),
        )),
    ];
    for end in ends {
        let call = call("c1", "exec_command", &json!({"cmd": "sleep 90"}));
        let output = output("c1", "Wall time: 5.0 seconds\naborted by user");
        for records in [
            [call.clone(), end.clone(), output.clone()],
            [call, output, end],
        ] {
            let found = AgentHome::with(codex(), PATH, begun(&records)).read(None);
            let contents = searched(&[found]);
            let status = contents[0].command_runs().map(|run| run.status).next();
            assert_eq!(status, Some(CallStatus::Unfinished));
        }
    }
}
