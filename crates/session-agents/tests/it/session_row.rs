//! Rows of sessions, as the index has them.

use session_store::{FileId, SessionId, SessionRow};

/// Returns a session of Claude Code with a row id, which is its id in the agent, too.
pub fn claude_session(id: i64) -> SessionRow {
    SessionRow {
        id: SessionId::new(id),
        file: FileId::new(id),
        source: "claude".into(),
        uid: format!("session-{id}"),
        turns: 1,
        ..SessionRow::default()
    }
}
