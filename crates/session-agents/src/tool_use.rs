//! A call of a tool, as Claude Code and Codex describe it to a hook.

use crate::hook_event::HookEvent;
use crate::hook_input::{HookInput, MAX_TEXT_BYTES};
use serde_json::Value;
use session_core::text::{clip, sanitize_text};
use session_sources::patched_files;
use std::path::PathBuf;

/// The inputs that name a file.
const FILE_KEYS: [&str; 2] = ["file_path", "notebook_path"];
/// The input that names a file or a folder.
const PATH_KEY: &str = "path";
/// The tools that change something.
const CHANGING_TOOLS: [&str; 7] = [
    "Bash",
    "PowerShell",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Write",
    PATCH_TOOL,
];
/// The tool by which Codex changes files; its patch is the input `command`.
const PATCH_TOOL: &str = "apply_patch";

/// A call of a tool: what it reads, changes or runs, or how it failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// The files and folders that it names, and the globs that it searches.
    pub paths: Vec<PathBuf>,
    /// The command line that it runs, as [`HookInput::command`] returns it.
    pub command: Option<String>,
    /// The texts of its input but the paths, a line each.
    pub text: String,
    /// The error with which it ended, or the output of a command that may have failed.
    pub error: Option<String>,
    /// It has not run yet, and may change something.
    pub is_pending_change: bool,
}

impl ToolUse {
    /// Reads the call in the input of a hook; `None` for an event without one.
    pub fn from_hook(input: &HookInput) -> Option<Self> {
        match input.event()? {
            HookEvent::PreToolUse => Some(Self {
                paths: read_paths(input),
                command: input.command().map(str::to_owned),
                text: join_texts(&input.tool_input),
                error: None,
                is_pending_change: CHANGING_TOOLS.contains(&input.tool_name.as_str()),
            }),
            HookEvent::PostToolUseFailure => Some(Self {
                error: input.error.as_deref().map(strip_escapes),
                ..Self::default()
            }),
            HookEvent::PostToolUse => Some(Self {
                error: read_output(input),
                ..Self::default()
            }),
            HookEvent::UserPromptSubmit | HookEvent::SessionStart | HookEvent::PreCompact => None,
        }
    }
}

/// Joins the texts of a call's input, those within lists too: `edits` of MultiEdit has some. Paths are left out: a whole path
/// begins with folders that say nothing about the call.
fn join_texts(input: &Value) -> String {
    let mut texts = Vec::new();
    add_texts(input, &mut texts);
    clip(&texts.join("\n"), MAX_TEXT_BYTES).to_owned()
}

fn add_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| add_texts(value, texts)),
        Value::Object(fields) => {
            let is_path = |key: &str| key == PATH_KEY || FILE_KEYS.contains(&key);
            let others = fields.iter().filter(|(key, _)| !is_path(key));
            others.for_each(|(_, value)| add_texts(value, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn read_text(input: &HookInput, key: &str) -> Option<String> {
    let text = input.tool_input.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads the output of a command, as Codex gives it: without its exit code.
fn read_output(input: &HookInput) -> Option<String> {
    input.command()?;
    input.tool_response.as_str().map(strip_escapes)
}

/// Returns an output as a person reads it, without colours.
fn strip_escapes(output: &str) -> String {
    sanitize_text(output).into_owned()
}

fn read_paths(input: &HookInput) -> Vec<PathBuf> {
    if input.tool_name == PATCH_TOOL {
        let patch = read_text(input, "command").unwrap_or_default();
        return patched_files(&patch)
            .into_iter()
            .map(PathBuf::from)
            .collect();
    }
    let files = FILE_KEYS
        .into_iter()
        .filter_map(|key| read_text(input, key));
    let mut paths: Vec<PathBuf> = files.map(PathBuf::from).collect();
    let searched = match input.tool_name.as_str() {
        "Grep" => read_text(input, "glob"),
        "Glob" => read_text(input, "pattern"),
        _ => return paths,
    };
    let folder = read_text(input, PATH_KEY).map(PathBuf::from);
    let below = PathBuf::from(searched.as_deref().unwrap_or("*"));
    match folder {
        Some(folder) => paths.extend([folder.join(below), folder]),
        None if searched.is_some() => paths.push(below),
        None => {}
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pending(tool: &str, input: Value) -> ToolUse {
        let json = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
        let input: HookInput = serde_json::from_value(json).unwrap();
        ToolUse::from_hook(&input).unwrap()
    }

    fn paths(tool: &str, input: Value) -> Vec<PathBuf> {
        pending(tool, input).paths
    }

    #[test]
    fn a_command_line_is_read_as_far_as_there_is_time() {
        let line = "(".repeat(2 << 20);
        let command = pending("Bash", json!({"command": line})).command.unwrap();
        assert_eq!(command.len(), MAX_TEXT_BYTES);
    }

    #[test]
    fn each_tool_names_its_files_in_its_own_way() {
        let edit = pending("Edit", json!({"file_path": "/a/b.go", "old_string": "x"}));
        assert_eq!(edit.paths, [PathBuf::from("/a/b.go")]);
        assert!(edit.is_pending_change);
        let read = pending("Read", json!({"file_path": "/a/b.go"}));
        assert!(!read.is_pending_change);
        let notebook = paths("NotebookEdit", json!({"notebook_path": "/a.ipynb"}));
        assert_eq!(notebook, [PathBuf::from("/a.ipynb")]);
        let grep = paths("Grep", json!({"pattern": "x", "path": "/a"}));
        assert_eq!(grep, ["/a/*", "/a"].map(PathBuf::from));
        assert!(paths("Grep", json!({"pattern": "x"})).is_empty());
        let glob = paths("Glob", json!({"pattern": "**/*.go"}));
        assert_eq!(glob, [PathBuf::from("**/*.go")]);
    }

    #[test]
    fn the_texts_of_a_call_are_read_without_its_paths() {
        let edits = json!([{"old_string": "a", "new_string": "lamp"}, {"old_string": "b", "new_string": "oil"}]);
        let edited = pending("MultiEdit", json!({"file_path": "/a/b.go", "edits": edits}));
        assert_eq!(edited.text, "lamp\na\noil\nb");
        let searched = pending("Grep", json!({"pattern": "wick", "path": "/a", "-n": true}));
        assert_eq!(searched.text, "wick");
    }

    #[test]
    fn a_patch_names_the_files_that_it_changes() {
        let patch = "*** Begin Patch\n*** Update File: a/b.go\n*** Move to: a/c.go\n@@\n-1\n+2\n*** End Patch\n";
        let patched = pending("apply_patch", json!({"command": patch}));
        assert_eq!(patched.paths, ["a/b.go", "a/c.go"].map(PathBuf::from));
        assert_eq!((patched.command, patched.is_pending_change), (None, true));
        assert!(paths("apply_patch", json!({})).is_empty());
    }

    #[test]
    fn the_output_of_a_command_may_be_an_error() {
        let ended = |tool: &str, command: &str, response: Value| {
            let json = json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"command": command}, "tool_response": response});
            let input: HookInput = serde_json::from_value(json).unwrap();
            ToolUse::from_hook(&input).unwrap().error
        };
        let output = json!("boom\n");
        let read = ended("Bash", "make", output.clone());
        assert_eq!(read.as_deref(), Some("boom\n"));
        assert_eq!(ended("apply_patch", "*** Begin Patch", output), None);
        assert_eq!(ended("Bash", "make", json!({"stdout": "boom"})), None);
    }

    #[test]
    fn a_command_and_an_error_are_read() {
        let powershell = pending("PowerShell", json!({"command": "terraform apply"}));
        assert_eq!(powershell.command.as_deref(), Some("terraform apply"));
        assert!(powershell.is_pending_change);
        let bash = pending("Bash", json!({"command": "terraform apply"}));
        assert_eq!(bash.command.as_deref(), Some("terraform apply"));
        let json = json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "x"}, "error": "Exit code 3"});
        let failed: HookInput = serde_json::from_value(json).unwrap();
        let expected = ToolUse {
            error: Some("Exit code 3".to_owned()),
            ..ToolUse::default()
        };
        assert_eq!(ToolUse::from_hook(&failed), Some(expected));
        assert_eq!(pending("Bash", json!(3)).command, None);
        assert_eq!(ToolUse::from_hook(&HookInput::default()), None);
    }
}
