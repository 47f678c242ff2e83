//! Which columns a database has: 38 migrations and several forks differ.

use super::session_message::MESSAGE_TYPES;
use crate::sqlite::stored_columns;
use crate::storage_error::StorageError;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};

/// The tables that are read. All others are left alone: they hold secrets, or
/// repeat each message at each of its changes.
const TABLES: [&str; 5] = ["project", "session", "message", "part", "session_message"];
const FIRST_STORAGE: [(&str, &str); 6] = [
    ("message", "id"),
    ("message", "session_id"),
    ("message", "data"),
    ("part", "id"),
    ("part", "message_id"),
    ("part", "data"),
];
const SECOND_STORAGE: [(&str, &str); 4] = [
    ("session_message", "id"),
    ("session_message", "session_id"),
    ("session_message", "type"),
    ("session_message", "data"),
];

const NONE_BY_SESSION: &str = "SELECT NULL AS session_id, NULL AS newest, NULL AS number";

/// The columns of the tables that are read.
#[derive(Debug)]
pub(super) struct TableColumns(HashMap<&'static str, HashSet<String>>);

/// Of which rows the signature of a session is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureRows {
    /// Of its own, of its messages and of their parts.
    WithMessages,
    /// Of its own alone: those of messages may be damaged.
    OfSessionsAlone,
}

impl TableColumns {
    /// Looks into a database.
    pub(super) fn read(connection: &Connection) -> Result<Self, StorageError> {
        let mut tables = HashMap::new();
        for table in TABLES {
            tables.insert(table, stored_columns(connection, table)?);
        }
        let schema = Self(tables);
        let has_messages = schema.has_first_storage() || schema.has_second_storage();
        if schema.has("session", "id") && has_messages {
            Ok(schema)
        } else {
            Err(StorageError::NoTables("OpenCode"))
        }
    }

    /// Returns true when there are `message` and `part`.
    pub(super) fn has_first_storage(&self) -> bool {
        self.has_all(&FIRST_STORAGE)
    }

    /// Returns true when there is a `session_message` that can be read.
    pub(super) fn has_second_storage(&self) -> bool {
        self.has_all(&SECOND_STORAGE)
    }

    fn has_all(&self, columns: &[(&str, &str)]) -> bool {
        columns
            .iter()
            .all(|(table, column)| self.has(table, column))
    }

    /// Returns true when there is such a column.
    pub(super) fn has(&self, table: &str, column: &str) -> bool {
        self.0
            .get(table)
            .is_some_and(|columns| columns.contains(column))
    }

    /// Lists sessions: id, `parent_id`, title, directory, project id, its
    /// worktree, its sandboxes, creation; then what the signature is made of:
    /// last change, count of messages of both storages, count of parts,
    /// `revert`. Touches no `data`, which lies in overflow pages that are then
    /// never read.
    pub(super) fn sessions_sql(&self, rows: SignatureRows) -> String {
        let has_messages = rows == SignatureRows::WithMessages;
        let session = |column| self.column_or(column, "session", "s", "NULL");
        format!(
            "SELECT s.id, {parent}, {title}, {directory}, {project}, j.worktree, j.sandboxes,
                    coalesce({created}, 0),
                    max(coalesce({updated}, 0), coalesce(m.newest, 0), coalesce(v.newest, 0),
                        coalesce(p.newest, 0)),
                    coalesce(m.number, 0) + coalesce(v.number, 0), coalesce(p.number, 0), {revert}
             FROM session AS s
             LEFT JOIN ({projects}) AS j ON j.id = {project}
             LEFT JOIN ({messages}) AS m ON m.session_id = s.id
             LEFT JOIN ({second}) AS v ON v.session_id = s.id
             LEFT JOIN ({parts}) AS p ON p.session_id = s.id",
            parent = session("parent_id"),
            title = session("title"),
            directory = session("directory"),
            project = session("project_id"),
            created = session("time_created"),
            updated = session("time_updated"),
            revert = session("revert"),
            projects = self.projects(),
            messages =
                self.messages_by_session("message", has_messages && self.has_first_storage()),
            second = self
                .messages_by_session("session_message", has_messages && self.has_second_storage()),
            parts = self.parts_by_session(has_messages && self.has_first_storage()),
        )
    }

    /// Reads `revert` of session ?1: what the user undid.
    pub(super) fn revert_sql(&self) -> Option<String> {
        let sql = "SELECT s.revert FROM session AS s WHERE s.id = ?1";
        self.has("session", "revert").then(|| sql.to_owned())
    }

    /// Lists the messages of session ?1 in their order: row, id, creation.
    pub(super) fn messages_sql(&self) -> String {
        let created = self.column_or("time_created", "message", "m", "NULL");
        format!(
            "SELECT m.rowid, m.id, {created} FROM message AS m WHERE m.session_id = ?1
             ORDER BY {created}, m.id"
        )
    }

    /// Returns the query for messages of the second storage, with their type. `seq` is the order.
    pub(super) fn second_messages_sql(&self) -> String {
        let or = |column, otherwise| self.column_or(column, "session_message", "m", otherwise);
        format!(
            "SELECT m.rowid, m.id, {created}, m.type FROM session_message AS m
             WHERE m.session_id = ?1 ORDER BY {seq}",
            created = or("time_created", "NULL"),
            seq = or("seq", "m.rowid"),
        )
    }

    /// Returns the data of row ?1 of a table (or `NULL` when longer than ?2), its length.
    pub(super) fn data_sql(table: &str) -> String {
        format!(
            "SELECT {DATA} FROM {table} AS m WHERE m.rowid = ?1",
            DATA = data_columns("m")
        )
    }

    /// Lists the parts of message ?1: data (or `NULL` when longer than ?2), length.
    pub(super) fn parts_sql() -> String {
        format!(
            "SELECT {DATA} FROM part AS p WHERE p.message_id = ?1 ORDER BY p.id",
            DATA = data_columns("p")
        )
    }

    /// Selects the messages of the second storage that are of a type that is read.
    pub(super) fn known_messages() -> String {
        let known = MESSAGE_TYPES.map(|kind| format!("'{kind}'")).join(", ");
        format!("session_message WHERE type IN ({known})")
    }

    fn projects(&self) -> String {
        if !self.has("project", "id") {
            return "SELECT NULL AS id, NULL AS worktree, NULL AS sandboxes".to_owned();
        }
        let column = |column| self.column_or(column, "project", "q", "NULL");
        let (worktree, sandboxes) = (column("worktree"), column("sandboxes"));
        format!("SELECT q.id, {worktree} AS worktree, {sandboxes} AS sandboxes FROM project AS q")
    }

    fn messages_by_session(&self, table: &str, is_there: bool) -> String {
        if !is_there {
            return NONE_BY_SESSION.to_owned();
        }
        let changed = self.changed(table, "m");
        format!(
            "SELECT m.session_id, max({changed}) AS newest, count(*) AS number
             FROM {table} AS m GROUP BY m.session_id"
        )
    }

    fn parts_by_session(&self, is_there: bool) -> String {
        if !is_there {
            return NONE_BY_SESSION.to_owned();
        }
        let changed = self.changed("part", "p");
        let (session, join) = if self.has("part", "session_id") {
            ("p.session_id", "")
        } else {
            ("m.session_id", "JOIN message AS m ON m.id = p.message_id")
        };
        format!(
            "SELECT {session} AS session_id, max({changed}) AS newest, count(*) AS number
             FROM part AS p {join} GROUP BY {session}"
        )
    }

    fn changed(&self, table: &str, alias: &str) -> String {
        let created = self.column_or("time_created", table, alias, "NULL");
        self.column_or("time_updated", table, alias, &created)
    }

    fn column_or(&self, column: &str, table: &str, alias: &str, otherwise: &str) -> String {
        if self.has(table, column) {
            format!("{alias}.{column}")
        } else {
            otherwise.to_owned()
        }
    }
}

fn data_columns(alias: &str) -> String {
    format!(
        "CASE WHEN octet_length({alias}.data) <= ?2 THEN {alias}.data END,
         octet_length({alias}.data)"
    )
}
