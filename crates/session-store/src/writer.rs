//! The one writer.

use crate::directory::{self, Lock};
use crate::error::{Result, StoreError};
use crate::matrix::MatrixAppenders;
use crate::migrate::{self, migrate};
use crate::schema;
use crate::titles::PendingTitles;
use rusqlite::Connection;
use session_files::private;
use std::ops::Deref;
use std::path::Path;

/// Writes to the index. At most one exists, over all processes.
///
/// What it writes is seen by readers after [`Writer::commit`]; dropped before,
/// it leaves the index as it was.
pub struct Writer {
    /// The writer sees what it has written: all of [`crate::Reader`] is here, too.
    reader: crate::Reader,
    pub(crate) appenders: MatrixAppenders,
    /// The session whose turns are being replaced.
    pub(crate) replacing: Option<SessionReplacement>,
    /// What may change titles at the next commit.
    pub(crate) pending_titles: PendingTitles,
    /// True when a matrix has a new generation since the last commit.
    pub(crate) compacted: bool,
    open: bool,
    _lock: Lock,
}

/// A session that is being delivered from its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionReplacement {
    pub(crate) session: i64,
    /// How many turns have come; what lies beyond at the end is old.
    pub(crate) turns: u32,
}

impl Deref for Writer {
    type Target = crate::Reader;
    fn deref(&self) -> &crate::Reader {
        &self.reader
    }
}

impl Writer {
    /// Opens the index for writing, made anew if there is none. An index of an older format is
    /// migrated, as part of what the first [`Writer::commit`] makes visible.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process writes; format and damage
    /// errors, for most of which [`Writer::rebuild`] is the remedy.
    pub fn open(root: &Path) -> Result<Self> {
        let open = || {
            private::create_directory(root)?;
            let lock = Lock::acquire_writer(root)?;
            Self::with_lock(root, lock)
        };
        open().map_err(|e| migrate::explain_unmigrated(e, root))
    }

    /// Puts the index away and opens an empty one. The old database is kept as
    /// `index.db.old`: it may be all that is left of some history.
    ///
    /// # Errors
    /// As [`Writer::open`], but for format and damage.
    pub fn rebuild(root: &Path) -> Result<Self> {
        private::create_directory(root)?;
        let lock = Lock::acquire_writer(root)?;
        for end in ["-wal", "-shm", ""] {
            let [from, to] = ["index.db", "index.db.old"].map(|n| root.join(format!("{n}{end}")));
            unless_missing(fs_err::remove_file(&to))?;
            unless_missing(fs_err::rename(from, to))?;
        }
        unless_missing(fs_err::remove_dir_all(directory::vectors_path(root)))?;
        Self::with_lock(root, lock)
    }

    fn with_lock(root: &Path, lock: Lock) -> Result<Self> {
        let db = schema::open_writable(root)?;
        let reader = crate::Reader::of(db, root);
        let mut writer = Self {
            reader,
            appenders: MatrixAppenders::default(),
            replacing: None,
            pending_titles: PendingTitles::default(),
            compacted: false,
            open: false,
            _lock: lock,
        };
        migrate(&mut writer).map_err(|e| schema::damage(e, root))?;
        Ok(writer)
    }

    /// The database, to write to. What is written turn by turn or file by file
    /// changes one row a statement: before a statement that may change several
    /// and fail half-way (an upsert, too), FTS5 writes all words to disk that it
    /// has gathered, and their merging takes a fifth of a first index.
    pub(crate) fn connection(&self) -> &Connection {
        &self.reader.db
    }

    /// Begins a transaction if none is open.
    pub(crate) fn begin(&mut self) -> Result<()> {
        if !self.open {
            self.connection().execute_batch("BEGIN IMMEDIATE")?;
            self.open = true;
        }
        Ok(())
    }

    /// Makes all that was written visible: matrices first, then the database,
    /// whose commit is the only one.
    ///
    /// # Errors
    /// When the disk or the database fails; nothing is visible then.
    pub fn commit(&mut self) -> Result<()> {
        if !self.open {
            return Ok(());
        }
        self.delete_stale_turns()?;
        self.update_titles()?;
        self.write_frame()?;
        self.delete_orphans()?;
        self.appenders.flush()?;
        self.connection().execute_batch("COMMIT")?;
        self.open = false;
        self.delete_old_generations()?;
        self.compacted = false;
        Ok(())
    }

    /// True when more than an eighth of the database's pages are unused.
    fn has_many_free_pages(&self) -> Result<bool> {
        let pragma = |name: &str| -> Result<i64> {
            let query = format!("PRAGMA {name}");
            Ok(self.connection().query_row(&query, [], |row| row.get(0))?)
        };
        Ok(pragma("freelist_count")? * 8 > pragma("page_count")?)
    }

    /// Commits, vacuums the database if many pages are free, and truncates the WAL. The words' few segments
    /// stay as they are: to merge them takes a twelfth of a first index, saves 1 %
    /// of the space and makes no query faster.
    ///
    /// # Errors
    /// When the database fails.
    pub fn vacuum(&mut self) -> Result<()> {
        self.commit()?;
        if self.has_many_free_pages()? {
            self.connection().execute_batch("VACUUM")?;
        }
        self.connection()
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

fn unless_missing(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(StoreError::Io(e)),
        _ => Ok(()),
    }
}
