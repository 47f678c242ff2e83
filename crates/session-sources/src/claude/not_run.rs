//! Results of calls that did not run, or were stopped.

use super::dialog::{REJECTED, SAID};
use crate::user_text::INTERRUPTED;
use session_core::CallStatus;

/// Beginnings of the results of calls that did not run: a rule, a hook or a classifier refused the call, or one beside it
/// failed first.
const REFUSALS: [&str; 13] = [
    "Permission to use ",
    "Permission for this action has been denied.",
    "Permission for this action was denied by the Claude Code auto mode classifier",
    "Claude requested permissions to ",
    "This command requires approval",
    "This Bash command contains multiple operations. The following part",
    "This PowerShell command contains multiple operations. The following part",
    "Contains simple_expansion",
    "PreToolUse:",
    "Hook PreToolUse:",
    "<tool_use_error>Blocked: ",
    "<tool_use_error>Sibling tool call errored",
    "<tool_use_error>Cancelled: parallel tool call",
];
/// Stands in the result of a command that names a folder outside of those of the session.
const BLOCKED: &str = "was blocked. For security, Claude Code may only";
/// Beginnings of the results of calls that the user refused, and of those that were stopped while they ran.
const STOPS: [&str; 3] = [
    REJECTED,
    INTERRUPTED,
    "The user doesn't want to take this action right now.",
];

/// The denial that is also recorded of a call that the user stopped while it ran.
const USER_REJECTED: &str = "user-rejected";

/// Returns true for the kind of a denial after which the call surely did not run.
pub(super) fn is_denial(kind: &str) -> bool {
    !kind.is_empty() && kind != USER_REJECTED
}

/// Returns the status that the output of a failed call shows, with the kind of its denial, if any.
pub(super) fn status(output: &str, denial: &str) -> CallStatus {
    let begins = |texts: &[&str]| texts.iter().any(|text| output.starts_with(text));
    match printed(output) {
        Some(printed) if is_interrupted(printed) => CallStatus::Unfinished,
        Some(_) => CallStatus::Failed,
        None if begins(&REFUSALS) || output.contains(BLOCKED) => CallStatus::NotRun,
        None if begins(&STOPS) && !output.contains(SAID) => CallStatus::Unfinished,
        None if begins(&STOPS) || denial == USER_REJECTED => CallStatus::NotRun,
        None => CallStatus::Failed,
    }
}

/// Returns what a command printed, which ended with an exit code: the lines after `Exit code 1`.
fn printed(output: &str) -> Option<&str> {
    let rest = output.strip_prefix("Exit code ")?;
    let (code, printed) = rest.split_once('\n').unwrap_or((rest, ""));
    code.trim().parse::<i64>().is_ok().then_some(printed)
}

/// Returns true if the program says, before or after all that was printed, that the user stopped the command.
fn is_interrupted(printed: &str) -> bool {
    let lines = [printed.lines().next(), printed.lines().next_back()];
    let is_marker = |line: &str| line.starts_with(INTERRUPTED) && line.ends_with(']');
    lines.into_iter().flatten().any(is_marker)
}
