//! Tool calls of all agents in one vocabulary: that of Claude Code.

use crate::call_result::clipped;
use crate::project::INPUT_PATH_LIMIT;
use crate::written_files::add_written_files;
use serde_json::{Map, Value};
use session_core::{CallDialog, ToolCall, text};

/// Tools of which `path` is a folder to look through.
const FOLDER_TOOLS: [&str; 3] = ["Grep", "Glob", "LS"];
/// Tools whose `command` a shell runs.
pub(crate) const SHELL_TOOLS: [&str; 3] = ["Bash", "PowerShell", "Monitor"];
/// Fields of inputs that name the directory of a command.
const DIRECTORY_FIELDS: [&str; 5] = [
    "workdir",
    "directory",
    "dir_path",
    "cwd",
    "working_directory",
];

/// The name of a field of an input, of an agent and in the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldName {
    /// The agent's name.
    pub agent: &'static str,
    /// The name in the vocabulary.
    pub common: &'static str,
}

impl FieldName {
    /// Returns a field with both of its names.
    pub const fn new(agent: &'static str, common: &'static str) -> Self {
        Self { agent, common }
    }
}

/// How one tool of an agent is called in the vocabulary of all.
#[derive(Debug, Clone, Copy)]
pub struct ToolRow {
    /// The agent's name of it.
    pub agent_name: &'static str,
    /// The name in the vocabulary: `Bash`, `Read`, `Edit`, `MultiEdit`, `Write`, `ApplyPatch`, `Grep`,
    /// `Glob`, `LS`, `WebFetch`, `WebSearch`, `Task`, `TodoWrite`, `Skill`, `AskUserQuestion`.
    pub name: &'static str,
    /// Fields of its input; in the vocabulary `command` of a `Bash`, `file_path` of what touches one file, `patch` of an
    /// `ApplyPatch`.
    pub fields: &'static [FieldName],
}

impl ToolRow {
    /// Returns a row, field by field.
    pub const fn new(
        agent_name: &'static str,
        name: &'static str,
        fields: &'static [FieldName],
    ) -> Self {
        Self {
            agent_name,
            name,
            fields,
        }
    }
}

/// The tools of an agent. What is not in it keeps its names.
#[derive(Debug, Clone, Copy)]
pub struct ToolTable(pub &'static [ToolRow]);

impl ToolTable {
    /// Makes a call of what an agent calls `tool`: its command and files are taken from the input.
    /// An input that is a text is the first field of the tool.
    pub fn call(&self, id: &str, tool: &str, input: Value) -> ToolCall {
        let row = self.0.iter().find(|row| row.agent_name == tool);
        let name = row.map_or(tool, |row| row.name);
        let input = rename_fields(row.map_or(&[], |row| row.fields), input);
        let mut call = ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            command: read_command(name, &input),
            files: read_files(name, &input),
            dialog: CallDialog::new(read_questions(name, &input), None),
            ..ToolCall::default()
        };
        add_written_files(&mut call, working_directory(&input));
        call.input = input;
        call
    }
}

fn rename_fields(fields: &[FieldName], input: Value) -> Value {
    let first = fields.first().map(|field| field.common);
    match (input, first) {
        (Value::Object(input), _) => input
            .into_iter()
            .map(|(key, value)| (common_field_name(fields, key), value))
            .collect(),
        (Value::String(input), Some(name)) => {
            Value::Object(Map::from_iter([(name.to_owned(), input.into())]))
        }
        (input, _) => input,
    }
}

fn common_field_name(fields: &[FieldName], key: String) -> String {
    let field = fields.iter().find(|field| field.agent == key);
    field.map_or(key, |field| field.common.to_owned())
}

/// Returns the command of a shell; a list of words is one `sh -c` or the like, or a program by itself.
fn read_command(name: &str, input: &Value) -> Option<String> {
    let command = input
        .get("command")
        .filter(|_| SHELL_TOOLS.contains(&name))?;
    match command {
        Value::String(line) => Some(clipped(line)),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(clipped(&command_line(&words)))
        }
        _ => None,
    }
}

/// Returns the directory in which a call runs its command; empty where it names none.
fn working_directory(input: &Value) -> &str {
    let mut fields = DIRECTORY_FIELDS.into_iter();
    let directory = fields.find_map(|field| input.get(field)?.as_str());
    text::clip(directory.unwrap_or_default(), INPUT_PATH_LIMIT)
}

/// Returns the questions of a call to the user, a line each.
fn read_questions(name: &str, input: &Value) -> Option<String> {
    let asked = input
        .get("questions")
        .filter(|_| name == "AskUserQuestion")?;
    let texts = asked.as_array()?.iter();
    let texts = texts.filter_map(|asked| asked.get("question")?.as_str());
    let questions = texts.collect::<Vec<_>>().join("\n");
    (!questions.trim().is_empty()).then(|| clipped(&questions))
}

/// Returns the line that these words run: that of `bash -lc LINE`, or all of them.
pub(crate) fn command_line(words: &[&str]) -> String {
    match words {
        [shell, option, line] if shell.ends_with("sh") && option.starts_with('-') => {
            (*line).to_owned()
        }
        words => words.join(" "),
    }
}

fn read_files(name: &str, input: &Value) -> Vec<String> {
    if name == "ApplyPatch" {
        let patch = input.get("patch").and_then(Value::as_str);
        return patched_files(patch.unwrap_or_default());
    }
    let field = |field: &str| input.get(field).and_then(Value::as_str);
    let named = [field("file_path"), field("notebook_path")];
    file_paths(name, named, field("path"))
}

/// Returns the files that an input names, where it names them. The `path` of some tools is a folder.
pub(crate) fn file_paths<'p>(
    tool: &str,
    named: impl IntoIterator<Item = Option<&'p str>>,
    path: Option<&'p str>,
) -> Vec<String> {
    let path = path.filter(|_| !FOLDER_TOOLS.contains(&tool));
    let paths = named.into_iter().chain([path]).flatten();
    paths
        .filter(|path| !path.is_empty())
        .map(|path| text::clip(path, INPUT_PATH_LIMIT).to_owned())
        .collect()
}

/// Returns the files that a patch in the form of `apply_patch` changes.
pub fn patched_files(patch: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in patch.lines().filter_map(patched_file) {
        if !files.iter().any(|known| known == path) {
            files.push(path.to_owned());
        }
    }
    files
}

/// Returns the file that a line of a patch names: `*** Update File: src/main.rs`.
fn patched_file(line: &str) -> Option<&str> {
    let line = line.strip_prefix("*** ")?;
    ["Update File: ", "Add File: ", "Delete File: ", "Move to: "]
        .into_iter()
        .find_map(|verb| line.strip_prefix(verb))
        .map(|path| text::clip(path.trim(), INPUT_PATH_LIMIT))
}
