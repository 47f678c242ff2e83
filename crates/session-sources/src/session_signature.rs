//! Signatures of sessions, by which changes since the last read are found.

use crate::Cursor;
use crate::cursor::fingerprint;
use serde::{Deserialize, Serialize};
use session_core::SessionMeta;
use std::collections::BTreeMap;

/// A value that changes when a session does. A deletion raises no time, and a rename raises neither a time nor a count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredSignature", into = "StoredSignature")]
pub(crate) struct SessionSignature {
    /// The last change of the session, its messages and its parts, in milliseconds since 1970.
    pub changed_ms: i64,
    /// The number of messages.
    pub messages: u64,
    /// The number of parts, or what else changes with the content.
    pub parts: u64,
    /// The [`digest`] of what is known of the session as a whole.
    pub digest: u64,
}

/// The fields of a signature in a cursor. Older cursors have no digest.
#[derive(Serialize, Deserialize)]
struct StoredSignature(i64, u64, u64, #[serde(default)] u64);

impl From<StoredSignature> for SessionSignature {
    fn from(StoredSignature(changed_ms, messages, parts, digest): StoredSignature) -> Self {
        Self {
            changed_ms,
            messages,
            parts,
            digest,
        }
    }
}

impl From<SessionSignature> for StoredSignature {
    fn from(signature: SessionSignature) -> Self {
        let SessionSignature {
            changed_ms,
            messages,
            parts,
            digest,
        } = signature;
        Self(changed_ms, messages, parts, digest)
    }
}

/// Version of how sessions are read. Those that were read by another one are read again.
const READ_VERSION: u32 = 3;

/// Returns a hash of what is known of a session as a whole, and of `session.revert`.
pub(crate) fn digest(meta: &SessionMeta, revert: Option<&str>) -> u64 {
    fingerprint(serde_json::to_vec(&(READ_VERSION, meta, revert)).unwrap_or_default())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_keeps_its_form() {
        let cursor = Cursor(r#"{"a":[1700000000000,2,3,4]}"#.to_owned());
        let signatures = SessionSignatures::from_cursor(Some(&cursor));
        let expected = SessionSignature {
            changed_ms: 1_700_000_000_000,
            messages: 2,
            parts: 3,
            digest: 4,
        };
        assert_eq!(signatures.get("a"), Some(expected));
        assert_eq!(signatures.cursor(), cursor);
        let older = Cursor(r#"{"a":[1700000000000,2,3]}"#.to_owned());
        let expected = SessionSignature {
            digest: 0,
            ..expected
        };
        let signatures = SessionSignatures::from_cursor(Some(&older));
        assert_eq!(signatures.get("a"), Some(expected));
    }
}
