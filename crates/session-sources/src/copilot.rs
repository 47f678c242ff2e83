//! Copilot CLI: one JSONL file of events a session, in a folder of its own.
//!
//! A subagent's events stand among those of the session that started it, with an `agentId`: of these
//! only the calls count, to the turn that started it.

use crate::cursor::is_default;
use crate::json::text;
use crate::turn_writer::session_title;
use crate::{
    AgentInfo, CallOutcome, FieldName, JsonlFormat, PathSession, ToolRow, ToolTable, TurnWriter,
    file, milliseconds,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use session_core::{CallStatus, PromptKind, SessionMeta, TokenTotals};
use std::path::Path;

static AGENT: AgentInfo = AgentInfo {
    folders: &[".copilot"],
    variables: &["COPILOT_HOME"],
    session_paths: &["session-state/*/events.jsonl", "session-state/*.jsonl"],
    resume: &["copilot", "--resume", "{id}"],
    session_variables: &["COPILOT_AGENT_SESSION_ID"],
    mark_variables: &["COPILOT_CLI"],
    ..AgentInfo::new("copilot", "Copilot CLI")
};

const TOOLS: ToolTable = ToolTable(&[
    ToolRow::new("bash", "Bash", &[]),
    ToolRow::new("local_shell", "Bash", &[]),
    ToolRow::new("powershell", "PowerShell", &[]),
    ToolRow::new("view", "Read", &[FieldName::new("path", "file_path")]),
    ToolRow::new(
        "edit",
        "Edit",
        &[
            FieldName::new("path", "file_path"),
            FieldName::new("old_str", "old_string"),
            FieldName::new("new_str", "new_string"),
        ],
    ),
    ToolRow::new(
        "create",
        "Write",
        &[
            FieldName::new("path", "file_path"),
            FieldName::new("file_text", "content"),
        ],
    ),
    ToolRow::new(
        "apply_patch",
        "ApplyPatch",
        &[FieldName::new("patch", "patch")],
    ),
    ToolRow::new("grep", "Grep", &[]),
    ToolRow::new("rg", "Grep", &[]),
    ToolRow::new("glob", "Glob", &[]),
    ToolRow::new("web_fetch", "WebFetch", &[]),
    ToolRow::new("web_search", "WebSearch", &[]),
    ToolRow::new(
        "task",
        "Task",
        &[FieldName::new("agent_type", "subagent_type")],
    ),
    ToolRow::new("skill", "Skill", &[]),
    ToolRow::new(ASK_USER, "AskUserQuestion", &[]),
]);

const ASK_USER: &str = "ask_user";

/// Sessions of Copilot CLI.
#[derive(Debug)]
pub(crate) struct Copilot;

/// The knowledge that a line needs of those before it.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CopilotState {
    /// Ids of questions to the user that have no answer yet.
    #[serde(skip_serializing_if = "is_default")]
    questions: Vec<String>,
    /// Tokens of all messages so far.
    #[serde(skip_serializing_if = "is_default")]
    counted: TokenTotals,
}

impl CopilotState {
    fn count(&mut self, tokens: TokenTotals, turns: &mut TurnWriter<'_>) {
        self.counted += tokens;
        turns.tokens(tokens);
    }

    /// Counts of the tokens of the whole session those that no message counts.
    fn count_rest(&mut self, metrics: &Value, turns: &mut TurnWriter<'_>) {
        let mut all = TokenTotals::default();
        for model in metrics.as_object().into_iter().flat_map(Map::values) {
            all += tokens(&model["usage"]);
        }
        self.count(all.saturating_sub(self.counted), turns);
    }
}

impl JsonlFormat for Copilot {
    type Record<'a> = Value;
    type State = CopilotState;

    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn files(&self) -> &'static [&'static str] {
        &["session-state/*/events.jsonl", "session-state/*.jsonl"]
    }

    /// Reads the id in `<id>/events.jsonl`; before version 1.0 in `<id>.jsonl`.
    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        let is_events = path.file_name()? == EVENTS;
        let id = if is_events {
            path.parent()?.file_name()?
        } else {
            path.file_stem()?
        };
        Some(PathSession {
            session: Some(id.to_str()?.to_owned()),
            parent: None,
        })
    }

    fn complete(&self, path: &Path, session: &mut SessionMeta) {
        if path.file_name().is_some_and(|name| name == EVENTS)
            && let Some(title) = workspace_name(&path.with_file_name(WORKSPACE))
        {
            session.title = Some(title);
        }
    }

    fn record(&self, record: Value, state: &mut CopilotState, turns: &mut TurnWriter<'_>) {
        let data = &record["data"];
        turns.set_time(milliseconds(text(&record, "timestamp")));
        turns.set_message(text(&record, "id"));
        match text(&record, "type") {
            "tool.execution_start" => turns.call(call(data, state)),
            "tool.execution_complete" => turns.result(outcome(data, state)),
            "session.usage_record" => state.count(tokens(&data["usage"]), turns),
            "session.shutdown" => state.count_rest(&data["modelMetrics"], turns),
            _ if record.get("agentId").is_some_and(Value::is_string) => turns.touch(),
            "session.start" | "session.resume" => note_context(&data["context"], turns),
            "user.message" if data["source"].is_null() => {
                turns.prompt(PromptKind::Typed, text(data, "content"));
            }
            "assistant.message" => answer(data, state, turns),
            "tool.user_requested" => shell_escape(data, turns),
            "session.compaction_complete" => turns.summary(text(data, "summaryContent")),
            "session.error" => turns.error(text(data, "message")),
            "session.info" if text(data, "infoType") == "fork" => note_fork(data, turns),
            "abort" => turns.notice("interrupted"),
            _ => {}
        }
    }
}

const EVENTS: &str = "events.jsonl";
const WORKSPACE: &str = "workspace.yaml";
/// Most bytes of `workspace.yaml` that are read.
const WORKSPACE_LIMIT: u64 = 64 << 10;
/// Most events of its YAML that aliases repeat: the client writes none, and a kilobyte could expand to millions.
const MAX_ALIAS_EVENTS: usize = 1_000;

/// The part of `workspace.yaml` that is read.
#[derive(Deserialize)]
struct Workspace {
    /// Given by the user, else the first prompt.
    name: Option<String>,
}

fn workspace_name(path: &Path) -> Option<String> {
    let yaml = file::read_limited(path, WORKSPACE_LIMIT).ok()?;
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIAS_EVENTS };
    let options = serde_saphyr::options! { alias_limits: alias_limits };
    let yaml = std::str::from_utf8(&yaml).ok()?;
    let workspace: Workspace = serde_saphyr::from_str_with_options(yaml, options).ok()?;
    session_title(&workspace.name?)
}

fn note_context(context: &Value, turns: &mut TurnWriter<'_>) {
    turns.set_directory(text(context, "cwd"));
    turns.set_branch(text(context, "branch"));
}

/// Notes a fork by `Forked from "NAME" (ID) as …`: the events up to here are copies, with the ids that they had. What
/// was forked from this session says `into` in place of `from`.
fn note_fork(data: &Value, turns: &mut TurnWriter<'_>) {
    let message = text(data, "message");
    let from = message.strip_prefix("Forked from ");
    let origin = from.and_then(|from| from.split_once(") as ")?.0.rsplit_once('('));
    if let Some((_, id)) = origin {
        turns.session.forked_from = Some(id.to_owned());
    }
}

fn answer(data: &Value, state: &mut CopilotState, turns: &mut TurnWriter<'_>) {
    turns.model(text(data, "model"));
    turns.thinking(text(data, "reasoningText"));
    turns.text(text(data, "content"));
    let tokens = TokenTotals {
        output: count(data, "outputTokens"),
        ..TokenTotals::default()
    };
    state.count(tokens, turns);
}

/// Tokens as current versions count them, which say none with the message.
fn tokens(usage: &Value) -> TokenTotals {
    let cached = count(usage, "cacheReadTokens");
    TokenTotals {
        input: count(usage, "inputTokens").saturating_sub(cached),
        cached,
        output: count(usage, "outputTokens"),
    }
}

fn count(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_default()
}

fn call(data: &Value, state: &mut CopilotState) -> session_core::ToolCall {
    let (id, tool) = (text(data, "toolCallId"), text(data, "toolName"));
    let mut input = data["arguments"].clone();
    if tool == ASK_USER {
        state.questions.push(id.to_owned());
        input = json!({ "questions": [input] });
    }
    TOOLS.call(id, tool, input)
}

/// Adds a command that the user ran by `!`.
fn shell_escape(data: &Value, turns: &mut TurnWriter<'_>) {
    let command = text(&data["arguments"], "command");
    if !command.is_empty() {
        turns.prompt(PromptKind::Command, &format!("!{command}"));
        let arguments = json!({ "command": command });
        turns.call(TOOLS.call(text(data, "toolCallId"), "local_shell", arguments));
    }
}

/// Codes of the errors of calls that were not let run.
const REFUSALS: [&str; 2] = ["rejected", "denied"];

fn outcome(data: &Value, state: &mut CopilotState) -> CallOutcome {
    let id = text(data, "toolCallId");
    let question = state.questions.iter().position(|asked| asked == id);
    let is_question = question.map(|at| state.questions.remove(at)).is_some();
    let (output, printed_code) = split_exit_code(text(&data["result"], "content"));
    let output = if output.is_empty() {
        text(&data["error"], "message")
    } else {
        output
    };
    let exit_code = data["shellExecution"]["exitCode"].as_i64().or(printed_code);
    let failed = data["success"] == false || exit_code.is_some_and(|code| code != 0);
    let is_refused = REFUSALS.contains(&text(&data["error"], "code"));
    CallOutcome {
        id: id.to_owned(),
        status: if is_refused {
            CallStatus::NotRun
        } else {
            CallStatus::from_failure(failed)
        },
        reply: is_question.then(|| reply(output).to_owned()),
        output: output.to_owned(),
        ..CallOutcome::default()
    }
}

/// Splits off the last line that the output of a command gets, `<exited with exit code 1>` or
/// `<shellId: 3 completed with exit code 1>`.
fn split_exit_code(output: &str) -> (&str, Option<i64>) {
    let trimmed = output.trim_end();
    let (body, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let words = last.strip_prefix('<').and_then(|l| l.strip_suffix('>'));
    let code = words.and_then(|words| words.rsplit_once("with exit code ")?.1.parse().ok());
    match code {
        Some(_) => (body, code),
        None => (output, None),
    }
}

/// Returns the user's words in the result of a question.
fn reply(output: &str) -> &str {
    let begins = ["User selected: ", "User responded: "];
    begins
        .iter()
        .find_map(|begin| output.strip_prefix(begin))
        .unwrap_or(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_denied_did_not_run() {
        let ended = |code: &str| {
            let data = json!({"toolCallId": "c1", "success": false, "error": {"message": "No", "code": code}});
            outcome(&data, &mut CopilotState::default()).status
        };
        assert_eq!(ended("denied"), CallStatus::NotRun);
        assert_eq!(ended("rejected"), CallStatus::NotRun);
        assert_eq!(ended("failure"), CallStatus::Failed);
    }
}
