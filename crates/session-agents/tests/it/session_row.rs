//! Rows of sessions, as the index has them.

use session_store::{FileId, SessionId, SessionRow};

/// Returns a session of Claude Code with a row id, which is its id in the agent, too.
pub fn claude_session(id: i64) -> SessionRow {
    SessionRow {
        id: SessionId::new(id),
        file: FileId::new(id),
        source: "claude".into(),
        uid: format!("session-{id}"),
        parent: None,
        title: None,
        cwd: None,
        project: None,
        branch: None,
        forked_from: None,
        started_ms: None,
        ended_ms: None,
        turns: 1,
        gone: false,
        prompts_only: false,
    }
}
