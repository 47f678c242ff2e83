//! Items of the model's conversation, and those of the interface that say more.

use super::record::{Payload, ReviewOutput};
use super::{CodexState, output, tools};
use crate::cursor::fingerprint;
use crate::lenient_json::LenientObject;
use crate::turn_writer::{CallOutcome, TurnWriter};
use session_core::{CallStatus, PromptKind};

/// Most special calls that are remembered.
const MAX_SPECIAL_CALLS: usize = 16;

/// Takes an item of the conversation.
pub(super) fn add(item: &Payload<'_>, state: &mut CodexState, turns: &mut TurnWriter<'_>) {
    match item.kind.or_empty() {
        "message" if item.role.get() == Some("assistant") => {
            if !state.is_own_task {
                turns.text(&tools::without_plan_tags(&item.content.joined()));
            }
            turns.model(&state.model);
        }
        "message" if item.role.get() == Some("user") => state.reported_shell_escape(item, turns),
        "reasoning" => turns.thinking(&item.summary.joined()),
        "function_call" | "custom_tool_call" => state.call(item, turns),
        "local_shell_call" => turns.call(tools::shell_call(item)),
        "web_search_call" => turns.call(tools::web_search(item)),
        "function_call_output" | "custom_tool_call_output" => state.result(item, turns),
        _ => {}
    }
}

/// Takes the end of a command, of a patch or of a call of a server, which says whether it failed. The output that the model
/// saw comes by itself; it alone says why a command was killed.
pub(super) fn end(end: &Payload<'_>, turns: &mut TurnWriter<'_>) {
    let id = end.ended_call();
    let status = match end.status.or_empty() {
        "failed" if end.was_killed() => return,
        "failed" => CallStatus::Failed,
        "declined" => CallStatus::NotRun,
        _ if end.is_mcp_failure() => CallStatus::Failed,
        _ => return,
    };
    if !id.is_empty() {
        turns.interim_result(CallOutcome {
            id: id.to_owned(),
            status,
            ..CallOutcome::default()
        });
    }
}

/// Adds what a review found.
pub(super) fn review(output: &LenientObject<ReviewOutput<'_>>, turns: &mut TurnWriter<'_>) {
    let Some(output) = &output.0 else { return };
    turns.text(output.overall_explanation.or_empty());
    for finding in &output.findings.0 {
        let (title, body) = (finding.title.or_empty(), finding.body.or_empty());
        turns.text(&format!("{title}\n{body}"));
    }
}

impl CodexState {
    /// Takes an item of the interface, unless it is of another thread.
    pub(super) fn thread_item(&mut self, event: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let is_own = event.thread_id.get().is_none_or(|id| id == self.thread);
        let Some(item) = event.item.0.as_ref().filter(|_| is_own) else {
            return;
        };
        match item.kind.or_empty() {
            "UserMessage" => {
                let words = item.content.joined();
                self.prompt(PromptKind::Typed, tools::typed_words(&words), turns);
            }
            "EnteredReviewMode" => self.enter_review(item.user_facing_hint.or_empty(), turns),
            "ExitedReviewMode" => review(&item.review_output, turns),
            "CommandExecution" if item.source.name == "user_shell" => {
                self.shell_escape(&item.command_line(), item.id.or_empty(), item, turns);
            }
            "CommandExecution" | "FileChange" => self.end_of_call(item, turns),
            "McpToolCall" => end(item, turns),
            _ => {}
        }
    }

    /// Adds a command that the user ran, with its result.
    pub(super) fn shell_escape(
        &mut self,
        command: &str,
        id: &str,
        end: &Payload<'_>,
        turns: &mut TurnWriter<'_>,
    ) {
        self.prompt(PromptKind::Command, &format!("!{command}"), turns);
        turns.call(tools::user_shell(id, command));
        turns.result(CallOutcome {
            id: id.to_owned(),
            output: end.aggregated_output.or_empty().to_owned(),
            status: CallStatus::from_failure(end.status.get() == Some("failed")),
            ..CallOutcome::default()
        });
        self.shell_escape = fingerprint(command);
    }

    /// Adds a command that the user ran, as the model gets it: some histories have no event for it.
    fn reported_shell_escape(&mut self, item: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let text = item.content.joined();
        let Some(reported) = output::ReportedCommand::parse(&text) else {
            return;
        };
        if std::mem::take(&mut self.shell_escape) == fingerprint(reported.command) {
            return;
        }
        self.prompt(
            PromptKind::Command,
            &format!("!{}", reported.command),
            turns,
        );
        let id = format!("shell-{}", self.prompts);
        turns.call(tools::user_shell(&id, reported.command));
        turns.result(CallOutcome {
            id,
            output: reported.output.text.into_owned(),
            status: reported.output.status,
            ..CallOutcome::default()
        });
    }

    fn call(&mut self, item: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let call = tools::call(item);
        let calls = &mut self.calls;
        match item.name.or_empty() {
            "write_stdin" => {
                let process = call
                    .input
                    .get("session_id")
                    .and_then(serde_json::Value::as_u64);
                calls
                    .polls
                    .extend(process.map(|process| (call.id.clone(), process)));
            }
            "request_user_input" => calls.questions.push(call.id.clone()),
            _ => {}
        }
        while calls.polls.len() > MAX_SPECIAL_CALLS {
            calls.polls.pop_first();
        }
        if calls.questions.len() > MAX_SPECIAL_CALLS {
            calls.questions.remove(0);
        }
        turns.model(&self.model);
        if !self.repeats_script_call(&call.id) {
            turns.call(call);
        }
    }

    fn result(&mut self, item: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let id = item.call_id.or_empty();
        let text = item.output.joined();
        let output = output::CallOutput::parse(&text);
        let outcome = CallOutcome {
            id: id.to_owned(),
            output: output.text.into_owned(),
            status: output.status,
            subagent: output::spawned_thread(&text),
            reply: self
                .calls
                .take_question(id)
                .and_then(|()| output::answers(&text)),
        };
        let polled = self.calls.polls.remove(id);
        match (output.running, polled) {
            (Some(process), None) => {
                self.calls.note_running(process, id);
                turns.interim_result(CallOutcome {
                    status: CallStatus::Unfinished,
                    ..outcome
                });
            }
            _ => turns.result(outcome),
        }
        // The process may have been another call's, which ended with it.
        let command = polled.filter(|_| output.has_exited);
        let command = command.and_then(|process| self.calls.running.remove(&process));
        turns.interim_result(CallOutcome {
            id: command.unwrap_or_default(),
            status: output.status,
            ..CallOutcome::default()
        });
    }
}

impl super::SpecialCalls {
    fn take_question(&mut self, id: &str) -> Option<()> {
        let at = self.questions.iter().position(|question| question == id)?;
        self.questions.remove(at);
        Some(())
    }

    /// Notes the command of a process that goes on.
    fn note_running(&mut self, process: u64, id: &str) {
        self.running.insert(process, id.to_owned());
        while self.running.len() > MAX_SPECIAL_CALLS {
            self.running.pop_first();
        }
    }
}
