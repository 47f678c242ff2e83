//! Signatures of sessions, by which changes since the last read are found.

use crate::Cursor;
use serde::{Deserialize, Serialize};
use session_core::SessionMeta;
use std::collections::BTreeMap;

/// Changes when a session does: the last change in milliseconds since 1970 of
/// the session, its messages and its parts; how many messages and how many
/// parts there are, since a deletion raises no time; and a [`digest`] of what
/// is known of the session as a whole, since a rename raises none either.
/// Older cursors have no digest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionSignature(pub i64, pub u64, pub u64, #[serde(default)] pub u64);

impl SessionSignature {
    /// Returns how many messages the session has.
    pub(crate) fn message_count(self) -> u64 {
        self.1
    }
}

/// Version of how sessions are read. Those that were read by another one are read again.
const READ_VERSION: u32 = 3;

/// Returns a hash of what is known of a session as a whole, and of `session.revert`.
pub(crate) fn digest(meta: &SessionMeta, revert: Option<&str>) -> u64 {
    let json = serde_json::to_vec(&(READ_VERSION, meta, revert)).unwrap_or_default();
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(&json).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The signature of each session that was delivered, by id: the cursor.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SessionSignatures(BTreeMap<String, SessionSignature>);

impl SessionSignatures {
    /// Reads the signatures of a cursor; none when it cannot be parsed.
    pub(crate) fn from_cursor(cursor: Option<&Cursor>) -> Self {
        cursor
            .and_then(|cursor| serde_json::from_str(&cursor.0).ok())
            .unwrap_or_default()
    }

    /// Returns the cursor from which the next read goes on.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor(serde_json::to_string(self).unwrap_or_default())
    }

    /// Returns true when the session was delivered as it is now.
    pub(crate) fn is_current(&self, session: &str, signature: SessionSignature) -> bool {
        self.0.get(session) == Some(&signature)
    }

    /// Returns the signature with which a session was delivered.
    pub(crate) fn get(&self, session: &str) -> Option<SessionSignature> {
        self.0.get(session).copied()
    }

    /// Notes a session as delivered.
    pub(crate) fn insert(&mut self, session: &str, signature: SessionSignature) {
        self.0.insert(session.to_owned(), signature);
    }

    /// Takes out the sessions that `exists` does not know, and gives their ids.
    pub(crate) fn take_gone(&mut self, exists: impl Fn(&str) -> bool) -> Vec<String> {
        let gone: Vec<String> = self.0.keys().filter(|id| !exists(id)).cloned().collect();
        for id in &gone {
            self.0.remove(id);
        }
        gone
    }
}
