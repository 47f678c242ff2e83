//! OpenCode: a SQLite database that all sessions share, with a write-ahead log
//! that may hold most of it, and before version 1.2 a tree of JSON files.
//!
//! Both are a [`MessageStorage`](history::MessageStorage): sessions with a signature that
//! changes when they do, and messages with their parts. Of these
//! [`TurnBuilder`](turns::TurnBuilder) makes turns.

mod command;
mod database;
mod history;
mod lenient_field;
mod locate;
mod message;
mod message_key;
mod meta;
mod part;
mod schema;
mod session_message;
mod stored_message;
mod tool;
mod tree;
mod turns;

use crate::session_storage::{SessionStorage, read_sessions, show_sessions};
use crate::storage_error::StorageError;
use crate::{
    AgentInfo, Cursor, CursorRedaction, Env, IndexedSpan, Listing, Location, ShownTurns, Sink,
    Source,
};
use database::Database;
use history::MessageSessions;
use session_core::SessionMeta;
use std::path::Path;
use tree::JsonTree;

static AGENT: AgentInfo = AgentInfo {
    folders: &[".local/share/opencode"],
    variables: &["XDG_DATA_HOME", "OPENCODE_DB"],
    folder_in_variable: "opencode",
    session_paths: &["opencode*.db", "storage"],
    resume: &["opencode", "--session", "{id}"],
    fork: &["opencode", "--session", "{id}", "--fork"],
    session_variables: &["OPENCODE_SESSION_ID"],
    mark_variables: &["OPENCODE"],
    ..AgentInfo::new("opencode", "OpenCode")
};

/// OpenCode.
#[derive(Debug)]
pub struct OpenCode;

impl Source for OpenCode {
    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn locate(&self, env: &Env) -> Listing {
        locate::locate(env)
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        read_sessions(open, &at.path, from, sink);
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns {
        show_sessions(open, at, session, spans)
    }

    /// A cursor holds ids and hashes alone.
    fn redact_cursor(&self, _: &Path, cursor: &Cursor, _: &CursorRedaction<'_>) -> Cursor {
        cursor.clone()
    }
}

fn open(path: &Path) -> Result<Box<dyn SessionStorage>, StorageError> {
    match fs_err::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(Box::new(MessageSessions(JsonTree::new(path)))),
        Ok(metadata) if !metadata.is_file() => Err(StorageError::NotRegular),
        _ => Ok(Box::new(MessageSessions(Database::open(path)?))),
    }
}
