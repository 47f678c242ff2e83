//! SQLite databases of other programs, which may have them open.

use crate::file::{FileKey, file_key, is_absence, mtime_ns, stamp};
use crate::storage_error::StorageError;
use fs_err as fs;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, OpenFlags};
use session_core::FileStamp;
use session_files::{
    DatabaseCopy, immutable_sqlite_uri, path_beside_database, unshared_sqlite_uri, write_ahead_log,
};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read};
use std::iter;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// How long another program's lock is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// A database that is open for reading, its write-ahead log included.
#[derive(Debug)]
pub(crate) struct SourceDatabase {
    // Before the others, which it must not outlive.
    pub connection: Connection,
    _log_mode: Option<LogMode>,
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
        let connected =
            Self::open_in_place(path).and_then(|open| Ok((first(&open.connection)?, open)));
        let (first, database) = match connected {
            Err(StorageError::Unopenable(_)) => {
                let copy = DatabaseCopy::create(path)?.ok_or(StorageError::Restless)?;
                let connection = connect(&copy.path(), OpenFlags::empty())?;
                let database = Self {
                    connection,
                    _log_mode: None,
                    _copy: Some(copy),
                };
                (first(&database.connection)?, database)
            }
            connected => connected?,
        };
        Ok((database, first))
    }

    /// Opens a database where it is. A log is read by the memory that a running agent shares (`-shm`), without changing it.
    /// SQLite does without that memory where nobody has the database open, and cannot open a log without it.
    fn open_in_place(path: &Path) -> Result<Self, StorageError> {
        // Looked at first: another connection of this process may have a log, and locks that reading the header would drop.
        let has_log = write_ahead_log(path).try_exists()?;
        let log_mode = (!has_log).then(|| LogMode::find(path));
        let connection = match &log_mode {
            None => connect_by_uri(&unshared_sqlite_uri(path)),
            // SQLite would leave an empty log beside it otherwise.
            Some(mode) if *mode.0 => connect_by_uri(&immutable_sqlite_uri(path)),
            Some(_) => connect(path, OpenFlags::empty()),
        };
        Ok(Self {
            connection: connection?,
            _log_mode: log_mode,
            _copy: None,
        })
    }
}

/// Says whether the writers of a database keep a write-ahead log. It lives as long as a connection that was opened by it.
#[derive(Debug)]
struct LogMode(Arc<bool>);

/// The log modes of the databases that this process has open.
static LOG_MODES: Mutex<BTreeMap<FileKey, Weak<bool>>> = Mutex::new(BTreeMap::new());

impl LogMode {
    /// Reads the header of a database, but not of one that is open: to close the file would drop the locks that SQLite holds
    /// on it in this process (`How To Corrupt An SQLite Database File`, 2.2).
    fn find(path: &Path) -> Self {
        let mut modes = LOG_MODES.lock().unwrap_or_else(PoisonError::into_inner);
        modes.retain(|_, mode| mode.strong_count() > 0);
        let Ok(found) = fs::metadata(path) else {
            return Self(Arc::new(false));
        };
        let key = file_key(path, &found);
        if let Some(mode) = modes.get(&key).and_then(Weak::upgrade) {
            return Self(mode);
        }
        let mode = Arc::new(has_log_mode(path));
        modes.insert(key, Arc::downgrade(&mode));
        Self(mode)
    }
}

/// Fails where the database, or a file that SQLite opens with it, is a named pipe, whose writer would be waited for.
fn refuse_pipes(database: &Path) -> Result<(), StorageError> {
    if is_pipe(database) {
        return Err(StorageError::NotRegular);
    }
    // Shared memory is opened where there is a log.
    let has_log = write_ahead_log(database).try_exists()?;
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

fn connect_by_uri(uri: &str) -> Result<Connection, StorageError> {
    connect(Path::new(uri), OpenFlags::SQLITE_OPEN_URI)
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
    let log = match fs::metadata(write_ahead_log(path)) {
        Err(error) if is_absence(&error) => None,
        log => Some(log?),
    };
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

    /// The database to which another process writes.
    const OTHER_PROCESS_DATABASE: &str = "SESSION_SOURCES_OTHER_PROCESS_DATABASE";

    /// Is run by the next test in another process, and does nothing else.
    #[test]
    fn another_process_cannot_write() {
        if let Some(path) = std::env::var_os(OTHER_PROCESS_DATABASE) {
            let database = Connection::open(path).unwrap();
            database.busy_timeout(Duration::ZERO).unwrap();
            let error = database.execute("INSERT INTO a VALUES(1)", []).unwrap_err();
            let code = error.sqlite_error_code();
            assert_eq!(code, Some(rusqlite::ErrorCode::DatabaseBusy), "{error}");
        }
    }

    /// To close any descriptor of a file drops all locks that the process has on it, SQLite's too.
    #[test]
    fn a_database_that_is_read_stays_locked_when_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.vscdb");
        let made = Connection::open(&path).unwrap();
        made.execute_batch("CREATE TABLE a(b); INSERT INTO a VALUES(0)")
            .unwrap();
        drop(made);
        let open = || SourceDatabase::open(&path, |_| Ok(())).unwrap().0;
        let database = open();
        let connection = &database.connection;
        let snapshot = connection.unchecked_transaction().unwrap();
        let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        snapshot.query_row("SELECT b FROM a", [], read).unwrap();
        drop(open());
        let other = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sqlite::tests::another_process_cannot_write"])
            .env(OTHER_PROCESS_DATABASE, &path)
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&other.stdout);
        assert!(output.contains("1 passed"), "{output}");
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
