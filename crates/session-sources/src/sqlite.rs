//! SQLite databases of other programs, which may have them open.

use crate::file::{mtime_ns, stamp};
use crate::storage_error::StorageError;
use fs_err as fs;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, OpenFlags};
use session_core::FileStamp;
use session_files::{
    DatabaseCopy, immutable_sqlite_uri, path_beside_database, unshared_sqlite_uri, write_ahead_log,
};
use std::collections::HashSet;
use std::io::{self, Read};
use std::iter;
use std::path::Path;
use std::time::Duration;

/// How long another program's lock is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// A database that is open for reading, its write-ahead log included.
#[derive(Debug)]
pub(crate) struct SourceDatabase {
    // Before the copy, which it must not outlive.
    pub connection: Connection,
    _copy: Option<DatabaseCopy>,
}

impl SourceDatabase {
    /// Opens a database, and reads something first from it. Nothing is created or changed beside it: where its log cannot be
    /// read so, a copy is opened. A named pipe, at its path or at one that SQLite opens beside it, is an error.
    pub(crate) fn open<T>(
        path: &Path,
        first: impl Fn(&Connection) -> Result<T, StorageError>,
    ) -> Result<(Self, T), StorageError> {
        refuse_pipes(path)?;
        let connected = open_in_place(path).and_then(|open| Ok((first(&open)?, open)));
        let (first, connection, copy) = match connected {
            Ok((first, connection)) => (first, connection, None),
            Err(StorageError::Unopenable(_)) => {
                let copy = DatabaseCopy::create(path)?.ok_or(StorageError::Restless)?;
                let connection = connect(&copy.path(), OpenFlags::empty())?;
                (first(&connection)?, connection, Some(copy))
            }
            Err(error) => return Err(error),
        };
        let database = Self {
            connection,
            _copy: copy,
        };
        Ok((database, first))
    }
}

/// Fails where the database, or a file that SQLite opens with it, is a named pipe, whose writer would be waited for.
fn refuse_pipes(database: &Path) -> Result<(), StorageError> {
    if is_pipe(database) {
        return Err(StorageError::NotRegular);
    }
    // Shared memory is opened where there is a log.
    let has_log = write_ahead_log(database).exists();
    let shared = has_log.then(|| path_beside_database(database, "-shm"));
    let journal = path_beside_database(database, "-journal");
    match iter::once(journal).chain(shared).find(|path| is_pipe(path)) {
        Some(pipe) => Err(StorageError::PipeBeside(pipe)),
        None => Ok(()),
    }
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|at| at.file_type().is_fifo())
}

/// Pipes of Windows are in no folder.
#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// Opens a database where it is. A log is read by the memory that a running agent shares (`-shm`), without changing it. SQLite
/// does without that memory where nobody has the database open, and cannot open a log without it.
fn open_in_place(path: &Path) -> Result<Connection, StorageError> {
    // Looked at first: to close the file would drop the locks of another connection of this process, which has a log.
    let uri = if write_ahead_log(path).exists() {
        unshared_sqlite_uri(path)
    } else if has_log_mode(path) {
        // SQLite would leave an empty log beside it otherwise.
        immutable_sqlite_uri(path)
    } else {
        return connect(path, OpenFlags::empty());
    };
    connect(Path::new(&uri), OpenFlags::SQLITE_OPEN_URI)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StorageError> {
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, read_only | flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.authorizer(Some(refuse_views))?;
    // Plans do not depend on what is bound: else a statement is prepared again for each message.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Refuses what a view reads, and all recursion: a view may compute rows without end, and a virtual table may read one
/// even while it is opened.
fn refuse_views(access: AuthContext<'_>) -> Authorization {
    if access.accessor.is_some() || matches!(access.action, AuthAction::Recursive) {
        Authorization::Deny
    } else {
        Authorization::Allow
    }
}

/// Returns the columns of a table that are stored in its rows; none where there is no such table. A view and a virtual
/// table, which have no root page, are none. Nor is a generated column, which may compute gigabytes.
///
/// `pragma_table_list` names the kinds of tables, but opens each virtual table of the database for that.
pub(crate) fn stored_columns(
    connection: &Connection,
    table: &str,
) -> Result<HashSet<String>, StorageError> {
    let mut statement = connection.prepare(
        "SELECT c.name FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
         WHERE s.name = ?1 AND s.type = 'table' AND s.rootpage > 0 AND c.hidden = 0",
    )?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// Returns true for a database whose writers keep a write-ahead log.
fn has_log_mode(path: &Path) -> bool {
    // The file's format versions for writing and reading: 2 is that of a write-ahead log.
    const WAL_HEADER: (usize, [u8; 2]) = (18, [2, 2]);
    let mut header = [0; 20];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[WAL_HEADER.0..] == WAL_HEADER.1
}

/// Returns bytes and last change of a database and of its log.
pub(crate) fn database_stamp(path: &Path) -> io::Result<FileStamp> {
    let mut stamp = stamp(&fs::metadata(path)?);
    // An empty log may be left of a reader, even of ourselves: it says nothing.
    let log = fs::metadata(write_ahead_log(path)).ok();
    if let Some(log) = log.filter(|log| log.len() > 0) {
        stamp.size += log.len();
        stamp.mtime_ns = stamp.mtime_ns.max(mtime_ns(&log));
    }
    Ok(stamp)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use session_test::files::make_fifo;

    /// Rows without end, and a virtual table that reads them.
    const ENDLESS: &str = "CREATE VIEW endless AS
           WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id AS rid, id FROM n;
         CREATE VIRTUAL TABLE words USING fts5(id, content='endless', content_rowid='rid');
         CREATE TABLE kept(id, name AS (hex(zeroblob(9))) VIRTUAL, title AS (id || id) STORED);";

    #[test]
    fn only_stored_columns_of_tables_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let made = Connection::open(&path).unwrap();
        made.execute_batch(ENDLESS).unwrap();
        let (database, ()) = SourceDatabase::open(&path, |_| Ok(())).unwrap();
        let connection = &database.connection;
        for none in ["endless", "words", "missing"] {
            assert_eq!(stored_columns(connection, none).unwrap(), HashSet::new());
        }
        let kept = stored_columns(connection, "kept").unwrap();
        assert_eq!(kept, HashSet::from(["id".to_owned()]));
        for sql in ["SELECT max(id) FROM endless", "SELECT max(id) FROM words"] {
            let read = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            assert!(read.is_err(), "{sql}");
        }
    }

    #[test]
    fn a_pipe_at_a_database_or_beside_it_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let open = |path: &Path| SourceDatabase::open(path, |_| Ok(())).map(drop);
        let alone = folder.path().join("alone.db");
        make_fifo(&alone);
        assert!(matches!(open(&alone), Err(StorageError::NotRegular)));
        for end in ["-journal", "-shm"] {
            let path = folder.path().join(format!("with{end}.db"));
            let database = Connection::open(&path).unwrap();
            database.execute_batch("CREATE TABLE a(b)").unwrap();
            fs::write(write_ahead_log(&path), "").unwrap();
            let pipe = path_beside_database(&path, end);
            make_fifo(&pipe);
            let error = open(&path).unwrap_err();
            assert!(matches!(&error, StorageError::PipeBeside(at) if *at == pipe));
            assert!(!error.is_permanent(), "{error}");
            fs::remove_file(&pipe).unwrap();
            assert!(open(&path).is_ok(), "{end}");
        }
    }
}
