//! Reads the index: many readers may, and none waits for the writer.

use crate::error::{Result, StoreError};
use crate::frames::last_frames::LastFrames;
use crate::id::{SessionId, TurnId};
use crate::row::{CopyRow, SessionBranch, TURN_COLUMNS, TurnRow, turn_row};
use crate::snapshot_cache::{CacheAge, SnapshotCache};
use crate::sql::Statements;
use crate::word_search::postings::PostingsReader;
use crate::{directory, schema};
use rusqlite::Connection;
use session_files::DatabaseCopy;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Reads the index.
pub struct Reader {
    pub(crate) db: Connection,
    /// The database is this copy; after the connection, which it must not outlive.
    _copy: Option<DatabaseCopy>,
    pub(crate) root: PathBuf,
    /// `None` for the writer's own reader, which sees what is not committed.
    pub(crate) cache: Option<SnapshotCache>,
    /// Registered by the first query by words.
    pub(crate) postings: OnceCell<PostingsReader>,
    pub(crate) last_frames: LastFrames,
}

impl Reader {
    /// Opens the index for reading. The sessions of turns, the owners of vectors and the mapped matrices
    /// are read once, and kept until another connection commits.
    ///
    /// # Errors
    /// [`crate::StoreError::Missing`] when there is none; format and damage errors.
    pub fn open(root: &Path) -> Result<Self> {
        let database = schema::open_readable(root)?;
        Ok(Self {
            cache: Some(SnapshotCache::default()),
            _copy: database.copy,
            ..Self::new(database.connection, root)
        })
    }

    pub(crate) fn new(db: Connection, root: &Path) -> Self {
        Self {
            db,
            _copy: None,
            root: root.to_owned(),
            cache: None,
            postings: OnceCell::new(),
            last_frames: LastFrames::default(),
        }
    }

    /// Begins a read transaction: until [`Reader::end_snapshot`] the reader sees one state.
    ///
    /// # Errors
    /// When the database fails.
    pub fn begin_snapshot(&self) -> Result<()> {
        if let Some(cache) = &self.cache {
            cache.snapshot_version.set(None);
        }
        Ok(self.db.execute_batch("BEGIN")?)
    }

    /// Ends the transaction that [`Reader::begin_snapshot`] began: the next one sees what was committed meanwhile.
    ///
    /// # Errors
    /// When the database fails.
    pub fn end_snapshot(&self) -> Result<()> {
        Ok(self.db.execute_batch("COMMIT")?)
    }

    /// Sets the age that cached parts may have.
    pub fn set_cache_age(&self, age: CacheAge) {
        if let Some(cache) = &self.cache {
            cache.age.set(age);
        }
    }

    /// Returns a number that differs whenever another connection has committed since it was last asked.
    /// It means nothing to another reader.
    ///
    /// # Errors
    /// When the database fails.
    pub fn data_version(&self) -> Result<u64> {
        let query = "PRAGMA data_version";
        let version: i64 = self.db.query_row(query, [], |row| row.get(0))?;
        Ok(version.cast_unsigned())
    }

    /// Returns the version of what is read now: within a snapshot it is asked for once.
    pub(crate) fn version_for(&self, cache: &SnapshotCache) -> Result<u64> {
        if let Some(version) = cache.stale_version() {
            return Ok(version);
        }
        let known = cache.snapshot_version.get();
        match known.filter(|_| !self.db.is_autocommit()) {
            Some(version) => Ok(version),
            None => {
                let version = self.data_version()?;
                cache.snapshot_version.set(Some(version));
                Ok(version)
            }
        }
    }

    /// Returns true when others can write to the index's directory.
    pub fn is_open_to_others(&self) -> bool {
        directory::is_open_to_others(&self.root)
    }

    /// Returns the directory of the index.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the bytes of the index on disk.
    pub fn bytes(&self) -> u64 {
        directory::disk_bytes(&self.root)
    }

    /// Returns true when no history has been read yet. An index that is being built anew has the sessions of before.
    ///
    /// # Errors
    /// When the database fails.
    pub fn is_empty(&self) -> Result<bool> {
        let sql = "SELECT NOT EXISTS(SELECT 1 FROM cursors) AND NOT EXISTS(SELECT 1 FROM sessions)";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Counts the sessions.
    ///
    /// # Errors
    /// When the database fails.
    pub fn count_sessions(&self) -> Result<usize> {
        let count = "SELECT count(*) FROM sessions";
        let count: i64 = self.db.query_row(count, [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Returns a turn, if the index has it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turn(&self, id: TurnId) -> Result<Option<TurnRow>> {
        let select = format!("SELECT {TURN_COLUMNS} FROM turns WHERE id = ?1");
        self.db.first(&select, [id], turn_row)
    }

    /// Returns all turns that are copies of another, by owner and number.
    ///
    /// # Errors
    /// When the database fails.
    pub fn copies(&self) -> Result<Vec<CopyRow>> {
        let select =
            "SELECT owner, id, session FROM turns WHERE owner IS NOT NULL ORDER BY owner, id";
        self.db.rows(select, [], |row| {
            Ok(CopyRow {
                owner: row.get(0)?,
                turn: row.get(1)?,
                session: row.get(2)?,
            })
        })
    }

    /// Returns the git branches of the turns of each session, the one of the latest turn first.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_branches(&self) -> Result<Vec<SessionBranch>> {
        let select = "SELECT session, branch FROM turns WHERE branch IS NOT NULL
             GROUP BY session, branch ORDER BY max(started_ms) DESC, branch";
        self.db.rows(select, [], |row| {
            Ok(SessionBranch {
                session: row.get(0)?,
                branch: row.get(1)?,
            })
        })
    }

    /// Returns the turns of a session, in order.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turns(&self, session: SessionId) -> Result<Vec<TurnRow>> {
        let query = format!("SELECT {TURN_COLUMNS} FROM turns WHERE session = ?1 ORDER BY idx");
        self.db.rows(&query, [session], turn_row)
    }

    /// Makes the error of a damaged index; `what` is the rest of its message.
    pub(crate) fn corrupt(&self, what: impl Into<String>) -> StoreError {
        StoreError::corrupt(&self.root, what)
    }
}
