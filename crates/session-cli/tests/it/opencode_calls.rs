//! How OpenCode's calls ended, as the program prints it.

use crate::environment::TestEnvironment;
use crate::opencode::OpenCodeHistory;
use insta::assert_snapshot;
use serde_json::{Value, json};

const SESSION: &str = "ses_6";

/// A session whose client was killed in the middle of a command.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let db = OpenCodeHistory::open(&env);
    let exchange = [("Why is the boiler cold?", "I will look.")];
    db.session(SESSION, "/home/ann/boiler", "A cold boiler", &exchange);
    let call = |name: &str, state: Value| json!({"type": "tool", "tool": name, "callID": "call_1", "state": state});
    let overloaded = json!({"name": "APIError", "data": {"message": "the provider is overloaded"}});
    let task = json!({"status": "completed", "input": {"description": "look for leaks", "prompt": "Find them"},
        "output": "None."});
    let failed = json!({"status": "error", "input": {"filePath": "valve.c"}, "error": "oldString not found"});
    let killed = json!({"status": "running", "input": {"command": "heat --until warm"}});
    let steps = [
        (call("task", task), Value::Null),
        (call("edit", failed), Value::Null),
        (
            json!({"type": "patch", "files": ["/home/ann/boiler/a.c", "/home/ann/boiler/b.c"]}),
            Value::Null,
        ),
        (json!({"type": "step-start"}), overloaded),
        (call("bash", killed), Value::Null),
    ];
    for ((part, error), minutes) in steps.iter().zip(2..) {
        let data = json!({"role": "assistant", "error": error});
        db.answer(SESSION, minutes, &data, part);
    }
    env
}

#[test]
fn calls_are_shown_with_what_they_were_for_and_how_they_ended() {
    assert_snapshot!(env().run(&["show", SESSION]).succeeded().stdout(), @"
    SESSION  ses_6   opencode   boiler   2026-02-01 10:00   1 turn
    A cold boiler
    folder: /home/ann/boiler

    ── ses_6:0   1 of 1   2026-02-01 10:00 ─────────────────────────────────────────────────────────────
    you> Why is the boiler cold?

    I will look.

    ● Task look for leaks
      prompt: Find them
      │ None.

    ● Edit /home/ann/boiler/valve.c failed
      │ oldString not found

    ● Patch /home/ann/boiler/a.c
      /home/ann/boiler/b.c

    [error]
    APIError: the provider is overloaded

    ● Bash heat --until warm unfinished
    ");
}

#[test]
fn only_changes_that_were_made_are_listed() {
    assert_snapshot!(env().run(&["show", SESSION, "--only", "files"]).succeeded().stdout(), @"
    ses_6:0
      /home/ann/boiler/a.c   edited
      /home/ann/boiler/b.c   edited
    ");
}

#[test]
fn a_patch_is_an_edit() {
    let env = TestEnvironment::new();
    let db = OpenCodeHistory::open(&env);
    let exchange = [("Open the valve", "I will.")];
    db.session(SESSION, "/home/ann/boiler", "A valve", &exchange);
    let added = "+turn\n".repeat(20);
    let patch = format!(
        "*** Begin Patch\n*** Update File: valve.c\n@@\n-shut\n+open\n{added}*** End Patch"
    );
    let state = json!({"status": "completed", "input": {"patchText": patch}, "output": "Success."});
    let part = json!({"type": "tool", "tool": "apply_patch", "callID": "call_1", "state": state});
    db.answer(SESSION, 2, &json!({"role": "assistant"}), &part);
    let shown = env.run(&["show", SESSION, "--only", "edits"]).succeeded();
    assert!(shown.stdout().contains("+ open"), "{shown}");
    assert_eq!(shown.stdout().matches("+ turn").count(), 20);
    let brief = ["show", SESSION, "--only", "edits", "--brief"];
    let text = env.run(&brief).succeeded().stdout();
    let diff = env.json(&brief)["shown"][0]["edits"][0]["diff"].to_string();
    for cut in [text, diff] {
        assert_eq!(cut.matches("+ turn").count(), 3, "{cut}");
        assert!(cut.contains("… 18 more lines"), "{cut}");
    }
}
