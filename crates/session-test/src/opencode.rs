//! A database of OpenCode, written row by row.

use crate::home::TestHome;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The tables of OpenCode's database that are read.
pub const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS project (id TEXT PRIMARY KEY, worktree TEXT, sandboxes TEXT);
    CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT,
        directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT,
        time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,
        time_created INTEGER, time_updated INTEGER, data TEXT);";

/// 2026-02-01, 10:00 UTC, in milliseconds.
const BEGINNING_MS: i64 = 1_769_940_000_000;

/// A database of OpenCode, open for writing.
pub struct OpenCodeHistory(pub Connection);

impl OpenCodeHistory {
    /// Returns where the database stands in a home.
    pub fn path(home: &TestHome) -> PathBuf {
        home.home(".local/share/opencode/opencode.db")
    }

    /// Opens the database of a home; makes it where there is none.
    pub fn open(home: &TestHome) -> Self {
        Self::at(&Self::path(home))
    }

    /// Opens the database at a path; makes it where there is none.
    pub fn at(path: &Path) -> Self {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        let db = Connection::open(path).unwrap();
        db.execute_batch(SCHEMA).unwrap();
        Self(db)
    }

    /// Adds a session of exchanges, a minute apart.
    pub fn session(&self, id: &str, directory: &str, title: &str, exchanges: &[(&str, &str)]) {
        self.0
            .execute(
                "INSERT INTO session VALUES (?1, 'prj', NULL, ?2, ?3, ?4, ?4)",
                params![id, directory, title, BEGINNING_MS],
            )
            .unwrap();
        for (n, (prompt, answer)) in exchanges.iter().enumerate() {
            let at_ms = BEGINNING_MS + 60_000 * i64::try_from(n).unwrap();
            self.message(id, at_ms, &json!({"role": "user"}), &text(prompt));
            self.message(
                id,
                at_ms + 1000,
                &json!({"role": "assistant"}),
                &text(answer),
            );
        }
    }

    /// Adds an answer of one part to a session, so many minutes after its beginning.
    pub fn answer(&self, session: &str, minutes: i64, data: &Value, part: &Value) {
        self.message(session, BEGINNING_MS + 60_000 * minutes, data, part);
    }

    fn message(&self, session: &str, at_ms: i64, data: &Value, part: &Value) {
        let id = format!("msg_{at_ms}_{session}");
        let mut data = data.clone();
        data["time"] = json!({"created": at_ms, "completed": at_ms + 500});
        let row = params![id, session, at_ms, data.to_string()];
        self.0
            .execute("INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)", row)
            .unwrap();
        let row = params![
            format!("prt_{at_ms}_{session}"),
            id,
            session,
            at_ms,
            part.to_string()
        ];
        self.0
            .execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)", row)
            .unwrap();
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}
