//! The SQLite database of OpenCode 1.2 and later.

use super::history::{MessageStorage, MessageVisitor};
use super::message_key::{MessageKey, MessageTable, merge_by_time};
use super::meta::{self, OpenCodeProject};
use super::schema::{SignatureRows, TableColumns};
use super::stored_message::{DataColumn, MessageBatch, MessageContents, RawMessage, StoredParts};
use crate::session_signature::{SessionSignature, digest};
use crate::session_storage::StoredSession;
use crate::sqlite::SourceDatabase;
use crate::storage_error::{SIZE_LIMIT, SkippedCounts, StorageError};
use rusqlite::types::ValueRef;
use rusqlite::{Row, params};
use session_core::{ReadDetail, TurnSpan};
use std::ops::ControlFlow;
use std::path::Path;

/// An open database, its write-ahead log included. Read transactions last for
/// one session at most: OpenCode cannot reset its log meanwhile.
#[derive(Debug)]
pub(super) struct Database {
    database: SourceDatabase,
    schema: TableColumns,
}

impl Database {
    /// Opens a database for reading.
    pub(super) fn open(path: &Path) -> Result<Self, StorageError> {
        let (database, schema) = SourceDatabase::open(path, TableColumns::read)?;
        Ok(Self { database, schema })
    }

    /// Returns the ids of all sessions.
    pub(super) fn session_ids(&self) -> Result<Vec<String>, StorageError> {
        let mut statement = self.database.connection.prepare("SELECT id FROM session")?;
        let mut rows = statement.query([])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.extend(text(row, 0)?);
        }
        Ok(ids)
    }

    /// Reads the sessions with a signature of these rows.
    fn query_sessions(&self, rows: SignatureRows) -> Result<Vec<StoredSession>, StorageError> {
        let sql = self.schema.sessions_sql(rows);
        let mut statement = self.database.connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()? {
            sessions.extend(session(row)?);
        }
        Ok(sessions)
    }

    /// Refuses a database whose sessions keep their messages where they are not found: without this, all sessions would
    /// look empty.
    fn check_form(&self) -> Result<(), StorageError> {
        match self.keeps_messages_elsewhere() {
            Ok(true) => Err(StorageError::NewerForm),
            // Damage costs the sessions that it is in.
            Ok(false) | Err(StorageError::Damaged) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn keeps_messages_elsewhere(&self) -> Result<bool, StorageError> {
        let schema = &self.schema;
        let (first, second) = (schema.has_first_storage(), schema.has_second_storage());
        if first && self.has_rows("message")?
            || second && self.has_rows(&TableColumns::known_messages())?
        {
            return Ok(false);
        }
        let has_first_in_part = !first && (schema.has("message", "id") || schema.has("part", "id"));
        Ok(has_first_in_part && self.has_rows("session")?
            || schema.has("session_message", "id") && self.has_rows("session_message")?)
    }

    fn has_rows(&self, table: &str) -> Result<bool, StorageError> {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        let connection = &self.database.connection;
        Ok(connection.query_row(&sql, [], |row| row.get(0))?)
    }

    /// Returns the messages of a session in their order, without their data.
    fn keys(&self, session: &str) -> Result<Vec<MessageKey>, StorageError> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        if self.schema.has_first_storage() {
            first = self.keys_of(&self.schema.messages_sql(), session, |_| {
                Ok(MessageTable::Message)
            })?;
        }
        if self.schema.has_second_storage() {
            let table = |row: &Row<'_>| {
                let kind = text(row, 3)?.unwrap_or_default();
                Ok(MessageTable::SessionMessage { kind })
            };
            second = self.keys_of(&self.schema.second_messages_sql(), session, table)?;
        }
        Ok(merge_by_time(first, second))
    }

    fn keys_of(
        &self,
        sql: &str,
        session: &str,
        table: impl Fn(&Row<'_>) -> Result<MessageTable, StorageError>,
    ) -> Result<Vec<MessageKey>, StorageError> {
        let mut statement = self.database.connection.prepare_cached(sql)?;
        let mut rows = statement.query([session])?;
        let mut keys = Vec::new();
        while let Some(row) = rows.next()? {
            keys.push(MessageKey {
                row: row.get(0)?,
                id: text(row, 1)?.unwrap_or_default(),
                created: Some(number(row, 2)?).filter(|&ms| ms != 0),
                table: table(row)?,
            });
        }
        Ok(keys)
    }

    fn stored(
        &self,
        key: MessageKey,
        ordinal: u64,
        detail: ReadDetail,
    ) -> Result<RawMessage, StorageError> {
        let sql = TableColumns::data_sql(key.table.name());
        let mut statement = self.database.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![key.row, SIZE_LIMIT])?;
        Ok(RawMessage {
            data: rows.next()?.map_or_else(
                || Ok(DataColumn::MISSING),
                |row| DataColumn::from_column(row, 0),
            )?,
            content: match key.table {
                MessageTable::Message => MessageContents::Parts(self.parts(&key.id, detail)?),
                MessageTable::SessionMessage { kind } => MessageContents::Inline(kind),
            },
            id: key.id,
            ordinal,
            created: key.created,
        })
    }

    fn parts(&self, message: &str, detail: ReadDetail) -> Result<StoredParts, StorageError> {
        let mut statement = self
            .database
            .connection
            .prepare_cached(&TableColumns::parts_sql())?;
        let mut rows = statement.query(params![message, SIZE_LIMIT])?;
        let mut parts = StoredParts::default();
        while let Some(row) = rows.next()? {
            parts.push(DataColumn::from_column(row, 0)?, detail);
        }
        Ok(parts)
    }
}

impl MessageStorage for Database {
    fn list_sessions(
        &self,
        _skipped: &mut SkippedCounts,
    ) -> Result<Vec<StoredSession>, StorageError> {
        self.check_form()?;
        match self.query_sessions(SignatureRows::WithMessages) {
            // A damaged page of messages costs no more than its session.
            Err(StorageError::Damaged) => self.query_sessions(SignatureRows::OfSessionsAlone),
            listed => listed,
        }
    }

    fn find_reverted(&self, session: &str) -> Option<String> {
        let sql = self.schema.revert_sql()?;
        let revert: Option<String> = self
            .database
            .connection
            .query_row(&sql, [session], |row| row.get(0))
            .ok()?;
        meta::reverted_from(&revert?)
    }

    fn visit_messages(
        &self,
        session: &str,
        span: TurnSpan,
        detail: ReadDetail,
        skipped: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> Result<(), StorageError> {
        let _snapshot = self.database.connection.unchecked_transaction()?;
        let mut keys = (0..span.end).zip(self.keys(session)?);
        let mut batch = MessageBatch::default();
        let mut is_damaged = false;
        let ended = loop {
            let Some((ordinal, key)) = keys.find(|(ordinal, _)| *ordinal >= span.start) else {
                // After all that can be read.
                break if is_damaged {
                    Err(StorageError::Damaged)
                } else {
                    Ok(())
                };
            };
            match self.stored(key, ordinal, detail) {
                Ok(message) => batch.push(message),
                Err(StorageError::Damaged) => is_damaged = true,
                Err(error) => break Err(error),
            }
            if batch.is_full() && batch.visit(detail, skipped, visit).is_break() {
                return Ok(());
            }
        };
        // Also what came before an error.
        let _: ControlFlow<()> = batch.visit(detail, skipped, visit);
        ended
    }
}

fn session(row: &Row<'_>) -> Result<Option<StoredSession>, StorageError> {
    let Some(id) = text(row, 0)? else {
        return Ok(None);
    };
    let project = OpenCodeProject {
        id: text(row, 4)?,
        worktree: text(row, 5)?,
        sandboxes: text(row, 6)?,
    };
    let stored = meta::SessionRecord {
        id,
        parent: text(row, 1)?,
        title: text(row, 2)?,
        directory: text(row, 3)?,
        project,
    };
    let count = |column| number(row, column).map(|n| u64::try_from(n).unwrap_or_default());
    let meta = stored.meta();
    let signature = SessionSignature {
        changed_ms: number(row, 8)?,
        messages: count(9)?,
        parts: count(10)?,
        digest: digest(&meta, text(row, 11)?.as_deref()),
    };
    Ok(Some(StoredSession {
        meta,
        created: number(row, 7)?,
        signature,
    }))
}

/// Returns the text in a column, none for another value: SQLite lets any value into any column.
fn text(row: &Row<'_>, column: usize) -> Result<Option<String>, StorageError> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

fn number(row: &Row<'_>, column: usize) -> Result<i64, StorageError> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => number,
        ValueRef::Real(number) => number as i64,
        _ => 0,
    })
}
