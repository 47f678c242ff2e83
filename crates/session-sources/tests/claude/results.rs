//! Results of calls: what the user said in them, and how they tell that a call ended.

use crate::support::Transcript;
use crate::turns::searched;
use serde_json::{Value, json};
use session_core::{CallStatus, TurnContent};

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

#[test]
fn what_the_user_changed_in_a_plan_is_said() {
    let input = r##"{"plan":"# Proxy\n\nListen on 8443.\nTell ben."}"##;
    let content = |label: &str, plan: &str| {
        let told = format!("User has approved your plan.\n\n## {label}:\n{plan}");
        let result = json!({"type": "user", "toolUseResult": {"plan": plan, "isAgent": false}, "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": told}]}});
        only_content(&called("ExitPlanMode", input, &result.to_string()))
    };
    let (plan, edited) = (
        "# Proxy\n\nListen on 8443.\nTell ben.",
        "Approved Plan (edited by user)",
    );
    let changed = content(
        edited,
        "# Proxy\n\nListen on 9443, behind the wombat.\nTell ben.",
    );
    assert_eq!(
        changed.prompt,
        "Set up the proxy\n\nListen on 9443, behind the wombat."
    );
    assert_eq!(changed.answer, plan);
    for (label, plan) in [
        (edited, plan),
        ("Approved Plan", plan),
        ("Approved Plan", "Listen"),
    ] {
        assert_eq!(content(label, plan).prompt, "Set up the proxy");
    }
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
        "Claude requested permissions to read from /home/ann/.netrc, but you haven't granted it yet.",
        "<tool_use_error>Blocked: sleep 90 followed by: git status. Run it in the background.</tool_use_error>",
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
    let answered = format!(
        r#"{clarify}\n    This means they may have questions for you.\n\n    Questions asked:\n- \"Which port?\"\n  Answer: 8443\nfor now\n- \"Which host?\"\n  (No answer provided)\n- \"Which store?\"\n  Answer: (No answer provided)\n  User notes: wombat{note}"#,
        note = r"\n\nNote: The user's next message may contain a correction."
    );
    assert_eq!(
        rejected(&answered),
        "Set up the proxy\n\n8443\nfor now\nwombat"
    );
    assert_eq!(rejected(""), "Set up the proxy");
    let failed = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"log: the user said:\nno","is_error":true}]}}"#;
    let content = only_content(&called("Bash", r#"{"command":"cat log"}"#, failed));
    assert_eq!(content.prompt, "Set up the proxy");
}

#[test]
fn a_command_changes_the_files_that_it_writes() {
    let input = r#"{"command":"cat >> a/b_test.go <<EOF\nx > y\nEOF"}"#;
    let accessed = |is_error: bool| {
        let result = json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": is_error, "content": "x"}]}});
        let lines = called("Bash", input, &result.to_string());
        let begin = r#"{"type":"assistant","#;
        let content =
            only_content(&lines.replace(begin, &format!(r#"{begin}"cwd":"/home/ann/app","#)));
        let files = content.accessed_files();
        files
            .map(|file| format!("{} {}", file.access.label(), file.path))
            .collect::<Vec<_>>()
    };
    assert_eq!(accessed(false), ["edited /home/ann/app/a/b_test.go"]);
    assert_eq!(accessed(true), [""; 0], "it failed");
}
