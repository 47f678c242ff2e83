//! The SQLite database of OpenCode 1.2 and later.

use super::fault::{Error, Faults, SIZE_LIMIT};
use super::history::{History, Session, Visit};
use super::meta::{self, Project};
use super::order::{Key, Table, merge_by_time};
use super::schema::Schema;
use super::signature::{self, Signature};
use super::snapshot::Snapshot;
use super::stored::{Batch, Content, Data, Parts, Stored};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, params};
use session_core::{Detail, Span};
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
    schema: Schema,
    _copy: Option<Snapshot>,
}

impl Database {
    /// Opens a database for reading. Where the folder cannot be written to,
    /// SQLite cannot share the log with OpenCode, and a copy is opened.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        match connect(path) {
            Ok((connection, schema)) => Ok(Self {
                connection,
                schema,
                _copy: None,
            }),
            Err(Error::Unopenable(_)) => Self::open_copy(path),
            Err(error) => Err(error),
        }
    }

    fn open_copy(path: &Path) -> Result<Self, Error> {
        let copy = Snapshot::take(path)?;
        let (connection, schema) = connect(&copy.path())?;
        Ok(Self {
            connection,
            schema,
            _copy: Some(copy),
        })
    }

    /// The ids of all sessions.
    pub(super) fn session_ids(&self) -> Result<Vec<String>, Error> {
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
    fn check_form(&self) -> Result<(), Error> {
        if self.schema.has_second_storage() || !self.schema.has("session_message", "id") {
            return Ok(());
        }
        let newer: bool = self.connection.query_row(
            "SELECT EXISTS (SELECT 1 FROM session_message) AND NOT EXISTS (SELECT 1 FROM message)",
            [],
            |row| row.get(0),
        )?;
        if newer { Err(Error::NewerForm) } else { Ok(()) }
    }

    /// The messages of a session in their order, without their data.
    fn keys(&self, session: &str) -> Result<Vec<Key>, Error> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        if self.schema.has_first_storage() {
            first = self.keys_of(&self.schema.messages_sql(), session, |_| Ok(Table::Message))?;
        }
        if self.schema.has_second_storage() {
            let table = |row: &Row<'_>| {
                let kind = text(row, 3)?.unwrap_or_default();
                Ok(Table::SessionMessage { kind })
            };
            second = self.keys_of(&self.schema.second_messages_sql(), session, table)?;
        }
        Ok(merge_by_time(first, second))
    }

    fn keys_of(
        &self,
        sql: &str,
        session: &str,
        table: impl Fn(&Row<'_>) -> Result<Table, Error>,
    ) -> Result<Vec<Key>, Error> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([session])?;
        let mut keys = Vec::new();
        while let Some(row) = rows.next()? {
            keys.push(Key {
                row: row.get(0)?,
                id: text(row, 1)?.unwrap_or_default(),
                created: Some(number(row, 2)?).filter(|&ms| ms != 0),
                table: table(row)?,
            });
        }
        Ok(keys)
    }

    fn stored(&self, key: Key, ordinal: u64, detail: Detail) -> Result<Stored, Error> {
        let sql = Schema::data_sql(key.table.name());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![key.row, SIZE_LIMIT])?;
        Ok(Stored {
            data: rows
                .next()?
                .map_or_else(|| Ok(Data::MISSING), |row| Data::of(row, 0))?,
            content: match key.table {
                Table::Message => Content::Parts(self.parts(&key.id, detail)?),
                Table::SessionMessage { kind } => Content::Inline(kind),
            },
            id: key.id,
            ordinal,
            created: key.created,
        })
    }

    fn parts(&self, message: &str, detail: Detail) -> Result<Parts, Error> {
        let mut statement = self.connection.prepare_cached(&Schema::parts_sql())?;
        let mut rows = statement.query(params![message, SIZE_LIMIT])?;
        let mut parts = Parts::default();
        while let Some(row) = rows.next()? {
            parts.push(Data::of(row, 0)?, detail);
        }
        Ok(parts)
    }
}

impl History for Database {
    fn sessions(&self, _faults: &mut Faults) -> Result<Vec<Session>, Error> {
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
        faults: &mut Faults,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let mut keys = (0..span.end).zip(self.keys(session)?);
        let mut batch = Batch::default();
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

fn connect(path: &Path) -> Result<(Connection, Schema), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let schema = Schema::of(&connection)?;
    Ok((connection, schema))
}

fn session(row: &Row<'_>) -> Result<Option<Session>, Error> {
    let Some(id) = text(row, 0)? else {
        return Ok(None);
    };
    let project = Project {
        id: text(row, 4)?,
        worktree: text(row, 5)?,
        sandboxes: text(row, 6)?,
    };
    let stored = meta::Stored {
        id,
        parent: text(row, 1)?,
        title: text(row, 2)?,
        directory: text(row, 3)?,
        project,
    };
    let count = |column| number(row, column).map(|n| u64::try_from(n).unwrap_or_default());
    let meta = stored.meta();
    let digest = signature::digest(&meta, text(row, 11)?.as_deref());
    Ok(Some(Session {
        meta,
        created: number(row, 7)?,
        signature: Signature(number(row, 8)?, count(9)?, count(10)?, digest),
    }))
}

/// SQLite lets any value into any column.
fn text(row: &Row<'_>, column: usize) -> Result<Option<String>, Error> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

fn number(row: &Row<'_>, column: usize) -> Result<i64, Error> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => number,
        ValueRef::Real(number) => number as i64,
        _ => 0,
    })
}
