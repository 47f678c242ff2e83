//! Tool calls, in Claude Code's words: `bash` with `command` is `Bash`,
//! `filePath` is `file_path`.

use super::json::{self, Lax};
use crate::reminder;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use session_core::{Detail, TEXT_LIMIT, ToolCall, text};

/// `state` of a part of type `tool`. `output` is there when it completed,
/// `error` when it failed, neither while it runs or when it was killed.
#[derive(Debug, Default, Deserialize)]
pub(super) struct State<'a> {
    #[serde(default)]
    status: Lax<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    metadata: Lax<Metadata<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata<'a> {
    #[serde(default, deserialize_with = "some")]
    exit: Option<Value>,
    #[serde(default, rename = "sessionId")]
    session: Lax<String>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// The inputs that the index needs, of all tools.
#[derive(Debug, Default, Deserialize)]
struct Input<'a> {
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow, alias = "file_path", rename = "filePath")]
    file_path: Option<&'a RawValue>,
    #[serde(borrow, rename = "notebookPath")]
    notebook_path: Option<&'a RawValue>,
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    #[serde(borrow, rename = "patchText")]
    patch_text: Option<&'a RawValue>,
}

/// Longest path taken from an input, in bytes.
const PATH_LIMIT: usize = 4096;

/// The call that a part of type `tool` describes.
pub(super) fn call(id: String, tool: &str, state: &State<'_>, detail: Detail) -> ToolCall {
    let metadata = state.metadata.0.as_ref();
    // No exit code has what was stopped: by the user, or by its time.
    let exit = metadata.and_then(|m| m.exit.as_ref());
    let status = state.status.0.as_deref();
    let stopped = tool == "bash" && status == Some("completed") && exit.is_some_and(Value::is_null);
    let exit = exit.and_then(Value::as_i64).unwrap_or_default();
    let failed = tool == "invalid" || exit != 0 || stopped || status == Some("error");
    let known = known_name(tool);
    let input: Input<'_> = state
        .input
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    let command = (known == Some("Bash"))
        .then(|| json::string(input.command, TEXT_LIMIT))
        .flatten();
    ToolCall {
        id,
        name: known.unwrap_or(tool).to_owned(),
        pull_requests: opened(state, command.as_deref()),
        command,
        files: files(&input),
        input: full_input(state, known.is_some(), detail),
        output: output(state, failed, detail),
        failed,
        subagent: metadata
            .filter(|_| known == Some("Task"))
            .and_then(|m| m.session.0.clone()),
        dialog: None,
        late: None,
    }
}

/// A value that is there, be it null.
fn some<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// The pull requests that a command opened, as its output tells.
fn opened(state: &State<'_>, command: Option<&str>) -> Vec<String> {
    if !command.is_some_and(text::opens_pull_request) {
        return Vec::new();
    }
    let output = json::string(state.output, TEXT_LIMIT).unwrap_or_default();
    let found = text::pull_requests(&output).into_iter();
    found.map(str::to_owned).collect()
}

/// A call without a name that stands for a list of changed files (`patch`
/// parts): OpenCode notes what a step changed, whichever tool or command it was.
pub(super) fn patch(files: Vec<String>) -> ToolCall {
    ToolCall {
        files,
        ..ToolCall::default()
    }
}

fn known_name(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "bash" => "Bash",
        "read" => "Read",
        "edit" => "Edit",
        "multiedit" => "MultiEdit",
        "write" => "Write",
        "apply_patch" | "patch" => "ApplyPatch",
        "grep" => "Grep",
        "glob" => "Glob",
        "list" => "LS",
        "webfetch" => "WebFetch",
        "websearch" => "WebSearch",
        "task" => "Task",
        "todowrite" => "TodoWrite",
        "todoread" => "TodoRead",
        "skill" => "Skill",
        "question" => "AskUserQuestion",
        _ => return None,
    })
}

fn files(input: &Input<'_>) -> Vec<String> {
    let mut files: Vec<String> = [input.file_path, input.notebook_path, input.path]
        .into_iter()
        .filter_map(|raw| json::string(raw, PATH_LIMIT))
        .filter(|path| !path.is_empty())
        .collect();
    if let Some(patch) = json::string(input.patch_text, TEXT_LIMIT) {
        files.extend(patch.lines().filter_map(patched_file).map(str::to_owned));
    }
    files
}

/// The file that a line of a patch names: `*** Update File: src/main.rs`.
fn patched_file(line: &str) -> Option<&str> {
    let line = line.strip_prefix("*** ")?;
    ["Update File: ", "Add File: ", "Delete File: ", "Move to: "]
        .into_iter()
        .find_map(|verb| line.strip_prefix(verb))
        .map(|path| text::clip(path.trim(), PATH_LIMIT))
}

fn full_input(state: &State<'_>, known: bool, detail: Detail) -> Value {
    match (detail, state.input) {
        (Detail::Index, _) | (_, None) => Value::Null,
        (Detail::Full, Some(raw)) if known => snake_keys(json::value(raw)),
        (Detail::Full, Some(raw)) => json::value(raw),
    }
}

fn snake_keys(input: Value) -> Value {
    match input {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (snake(&key), value))
            .collect(),
        other => other,
    }
}

fn snake(camel: &str) -> String {
    let mut out = String::with_capacity(camel.len() + 4);
    for c in camel.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// `metadata.output` repeats `output`; it is read only of a command that was
/// killed before it had one.
fn output(state: &State<'_>, failed: bool, detail: Detail) -> Option<String> {
    let result = state.output.or(state.error);
    let begun = || state.metadata.0.as_ref().and_then(|m| m.output);
    let output = json::string(result.or_else(begun), TEXT_LIMIT)?;
    let output = reminder::strip(&output);
    let kept = match detail {
        Detail::Full => output.into_owned(),
        Detail::Index => text::error_lines(&output, failed).join("\n"),
    };
    let empty_result = detail == Detail::Full && result.is_some();
    Some(kept).filter(|words| empty_result || !words.is_empty())
}
