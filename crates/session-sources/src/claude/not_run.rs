//! Results of calls that did not run.

use super::dialog::REJECTED;

/// How such results begin: the user or a rule refused the call, a hook did, or one beside it failed first.
const BEGINS: [&str; 9] = [
    REJECTED,
    "The user doesn't want to take this action right now.",
    "Permission to use ",
    "Claude requested permissions to use ",
    "This command requires approval",
    "PreToolUse:",
    "Hook PreToolUse:",
    "<tool_use_error>Sibling tool call errored",
    "<tool_use_error>Cancelled: parallel tool call",
];

/// True for the output of a failed call that tells that it did not run.
pub(super) fn is_told(output: &str) -> bool {
    BEGINS.iter().any(|begin| output.starts_with(begin))
}
