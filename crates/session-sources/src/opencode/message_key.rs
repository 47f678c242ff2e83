//! The order of a session's messages, which may lie in two tables.

use std::collections::HashSet;

/// Where a message lies, and what its place in the session follows from.
#[derive(Debug)]
pub(super) struct MessageKey {
    /// Row in its table.
    pub(super) row: i64,
    pub(super) id: String,
    /// Milliseconds since 1970.
    pub(super) created: Option<i64>,
    pub(super) table: MessageTable,
}

/// The table that holds a message.
#[derive(Debug)]
pub(super) enum MessageTable {
    /// `message`: what it says is in `part`.
    Message,
    /// `session_message`, the second storage.
    SessionMessage {
        /// Type of the message: `user`, `assistant`, `shell`, …
        kind: String,
    },
}

impl MessageTable {
    /// Returns its name in the database.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::SessionMessage { .. } => "session_message",
        }
    }
}

/// Merges the messages of both storages by time, each in its own order. A
/// message that is in both is taken from the first.
pub(super) fn merge_by_time(
    first: Vec<MessageKey>,
    mut second: Vec<MessageKey>,
) -> Vec<MessageKey> {
    let ids: HashSet<&str> = first.iter().map(|key| key.id.as_str()).collect();
    second.retain(|key| !ids.contains(key.id.as_str()));
    drop(ids);
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let mut first = first.into_iter().peekable();
    for key in second {
        while let Some(earlier) = first.next_if(|other| other.created <= key.created) {
            merged.push(earlier);
        }
        merged.push(key);
    }
    merged.extend(first);
    merged
}
