//! The tables, and opening a database that has them.

use crate::directory;
use crate::error::{Result, StoreError, is_damage, sqlite_message};
use crate::word_search::lexical::TOKENIZER;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use session_files::{DatabaseCopy, immutable_sqlite_uri, private};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// Version of the files on disk. An older one is migrated by the writer, as far
/// back as there are steps for it; no other is read.
pub const FORMAT_VERSION: u32 = 16;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS files(
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL DEFAULT 0, mtime_ns INTEGER NOT NULL DEFAULT 0, inode INTEGER NOT NULL DEFAULT 0,
  gone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS files_gone ON files(id) WHERE gone;
CREATE TABLE IF NOT EXISTS cursors(file INTEGER PRIMARY KEY, cursor BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS problems(
  path TEXT NOT NULL, reason TEXT NOT NULL, kind INTEGER NOT NULL, offset INTEGER, count INTEGER NOT NULL,
  PRIMARY KEY(path, reason, kind)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions(
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files(id), source TEXT NOT NULL,
  uid TEXT NOT NULL, parent TEXT, title TEXT, given_title TEXT, first_prompt TEXT, rest TEXT, work TEXT,
  cwd TEXT, project TEXT, branch TEXT, forked_from TEXT,
  started_ms INTEGER, ended_ms INTEGER, turns INTEGER NOT NULL DEFAULT 0,
  gone INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0,
  UNIQUE(file, uid));
CREATE INDEX IF NOT EXISTS sessions_uid ON sessions(uid);
CREATE INDEX IF NOT EXISTS sessions_prompts ON sessions(id) WHERE gone & 2;
CREATE TABLE IF NOT EXISTS changed_sessions(session INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS session_blocks(block INTEGER PRIMARY KEY, sessions BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS openings(session INTEGER PRIMARY KEY, template INTEGER NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS openings_template ON openings(template);
CREATE TABLE IF NOT EXISTS turns(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, idx INTEGER NOT NULL, kind INTEGER NOT NULL,
  started_ms INTEGER, ended_ms INTEGER, branch TEXT, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  origin INTEGER, prompt_time INTEGER, leaf INTEGER, owner INTEGER, frame INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS contents(id INTEGER PRIMARY KEY, frame BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS turns_session ON turns(session, idx);
CREATE TABLE IF NOT EXISTS turn_keys(bucket INTEGER PRIMARY KEY, keys BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS turns_owner ON turns(owner, id, session) WHERE owner IS NOT NULL;
CREATE TABLE IF NOT EXISTS titles(leaf INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS models(
  id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, name TEXT NOT NULL, dims INTEGER NOT NULL,
  session_rows INTEGER NOT NULL DEFAULT 0, session_generation INTEGER NOT NULL DEFAULT 0,
  turn_rows INTEGER NOT NULL DEFAULT 0, turn_generation INTEGER NOT NULL DEFAULT 0,
  complete INTEGER NOT NULL DEFAULT 0,
  session_dead INTEGER NOT NULL DEFAULT 0, turn_dead INTEGER NOT NULL DEFAULT 0,
  finds_texts INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS vectors(
  session INTEGER NOT NULL, model INTEGER NOT NULL, entries BLOB NOT NULL, PRIMARY KEY(session, model));
CREATE TABLE IF NOT EXISTS vector_texts(
  model INTEGER NOT NULL, hash INTEGER NOT NULL, level INTEGER NOT NULL, row INTEGER NOT NULL,
  PRIMARY KEY(model, hash, level, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owner_blocks(
  model INTEGER NOT NULL, level INTEGER NOT NULL, block INTEGER NOT NULL, owners BLOB NOT NULL,
  PRIMARY KEY(model, level, block));
CREATE TABLE IF NOT EXISTS file_blocks(block INTEGER PRIMARY KEY, files BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS turn_blocks(block INTEGER PRIMARY KEY, turns BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS embedded(
  model INTEGER NOT NULL, session INTEGER NOT NULL, revision INTEGER NOT NULL,
  PRIMARY KEY(model, session)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS error_signatures(
  signature INTEGER NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY(signature, turn)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS error_signatures_turn ON error_signatures(turn);
CREATE TABLE IF NOT EXISTS pending_purge(id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

/// Returns the SQL that makes the table of words, which keeps no texts. The column with most words is the first: FTS5 names
/// each other one in each list of positions, in two bytes of some six.
pub(crate) fn words_table() -> String {
    format!(
        "CREATE VIRTUAL TABLE words USING fts5(
           answer, prompt, title, commands, paths, errors, parts,
           content='', contentless_delete=1, tokenize='{TOKENIZER}');
         INSERT INTO words(words, rank) VALUES('hashsize', 8000000);"
    )
}

/// Longest time for which a statement waits for a lock of another process.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Opens the database for writing, made anew if it is not there. What is there may have another
/// format.
pub(crate) fn open_writable(root: &Path) -> Result<Connection> {
    let path = directory::database_path(root);
    if directory::has_database(root)? {
        directory::close_database_to_others(root)?;
    } else {
        drop(private::open(&path)?);
    }
    let db = Connection::open(&path)?;
    prepare(&db)
        .and_then(|()| create_tables(&db))
        .map_err(|e| locate_damage(e, root))?;
    Ok(db)
}

/// A database that is open for reading.
pub(crate) struct ReadableDatabase {
    pub(crate) connection: Connection,
    /// It is this copy.
    pub(crate) copy: Option<DatabaseCopy>,
}

/// Opens the database for reading.
pub(crate) fn open_readable(root: &Path) -> Result<ReadableDatabase> {
    let path = directory::database_path(root);
    if !directory::has_database(root)? {
        return Err(StoreError::Missing {
            root: root.to_owned(),
        });
    }
    let db = open_shared(&path)?;
    let found = match version(&db) {
        Err(error) if error.needs_write_access() => return open_unshared(root),
        found => found.map_err(|e| locate_damage(e, root))?,
    };
    check_version(found, root)?;
    Ok(ReadableDatabase {
        connection: db,
        copy: None,
    })
}

/// Opens a database whose log cannot be shared, in a directory that cannot be written or on a full disk: nobody writes to it.
/// A log with something in it is read from a copy of both.
fn open_unshared(root: &Path) -> Result<ReadableDatabase> {
    let copy = copy_if_logged(root)?;
    let connection = match &copy {
        Some(copy) => open_shared(&copy.path())?,
        None => open_unchanging(&directory::database_path(root))?,
    };
    let found = version(&connection).map_err(|e| locate_damage(e, root))?;
    check_version(found, root)?;
    Ok(ReadableDatabase { connection, copy })
}

/// Copies the database and its log; `None` if the log holds nothing.
fn copy_if_logged(root: &Path) -> Result<Option<DatabaseCopy>> {
    let bytes = match fs_err::metadata(directory::log_path(root)) {
        Err(error) if error.kind() == ErrorKind::NotFound => 0,
        log => log?.len(),
    };
    if bytes == 0 {
        return Ok(None);
    }
    let copy = DatabaseCopy::create(&directory::database_path(root)).map_err(io::Error::from)?;
    let locked = || StoreError::Locked {
        root: root.to_owned(),
    };
    copy.ok_or_else(locked).map(Some)
}

/// Opens a database for reading, with a log that other processes share.
fn open_shared(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(LOCK_WAIT)?;
    keep_plans(&db)?;
    Ok(db)
}

/// Opens a database without a log and without a lock.
fn open_unchanging(path: &Path) -> Result<Connection> {
    let uri = immutable_sqlite_uri(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(uri, flags)?;
    keep_plans(&db)?;
    Ok(db)
}

fn check_version(found: u32, root: &Path) -> Result<()> {
    match found {
        0 => Err(StoreError::Missing {
            root: root.to_owned(),
        }),
        FORMAT_VERSION => Ok(()),
        found => Err(StoreError::Format {
            root: root.to_owned(),
            found,
            expected: FORMAT_VERSION,
        }),
    }
}

/// More than there are different statements.
const CACHED_STATEMENTS: usize = 256;

/// Keeps prepared statements and their plans. Otherwise SQLite looks at
/// each new value for a better plan and prepares many anew, to no gain: the
/// database has no statistics.
fn keep_plans(db: &Connection) -> Result<()> {
    db.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Bytes of a page in a new database. Frames of contents fill pages of the usual
/// 4096 less well: the database would be 4 % larger.
pub(crate) const PAGE_BYTES: u32 = 2048;

/// Most KB of pages that the writer keeps. What is pushed out of the cache and changed again is written once more for each
/// commit: buckets of keys are, and blocks.
const CACHE_KB: i64 = 40_000;

/// Sets up the connection of a writer.
fn prepare(db: &Connection) -> Result<()> {
    db.busy_timeout(LOCK_WAIT)?;
    keep_plans(db)?;
    db.pragma_update(None, "page_size", PAGE_BYTES)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "cache_size", -CACHE_KB)?;
    db.pragma_update(None, "journal_size_limit", 4_000_000)?;
    Ok(())
}

/// Makes the tables where there are none. A database that has all tables and columns of this format, which no earlier one
/// has, and no known version gets this one's.
fn create_tables(db: &Connection) -> Result<()> {
    let found = match version(db) {
        Err(error) if error.needs_rebuild() && missing_columns(db)?.is_empty() => {
            return Ok(db.pragma_update(None, "user_version", FORMAT_VERSION)?);
        }
        found => found?,
    };
    if found != 0 {
        return Ok(());
    }
    let words = words_table();
    let all = format!(
        "BEGIN IMMEDIATE; {TABLES} {words} PRAGMA user_version = {FORMAT_VERSION}; COMMIT;"
    );
    Ok(db.execute_batch(&all)?)
}

/// Tables that histories fill anew, but for sessions whose histories are gone: an index without them has lost those.
const TABLES_OF_HISTORIES: [&str; 3] = ["files.", "sessions.", "turns."];

/// Makes the tables and indexes that a database of this format lacks, empty, within the transaction that is open.
///
/// # Errors
/// [`StoreError::Corrupt`] where it lacks a table from which the others are filled.
pub(crate) fn create_missing_tables(db: &Connection, root: &Path) -> Result<()> {
    let missing = missing_columns(db)?;
    let is_of_histories = |column: &&String| {
        let mut tables = TABLES_OF_HISTORIES.iter();
        tables.any(|table| column.starts_with(table))
    };
    match missing.iter().find(is_of_histories) {
        Some(column) => Err(StoreError::corrupt(
            root,
            format!("its database lacks `{column}`"),
        )),
        None => Ok(db.execute_batch(TABLES)?),
    }
}

/// Returns the columns and indexes that a database of this format lacks, as [`columns`] does. The version of the database
/// says which it should have: a missing one was lost.
pub(crate) fn missing_columns(db: &Connection) -> Result<Vec<String>> {
    let new = Connection::open_in_memory()?;
    create_tables(&new)?;
    let found = columns(db)?;
    let wanted = columns(&new)?.into_iter();
    Ok(wanted.filter(|column| !found.contains(column)).collect())
}

/// Lists the columns of all tables as `table.column`, and the indexes that were made by name.
fn columns(db: &Connection) -> Result<BTreeSet<String>> {
    let select = "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
          WHERE t.type = 'table'
        UNION ALL SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
    let mut find = db.prepare(select)?;
    let columns = find.query_map([], |row| row.get(0))?;
    Ok(columns.collect::<rusqlite::Result<_>>()?)
}

/// Returns the format of an index; 0 where there is none yet.
///
/// # Errors
/// [`StoreError::Corrupt`] for a number that no format has, also 0 where there are tables.
pub(crate) fn version(db: &Connection) -> Result<u32> {
    let found: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let (found, has_tables) = match found {
        0 => version_and_tables(db)?,
        found => (found, true),
    };
    match u32::try_from(found) {
        Ok(0) if has_tables => Err(unknown_version(db, found)),
        Ok(version) => Ok(version),
        Err(_) => Err(unknown_version(db, found)),
    }
}

/// Reads the version and whether there are tables in one statement, hence in one snapshot: another process may make
/// the tables in between. It takes longer than the version alone.
fn version_and_tables(db: &Connection) -> Result<(i64, bool)> {
    let select =
        "SELECT user_version, EXISTS(SELECT 1 FROM sqlite_schema) FROM pragma_user_version";
    Ok(db.query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn unknown_version(db: &Connection, found: i64) -> StoreError {
    let path = db.path().map(Path::new).and_then(Path::parent);
    StoreError::corrupt(
        path.unwrap_or(Path::new("")),
        format!("its format is given as {found}"),
    )
}

/// Returns [`StoreError::Corrupt`] for a SQLite error that means a damaged file, else the error.
pub(crate) fn locate_damage(error: StoreError, root: &Path) -> StoreError {
    match error {
        StoreError::Sqlite(e) if is_damage(&e) => StoreError::corrupt(root, sqlite_message(&e)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    #[test]
    fn a_copy_has_what_only_the_log_holds() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(root.path()).unwrap();
        writer.upsert_file("claude", "/h/a.jsonl").unwrap();
        writer.commit().unwrap();
        let copy = copy_if_logged(root.path()).unwrap().unwrap();
        let db = Connection::open(copy.path()).unwrap();
        let count = "SELECT count(*) FROM files";
        let files: u32 = db.query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!(files, 1);
        writer.vacuum().unwrap();
        assert!(copy_if_logged(root.path()).unwrap().is_none());
    }
}
