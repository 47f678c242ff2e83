//! The SQLite database of OpenCode 1.2 and later.

use super::database_copy::DatabaseCopy;
use super::error::{SIZE_LIMIT, SkippedCounts, StorageError};
use super::history::{MessageVisitor, SessionStorage, StoredSession};
use super::message_key::{MessageKey, MessageTable, merge_by_time};
use super::meta::{self, OpenCodeProject};
use super::schema::TableColumns;
use super::signature::{self, SessionSignature};
use super::stored_message::{DataColumn, MessageBatch, MessageContents, RawMessage, StoredParts};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, params};
use session_core::{Detail, Span, immutable_sqlite_uri};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// How long another program's lock is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// An open database, its write-ahead log included. Read transactions last for
/// one session at most: OpenCode cannot reset its log meanwhile.
#[derive(Debug)]
pub(super) struct Database {
    // Before the copy, which it must not outlive.
    connection: Connection,
    schema: TableColumns,
    _copy: Option<DatabaseCopy>,
}

impl Database {
    /// Opens a database for reading. Where the folder cannot be written to,
    /// SQLite cannot share the log with OpenCode, and a copy is opened.
    pub(super) fn open(path: &Path) -> Result<Self, StorageError> {
        match connect(path) {
            Ok((connection, schema)) => Ok(Self {
                connection,
                schema,
                _copy: None,
            }),
            Err(StorageError::Unopenable(_)) => Self::open_copy(path),
            Err(error) => Err(error),
        }
    }

    fn open_copy(path: &Path) -> Result<Self, StorageError> {
        let copy = DatabaseCopy::create(path)?;
        let (connection, schema) = connect(&copy.path())?;
        Ok(Self {
            connection,
            schema,
            _copy: Some(copy),
        })
    }

    /// The ids of all sessions.
    pub(super) fn session_ids(&self) -> Result<Vec<String>, StorageError> {
        let mut statement = self.connection.prepare("SELECT id FROM session")?;
        let mut rows = statement.query([])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.extend(text(row, 0)?);
        }
        Ok(ids)
    }

    /// Where the second storage has columns that are not understood, an empty
    /// `message` table does not mean that there is nothing.
    fn check_form(&self) -> Result<(), StorageError> {
        if self.schema.has_second_storage() || !self.schema.has("session_message", "id") {
            return Ok(());
        }
        let newer: bool = self.connection.query_row(
            "SELECT EXISTS (SELECT 1 FROM session_message) AND NOT EXISTS (SELECT 1 FROM message)",
            [],
            |row| row.get(0),
        )?;
        if newer {
            Err(StorageError::NewerForm)
        } else {
            Ok(())
        }
    }

    /// The messages of a session in their order, without their data.
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
        let mut statement = self.connection.prepare_cached(sql)?;
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
        detail: Detail,
    ) -> Result<RawMessage, StorageError> {
        let sql = TableColumns::data_sql(key.table.name());
        let mut statement = self.connection.prepare_cached(&sql)?;
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

    fn parts(&self, message: &str, detail: Detail) -> Result<StoredParts, StorageError> {
        let mut statement = self.connection.prepare_cached(&TableColumns::parts_sql())?;
        let mut rows = statement.query(params![message, SIZE_LIMIT])?;
        let mut parts = StoredParts::default();
        while let Some(row) = rows.next()? {
            parts.push(DataColumn::from_column(row, 0)?, detail);
        }
        Ok(parts)
    }
}

impl SessionStorage for Database {
    fn sessions(&self, _faults: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError> {
        self.check_form()?;
        let mut statement = self.connection.prepare(&self.schema.sessions_sql())?;
        let mut rows = statement.query([])?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()? {
            sessions.extend(session(row)?);
        }
        Ok(sessions)
    }

    fn reverted_from(&self, session: &str) -> Option<String> {
        let sql = self.schema.revert_sql()?;
        let revert: Option<String> = self
            .connection
            .query_row(&sql, [session], |row| row.get(0))
            .ok()?;
        meta::reverted_from(&revert?)
    }

    fn messages(
        &self,
        session: &str,
        span: Span,
        detail: Detail,
        faults: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> Result<(), StorageError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let mut keys = (0..span.end).zip(self.keys(session)?);
        let mut batch = MessageBatch::default();
        let ended = loop {
            let Some((ordinal, key)) = keys.find(|(ordinal, _)| *ordinal >= span.start) else {
                break Ok(());
            };
            match self.stored(key, ordinal, detail) {
                Ok(message) => batch.push(message),
                Err(error) => break Err(error),
            }
            if batch.is_full() && batch.visit(detail, faults, visit).is_break() {
                return Ok(());
            }
        };
        // Also what came before an error.
        let _: ControlFlow<()> = batch.visit(detail, faults, visit);
        ended
    }
}

fn connect(path: &Path) -> Result<(Connection, TableColumns), StorageError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match is_closed(path) {
        true => open_unchanging(path, flags)?,
        false => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let schema = TableColumns::read(&connection)?;
    Ok((connection, schema))
}

/// True for a database with a write-ahead log that no program has open: its log is not there.
fn is_closed(path: &Path) -> bool {
    // The file's format versions for writing and reading: 2 is that of a write-ahead log.
    const WAL_HEADER: (usize, [u8; 2]) = (18, [2, 2]);
    let mut header = [0; 20];
    let read = fs_err::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    read.is_ok() && header[WAL_HEADER.0..] == WAL_HEADER.1 && !Path::new(&log).exists()
}

/// Opens a database that nobody writes to: SQLite would leave an empty log beside it otherwise.
fn open_unchanging(path: &Path, flags: OpenFlags) -> Result<Connection, StorageError> {
    let Some(uri) = immutable_sqlite_uri(path) else {
        return Ok(Connection::open_with_flags(path, flags)?);
    };
    Ok(Connection::open_with_flags(
        uri,
        flags | OpenFlags::SQLITE_OPEN_URI,
    )?)
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
    let digest = signature::digest(&meta, text(row, 11)?.as_deref());
    Ok(Some(StoredSession {
        meta,
        created: number(row, 7)?,
        signature: SessionSignature(number(row, 8)?, count(9)?, count(10)?, digest),
    }))
}

/// SQLite lets any value into any column.
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
