//! Which `user` lines are prompts, and what they read.

use crate::support::{fixture, indexed, shown};
use insta::assert_snapshot;

fn user(content: &str) -> String {
    format!(r#"{{"type":"user","uuid":"u","message":{{"role":"user","content":{content}}}}}"#)
}

/// The turns that a line makes beside the one that stands before it.
fn of_line(content: &str) -> String {
    let before = r#"{"type":"user","uuid":"u0","message":{"role":"user","content":"Before"}}"#;
    let content = format!("{before}\n{}\n", user(content));
    shown(content)
        .trim_start_matches("0 Typed: \"Before\"\n")
        .to_owned()
}

#[test]
fn the_smallest_session() {
    assert_snapshot!(indexed(fixture("smallest.jsonl")), @r##"
    0 Typed: "Why does the server not start?"
      call Bash(toolu_1) $ "lsof -i :8080"
      text "Process 4711 holds port 8080."
    "##);
}

#[test]
fn the_smallest_session_in_full() {
    assert_snapshot!(shown(fixture("smallest.jsonl")), @r##"
    0 Typed: "Why does the server not start?"
      call Bash(toolu_1) $ "lsof -i :8080" {"command":"lsof -i :8080","description":"who has the port"} -> "node 4711"
      text "Process 4711 holds port 8080."
    "##);
}

#[test]
fn every_kind_of_user_line() {
    assert_snapshot!(indexed(fixture("user-lines.jsonl")), @r##"
    0 Typed: "Fix the login test"
    1 Command: "/deploy staging"
    2 Command: "!cargo test"
      call Bash() $ "cargo test"
    3 Typed: "Rename this function"
    4 Typed: "And add a test"
    "##);
}

#[test]
fn every_kind_of_user_line_in_full() {
    assert_snapshot!(shown(fixture("user-lines.jsonl")), @r##"
    0 Typed: "Fix the login test"
      notice "# Login skill\nRun the checks first."
    1 Command: "/deploy staging"
      notice "Deployed to staging"
    2 Command: "!cargo test"
      call Bash() $ "cargo test"
      notice "2 passed\na warning"
      notice "<task-notification>\n<task-id>t1</task-id>\n<status>completed</status>\n</task-notification>"
      notice "<teammate-message teammate_id=\"bob\">Done with the docs</teammate-message>"
      notice "[Request interrupted by user for tool use]"
      notice "Stop hook feedback:\n- format the code"
    3 Typed: "Rename this function"
    4 Typed: "And add a test"
      notice "Conversation compacted"
      summary "This session is being continued from a previous conversation that ran out of context. The user fixes a login test."
      summary "This session is being continued from a previous conversation that ran out of context. So said an old version, without a flag."
      notice "The background build finished"
    "##);
}

#[test]
fn contents_have_many_shapes() {
    assert_eq!(of_line(r#""plain""#), "1 Typed: \"plain\"\n");
    assert_eq!(
        of_line(r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#),
        "1 Typed: \"a\\nb\"\n"
    );
    assert_eq!(
        of_line(r#"["bare","strings"]"#),
        "1 Typed: \"bare\\nstrings\"\n"
    );
    assert_eq!(
        of_line(r#"[{"type":"image","source":{"data":"AAAA"}}]"#),
        "1 Typed: \"[Image]\"\n"
    );
    assert_eq!(
        of_line(r#"[{"type":"image"},{"type":"text","text":"see"}]"#),
        "1 Typed: \"see\"\n"
    );
    assert_eq!(
        of_line(r#"[{"type":"hologram","text":"no"}, 7, null, ["x"]]"#),
        ""
    );
    assert_eq!(of_line(r#"{"text":"an object"}"#), "");
    assert_eq!(of_line("null"), "");
    assert_eq!(of_line(r#""""#), "");
    assert_eq!(of_line(r#""  \n""#), "");
}

#[test]
fn messages_may_be_strings_or_missing() {
    let lines = concat!(
        r#"{"type":"user","uuid":"u1","message":"old style"}"#,
        "\n",
        r#"{"type":"user","uuid":"u2"}"#,
        "\n",
        r#"{"type":"user","uuid":"u3","message":[1]}"#,
        "\n",
        r#"{"type":7,"uuid":[],"message":"not a user line"}"#,
        "\n",
    );
    assert_eq!(indexed(lines), "0 Typed: \"old style\"\n");
}

#[test]
fn commands_read_as_they_were_typed() {
    let cases = [
        (
            r"<command-name>/deploy</command-name><command-args>staging</command-args>",
            "/deploy staging",
        ),
        (
            r"<command-message>deploy</command-message>\n<command-name>deploy</command-name>",
            "/deploy",
        ),
        (r"<command-message>deploy</command-message>", "/deploy"),
        (
            r"<command-name>/a:b</command-name>\n <command-args> x\ny </command-args>",
            r"/a:b x\ny",
        ),
    ];
    for (text, command) in cases {
        assert_eq!(
            of_line(&format!("\"{text}\"")),
            format!("1 Command: \"{command}\"\n"),
            "{text}"
        );
    }
}

#[test]
fn wrappers_in_front_are_taken_off() {
    let cases = [
        "<system-reminder>x</system-reminder>why",
        "<ide_opened_file>f.rs</ide_opened_file>\\nwhy",
        "<ide_selection>a</ide_selection><system-reminder>b</system-reminder> why",
        "why\\n<system-reminder>x</system-reminder>",
        "<user-prompt-submit-hook>ok</user-prompt-submit-hook>why",
    ];
    for text in cases {
        assert_eq!(
            of_line(&format!("\"{text}\"")),
            "1 Typed: \"why\"\n",
            "{text}"
        );
    }
}

#[test]
fn the_program_may_say_who_typed() {
    let line = |fields: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u\",{fields},\"message\":{{\"content\":\"words\"}}}}\n"
        )
    };
    for fields in [
        r#""origin":{"kind":"human"}"#,
        r#""promptSource":"sdk""#,
        r#""origin":"?""#,
    ] {
        assert_eq!(indexed(line(fields)), "0 Typed: \"words\"\n", "{fields}");
    }
    for fields in [
        r#""origin":{"kind":"task-notification"}"#,
        r#""promptSource":"system""#,
    ] {
        assert_eq!(indexed(line(fields)), "", "{fields}");
    }
}

#[test]
fn words_after_an_interruption_are_a_prompt() {
    let interrupted = "[Request interrupted by user]";
    let cases = [
        format!("{interrupted}Use tabs"),
        format!(r"{interrupted}\n\nUse tabs"),
        format!("{interrupted}{interrupted} Use tabs"),
        "[Request interrupted by user for tool use] Use tabs".to_owned(),
    ];
    for text in cases {
        assert_eq!(
            of_line(&format!("\"{text}\"")),
            "1 Typed: \"Use tabs\"\n",
            "{text}"
        );
    }
    let blocks = format!(
        r#"[{{"type":"text","text":"{interrupted}"}},{{"type":"text","text":"Use tabs"}}]"#
    );
    assert_eq!(of_line(&blocks), "1 Typed: \"Use tabs\"\n");
    assert_eq!(
        of_line(&format!("\"{interrupted}\"")),
        format!("  notice \"{interrupted}\"\n")
    );
}

#[test]
fn only_the_words_of_the_program_are_a_summary() {
    let begin = "This session is being continued from a previous conversation";
    let own = format!("{begin} that I had on my phone");
    assert_eq!(
        of_line(&format!("\"{own}\"")),
        format!("1 Typed: \"{own}\"\n")
    );
    let old = format!("{begin} that ran out of context. The user fixes a test.");
    assert_eq!(
        of_line(&format!("\"{old}\"")),
        format!("  summary \"{old}\"\n")
    );
}

#[test]
fn a_sentence_may_speak_of_reminders() {
    let text = "Why is <system-reminder>x</system-reminder> in my logs?";
    assert_eq!(
        of_line(&format!("\"{text}\"")),
        format!("1 Typed: \"{text}\"\n")
    );
}

const SUMMARY: &str =
    r#"{"type":"user","isCompactSummary":true,"message":{"content":"The user fixed a test."}}"#;

#[test]
fn a_summary_before_the_first_prompt_is_shown_with_it() {
    let lines = [
        SUMMARY,
        r#"{"type":"user","message":"Go on"}"#,
        r#"{"type":"assistant","message":{"content":"Done."}}"#,
        r#"{"type":"user","message":"Thanks"}"#,
    ];
    let content = lines.join("\n");
    assert_snapshot!(indexed(&content), @r##"
    0 Typed: "Go on"
      text "Done."
    1 Typed: "Thanks"
    "##);
    assert_snapshot!(shown(&content), @r##"
    0 Typed: "Go on"
      summary "The user fixed a test."
      text "Done."
    1 Typed: "Thanks"
    "##);
}

#[test]
fn a_summary_before_the_first_answer_is_shown_with_it() {
    let answer = r#"{"type":"assistant","message":{"content":"Done."}}"#;
    let content = [SUMMARY, answer].join("\n");
    assert_eq!(indexed(&content), "0 None: \"\"\n  text \"Done.\"\n");
    assert_eq!(
        shown(&content),
        "0 None: \"\"\n  summary \"The user fixed a test.\"\n  text \"Done.\"\n"
    );
}

#[test]
fn what_the_program_reports_is_no_prompt() {
    let reports = [
        "<agent-notification>\\n<agent-id>a1</agent-id>\\nRead the output file.\\n</agent-notification>",
        "<bash-notification>\\n<shell-id>b1</shell-id>\\n</bash-notification>",
        "<ci-monitor-event>The build failed. Fix it.</ci-monitor-event>",
        "<task-notification>\\n<task-id>t1</task-id>",
        "<task-notification>a</task-notification>\\n<task-notification>b</task-notification>",
        "<task-notification>a</task-notification>\\nRead the output file to retrieve the result: /tmp/a",
        "<task-notification>a</task-notification>\\nFull transcript available at: /tmp/a",
        "<cross-session-message from=\\\"a1\\\">Take over</cross-session-message>",
        "Another Claude session sent a message:\\nTake over",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\\nThe monitor fired.",
        "<remote-review>[]</remote-review>",
        "Operation stopped by hook: Another session is active",
        "Operation stopped by hook",
    ];
    for text in reports {
        assert_eq!(
            of_line(&format!("\"{text}\"")),
            format!("  notice \"{text}\"\n"),
            "{text}"
        );
    }
    let alone = "<system_instruction>Work in /tmp.</system_instruction>";
    assert_eq!(of_line(&format!("\"{alone}\"")), "");
}

#[test]
fn words_after_what_the_program_says_are_a_prompt() {
    let blocks = [
        "<system_instruction>\\nWork in /home/ann.\\n</system_instruction>\\n\\n",
        "<system-instruction>x</system-instruction>",
        "<fork-boilerplate>x</fork-boilerplate>",
        "<agent-notification>done</agent-notification>\\n",
        "<task-notification>a</task-notification>\\n<task-notification>b</task-notification>",
        "<ci-monitor-event>It failed.</ci-monitor-event> ",
        "<system_instruction>x</system_instruction><system-reminder>y</system-reminder>",
    ];
    for block in blocks {
        assert_eq!(
            of_line(&format!("\"{block}Fix the login test\"")),
            "1 Typed: \"Fix the login test\"\n",
            "{block}"
        );
    }
    assert_eq!(
        of_line(r#""<my-event>x</my-event> renders twice""#),
        "1 Typed: \"<my-event>x</my-event> renders twice\"\n"
    );
    let command = "<task-notification>a</task-notification><bash-input>ls</bash-input>";
    assert!(of_line(&format!("\"{command}\"")).starts_with("1 Command: \"!ls\"\n  call"));
    let memory = "<user-memory-input>Use tabs</user-memory-input>";
    assert_eq!(of_line(&format!("\"{memory}\"")), "1 Typed: \"Use tabs\"\n");
}

#[test]
fn only_a_report_of_the_program_tells_of_a_failure() {
    let report = "<task-notification>\\n<task-id>a1</task-id>\\n<status>failed</status>\\n<summary>Agent failed: no oil</summary>\\n</task-notification>";
    assert_eq!(
        of_line(&format!("\"{report}\\nOil the gate\"")),
        "1 Typed: \"Oil the gate\"\n  error \"Agent failed: no oil\"\n"
    );
    let quoted = of_line(&format!("\"What does this mean? {report}\""));
    assert!(!quoted.contains("  error"), "{quoted}");
}

/// A pasted text as the client wraps it, escaped for a JSON string.
fn paste(text: &str) -> String {
    format!(r#"<pasted_content id=\"1cb3\">{text}</pasted_content id=\"1cb3\">"#)
}

#[test]
fn pastes_follow_what_was_typed() {
    let log = paste(r"error: no water\nerror: no coal");
    let pasted = r"error: no water\nerror: no coal";
    let cases = [
        (format!("{log}\\nWhy?"), format!(r"Why?\n\n{pasted}")),
        (format!("Why? {log}"), format!(r"Why?\n\n{pasted}")),
        (log, pasted.to_owned()),
        (
            paste("<task-notification>a</task-notification>"),
            "<task-notification>a</task-notification>".to_owned(),
        ),
        (
            format!(
                "<system_instruction>x</system_instruction>{}Why?",
                paste("a")
            ),
            r"Why?\n\na".to_owned(),
        ),
    ];
    for (text, prompt) in cases {
        assert_eq!(
            of_line(&format!("\"{text}\"")),
            format!("1 Typed: \"{prompt}\"\n"),
            "{text}"
        );
    }
    let arguments = format!(
        "<command-name>/deploy</command-name><command-args>{} with this</command-args>",
        paste("port: 80")
    );
    assert_eq!(
        of_line(&format!("\"{arguments}\"")),
        "1 Command: \"/deploy with this\\n\\nport: 80\"\n"
    );
}

/// A call, and its result with a text beside it.
fn beside_a_result(beside: &str) -> String {
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a.rs"}}]}}"#;
    let result = format!(
        r#"{{"type":"user","uuid":"u2","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":"Edited."}},{beside}]}}}}"#
    );
    let answer = r#"{"type":"assistant","message":{"content":"Done."}}"#;
    [
        r#"{"type":"user","message":"Rename it"}"#,
        call,
        &result,
        answer,
    ]
    .join("\n")
}

#[test]
fn text_beside_a_result_is_a_prompt() {
    let content = beside_a_result(r#"{"type":"text","text":"Good, but keep the old name, too"}"#);
    assert_snapshot!(indexed(&content), @r##"
    0 Typed: "Rename it"
      call Edit(t1) @/a.rs
    1 Typed: "Good, but keep the old name, too"
      text "Done."
    "##);
    assert_snapshot!(shown(&content), @r##"
    0 Typed: "Rename it"
      call Edit(t1) @/a.rs {"file_path":"/a.rs"} -> "Edited."
    1 Typed: "Good, but keep the old name, too"
      text "Done."
    "##);
}

#[test]
fn what_the_program_puts_beside_a_result_is_no_prompt() {
    for beside in [
        r#"{"type":"text","text":"<system-reminder>x</system-reminder>"}"#,
        r#"{"type":"text","text":"[Request interrupted by user for tool use]"}"#,
        r#"{"type":"text","text":"Operation stopped by hook: not now"}"#,
        r#"{"type":"image","source":{"data":"AAAA"}}"#,
    ] {
        let turns = indexed(beside_a_result(beside));
        let expected = "0 Typed: \"Rename it\"\n  call Edit(t1) @/a.rs\n  text \"Done.\"\n";
        assert_eq!(turns, expected, "{beside}");
    }
}
