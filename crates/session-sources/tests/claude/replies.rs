//! Reading the agent's lines.

use crate::support::{Transcript, fixture, indexed, shown};
use crate::turns::searched;
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::{CallStatus, TurnContent};
use session_sources::CollectedTurn;

#[test]
fn every_kind_of_reply() {
    assert_snapshot!(indexed(fixture("replies.jsonl")), @r##"
    0 Typed: "Build it"
      text "I build it now."
      call Bash(toolu_1) $ "make all" -> "main.c:3: error: expected ';'" failed
      call Read(toolu_2) @/home/ann/app/Makefile
      call Grep(toolu_3)
      call Agent(toolu_4) subagent=agent-1a2b3c4d
      call NotebookEdit(toolu_5) @/home/ann/app/plot.ipynb unfinished
      call mcp__pencil__open(toolu_6) @/home/ann/app/a.pen unfinished
      call PowerShell(toolu_7) $ "Get-Item x"
      text "A semicolon was missing."
      recap "Fixed the missing semicolon; the build passes."
    "##);
}

#[test]
fn every_kind_of_reply_in_full() {
    assert_snapshot!(shown(fixture("replies.jsonl")), @r##"
    0 Typed: "Build it"
      thinking "The build needs a target."
      text "I build it now."
      call Bash(toolu_1) $ "make all" {"command":"make all","description":"build"} -> "Exit code 2\ncc main.c\nmain.c:3: error: expected ';'" failed
      call Read(toolu_2) @/home/ann/app/Makefile {"file_path":"/home/ann/app/Makefile"} -> "all: app\n[Image]"
      call Grep(toolu_3) {"path":"/home/ann/app","pattern":"all"} -> "No files found"
      call Agent(toolu_4) {"prompt":"Find the semicolon"} -> "Line 3." subagent=agent-1a2b3c4d
      call NotebookEdit(toolu_5) @/home/ann/app/plot.ipynb {"notebook_path":"/home/ann/app/plot.ipynb"} unfinished
      call mcp__pencil__open(toolu_6) @/home/ann/app/a.pen {"command":"open","filePath":"/home/ann/app/a.pen"} unfinished
      call PowerShell(toolu_7) $ "Get-Item x" {"command":"Get-Item x"} -> "0 errors, 0 failed"
      notice "You've hit your session limit"
      notice "API overloaded (529)"
      notice "Reloaded 3 plugins"
      notice "Remote control disconnected"
      text "A semicolon was missing."
      recap "Fixed the missing semicolon; the build passes."
    "##);
}

#[test]
fn a_turn_knows_its_first_and_last_line() {
    let content = fixture("replies.jsonl");
    let found = Transcript::new(&content).read(None);
    let CollectedTurn { turn, .. } = &found.turns[0];
    assert_eq!(turn.origin.as_deref(), Some("u1"));
    assert_eq!(turn.leaf.as_deref(), Some("a8"));
    assert_eq!(turn.started_ms, Some(1_772_442_000_000));
    assert_eq!(turn.ended_ms, Some(1_772_442_600_000));
    assert_eq!(
        (turn.span.start, turn.span.end),
        (0, content.len() as u64 - 1)
    );
}

#[test]
fn times_may_go_backwards() {
    let lines = concat!(
        r#"{"type":"user","uuid":"u1","timestamp":"2026-03-02T09:00:05.000Z","message":"a"}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a1","timestamp":"2026-03-02T09:00:09.000Z","message":{"content":"b"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a2","timestamp":"2026-03-02T09:00:01.000Z","message":{"content":"c"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a3","timestamp":"some day","message":{"content":"d"}}"#,
        "\n",
    );
    let found = Transcript::new(lines).read(None);
    let turn = &found.turns[0].turn;
    assert_eq!(turn.ended_ms.unwrap() - turn.started_ms.unwrap(), 4000);
    assert_eq!(turn.leaf.as_deref(), Some("a3"));
}

fn reply(id: &str, blocks: &str) -> String {
    format!(r#"{{"type":"assistant","message":{{"id":{id},"content":[{blocks}]}}}}"#) + "\n"
}

#[test]
fn cumulative_snapshots_are_told_once() {
    let one = r#"{"type":"text","text":"One."}"#;
    let begun = r#"{"type":"text","text":"Two is"}"#;
    let two = r#"{"type":"text","text":"Two is longer."}"#;
    let call = r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}"#;
    let lines = [
        reply("\"m1\"", one),
        reply("\"m1\"", &format!("{one},{begun}")),
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"between"}]}}"#.to_owned() + "\n",
        reply("\"m1\"", &format!("{one},{two},{call}")),
        reply("\"m1\"", call),
        reply("\"m2\"", one),
    ];
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      text "One."
      text "Two is longer."
      call Bash(toolu_1) $ "ls" unfinished
      text "One."
    "##);
}

#[test]
fn a_call_without_a_result_is_unfinished() {
    let call = |id: &str, name: &str, input: &str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
    };
    let calls = [
        call("t1", "Bash", r#"{"command":"make test"}"#),
        call("t2", "Edit", r#"{"file_path":"/a/b.rs"}"#),
        call("t3", "Grep", r#"{"pattern":"lamp"}"#),
    ];
    let lines = reply("\"m1\"", &calls.join(","));
    let expected = [
        r#"call Bash(t1) $ "make test" unfinished"#,
        "call Edit(t2) @/a/b.rs unfinished",
        "call Grep(t3) unfinished",
    ];
    let found = indexed(&lines);
    let found: Vec<&str> = found.lines().skip(1).map(str::trim).collect();
    assert_eq!(found, expected);
    let contents = searched(&[Transcript::new(&lines).read(None)]);
    assert_eq!(contents[0].accessed_files().next(), None);
}

#[test]
fn thinking_grows_in_snapshots_too() {
    let call = r#"{"type":"tool_use","id":"toolu_1","name":"Glob"}"#;
    let thinking = |words: &str| format!(r#"{{"type":"thinking","thinking":"{words}"}}"#);
    let lines = [
        reply("\"m\"", &format!("{call},{}", thinking("Or"))),
        reply("\"m\"", &format!("{call},{}", thinking("Or not."))),
    ];
    assert_eq!(
        shown(lines.concat()),
        "0 None: \"\"\n  call Glob(toolu_1) {} unfinished\n  thinking \"Or not.\"\n"
    );
}

#[test]
fn a_reply_may_say_what_it_thought() {
    let prompt = r#"{"type":"user","message":"Why?"}"#.to_owned() + "\n";
    let thinking = r#"{"type":"thinking","thinking":"The port is taken."}"#;
    for words in ["The port is taken.", "The port is taken. By node."] {
        let text = format!(r#"{{"type":"text","text":"{words}"}}"#);
        let apart = [reply("\"m\"", thinking), reply("\"m\"", &text)].concat();
        let together = reply("\"m\"", &format!("{thinking},{text}"));
        for lines in [apart, together] {
            let found = shown(format!("{prompt}{lines}"));
            let expected = format!("  thinking \"The port is taken.\"\n  text \"{words}\"\n");
            assert_eq!(found, format!("0 Typed: \"Why?\"\n{expected}"));
        }
    }
}

#[test]
fn a_reply_may_begin_two_texts_alike() {
    let text = |words: &str| format!(r#"{{"type":"text","text":"{words}"}}"#);
    let call = |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Glob"}}"#);
    let texts = |blocks: &[String]| {
        let lines: String = blocks.iter().map(|block| reply("\"m\"", block)).collect();
        let found = indexed(lines);
        found.lines().filter(|line| line.contains("text")).count()
    };
    let (done, more) = (text("Done."), text("Done. I also tested it."));
    assert_eq!(texts(&[done.clone(), more.clone()]), 2);
    assert_eq!(texts(&[done.clone(), call("t1"), more.clone()]), 2);
    assert_eq!(texts(&[format!("{done},{more}")]), 2);
    assert_eq!(texts(&[call("t1"), done.clone(), call("t2"), more]), 2);
    assert_eq!(texts(&[call("t1"), done.clone(), call("t2"), done]), 2);
}

#[test]
fn without_an_id_nothing_is_a_repetition() {
    let lines = reply("null", r#"{"type":"text","text":"Yes."}"#).repeat(2);
    assert_eq!(
        indexed(lines),
        "0 None: \"\"\n  text \"Yes.\"\n  text \"Yes.\"\n"
    );
}

#[test]
fn what_comes_before_the_first_prompt_is_a_turn_if_it_is_worth_it() {
    let thinking = reply("\"m\"", r#"{"type":"thinking","thinking":"Hm."}"#);
    let notice = r#"{"type":"system","content":"Welcome"}"#.to_owned() + "\n";
    let prompt = r#"{"type":"user","message":"Go on"}"#.to_owned() + "\n";
    let text = reply("\"m\"", r#"{"type":"text","text":"Done."}"#);
    assert_eq!(
        indexed([&*notice, &thinking, &prompt].concat()),
        "0 Typed: \"Go on\"\n"
    );
    assert_eq!(
        indexed([&*notice, &text, &prompt].concat()),
        "0 None: \"\"\n  text \"Done.\"\n1 Typed: \"Go on\"\n",
    );
}

#[test]
fn inputs_may_have_any_shape() {
    for input in [
        "null",
        "7",
        "\"ls\"",
        "[1]",
        r#"{"command":["ls"],"file_path":{}}"#,
    ] {
        let call = format!(r#"{{"type":"tool_use","id":"t","name":"Bash","input":{input}}}"#);
        assert_eq!(
            indexed(reply("\"m\"", &call)),
            "0 None: \"\"\n  call Bash(t) unfinished\n",
            "{input}"
        );
    }
    let call = r#"{"type":"tool_use"}"#;
    assert_eq!(indexed(reply("\"m\"", call)), "0 None: \"\"\n  call ()\n");
}

fn result(id: &str, content: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{content}"}}"#);
    format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#) + "\n"
}

const MAKE: &str = r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}"#;

#[test]
fn a_result_may_come_before_its_call() {
    let text = r#"{"type":"text","text":"I build it."}"#;
    let lines = [
        reply("\"m\"", text),
        result("t2", "error: two"),
        result("t1", "error: one"),
        reply("\"m\"", MAKE),
        reply("\"m\"", &MAKE.replace("t1", "t2")),
    ];
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      text "I build it."
      call Bash(t1) $ "make" -> "error: one"
      call Bash(t2) $ "make" -> "error: two"
    "##);
    let quiet = [reply("\"m\"", text), result("t1", ""), reply("\"m\"", MAKE)];
    assert_snapshot!(shown(quiet.concat()), @r##"
    0 None: ""
      text "I build it."
      call Bash(t1) $ "make" {"command":"make"} -> ""
    "##);
}

#[test]
fn a_call_without_a_result_is_told_from_one_without_output() {
    let lines = [
        reply("\"m\"", MAKE),
        reply("\"m\"", &MAKE.replace("t1", "t2")),
        result("t1", ""),
    ];
    assert_snapshot!(shown(lines.concat()), @r##"
    0 None: ""
      call Bash(t1) $ "make" {"command":"make"} -> ""
      call Bash(t2) $ "make" {"command":"make"} unfinished
    "##);
    assert!(!indexed(lines.concat()).contains("->"));
}

#[test]
fn an_output_that_is_cut_says_so() {
    let words = "lamp ".repeat(60_000);
    let shown = shown([reply("\"m\"", MAKE), result("t1", &words)].concat());
    let end = r#"\n[cut: 37 KB of this output are not shown]""#;
    assert!(shown.trim_end().ends_with(end));
}

#[test]
fn a_result_told_twice_keeps_its_output() {
    let lines = [
        reply("\"m\"", MAKE),
        result("t1", "built"),
        result("t1", ""),
    ];
    assert!(shown(lines.concat()).ends_with("-> \"built\"\n"));
}

#[test]
fn a_late_result_tells_only_what_is_new() {
    let lines = [
        reply("\"m\"", MAKE),
        r#"{"type":"user","message":"Go on"}"#.to_owned() + "\n",
        result(
            "t1",
            r"main.c:3: error: expected ';'\nmake: *** [all] Error 2",
        ),
        result("t0", "all is well"),
        result("t2", ""),
    ];
    assert!(!shown(lines.concat()).contains("t2"));
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      call Bash(t1) $ "make" unfinished
    0 None continues: ""
      call (t1) $ "" -> "main.c:3: error: expected ';'\nmake: *** [all] Error 2"
    1 Typed: "Go on"
    "##);
}

/// A session in which one call has one result.
fn called(name: &str, input: &str, result: &str) -> String {
    let call = format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t1","name":"{name}","input":{input}}}]}}}}"#
    );
    let prompt = r#"{"type":"user","message":"Set up the proxy"}"#;
    format!("{prompt}\n{call}\n{result}\n")
}

fn only_content(lines: &str) -> TurnContent {
    let contents = searched(&[Transcript::new(lines).read(None)]);
    assert_eq!(contents.len(), 1);
    contents.into_iter().next().unwrap()
}

#[test]
fn questions_and_answers_are_said() {
    let input = r#"{"questions":[{"question":"Which port?","header":"Port","options":[{"label":"80"}]},{"question":"Which host?"},7]}"#;
    let result = r#"{"type":"user","toolUseResult":{"questions":[],"answers":{"Which port?":"8443, as ben said","Which host?":"ash","Why?":["x"]},"annotations":{"Which host?":{"notes":"until it is moved"},"Which port?":{"notes":"as ben said"}}},"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Your questions have been answered."}]}}"#;
    let content = only_content(&called("AskUserQuestion", input, result));
    assert_eq!(content.answer, "Which port?\nWhich host?");
    assert_eq!(
        content.prompt,
        "Set up the proxy\n\n8443, as ben said\nash\nuntil it is moved"
    );
    for input in ["{}", r#"{"questions":"?"}"#, r#"{"questions":[{}]}"#] {
        let result = r#"{"type":"user","toolUseResult":{"answers":["x"]},"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"?"}]}}"#;
        let content = only_content(&called("AskUserQuestion", input, result));
        assert_eq!(
            (content.prompt.as_str(), content.answer.as_str()),
            ("Set up the proxy", "")
        );
    }
}

#[test]
fn a_plan_is_said() {
    let input = r##"{"plan":"# Proxy\n\nListen on 8443.","planFilePath":"/home/ann/.claude/plans/proxy.md"}"##;
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"User has approved your plan."}]}}"#;
    let content = only_content(&called("ExitPlanMode", input, result));
    assert_eq!(content.answer, "# Proxy\n\nListen on 8443.");
    assert_eq!(only_content(&called("Plan", input, result)).answer, "");
}

/// Nor are the client's words about it errors of the command.
#[test]
fn what_was_not_let_run_did_not_fail() {
    let content = |told: &str| {
        let result = json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": told, "is_error": true}]}});
        only_content(&called(
            "Bash",
            r#"{"command":"make"}"#,
            &result.to_string(),
        ))
    };
    let status = |content: &TurnContent| content.command_runs().map(|run| run.status).next();
    let stopped = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let said = format!("{stopped} To tell you how to proceed, the user said: use tabs");
    for told in [
        said.as_str(),
        "Permission to use Bash with command make has been denied.",
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
        "This command requires approval",
        "PreToolUse:Bash hook error: [guard.sh]: error: not here",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "This Bash command contains multiple operations. The following part requires approval: make 2>&1",
        "This PowerShell command contains multiple operations. The following part requires approval: make",
        "ls in '/home/ann' was blocked. For security, Claude Code may only list files in the allowed working directories",
        "Permission for this action has been denied. Reason: error: it pushes to the default branch.",
        "Permission for this action was denied by the Claude Code auto mode classifier. Reason: [Git Destructive].",
        "Contains simple_expansion",
    ] {
        let content = content(told);
        assert_eq!(status(&content), Some(CallStatus::NotRun), "{told}");
        assert!(content.errors.is_empty(), "{:?}", content.errors);
    }
    // The same is written of one that was stopped while it ran.
    assert_eq!(status(&content(stopped)), Some(CallStatus::Unfinished));
    let failed = content("Exit code 1\nerror: This command requires approval");
    assert_eq!(status(&failed), Some(CallStatus::Failed));
    assert_eq!(failed.errors, ["error: This command requires approval"]);
    let printed =
        content("Exit code 1\nerror: ls was blocked. For security, Claude Code may only list");
    assert_eq!(status(&printed), Some(CallStatus::Failed));
}

/// A command may fail after the user was asked about it, and print what the client writes of others.
#[test]
fn a_command_that_ended_was_not_stopped() {
    for told in [
        "Exit code 1\nerror: half",
        "Exit code 1\nerror: log: [Request interrupted by user for tool use]",
        "Exit code 1\n[Request interrupted by user for tool use] is in error\nerror: half",
    ] {
        let result = json!({"type": "user", "toolDenialKind": "user-rejected", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": told, "is_error": true}]}});
        let input = r#"{"command":"make"}"#;
        let content = only_content(&called("Bash", input, &result.to_string()));
        let status = content.command_runs().map(|run| run.status).next();
        assert_eq!(status, Some(CallStatus::Failed), "{told}");
    }
}

#[test]
fn a_pull_request_may_be_opened_by_a_tool() {
    let opened = "https://github.com/ann/app/pull/55";
    let text = json!({"number": 55, "html_url": opened}).to_string();
    let result = json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": text}]}]}});
    let of_tool = |name: &str| only_content(&called(name, "{}", &result.to_string())).turn_stats;
    let create = of_tool("mcp__github__create_pull_request");
    assert_eq!(create.pull_requests, [opened]);
    let read = of_tool("mcp__github__get_pull_request");
    assert!(read.pull_requests.is_empty());
}

/// The fields of a result beside its text.
#[test]
fn a_denial_and_an_interruption_are_no_failures() {
    let ended = |told: &str, is_error: bool, fields: Value| {
        let mut result = json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": told, "is_error": is_error}]}});
        let fields = fields.as_object().unwrap().clone();
        result.as_object_mut().unwrap().extend(fields);
        let input = r#"{"command":"make"}"#;
        let content = only_content(&called("Bash", input, &result.to_string()));
        let status = content.command_runs().map(|run| run.status).next();
        (status.unwrap(), content.errors)
    };
    let unavailable = "The model is unavailable: error, so auto mode cannot determine the safety";
    let stopped = "[Request interrupted by user for tool use]";
    let killed = "Exit code 137\n[Request interrupted by user for tool use]\nerror: half";
    let killed_late = "Exit code 137\nerror: half\n[Request interrupted by user for tool use]";
    let unsafe_part = "error: a part of it may change files";
    let kind = |kind: &str| json!({ "toolDenialKind": kind });
    let interrupted = json!({"toolUseResult": {"stdout": "error: half", "interrupted": true}});
    for (told, is_error, fields, status) in [
        (
            unavailable,
            true,
            kind("automode-unavailable"),
            CallStatus::NotRun,
        ),
        // The same kind is written of a call that was stopped while it ran.
        (stopped, true, kind("user-rejected"), CallStatus::Unfinished),
        (stopped, true, json!({}), CallStatus::Unfinished),
        (killed, true, json!({}), CallStatus::Unfinished),
        (killed, true, kind("user-rejected"), CallStatus::Unfinished),
        (killed_late, true, json!({}), CallStatus::Unfinished),
        (unsafe_part, true, kind("user-rejected"), CallStatus::NotRun),
        ("error: half", false, interrupted, CallStatus::Unfinished),
    ] {
        assert_eq!(
            ended(told, is_error, fields),
            (status, Vec::new()),
            "{told}"
        );
    }
}

#[test]
fn what_to_do_instead_is_said() {
    let rejected = |words: &str| {
        let text = format!(
            "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\\n{words}"
        );
        let result = format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":"{text}","is_error":true}}]}}}}"#
        );
        only_content(&called("Edit", r#"{"file_path":"/a"}"#, &result)).prompt
    };
    let note = r"Use tabs\n\nNote: The user's next message may contain a correction.";
    assert_eq!(rejected("Use tabs"), "Set up the proxy\n\nUse tabs");
    assert_eq!(rejected(note), "Set up the proxy\n\nUse tabs");
    let clarify = "The user wants to clarify these questions.";
    assert_eq!(rejected(clarify), "Set up the proxy");
    assert_eq!(rejected(""), "Set up the proxy");
    let failed = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"log: the user said:\nno","is_error":true}]}}"#;
    let content = only_content(&called("Bash", r#"{"command":"cat log"}"#, failed));
    assert_eq!(content.prompt, "Set up the proxy");
}
