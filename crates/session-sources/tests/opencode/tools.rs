//! Tool calls in the words of all sources.

use crate::fixture::{
    Home, assistant, bash, insert, insert_part, read, render_part, session, show, text, tool,
    turns, user,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::ReadDetail::{self, Full, Index};

/// The call that a part becomes.
fn call(part: Value, detail: ReadDetail) -> String {
    let conversation = session(
        "ses_a",
        vec![user(vec![text("Go.")]), assistant(vec![part])],
    );
    let turns = turns(&conversation, detail);
    turns.lines().nth(1).unwrap_or_default().trim().to_owned()
}

fn completed(name: &str, input: Value) -> Value {
    tool(
        name,
        json!({"status": "completed", "input": input, "output": ""}),
    )
}

#[test]
fn names_and_keys_are_claudes() {
    let names = [
        "bash",
        "read",
        "edit",
        "multiedit",
        "write",
        "grep",
        "glob",
        "list",
        "webfetch",
        "websearch",
        "task",
        "todowrite",
        "todoread",
        "apply_patch",
        "patch",
        "skill",
        "question",
        "linear_create_issue",
    ];
    let found: Vec<String> = names
        .map(|name| call(completed(name, json!({})), Index))
        .iter()
        .map(|call| {
            serde_json::from_str::<Value>(call).unwrap()["name"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_snapshot!(found.join(" "), @"Bash Read Edit MultiEdit Write Grep Glob LS WebFetch WebSearch Task TodoWrite TodoRead ApplyPatch ApplyPatch Skill AskUserQuestion linear_create_issue");

    let edit = json!({"filePath": "a.rs", "oldString": "x", "newString": {"keptAs": 1}});
    assert_snapshot!(call(completed("edit", edit), Full), @r#"{"id":"call_1","name":"Edit","files":["/home/ann/app/a.rs"],"input":{"file_path":"a.rs","new_string":{"keptAs":1},"old_string":"x"},"output":"","failed":false}"#);
    let foreign = json!({"issueTitle": "x", "path": "docs/a.md"});
    assert_snapshot!(call(completed("linear_create_issue", foreign), Full), @r#"{"id":"call_1","name":"linear_create_issue","files":["/home/ann/app/docs/a.md"],"input":{"issueTitle":"x","path":"docs/a.md"},"output":"","failed":false}"#);
}

#[test]
fn a_folder_that_is_searched_is_no_file() {
    let input = json!({"pattern": "lamp", "path": "/home/ann/app/src"});
    for name in ["grep", "glob", "list"] {
        assert!(!call(completed(name, input.clone()), Index).contains("files"));
    }
}

#[test]
fn only_error_lines_of_an_output_are_indexed() {
    let output =
        "compiling\nerror: no such thing\nhelp: try\n<system-reminder>error</system-reminder>";
    let part = bash("cargo build", output, 101);
    assert_snapshot!(call(part.clone(), Index), @r#"{"id":"call_1","name":"Bash","command":"cargo build","output":"error: no such thing","failed":true}"#);
    assert_snapshot!(call(part, Full), @r#"{"id":"call_1","name":"Bash","command":"cargo build","input":{"command":"cargo build"},"output":"compiling\nerror: no such thing\nhelp: try","failed":true}"#);
    assert_snapshot!(call(bash("ls", "a\nb", 0), Index), @r#"{"id":"call_1","name":"Bash","command":"ls","failed":false}"#);
    assert_snapshot!(call(bash("false", "a\nb", 1), Index), @r#"{"id":"call_1","name":"Bash","command":"false","output":"a\nb","failed":true}"#);
}

#[test]
fn failures_are_told_in_four_ways() {
    let error = tool(
        "read",
        json!({"status": "error", "input": {"filePath": "/none.rs"}, "error": "File not found"}),
    );
    assert_snapshot!(call(error, Index), @r#"{"id":"call_1","name":"Read","files":["/none.rs"],"output":"File not found","failed":true}"#);
    let exit = bash("false", "", 1);
    assert_snapshot!(call(exit, Index), @r#"{"id":"call_1","name":"Bash","command":"false","failed":true}"#);
    let stopped = tool(
        "bash",
        json!({"status": "completed", "input": {"command": "sleep 60"}, "output": "", "metadata": {"exit": null}}),
    );
    assert_snapshot!(call(stopped, Index), @r#"{"id":"call_1","name":"Bash","command":"sleep 60","failed":true}"#);
    let invalid = tool(
        "invalid",
        json!({"status": "completed", "input": {"tool": "bsh"}, "output": "Unknown tool."}),
    );
    assert_snapshot!(call(invalid, Index), @r#"{"id":"call_1","name":"invalid","output":"Unknown tool.","failed":true}"#);
}

#[test]
fn an_output_that_is_cut_says_so() {
    // The characters are counted, not the escapes that the database has for line ends.
    for word in ["lamp ", "lamp\n"] {
        let shown = call(bash("make", &word.repeat(60_000), 0), Full);
        assert!(shown.contains(r"\n[cut: 37 KB of this output are not shown]"));
    }
}

#[test]
fn a_call_that_the_user_stopped_is_unfinished() {
    let output = "(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>";
    let stopped = [
        json!({"status": "completed", "input": {"command": "make"}, "output": output, "metadata": {"exit": null}}),
        json!({"status": "error", "input": {"command": "make"}, "error": "Tool execution aborted"}),
    ];
    for state in stopped {
        let expected =
            r#"{"id":"call_1","name":"Bash","command":"make","failed":false,"unfinished":true}"#;
        assert_eq!(call(tool("bash", state), Index), expected);
    }
}

#[test]
fn a_call_that_was_not_allowed_did_not_run() {
    for told in [
        "The user rejected permission to use this specific tool call.",
        "The user rejected permission to use this specific tool call with the following feedback: use make",
        "The user rejected permission to use this specific tool call with the following feedback:\nerror: use make",
        "The user has specified a rule which prevents you from using this specific tool call.",
    ] {
        let refused = tool(
            "bash",
            json!({"status": "error", "input": {"command": "npm start"}, "error": told}),
        );
        let expected =
            r#"{"id":"call_1","name":"Bash","command":"npm start","failed":false,"not_run":true}"#;
        assert_eq!(call(refused, Index), expected);
    }
}

#[test]
fn calls_that_never_ended_are_unfinished() {
    let running = tool(
        "bash",
        json!({"status": "running", "input": {"command": "npm start"}, "metadata": {"output": "error: so far"}}),
    );
    assert_snapshot!(call(running, Index), @r#"{"id":"call_1","name":"Bash","command":"npm start","output":"error: so far","failed":false,"unfinished":true}"#);
    let pending = tool(
        "bash",
        json!({"status": "pending", "input": {}, "raw": "{\"comm"}),
    );
    assert_snapshot!(call(pending, Full), @r#"{"id":"call_1","name":"Bash","input":{},"failed":false,"unfinished":true}"#);
    assert_snapshot!(call(json!({"type": "tool", "tool": "bash"}), Full), @r#"{"id":"","name":"Bash","failed":false}"#);
}

#[test]
fn a_task_names_its_subagent() {
    let task = json!({"status": "completed", "input": {"description": "look", "command": "/look"},
        "output": "Found.", "metadata": {"sessionId": "ses_child"}});
    assert_snapshot!(call(tool("task", task), Index), @r#"{"id":"call_1","name":"Task","failed":false,"subagent":"ses_child"}"#);
}

#[test]
fn patches_name_their_files() {
    let patch = "*** Begin Patch\n*** Update File: src/main.rs\n*** Move to: src/bin/main.rs\n@@\n-a\n+b\n\
        *** Add File: src/new.rs\n+*** Update File: quoted.rs\n*** Delete File: old.rs\n*** End Patch";
    let part = completed("apply_patch", json!({"patchText": patch}));
    let shown = call(part.clone(), Full);
    assert!(shown.contains(r#""input":{"patch":"*** Begin"#), "{shown}");
    assert_snapshot!(call(part, Index), @r#"{"id":"call_1","name":"ApplyPatch","files":["/home/ann/app/src/main.rs","/home/ann/app/src/bin/main.rs","/home/ann/app/src/new.rs","/home/ann/app/old.rs"],"failed":false}"#);
}

#[test]
fn fields_of_another_type_count_as_absent() {
    let odd = tool(
        "bash",
        json!({"status": 7, "input": ["x"], "output": 5, "metadata": "none", "error": null}),
    );
    assert_snapshot!(call(odd, Full), @r#"{"id":"call_1","name":"Bash","input":["x"],"failed":false}"#);
    let odd = tool(
        "edit",
        json!({"status": "completed", "input": {"filePath": 7, "path": "a"}, "metadata": {"exit": null}}),
    );
    assert_snapshot!(call(odd, Index), @r#"{"id":"call_1","name":"Edit","files":["/home/ann/app/a"],"failed":false}"#);
}

#[test]
fn strings_are_read_as_javascript_wrote_them() {
    // `\ud83d` alone is half a character: text that was cut in the middle.
    let words = r#"{"type":"text","text":"\u0041 \"q\" \\ \/ \b\f\n\r\t \u00e4 \ud83d\ude00 \ud83d, \ude00 \ud83d"}"#;
    let echo = r#"{"type":"tool","tool":"bash","state":{"input":{"command":"echo \ud83d"}}}"#;
    let home = Home::new();
    let db = home.connect();
    insert(
        &db,
        &session("ses_a", vec![user(vec![]), assistant(vec![])]),
    );
    insert_part(&db, "msg_a_00", "prt_1", 1, words);
    insert_part(&db, "msg_a_01", "prt_2", 1, echo);

    let found = read(&home.database());
    assert_eq!(
        found.turns[0].turn.prompt,
        "A \"q\" \\ / \u{8}\u{c}\n\r\t ä \u{1F600} \u{FFFD}, \u{FFFD} \u{FFFD}"
    );
    let shown = show(&home.database(), &found);
    assert_snapshot!(render_part(&shown[0].parts[0]), @r#"{"id":"","name":"Bash","command":"echo �","input":"{\"command\":\"echo \\ud83d\"}","failed":false}"#);
}

#[test]
fn a_call_without_a_result_is_told_from_one_without_output() {
    let state = |status: &str, rest: Value| {
        let mut state = json!({"status": status, "input": {}});
        state
            .as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        tool("read", state)
    };
    let done = state("completed", json!({"output": ""}));
    assert_snapshot!(call(done.clone(), Full), @r#"{"id":"call_1","name":"Read","input":{},"output":"","failed":false}"#);
    assert_snapshot!(call(done, Index), @r#"{"id":"call_1","name":"Read","failed":false}"#);
    let killed = state("running", json!({"metadata": {"output": ""}}));
    assert_snapshot!(call(killed, Full), @r#"{"id":"call_1","name":"Read","input":{},"failed":false,"unfinished":true}"#);
}

#[test]
fn a_command_names_the_files_that_it_writes() {
    let input =
        json!({"command": "cd src && cat > a.rs <<EOF\nx\nEOF", "workdir": "/home/ann/web"});
    let call: Value = serde_json::from_str(&call(completed("bash", input), Index)).unwrap();
    assert_eq!(call["files"], json!(["/home/ann/web/src/a.rs"]));
}
