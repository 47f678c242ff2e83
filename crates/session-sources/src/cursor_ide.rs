//! Cursor, the editor: SQLite databases of keys and values, one of all workspaces
//! (`globalStorage/state.vscdb`) and one of each, which in versions before 2025 held its
//! conversations, too.
//!
//! Read from what others wrote of the format: it has not been tried on a real history.

mod bubble;
mod composer;
mod database;
mod workspace;

use crate::session_storage::{read_sessions, show_sessions};
use crate::sqlite::database_stamp;
use crate::{
    AgentInfo, Cursor, CursorRedaction, Env, HistoryFolder, HistorySearch, IndexedSpan, Listing,
    Location, PathSession, ShownTurns, Sink, Source,
};
use database::CursorDatabase;
use session_core::SessionMeta;
use std::path::Path;

static AGENT: AgentInfo = AgentInfo {
    folders: &[
        ".config/Cursor/User",
        "Library/Application Support/Cursor/User",
        "AppData/Roaming/Cursor/User",
    ],
    ..AgentInfo::new("cursor", "Cursor")
};

const GLOBAL: &str = "globalStorage/state.vscdb";

/// Cursor, the editor.
#[derive(Debug)]
pub(crate) struct CursorIde;

impl Source for CursorIde {
    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn locate(&self, env: &Env) -> Listing {
        let mut search = HistorySearch::default();
        for folder in user_folders(env) {
            let files = [GLOBAL, "workspaceStorage/*/state.vscdb"];
            search.add(&folder, &files, &|_| Some(PathSession::default()));
        }
        let mut listing = search.finish();
        for at in &mut listing.locations {
            if let Ok(stamp) = database_stamp(&at.path) {
                at.stamp = stamp;
            }
        }
        listing
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        read_sessions(CursorDatabase::open, &at.path, from, sink);
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns {
        show_sessions(CursorDatabase::open, at, session, spans)
    }

    /// A cursor holds ids and hashes alone.
    fn redact_cursor(&self, _: &Path, cursor: &Cursor, _: &CursorRedaction<'_>) -> Cursor {
        cursor.clone()
    }
}

/// Folders of the editor's state, that of `XDG_CONFIG_HOME` among them.
fn user_folders(env: &Env) -> Vec<HistoryFolder> {
    let mut folders = AGENT.history_folders(env);
    if let Some(config) = env.get("XDG_CONFIG_HOME") {
        let folder = env.path(config).join("Cursor/User");
        folders.push(HistoryFolder::unnamed(folder));
    }
    folders
}

/// Returns true if the editor keeps sessions.
pub(crate) fn has_database(env: &Env) -> bool {
    let mut folders = user_folders(env).into_iter();
    folders.any(|folder| folder.path.join(GLOBAL).is_file())
}
