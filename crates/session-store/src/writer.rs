//! The one writer.

use crate::directory;
use crate::directory_ownership::{check_ownership, delete_model_files};
use crate::embeddings::matrix::is_matrix_name;
use crate::embeddings::matrix_changes::MatrixChanges;
use crate::error::{Result, StoreError};
use crate::id::TurnId;
use crate::index_lock::IndexLock;
use crate::migrate::{self, migrate};
use crate::old_databases::{finish_renaming_to_old, rename_database_to_old};
use crate::pending_writes::PendingWrites;
use crate::reader::Reader;
use crate::schema;
use crate::session_progress::SessionProgress;
use crate::titles::TitleUpdates;
use rusqlite::Connection;
use session_core::{Progress, TurnContent};
use session_files::private;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Most bytes of the log of a first index, about. With four times as many it takes as long.
const LARGE_LOG_BYTES: u32 = 64 << 20;

/// Writes to the index. At most one exists, over all processes.
///
/// Readers see its changes after [`Writer::commit`]; dropped before,
/// it leaves the index as it was.
pub struct Writer {
    /// Reads what was written, without the pending rows. Its connection writes, too.
    pub(crate) reader: Reader,
    /// Rows that are not yet in the database.
    pub(crate) pending: PendingWrites,
    pub(crate) matrices: MatrixChanges,
    pub(crate) session_progress: SessionProgress,
    pub(crate) titles: TitleUpdates,
    /// This writer migrated the index.
    pub(crate) was_migrated: bool,
    /// Others could write to the directory until this writer closed it.
    pub(crate) was_open_to_others: bool,
    /// The new path of the database that [`Writer::rebuild`] renamed.
    old_database: Option<PathBuf>,
    /// A transaction is open.
    in_transaction: bool,
    /// Writing failed, and what was to be written may be lost.
    has_failed: bool,
    _lock: IndexLock,
}

/// Receives the progress of a migration, in sessions.
pub type MigrationProgress<'p> = &'p dyn Fn(Progress);

impl Writer {
    /// Opens the index for writing, made anew if there is none. An index of an older format is
    /// migrated, as part of what the first [`Writer::commit`] makes visible.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process writes; [`StoreError::ForeignDirectory`]; format and damage
    /// errors, for most of which [`Writer::rebuild`] is the remedy.
    pub fn open(root: &Path) -> Result<Self> {
        Self::open_reporting(root, &|_| {})
    }

    /// Opens the index for writing, and reports the progress of its migration.
    ///
    /// # Errors
    /// As [`Writer::open`].
    pub fn open_reporting(root: &Path, progress: MigrationProgress<'_>) -> Result<Self> {
        let open = || {
            check_ownership(root)?;
            private::create_directory(root)?;
            let was_open = directory::close_to_others(root)?;
            let lock = IndexLock::acquire_writer(root)?;
            finish_renaming_to_old(root)?;
            let mut writer = Self::with_lock(root, lock, progress)?;
            writer.was_open_to_others = was_open;
            Ok(writer)
        };
        open().map_err(|e| migrate::explain_unmigrated(e, root))
    }

    /// Renames the database and opens an empty one. The old database is kept as
    /// `index.db.old`, or `index.db.old.2` where that is taken: it may be all that is left of some history.
    ///
    /// # Errors
    /// As [`Writer::open`], but for format and damage.
    pub fn rebuild(root: &Path) -> Result<Self> {
        check_ownership(root)?;
        private::create_directory(root)?;
        let lock = IndexLock::acquire_writer(root)?;
        finish_renaming_to_old(root)?;
        let old = rename_database_to_old(root)?;
        delete_model_files(&directory::vectors_path(root), is_matrix_name)?;
        let mut writer = Self::with_lock(root, lock, &|_| {})?;
        writer.old_database = Some(old).filter(|old| old.exists());
        Ok(writer)
    }

    fn with_lock(root: &Path, lock: IndexLock, progress: MigrationProgress<'_>) -> Result<Self> {
        let mut db = schema::open_writable(root)?;
        let pending = PendingWrites::default();
        pending.changed_rows.watch(&mut db)?;
        let mut writer = Self {
            reader: Reader::new(db, root),
            pending,
            matrices: MatrixChanges::default(),
            session_progress: SessionProgress::default(),
            titles: TitleUpdates::default(),
            was_migrated: false,
            was_open_to_others: false,
            old_database: None,
            in_transaction: false,
            has_failed: false,
            _lock: lock,
        };
        migrate(&mut writer, progress).map_err(|e| schema::locate_damage(e, root))?;
        Ok(writer)
    }

    /// Returns true when others could write to the index's directory until it was opened.
    pub fn was_open_to_others(&self) -> bool {
        self.was_open_to_others
    }

    /// Returns the new path of the database that was renamed, where this writer builds the index anew.
    pub fn old_database(&self) -> Option<PathBuf> {
        self.old_database.clone()
    }

    /// Returns true when the index had an older format: what was replaced has left free pages.
    pub fn was_migrated(&self) -> bool {
        self.was_migrated
    }

    /// Returns a reader of what was written, committed or not.
    ///
    /// # Errors
    /// When the database fails.
    pub fn reader(&mut self) -> Result<&Reader> {
        let written = self.pending.flush_for_reader(&self.reader);
        self.note_failure(written)?;
        Ok(&self.reader)
    }

    /// Returns the connection, to write and to read what is not pending.
    pub(crate) fn db(&self) -> &Connection {
        &self.reader.db
    }

    /// Remembers a failure, after which nothing is committed.
    pub(crate) fn note_failure(&mut self, result: Result<()>) -> Result<()> {
        self.has_failed |= result.is_err();
        result
    }

    /// Returns the content of a turn, also where its frame is not yet in the database.
    pub(crate) fn content(&self, turn: TurnId) -> Result<TurnContent> {
        match self.pending.frames.content(turn) {
            Some(content) => Ok(content),
            None => self.reader.content(turn),
        }
    }

    /// Begins a transaction if none is open.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.begin_turn()?;
        self.write_session_counts()
    }

    /// Begins a transaction if none is open, to store a turn: the counts of those before may wait.
    pub(crate) fn begin_turn(&mut self) -> Result<()> {
        if self.has_failed {
            return Err(StoreError::Failed);
        }
        if !self.in_transaction {
            self.db().execute_batch("BEGIN IMMEDIATE")?;
            self.in_transaction = true;
        }
        Ok(())
    }

    /// Makes all that was written visible: matrices first, then the database,
    /// whose commit is the only one.
    ///
    /// # Errors
    /// When the disk or the database fails, also by an earlier call; nothing is visible then, and this writer writes nothing
    /// more.
    pub fn commit(&mut self) -> Result<()> {
        if self.has_failed {
            return Err(StoreError::Failed);
        }
        if !self.in_transaction {
            return Ok(());
        }
        let committed = self.commit_open();
        self.note_failure(committed)
    }

    fn commit_open(&mut self) -> Result<()> {
        self.write_session_counts()?;
        self.finish_replacement_unless_unfinished()?;
        self.update_titles()?;
        self.delete_orphans()?;
        self.pending.flush(&self.reader)?;
        let written = self.matrices.appenders.flush()?;
        self.note_checksums(&written)?;
        self.db().execute_batch("COMMIT")?;
        self.in_transaction = false;
        self.sync_log()?;
        self.delete_old_generations()?;
        self.matrices.has_new_generation = false;
        Ok(())
    }

    /// Brings a commit to the disk after which matrices are deleted that it replaced: else a loss of power could leave
    /// an index without either. SQLite syncs the log itself at a checkpoint alone.
    fn sync_log(&self) -> Result<()> {
        if !self.matrices.has_new_generation {
            return Ok(());
        }
        let path = directory::log_path(self.reader.root());
        match fs_err::OpenOptions::new().append(true).open(path) {
            Ok(log) => Ok(log.sync_data()?),
            // Some file systems have no log.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true when more than an eighth of the database's pages are unused.
    fn has_many_free_pages(&self) -> Result<bool> {
        let pragma = |name: &str| -> Result<i64> {
            let query = format!("PRAGMA {name}");
            Ok(self.db().query_row(&query, [], |row| row.get(0))?)
        };
        Ok(pragma("freelist_count")? * 8 > pragma("page_count")?)
    }

    /// Lets the log grow to 64 MB before a commit writes it into the database: a page that many commits change is
    /// written there once. For a first index, at whose end [`Writer::vacuum`] truncates the log.
    ///
    /// # Errors
    /// When the database fails.
    pub fn let_log_grow(&mut self) -> Result<()> {
        let pages = LARGE_LOG_BYTES / schema::PAGE_BYTES;
        let db = self.db();
        Ok(db.pragma_update(None, "wal_autocheckpoint", pages)?)
    }

    /// Commits, vacuums the database if many pages are free, and truncates the log.
    ///
    /// # Errors
    /// When the database fails.
    pub fn vacuum(&mut self) -> Result<()> {
        self.commit()?;
        if self.has_many_free_pages()? {
            self.db().execute_batch("VACUUM")?;
        }
        self.truncate_log().map(drop)
    }
}

/// Ignores that a file is missing.
pub(crate) fn unless_missing(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(StoreError::Io(e)),
        _ => Ok(()),
    }
}
