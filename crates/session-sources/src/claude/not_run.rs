//! Results of calls that did not run, or were stopped.

use super::dialog::{REJECTED, SAID};
use super::prompt::INTERRUPTED;
use session_core::CallStatus;

/// How results begin of calls that did not run: a rule or a hook refused the call, or one beside it failed first.
const REFUSALS: [&str; 7] = [
    "Permission to use ",
    "Claude requested permissions to use ",
    "This command requires approval",
    "PreToolUse:",
    "Hook PreToolUse:",
    "<tool_use_error>Sibling tool call errored",
    "<tool_use_error>Cancelled: parallel tool call",
];
/// How results begin of calls that the user refused, and of those that were stopped while they ran.
const STOPS: [&str; 3] = [
    REJECTED,
    INTERRUPTED,
    "The user doesn't want to take this action right now.",
];

/// The denial that is also told of a call that the user stopped while it ran.
const USER_REJECTED: &str = "user-rejected";

/// True for the kind of a denial after which the call surely did not run.
pub(super) fn is_denial(kind: &str) -> bool {
    !kind.is_empty() && kind != USER_REJECTED
}

/// Returns the status that the output of a failed call tells.
pub(super) fn status(output: &str) -> CallStatus {
    let begins = |texts: &[&str]| texts.iter().any(|text| output.starts_with(text));
    match (begins(&REFUSALS), begins(&STOPS)) {
        (true, _) => CallStatus::NotRun,
        (_, true) if output.contains(SAID) => CallStatus::NotRun,
        (_, true) => CallStatus::Unfinished,
        _ => CallStatus::Failed,
    }
}
