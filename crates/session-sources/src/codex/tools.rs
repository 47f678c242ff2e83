//! Calls of Codex in the vocabulary of all agents, and the words of a prompt.

use super::record::Payload;
use crate::{FieldName, ToolRow, ToolTable};
use serde_json::{Value, json};
use session_core::{ToolCall, join_path};
use std::borrow::Cow;

const TOOLS: ToolTable = ToolTable(&[
    ToolRow::new("exec_command", "Bash", &[FieldName::new("cmd", "command")]),
    ToolRow::new("shell_command", "Bash", &[]),
    ToolRow::new("shell", "Bash", &[]),
    ToolRow::new(
        "container.exec",
        "Bash",
        &[FieldName::new("cmd", "command")],
    ),
    ToolRow::new("write_stdin", "BashOutput", &[]),
    // JavaScript that makes calls.
    ToolRow::new("exec", "exec", &[FieldName::new("input", "command")]),
    ToolRow::new(
        "apply_patch",
        "ApplyPatch",
        &[FieldName::new("input", "patch")],
    ),
    ToolRow::new("view_image", "Read", &[FieldName::new("path", "file_path")]),
    ToolRow::new(
        "update_plan",
        "TodoWrite",
        &[FieldName::new("plan", "todos")],
    ),
    ToolRow::new("web_search", "WebSearch", &[]),
    ToolRow::new("request_user_input", "AskUserQuestion", &[]),
    ToolRow::new(
        "spawn_agent",
        "Task",
        &[
            FieldName::new("message", "prompt"),
            FieldName::new("agent_type", "subagent_type"),
        ],
    ),
]);

/// The heading before the words of a prompt that has files, findings or an editor's context.
const REQUEST: &str = "\n## My request for Codex:";

/// How texts begin that programs put into a prompt's place.
const NOT_TYPED: [&str; 5] = [
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "# AGENTS.md instructions for ",
];

/// Returns the words of a prompt among all that the model gets as the user's; empty where a program wrote it.
pub(super) fn typed_words_of_item(text: &str) -> &str {
    if NOT_TYPED.iter().any(|begin| text.trim().starts_with(begin)) {
        ""
    } else {
        typed_words(text)
    }
}

/// Returns the words of a prompt without what a program put around them.
pub(super) fn typed_words(text: &str) -> &str {
    let text = text.trim();
    let is_block =
        text.starts_with('<') && text.ends_with('>') || text.ends_with("</INSTRUCTIONS>");
    if is_block && NOT_TYPED.iter().any(|begin| text.starts_with(begin)) {
        return "";
    }
    let request = text.rfind(REQUEST).filter(|_| text.starts_with("# "));
    request.map_or(text, |at| text[at + REQUEST.len()..].trim())
}

/// Returns an answer without the tags around a plan in it.
pub(super) fn without_plan_tags(text: &str) -> Cow<'_, str> {
    if text.contains("<proposed_plan>") {
        text.replace("<proposed_plan>", "")
            .replace("</proposed_plan>", "")
            .into()
    } else {
        text.into()
    }
}

/// Makes a call of an item of the types `function_call` and `custom_tool_call`.
pub(super) fn call(item: &Payload<'_>) -> ToolCall {
    let id = item.call_id.or_empty();
    let input = match item.input.present() {
        Some(input) => Value::String(input.to_owned()),
        None => serde_json::from_str(item.arguments.or_empty()).unwrap_or_default(),
    };
    let name = full_name(item.namespace.or_empty(), item.name.or_empty());
    let call = TOOLS.call(id, &name, input);
    let workdir = call.input.get("workdir").and_then(Value::as_str);
    let line = call.command.as_deref().unwrap_or_default();
    let Some(folder) = patch_folder(line) else {
        return call;
    };
    // Codex does not run it: it carries out the patch in it.
    let mut applied = patch(id, line.to_owned());
    let folder = join_path(workdir.unwrap_or_default(), folder.to_owned());
    let files = applied.files.into_iter();
    applied.files = files.map(|path| join_path(&folder, path)).collect();
    applied
}

/// Makes a call that applies a patch.
pub(super) fn patch(id: &str, patch: String) -> ToolCall {
    TOOLS.call(id, "apply_patch", Value::String(patch))
}

/// Makes a call that runs a command.
pub(super) fn shell(id: &str, command: &str) -> ToolCall {
    TOOLS.call(id, "shell", json!({ "command": command }))
}

/// Returns the folder of a command that is only a patch: `apply_patch <<'EOF'`, after `cd folder &&` or not; `None`
/// for another command.
fn patch_folder(line: &str) -> Option<&str> {
    let moved = line
        .strip_prefix("cd ")
        .and_then(|rest| rest.split_once("&&"));
    let (folder, line) = moved.unwrap_or(("", line));
    let is_patch = line.trim_start().starts_with("apply_patch") && line.contains("*** Begin Patch");
    is_patch.then(|| folder.trim().trim_matches(['"', '\'']))
}

/// Tools of a server are known as `mcp__server__tool`.
fn full_name(namespace: &str, name: &str) -> String {
    if namespace.starts_with("mcp__") {
        format!("{namespace}__{}", name.trim_start_matches('_'))
    } else {
        name.to_owned()
    }
}

/// Makes a call of an item of the type `local_shell_call`.
pub(super) fn shell_call(item: &Payload<'_>) -> ToolCall {
    let action: Value = raw_action(item);
    let words = action.get("command").cloned().unwrap_or_default();
    let input = json!({ "command": words });
    TOOLS.call(item.call_id.or_empty(), "shell", input)
}

/// Makes a call of an item of the type `web_search_call`, whose result is recorded nowhere.
pub(super) fn web_search(item: &Payload<'_>) -> ToolCall {
    TOOLS.call("", "web_search", raw_action(item))
}

fn raw_action(item: &Payload<'_>) -> Value {
    let raw = item.action.map_or("null", |raw| raw.get());
    serde_json::from_str(raw).unwrap_or_default()
}

/// Makes a call of a command that the user ran.
pub(super) fn user_shell(id: &str, command: &str) -> ToolCall {
    shell(id, command)
}
