//! Tool calls, in Claude Code's words: `bash` with `command` is `Bash`,
//! `filePath` is `file_path`.

use super::lenient_field::{self, LenientField};
use crate::call_result::{self, opened_pull_requests, opens_pull_request};
use crate::project::INPUT_PATH_LIMIT;
use crate::reminder;
use crate::tool_table::{file_paths, patched_files};
use crate::written_files::add_written_files;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use session_core::text::{self, to_snake_case};
use session_core::{CallDialog, CallStatus, ReadDetail, TEXT_LIMIT, ToolCall};

/// `state` of a part of type `tool`. `output` is there when it completed,
/// `error` when it failed, neither while it runs or when it was killed.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ToolState<'a> {
    #[serde(default)]
    status: LenientField<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    metadata: LenientField<ToolMetadata<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct ToolMetadata<'a> {
    #[serde(default, deserialize_with = "present_value")]
    exit: Option<Value>,
    #[serde(default, rename = "sessionId")]
    session: LenientField<String>,
    /// Of `question`: for each, what the user chose or wrote.
    #[serde(default)]
    answers: LenientField<Vec<Vec<String>>>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

impl<'a> ToolState<'a> {
    /// Returns the call whose state this is. `metadata.output` repeats `output`; it is
    /// read only of a command that was killed before it had one.
    pub(super) fn record(&self, id: String, tool: String) -> ToolRecord<'a> {
        let metadata = self.metadata.0.as_ref();
        let begun = metadata.and_then(|m| m.output);
        let result = self.output.or(self.error);
        ToolRecord {
            id,
            tool,
            status: self.status.0.clone(),
            input: self.input,
            exit: metadata.and_then(|m| m.exit.clone()),
            has_result: result.is_some(),
            output: lenient_field::output(result.or(begun)),
            session: metadata.and_then(|m| m.session.0.clone()),
            answers: metadata.and_then(|m| m.answers.0.clone()),
        }
    }
}

/// A call, whichever storage it is kept in.
#[derive(Debug, Default)]
pub(super) struct ToolRecord<'a> {
    pub(super) id: String,
    /// OpenCode's name of the tool.
    pub(super) tool: String,
    pub(super) status: Option<String>,
    pub(super) input: Option<&'a RawValue>,
    /// Exit code of a command; null when it was stopped.
    pub(super) exit: Option<Value>,
    /// The output is that of a call that ended.
    pub(super) has_result: bool,
    pub(super) output: Option<String>,
    /// Session of the subagent that it started.
    pub(super) session: Option<String>,
    /// The user's answers by question.
    pub(super) answers: Option<Vec<Vec<String>>>,
}

/// The input of `question`.
#[derive(Debug, Default, Deserialize)]
struct QuestionInput<'a> {
    #[serde(borrow, default)]
    questions: LenientField<Vec<LenientField<AskedQuestion<'a>>>>,
}

#[derive(Debug, Deserialize)]
struct AskedQuestion<'a> {
    #[serde(borrow)]
    question: Option<&'a RawValue>,
}

/// The inputs that the index needs, of all tools.
#[derive(Debug, Default, Deserialize)]
struct ToolInput<'a> {
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow, alias = "file_path", rename = "filePath")]
    file_path: Option<&'a RawValue>,
    #[serde(borrow, rename = "notebookPath")]
    notebook_path: Option<&'a RawValue>,
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    #[serde(borrow)]
    workdir: Option<&'a RawValue>,
    #[serde(borrow, rename = "patchText")]
    patch_text: Option<&'a RawValue>,
}

/// Beginnings of the errors of calls that were not allowed to run.
const REFUSALS: [&str; 2] = [
    "The user rejected permission",
    "The user has specified a rule which prevents",
];
/// Beginning of the error of a call that was stopped.
const ABORTED: &str = "Tool execution aborted";
/// OpenCode's words in the output of a command that the user stopped.
const USER_ABORTED: &str = "User aborted the command";

impl ToolRecord<'_> {
    /// Returns the call in the words of all sources.
    pub(super) fn call(self, detail: ReadDetail) -> ToolCall {
        let known = known_name(&self.tool);
        let status = self.call_status();
        let input: ToolInput<'_> = self
            .input
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let command = (known == Some("Bash"))
            .then(|| lenient_field::string(input.command, TEXT_LIMIT))
            .flatten();
        let directory = lenient_field::string(input.workdir, INPUT_PATH_LIMIT);
        let mut call = ToolCall {
            pull_requests: self.pull_requests(command.as_deref()),
            command,
            files: files(known.unwrap_or_default(), &input),
            input: full_input(self.input, known.is_some(), detail),
            output: self.kept_output(status, detail),
            status,
            dialog: self.dialog(),
            subagent: self.session.filter(|_| known == Some("Task")),
            delivered: None,
            name: known.map_or(self.tool, str::to_owned),
            id: self.id,
        };
        add_written_files(&mut call, directory.as_deref().unwrap_or_default());
        call
    }

    /// Returns the questions to the user, and the answers to each on a line.
    fn dialog(&self) -> Option<Box<CallDialog>> {
        let input = self.input.filter(|_| self.tool == "question")?;
        let input: QuestionInput<'_> = serde_json::from_str(input.get()).ok()?;
        let asked = input.questions.0.unwrap_or_default().into_iter();
        let asked = asked.filter_map(|q| lenient_field::string(q.0?.question, TEXT_LIMIT));
        let answers = self.answers.iter().flatten().map(|given| given.join(", "));
        CallDialog::new(join_lines(asked), join_lines(answers))
    }

    fn call_status(&self) -> CallStatus {
        match self.status.as_deref() {
            // For ever, where OpenCode was killed.
            Some("pending" | "running") => CallStatus::Unfinished,
            Some("error") if self.was_refused() => CallStatus::NotRun,
            Some(_) if self.was_stopped() => CallStatus::Unfinished,
            _ => CallStatus::from_failure(self.failed()),
        }
    }

    /// Returns true if its error says that the user, or a rule of theirs, did not let it run.
    fn was_refused(&self) -> bool {
        let output = self.output.as_deref().unwrap_or_default();
        REFUSALS.iter().any(|begin| output.starts_with(begin))
    }

    /// Returns true if its output says that the user stopped it.
    fn was_stopped(&self) -> bool {
        let output = self.output.as_deref().unwrap_or_default();
        let is_aborted = self.status.as_deref() == Some("error") && output.starts_with(ABORTED);
        is_aborted || self.has_no_exit_code() && output.contains(USER_ABORTED)
    }

    /// Returns true for a command that was stopped: by the user, or by its time.
    fn has_no_exit_code(&self) -> bool {
        let is_completed = self.status.as_deref() == Some("completed");
        self.tool == "bash" && is_completed && self.exit.as_ref().is_some_and(Value::is_null)
    }

    fn failed(&self) -> bool {
        let status = self.status.as_deref();
        let exit = self.exit.as_ref().and_then(Value::as_i64);
        self.tool == "invalid"
            || exit.unwrap_or_default() != 0
            || self.has_no_exit_code()
            || status == Some("error")
    }

    /// Returns the pull requests that the call opened, as its output names them.
    fn pull_requests(&self, command: Option<&str>) -> Vec<String> {
        let output = self.output.as_deref().filter(|_| self.has_result);
        if opens_pull_request(command, &self.tool) {
            opened_pull_requests(output.unwrap_or_default())
        } else {
            Vec::new()
        }
    }

    fn kept_output(&self, status: CallStatus, detail: ReadDetail) -> Option<String> {
        let output = reminder::strip(self.output.as_deref()?);
        let kept = match detail {
            // It was cut as it was decoded.
            ReadDetail::Full => Some(output.into_owned()),
            ReadDetail::Index => call_result::kept_output(&output, status, detail),
        };
        kept.filter(|words| self.has_result || !words.is_empty())
    }
}

/// Joins texts, each on a line of its own, without blank ones.
fn join_lines(texts: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
    let joined = lines.join("\n");
    Some(text::clip_words(&joined, TEXT_LIMIT).to_owned()).filter(|text| !text.is_empty())
}

/// Returns a value that is there, be it null.
pub(super) fn present_value<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Returns the list of changed files that a part of type `patch` holds: OpenCode notes
/// what a step changed, whichever tool or command it was.
pub(super) fn patch(files: Vec<String>) -> ToolCall {
    ToolCall {
        name: ToolCall::PATCH.to_owned(),
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

fn files(tool: &str, input: &ToolInput<'_>) -> Vec<String> {
    let [file, notebook, path] = [input.file_path, input.notebook_path, input.path]
        .map(|raw| lenient_field::string(raw, INPUT_PATH_LIMIT));
    let mut files = file_paths(
        tool,
        [file.as_deref(), notebook.as_deref()],
        path.as_deref(),
    );
    if let Some(patch) = lenient_field::string(input.patch_text, TEXT_LIMIT) {
        files.extend(patched_files(&patch));
    }
    files
}

fn full_input(input: Option<&RawValue>, known: bool, detail: ReadDetail) -> Value {
    match (detail, input) {
        (ReadDetail::Index, _) | (_, None) => Value::Null,
        (ReadDetail::Full, Some(raw)) if known => snake_keys(lenient_field::value(raw)),
        (ReadDetail::Full, Some(raw)) => lenient_field::value(raw),
    }
}

fn snake_keys(input: Value) -> Value {
    match input {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (known_key(&key), value))
            .collect(),
        other => other,
    }
}

/// Returns the name that an input has in other sources.
fn known_key(camel: &str) -> String {
    match camel {
        "patchText" => "patch".to_owned(),
        camel => to_snake_case(camel),
    }
}
