//! Calls of Gemini CLI in the vocabulary of all agents.

use super::output;
use super::record::GeminiCall;
use crate::turn_writer::CallOutcome;
use crate::{FieldName, ToolRow, ToolTable};
use serde_json::{Value, json};
use session_core::{CallStatus, ToolCall};

const SHELL: &str = "run_shell_command";
const QUESTIONS: &str = "ask_user";

const TOOLS: ToolTable = ToolTable(&[
    ToolRow::new(SHELL, "Bash", &[]),
    ToolRow::new(
        "read_file",
        "Read",
        &[FieldName::new("absolute_path", "file_path")],
    ),
    ToolRow::new("read_many_files", "Read", &[]),
    ToolRow::new("replace", "Edit", &[]),
    ToolRow::new("write_file", "Write", &[]),
    ToolRow::new("glob", "Glob", &[FieldName::new("dir_path", "path")]),
    ToolRow::new("grep_search", "Grep", &[FieldName::new("dir_path", "path")]),
    ToolRow::new(
        "search_file_content",
        "Grep",
        &[FieldName::new("dir_path", "path")],
    ),
    ToolRow::new(
        "list_directory",
        "LS",
        &[FieldName::new("dir_path", "path")],
    ),
    ToolRow::new("web_fetch", "WebFetch", &[]),
    ToolRow::new("google_web_search", "WebSearch", &[]),
    ToolRow::new("write_todos", "TodoWrite", &[]),
    ToolRow::new(
        "invoke_agent",
        "Task",
        &[FieldName::new("agent_name", "subagent_type")],
    ),
    ToolRow::new(
        "activate_skill",
        "Skill",
        &[FieldName::new("name", "skill")],
    ),
    ToolRow::new(QUESTIONS, "AskUserQuestion", &[]),
]);

/// Makes a call.
pub(super) fn call(id: &str, call: &GeminiCall<'_>) -> ToolCall {
    let args = call.args.map_or("null", |args| args.get());
    let input = serde_json::from_str(args).unwrap_or_default();
    TOOLS.call(id, &full_name(call.name.or_empty()), input)
}

/// Makes a call of a command that the user ran.
pub(super) fn user_shell(id: &str, command: &str) -> ToolCall {
    TOOLS.call(id, SHELL, json!({ "command": command }))
}

/// Tools of a server are called `mcp_server_tool`, and known as `mcp__server__tool`.
fn full_name(name: &str) -> String {
    let parts = name
        .strip_prefix("mcp_")
        .and_then(|name| name.split_once('_'));
    match parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty()) {
        Some((server, tool)) => format!("mcp__{server}__{tool}"),
        None => name.to_owned(),
    }
}

/// The client's words in the result of a call that the user did not allow.
const NOT_ALLOWED: [&str; 2] = ["User did not allow tool call", "User denied execution"];

/// Returns what came of a call.
pub(super) fn outcome(id: &str, call: &GeminiCall<'_>) -> CallOutcome {
    let printed = call.result.tool_output();
    let text = output::without_tags(&printed);
    let parsed = match call.name.or_empty() {
        SHELL => output::ShellOutput::parse(text),
        _ => output::ShellOutput::plain(text),
    };
    let is_refused = || NOT_ALLOWED.iter().any(|words| text.contains(words));
    CallOutcome {
        id: id.to_owned(),
        reply: Some(text)
            .filter(|_| call.name.or_empty() == QUESTIONS)
            .and_then(answers),
        output: parsed.text.to_owned(),
        status: match call.status.or_empty() {
            "cancelled" if is_refused() => CallStatus::NotRun,
            "cancelled" => CallStatus::Unfinished,
            "error" => CallStatus::Failed,
            _ if call.result.has_error() => CallStatus::Failed,
            _ => parsed.status,
        },
        subagent: call.agent_id.get().map(str::to_owned),
    }
}

/// Returns the user's answers to questions, a line each: `{"answers":{"0":…}}`.
fn answers(output: &str) -> Option<String> {
    let json: Value = serde_json::from_str(output).ok()?;
    let answers = json.get("answers")?.as_object()?.values();
    let answers: Vec<&str> = answers.filter_map(Value::as_str).collect();
    Some(answers.join("\n"))
}
