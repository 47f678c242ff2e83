//! Calls that a script made: with `codemode` the model writes JavaScript, and the result of that tool lists what it ran.

use super::call;
use crate::json::text;
use crate::{CallOutcome, TurnWriter};
use serde_json::Value;
use session_core::CallStatus;

/// Adds the calls that the message of a result lists. What they gave back is recorded nowhere, except errors; long
/// arguments are left out.
pub(super) fn add(message: &Value, turns: &mut TurnWriter<'_>) {
    let calls = message["nestedCalls"]["calls"].as_array();
    for nested in calls.into_iter().flatten() {
        turns.call(call(nested));
        turns.result(CallOutcome {
            id: text(nested, "id").to_owned(),
            output: text(nested, "error").to_owned(),
            status: status(nested),
            ..CallOutcome::default()
        });
    }
}

fn status(nested: &Value) -> CallStatus {
    match text(nested, "status") {
        "unfinished" => CallStatus::Unfinished,
        status => CallStatus::from_failure(status == "error"),
    }
}
