//! Calls whose results have not come: where a read ends between the two, the
//! result still belongs to the call.

use crate::call_result::opens_pull_request;
use crate::cursor::{fingerprint, is_default};
use serde::{Deserialize, Serialize};
use session_core::{CallStatus, DeliveredCall, ToolCall};

/// The calls that wait, and how many commands, changes and reads of files the turn at
/// hand has made so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TurnCalls {
    #[serde(default, skip_serializing_if = "is_default")]
    waiting: Vec<PendingCall>,
    #[serde(default, skip_serializing_if = "is_default")]
    runs: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    changes: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    reads: u32,
}

/// A call without its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingCall {
    id: u64,
    /// It ran a command: the error lines of its result are the command's.
    #[serde(rename = "of_shell")]
    pub is_command: bool,
    /// It opens a pull request.
    #[serde(rename = "opens")]
    pub opens_pull_request: bool,
    /// Its position in its turn. It has another name in the cursors of an index.
    #[serde(rename = "late")]
    pub delivered: Option<DeliveredCall>,
    /// Which turn that was.
    #[serde(default)]
    turn: Option<u32>,
    /// Its end, where a record before its result has it.
    #[serde(rename = "told", default, skip_serializing_if = "is_default")]
    pub reported_status: Option<CallStatus>,
}

/// Most calls that are remembered as waiting.
const MAX_WAITING: usize = 64;

impl PendingCall {
    /// Returns the turn that it was made in, where that is known.
    pub(crate) fn turn(&self) -> Option<u32> {
        self.turn
    }

    /// Returns the turn that it was made in, where the current turn is a later one: a prompt was typed
    /// while it ran.
    pub(crate) fn earlier_turn(&self, current: u32) -> Option<u32> {
        self.turn
            .filter(|turn| self.delivered.is_some() && *turn < current)
    }
}

impl TurnCalls {
    /// Resets the counts for a new turn.
    pub(crate) fn begin_turn(&mut self) {
        (self.runs, self.changes, self.reads) = (0, 0, 0);
        // An older cursor does not say whose call it was.
        let unknown = self.waiting.iter_mut().filter(|call| call.turn.is_none());
        unknown.for_each(|call| call.delivered = None);
    }

    /// Counts a call of a turn, and waits for its result unless that came before it.
    pub(crate) fn note(&mut self, call: &ToolCall, turn: u32, has_result: bool) {
        let run = call.kept_command().map(|_| self.runs);
        let delivered = DeliveredCall {
            run,
            first_change: self.changes,
            change_count: call.count_changed_files(),
            first_read: self.reads,
            read_count: call.count_read_files(),
        };
        self.runs += u32::from(run.is_some());
        self.changes = self.changes.saturating_add(delivered.change_count);
        self.reads = self.reads.saturating_add(delivered.read_count);
        if has_result {
            return;
        }
        let id = fingerprint(&call.id);
        self.waiting.retain(|other| other.id != id);
        if self.waiting.len() == MAX_WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push(PendingCall {
            id,
            is_command: call.command.is_some(),
            opens_pull_request: opens_pull_request(call.command.as_deref(), &call.name),
            delivered: Some(delivered),
            turn: Some(turn),
            reported_status: None,
        });
    }

    /// Returns the call of this id, when it is waited for.
    pub(crate) fn get(&self, id: &str) -> Option<&PendingCall> {
        let id = fingerprint(id);
        self.waiting.iter().find(|call| call.id == id)
    }

    /// Notes the end of a call that a record before its result has.
    pub(crate) fn note_status(&mut self, id: &str, status: CallStatus) {
        let id = fingerprint(id);
        if let Some(call) = self.waiting.iter_mut().find(|call| call.id == id) {
            call.reported_status = call.reported_status.max(Some(status));
        }
    }

    /// Returns the call of this id, once, when it was waited for.
    pub(crate) fn remove(&mut self, id: &str) -> Option<PendingCall> {
        let id = fingerprint(id);
        let at = self.waiting.iter().position(|call| call.id == id)?;
        Some(self.waiting.remove(at))
    }
}
