//! Tool calls and their results.

use super::dialog::{self, DialogQuestion, plan, questions};
use super::entry::{ContentBlock, MessageContent, ToolUseResult, TranscriptEntry};
use super::not_run;
use super::persisted::ToolResults;
use crate::blank_lines::trim_blank_lines;
use crate::call_result::{CallResult, clipped, opened_pull_requests};
use crate::json::replace_lone_surrogates;
use crate::lenient_json::{LenientObject, LenientObjects, LenientText};
use crate::reminder;
use crate::tool_table::{SHELL_TOOLS, file_paths};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use session_core::{
    CallDialog, CallStatus, ReadDetail, ToolCall, cut_output, find_error_lines, may_hold_errors,
};
use std::cell::OnceCell;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallArguments<'a> {
    #[serde(borrow)]
    command: LenientText<'a>,
    #[serde(borrow)]
    file_path: LenientText<'a>,
    #[serde(borrow)]
    notebook_path: LenientText<'a>,
    #[serde(borrow, rename = "filePath")]
    file_path_in_camel_case: LenientText<'a>,
    #[serde(borrow)]
    path: LenientText<'a>,
    #[serde(borrow)]
    questions: LenientObjects<DialogQuestion<'a>>,
    #[serde(borrow)]
    plan: LenientText<'a>,
}

/// Returns the call that a `tool_use` block makes.
pub(super) fn parse_call(block: &ContentBlock<'_>, detail: ReadDetail) -> ToolCall {
    let name = block.name.or_empty();
    let raw = block.input.map_or("{}", RawValue::get);
    let repaired = replace_lone_surrogates(raw);
    let raw = repaired.as_deref().unwrap_or(raw);
    let input = serde_json::from_str::<LenientObject<CallArguments<'_>>>(raw).unwrap_or_default();
    let input = input.0.unwrap_or_default();
    ToolCall {
        id: block.id.or_empty().to_owned(),
        name: name.to_owned(),
        command: input
            .command
            .get()
            .filter(|_| SHELL_TOOLS.contains(&name))
            .map(clipped),
        files: collect_files(name, &input),
        input: parse_whole_input(raw, detail),
        dialog: CallDialog::new(format_question(name, &input), None),
        ..ToolCall::default()
    }
}

/// Returns the text that a call of this tool puts to the user.
fn format_question(tool: &str, input: &CallArguments<'_>) -> Option<String> {
    questions(tool, &input.questions).or_else(|| plan(tool, &input.plan))
}

fn collect_files(tool: &str, input: &CallArguments<'_>) -> Vec<String> {
    let named = [
        &input.file_path,
        &input.notebook_path,
        &input.file_path_in_camel_case,
    ];
    file_paths(tool, named.map(LenientText::get), input.path.get())
}

fn parse_whole_input(raw: &str, detail: ReadDetail) -> Value {
    match detail {
        ReadDetail::Index => Value::Null,
        ReadDetail::Full => serde_json::from_str(raw).unwrap_or_default(),
    }
}

/// Returns the result that a `tool_result` block of a line holds, of a call that opens a pull
/// request or not.
pub(super) fn parse_result(
    block: &ContentBlock<'_>,
    entry: &TranscriptEntry<'_>,
    opens_pull_request: bool,
    detail: ReadDetail,
    results: &ToolResults,
) -> CallResult {
    let text = ResultText::new(block);
    let whole = &entry.tool_use_result;
    let status = classify_status(&text, block, entry);
    CallResult {
        id: block.tool_use_id.or_empty().to_owned(),
        output: match detail {
            ReadDetail::Index => collect_error_lines(&text, status),
            ReadDetail::Full => Some(read_whole_output(&text, results)),
        },
        status,
        subagent: whole.agent_id.get().map(|id| format!("agent-{id}")),
        pull_requests: if opens_pull_request {
            opened_pull_requests(text.raw)
        } else {
            Vec::new()
        },
        reply: find_reply(&text, status != CallStatus::Done, whole),
    }
}

/// Returns how the call ended whose result a block of a line holds; the start of a command in the background is no end.
fn classify_status(
    text: &ResultText<'_>,
    block: &ContentBlock<'_>,
    entry: &TranscriptEntry<'_>,
) -> CallStatus {
    let (whole, denial) = (&entry.tool_use_result, entry.tool_denial_kind.or_empty());
    if not_run::is_denial(denial) {
        CallStatus::NotRun
    } else if whole.interrupted.0 || whole.background_task_id.get().is_some() {
        CallStatus::Unfinished
    } else if block.is_error.0 {
        not_run::status(text.decoded(), denial)
    } else {
        CallStatus::Done
    }
}

/// Returns the user's words in a result: answers, a plan with the user's changes, or those with which a call was rejected.
fn find_reply(
    text: &ResultText<'_>,
    is_refused: bool,
    whole: &ToolUseResult<'_>,
) -> Option<String> {
    let rejected = || is_refused.then(|| dialog::rejection(text.decoded()));
    dialog::answers(whole)
        .or_else(|| dialog::edited_plan(text.raw, whole))
        .or_else(|| rejected().flatten())
}

/// Returns the error lines of a background task in the result of a call that saw it fail.
pub(super) fn collect_task_errors(block: &ContentBlock<'_>) -> Option<String> {
    let text = ResultText::new(block);
    let printed = text.decoded().split_once("</exit_code>")?.1;
    let lines = find_error_lines(printed, CallStatus::Failed);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn collect_error_lines(text: &ResultText<'_>, status: CallStatus) -> Option<String> {
    let is_stopped = matches!(status, CallStatus::Unfinished | CallStatus::NotRun);
    if is_stopped || !status.is_failed() && !may_hold_errors(text.raw.as_bytes()) {
        return None; // not worth decoding
    }
    let lines = find_error_lines(text.decoded(), status);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn read_whole_output(text: &ResultText<'_>, results: &ToolResults) -> String {
    let output = text.decoded();
    match results.whole(output) {
        Some(whole) => cut_output(&whole.text, whole.unread),
        None => cut_output(output, 0),
    }
}

/// The text of a result, decoded at most once: it can have megabytes, and most results need none of it.
struct ResultText<'a> {
    /// The content, as JSON.
    raw: &'a str,
    decoded: OnceCell<String>,
}

impl<'a> ResultText<'a> {
    fn new(block: &ContentBlock<'a>) -> Self {
        Self {
            raw: block.content.map_or("null", RawValue::get),
            decoded: OnceCell::new(),
        }
    }

    /// Returns the text without the reminders in it.
    fn decoded(&self) -> &str {
        self.decoded.get_or_init(|| decode_output(self.raw))
    }
}

/// Returns the text of a result, without the reminders in it.
fn decode_output(raw: &str) -> String {
    let repaired = replace_lone_surrogates(raw);
    let raw = repaired.as_deref().unwrap_or(raw);
    let content = serde_json::from_str::<MessageContent<'_>>(raw).unwrap_or_default();
    let texts: Vec<&str> = content.0.iter().filter_map(block_text).collect();
    let text = texts.join("\n");
    trim_blank_lines(&reminder::strip(&text)).to_owned()
}

fn block_text<'b>(block: &'b ContentBlock<'_>) -> Option<&'b str> {
    match block.kind.get()? {
        "text" => block.text.get(),
        "image" => Some("[Image]"),
        "tool_reference" => block.tool_name.get(),
        _ => None,
    }
}
