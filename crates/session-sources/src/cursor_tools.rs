//! Tools of Cursor's editor and of its command line, of all versions.

use crate::{FieldName, ToolRow, ToolTable};
use serde_json::{Value, json};
use session_core::ToolCall;

const FILE: &[FieldName] = &[
    FieldName::new("target_file", "file_path"),
    FieldName::new("targetFile", "file_path"),
    FieldName::new("relativeWorkspacePath", "file_path"),
    FieldName::new("path", "file_path"),
    FieldName::new("old_str", "old_string"),
    FieldName::new("new_str", "new_string"),
    FieldName::new("contents", "content"),
    FieldName::new("fileText", "content"),
];
const FOLDER: &[FieldName] = &[
    FieldName::new("target_directory", "path"),
    FieldName::new("targetDirectory", "path"),
    FieldName::new("relative_workspace_path", "path"),
];
const SEARCH: &[FieldName] = &[
    FieldName::new("query", "pattern"),
    FieldName::new("globPattern", "pattern"),
];

/// A file that is deleted is changed.
const TOOLS: ToolTable = ToolTable(&[
    ToolRow::new("run_terminal_cmd", "Bash", &[]),
    ToolRow::new("run_terminal_command", "Bash", &[]),
    ToolRow::new("Shell", "Bash", &[]),
    ToolRow::new("read_file", "Read", FILE),
    ToolRow::new("Read", "Read", FILE),
    ToolRow::new("edit_file", "Edit", FILE),
    ToolRow::new("search_replace", "Edit", FILE),
    ToolRow::new("StrReplace", "Edit", FILE),
    ToolRow::new("delete_file", "Edit", FILE),
    ToolRow::new("Delete", "Edit", FILE),
    ToolRow::new("write", "Write", FILE),
    ToolRow::new("write_file", "Write", FILE),
    ToolRow::new("create_file", "Write", FILE),
    ToolRow::new("Write", "Write", FILE),
    ToolRow::new(
        "apply_patch",
        "ApplyPatch",
        &[FieldName::new("patch", "patch")],
    ),
    ToolRow::new(
        "ApplyPatch",
        "ApplyPatch",
        &[FieldName::new("patch", "patch")],
    ),
    ToolRow::new("grep", "Grep", SEARCH),
    ToolRow::new("grep_search", "Grep", SEARCH),
    ToolRow::new("ripgrep", "Grep", SEARCH),
    ToolRow::new("ripgrep_raw_search", "Grep", SEARCH),
    ToolRow::new("file_search", "Glob", SEARCH),
    ToolRow::new("glob_file_search", "Glob", SEARCH),
    ToolRow::new("list_dir", "LS", FOLDER),
    ToolRow::new("web_search", "WebSearch", &[]),
    ToolRow::new("web_fetch", "WebFetch", &[]),
    ToolRow::new("todo_write", "TodoWrite", &[]),
    ToolRow::new("task", "Task", &[]),
    ToolRow::new("Subagent", "Task", &[]),
    ToolRow::new(ASK_QUESTION, "AskUserQuestion", &[]),
    ToolRow::new("AskQuestion", "AskUserQuestion", &[]),
]);

const ASK_QUESTION: &str = "ask_question";

/// Makes a call of what Cursor calls `tool`, in whatever version of it (`edit_file_v2`).
pub(crate) fn call(id: &str, tool: &str, mut input: Value) -> ToolCall {
    let name = match tool.rsplit_once("_v") {
        Some((name, version)) if is_number(version) => name,
        _ => tool,
    };
    if let Some(questions) = input.get_mut("questions").and_then(Value::as_array_mut) {
        questions.iter_mut().for_each(rename_question);
    }
    TOOLS.call(id, name, input)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn rename_question(question: &mut Value) {
    if question["prompt"].is_string() {
        *question = json!({ "question": question["prompt"] });
    }
}
