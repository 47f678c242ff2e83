//! Calls that a script made: in code mode the model writes JavaScript for one tool, `exec`, and what that ran stands
//! in items of the interface alone, written when they end.

use super::record::{ChangedFile, Payload};
use super::{CodexState, item, tools};
use crate::turn_writer::{CallOutcome, TurnWriter};
use session_core::{CallStatus, ToolCall};

/// How Codex begins the ids that it gives to such calls; those of other calls are the model's.
const OF_SCRIPT: &str = "exec-";
/// The source of an item about what was typed into a command that goes on.
const TYPED: &str = "unified_exec_interaction";

impl CodexState {
    /// Takes the end of a command or of a patch. Where a script made the call, nothing else records it.
    pub(super) fn end_of_call(&mut self, end: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let id = end.ended_call();
        let call = script_call(id, end);
        let Some(call) = call.filter(|_| !self.repeats_script_call(id)) else {
            return item::end(end, turns);
        };
        turns.call(call);
        turns.result(CallOutcome {
            id: id.to_owned(),
            output: end.printed().to_owned(),
            status: script_call_status(end),
            ..CallOutcome::default()
        });
    }

    /// Notes a call by its id; true where it is one of a script that is known already.
    pub(super) fn repeats_script_call(&mut self, id: &str) -> bool {
        id.starts_with(OF_SCRIPT) && self.script_calls.repeats(id)
    }
}

/// Returns the call of a script that ended; `None` for another call.
fn script_call(id: &str, end: &Payload<'_>) -> Option<ToolCall> {
    if !id.starts_with(OF_SCRIPT) || end.source.name == TYPED {
        return None;
    }
    let files = end.changes.0.iter();
    let patches = files.filter_map(|(path, change)| Some(patch(path, change.0.as_ref()?)));
    match (patches.collect::<String>(), end.command_line()) {
        (patch, _) if !patch.is_empty() => Some(tools::patch(id, patch)),
        (_, command) if !command.is_empty() => Some(tools::shell(id, &command)),
        _ => None,
    }
}

/// Returns a change of a file in the form of `apply_patch`.
fn patch(path: &str, change: &ChangedFile<'_>) -> String {
    let moved = change.move_path.get();
    let moved = moved.map_or(String::new(), |to| format!("*** Move to: {to}\n"));
    match change.kind.or_empty() {
        "add" => {
            let lines = change.content.or_empty().lines();
            let lines: String = lines.map(|line| format!("+{line}\n")).collect();
            format!("*** Add File: {path}\n{lines}")
        }
        "delete" => format!("*** Delete File: {path}\n"),
        _ => format!(
            "*** Update File: {path}\n{moved}{}",
            change.unified_diff.or_empty()
        ),
    }
}

fn script_call_status(end: &Payload<'_>) -> CallStatus {
    let failed_by_code = || end.exit_code.is_some_and(|code| code.get() != "0");
    match end.status.or_empty() {
        "declined" => CallStatus::NotRun,
        _ if end.was_killed() => CallStatus::Unfinished,
        status => CallStatus::from_failure(status == "failed" || failed_by_code()),
    }
}
