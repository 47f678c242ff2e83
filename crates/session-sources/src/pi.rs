//! pi: one JSONL file a session, whose entries are a tree. All branches are read, in the order of the file.

mod attached_text;
mod nested_calls;

use crate::json::{joined_texts, text};
use crate::{
    AgentInfo, CallOutcome, Env, FieldName, HistoryFolder, JsonlFormat, PathSession, ToolRow,
    ToolTable, TurnWriter, milliseconds,
};
use attached_text::AttachedText;
use serde_json::{Value, json};
use session_core::{CallStatus, PromptKind, TokenTotals, ToolCall, text::file_name};
use std::path::Path;

/// Names a folder of sessions.
const SESSION_FOLDER: &str = "PI_CODING_AGENT_SESSION_DIR";

static AGENT: AgentInfo = AgentInfo {
    folders: &[".pi/agent"],
    variables: &["PI_CODING_AGENT_DIR", SESSION_FOLDER],
    session_paths: &["sessions/--*--/*.jsonl"],
    resume: &["pi", "--session", "{id}"],
    fork: &["pi", "--fork", "{id}"],
    session_variables: &["PI_SESSION_ID"],
    mark_variables: &["PI_CODING_AGENT"],
    ..AgentInfo::new("pi", "pi")
};

const EDIT_FIELDS: &[FieldName] = &[
    FieldName::new("path", "file_path"),
    FieldName::new("oldText", "old_string"),
    FieldName::new("newText", "new_string"),
];

const TOOLS: ToolTable = ToolTable(&[
    ToolRow::new("bash", "Bash", &[]),
    ToolRow::new("powershell", "PowerShell", &[]),
    ToolRow::new("read", "Read", &[FieldName::new("path", "file_path")]),
    ToolRow::new("edit", "Edit", EDIT_FIELDS),
    ToolRow::new(MULTI_EDIT, "MultiEdit", EDIT_FIELDS),
    ToolRow::new("write", "Write", &[FieldName::new("path", "file_path")]),
    ToolRow::new("grep", "Grep", &[]),
    ToolRow::new("find", "Glob", &[]),
    ToolRow::new("ls", "LS", &[]),
]);

/// Our name of an `edit` with a list of edits.
const MULTI_EDIT: &str = "multi_edit";

/// Sessions of pi.
#[derive(Debug)]
pub(crate) struct Pi;

impl JsonlFormat for Pi {
    type Record<'a> = Value;
    type State = ();

    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn files(&self) -> &'static [&'static str] {
        &["sessions/**/*.jsonl"]
    }

    /// Returns the folders to look in: that of the sessions may lie elsewhere than the rest.
    fn folders(&self, env: &Env) -> Vec<HistoryFolder> {
        let mut folders = AGENT.history_folders(env);
        if env.get(SESSION_FOLDER).is_some() {
            folders.extend(HistoryFolder::list(env, Some(SESSION_FOLDER), &[]));
        }
        folders
    }

    fn files_in(&self, folder: &HistoryFolder) -> &'static [&'static str] {
        match folder.named_by {
            // pi writes right into it, or into a folder for each project. Deeper lie the files of others.
            Some(SESSION_FOLDER) => &["*.jsonl", "*/*.jsonl"],
            _ => self.files(),
        }
    }

    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        Some(PathSession {
            session: Some(session_id(path)?.to_owned()),
            parent: None,
        })
    }

    fn record(&self, record: Value, (): &mut (), turns: &mut TurnWriter<'_>) {
        let time = text(&record, "timestamp");
        turns.set_time(milliseconds(time));
        // Ids have eight letters: with its time an entry is known wherever it was copied.
        turns.set_message(&format!("{} {time}", text(&record, "id")));
        match text(&record, "type") {
            "session" => head(&record, turns),
            "message" => message(&record, turns),
            "compaction" | "branch_summary" => turns.summary(text(&record, "summary")),
            "session_info" => turns.set_title(text(&record, "name")),
            _ => {}
        }
    }
}

/// Returns the id in the name of a file, `<time>_<id>.jsonl`. One that a user gave may hold underscores.
fn session_id(path: &Path) -> Option<&str> {
    let stem = path.file_stem()?.to_str()?;
    Some(stem.split_once('_').map_or(stem, |(_, id)| id))
}

fn head(record: &Value, turns: &mut TurnWriter<'_>) {
    turns.set_directory(text(record, "cwd"));
    let origin = ["parentSession", "branchedFrom"].map(|name| text(record, name));
    let origin = origin.into_iter().find(|path| !path.is_empty());
    if let Some(id) = origin.and_then(|path| session_id(Path::new(path))) {
        turns.session.forked_from = Some(id.to_owned());
    }
}

fn message(record: &Value, turns: &mut TurnWriter<'_>) {
    let message = &record["message"];
    match text(message, "role") {
        "user" => prompt(&joined_texts(&message["content"]), turns),
        "assistant" => answer(message, turns),
        "toolResult" => {
            turns.result(CallOutcome {
                id: text(message, "toolCallId").to_owned(),
                output: joined_texts(&message["content"]),
                status: CallStatus::from_failure(message["isError"] == true),
                ..CallOutcome::default()
            });
            nested_calls::add(message, turns);
        }
        "bashExecution" => shell_escape(text(record, "id"), message, turns),
        _ => {}
    }
}

/// Opens a turn. What the program read for it are files that the turn read.
fn prompt(prompt: &str, turns: &mut TurnWriter<'_>) {
    let AttachedText { paths, words } = AttachedText::split(prompt);
    let names: Vec<&str> = paths.iter().map(|path| file_name(path)).collect();
    turns.prompt_with_files(PromptKind::Typed, words, &names);
    for path in paths {
        turns.call(TOOLS.call("", "read", json!({ "path": path })));
    }
}

fn answer(message: &Value, turns: &mut TurnWriter<'_>) {
    turns.model(text(message, "model"));
    for block in message["content"].as_array().into_iter().flatten() {
        match text(block, "type") {
            "text" => turns.text(text(block, "text")),
            "thinking" => turns.thinking(text(block, "thinking")),
            "toolCall" => turns.call(call(block)),
            _ => {}
        }
    }
    match text(message, "stopReason") {
        "error" => turns.error(text(message, "errorMessage")),
        "aborted" => turns.notice(text(message, "errorMessage")),
        _ => {}
    }
    let count = |name: &str| message["usage"][name].as_u64().unwrap_or_default();
    turns.tokens(TokenTotals {
        input: count("input").saturating_add(count("cacheWrite")),
        cached: count("cacheRead"),
        output: count("output"),
    });
}

fn call(block: &Value) -> ToolCall {
    let mut input = block["arguments"].clone();
    let name = text(block, "name");
    let name = match input.get_mut("edits").and_then(Value::as_array_mut) {
        Some(edits) if name == "edit" => {
            edits.iter_mut().for_each(rename_edit);
            MULTI_EDIT
        }
        _ => name,
    };
    TOOLS.call(text(block, "id"), name, input)
}

fn rename_edit(edit: &mut Value) {
    *edit = json!({"old_string": edit["oldText"], "new_string": edit["newText"]});
}

/// Adds a command that the user ran: by `!`, or by `!!` where the model is not to know of it.
fn shell_escape(id: &str, message: &Value, turns: &mut TurnWriter<'_>) {
    let command = text(message, "command");
    if command.is_empty() {
        return;
    }
    let mark = if message["excludeFromContext"] == true {
        "!!"
    } else {
        "!"
    };
    turns.prompt(PromptKind::Command, &format!("{mark}{command}"));
    turns.call(TOOLS.call(id, "bash", json!({ "command": command })));
    turns.result(CallOutcome {
        id: id.to_owned(),
        output: text(message, "output").to_owned(),
        status: if message["cancelled"] == true {
            CallStatus::Unfinished
        } else {
            CallStatus::from_failure(message["exitCode"] != 0)
        },
        ..CallOutcome::default()
    });
}
