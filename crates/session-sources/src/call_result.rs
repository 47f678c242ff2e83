//! Results, on their way to their calls.

use crate::calls::PendingCall;
use session_core::{
    CallDialog, CallStatus, ReadDetail, TEXT_LIMIT, ToolCall, cut_output, find_error_lines,
    pull_request, text,
};
use std::collections::HashSet;

/// The result of a call.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub id: String,
    pub output: Option<String>,
    pub status: CallStatus,
    pub subagent: Option<String>,
    /// Addresses of the pull requests that it opened.
    pub pull_requests: Vec<String>,
    /// The user's words in it.
    pub reply: Option<String>,
}

impl CallResult {
    /// Makes a result of which no more is known than how the call ended.
    pub(crate) fn new(id: String, status: CallStatus) -> Self {
        Self {
            id,
            output: None,
            status,
            subagent: None,
            pull_requests: Vec::new(),
            reply: None,
        }
    }

    /// Returns true when there is something to add, though nothing is known of its call.
    fn has_content(&self) -> bool {
        let has_news = !self.pull_requests.is_empty() || self.reply.is_some();
        has_news
            || self.output.is_some()
            || self.status != CallStatus::Done
            || self.subagent.is_some()
    }

    /// Returns a call of which only the result is known, and what was waited for; `None`
    /// when there is nothing to add.
    pub(crate) fn into_unnamed_call(self, waiting: Option<PendingCall>) -> Option<ToolCall> {
        if waiting.is_none() && !self.has_content() {
            return None;
        }
        let is_command = waiting.as_ref().is_some_and(|call| call.is_command);
        let reported = waiting.as_ref().and_then(|call| call.reported_status);
        let mut call = ToolCall {
            id: self.id.clone(),
            status: reported.unwrap_or(CallStatus::Unfinished),
            command: is_command.then(String::new),
            delivered: waiting.and_then(|call| call.delivered).map(Box::new),
            ..ToolCall::default()
        };
        self.complete(&mut call);
        Some(call)
    }

    /// Joins the result to its call.
    pub(crate) fn complete(self, call: &mut ToolCall) {
        let known = call.output.take();
        let news = self
            .output
            .filter(|output| known.is_none() || !output.is_empty());
        call.output = news.or(known);
        call.status = call.status.max(self.status);
        call.pull_requests.extend(self.pull_requests);
        let known = call.dialog.as_ref();
        let question = known.and_then(|dialog| dialog.question.as_deref());
        let reply = self.reply.and_then(|reply| match question {
            Some(question) => new_lines(&reply, question),
            None => Some(reply),
        });
        CallDialog::merge(&mut call.dialog, CallDialog::new(None, reply));
        call.subagent = self.subagent.or_else(|| call.subagent.take());
    }
}

/// Returns the lines of a reply that its question does not have, if there are any: a plan that the user changed has most of
/// the agent's lines.
fn new_lines(reply: &str, question: &str) -> Option<String> {
    let known: HashSet<&str> = question.lines().map(str::trim).collect();
    let lines = reply.lines().filter(|line| !known.contains(line.trim()));
    let lines: Vec<&str> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Cuts a text behind a word to what a turn holds.
pub(crate) fn clipped(words: &str) -> String {
    text::clip_words(words, TEXT_LIMIT).to_owned()
}

/// Returns what is kept of an output: all that a turn holds of it, or its error lines.
pub(crate) fn kept_output(output: &str, status: CallStatus, detail: ReadDetail) -> Option<String> {
    match detail {
        ReadDetail::Full => Some(cut_output(output, 0)),
        ReadDetail::Index if status == CallStatus::NotRun => None,
        ReadDetail::Index => {
            let lines = find_error_lines(output, status);
            Some(lines.join("\n")).filter(|lines| !lines.is_empty())
        }
    }
}

/// Returns true for a call that opens a pull request: by its command, or as a tool that does nothing else.
pub(crate) fn opens_pull_request(command: Option<&str>, tool: &str) -> bool {
    command.is_some_and(pull_request::opens_pull_request)
        || pull_request::is_pull_request_tool(tool)
}

/// Returns the pull requests whose addresses stand in an output.
pub(crate) fn opened_pull_requests(output: &str) -> Vec<String> {
    let found = pull_request::find_pull_requests(output).into_iter();
    found.map(str::to_owned).collect()
}
