//! Removes deleted text from the files of an index.
//!
//! A deleted row leaves its bytes in free pages, a deleted word in the segments of the word index
//! until they are merged, a deleted vector in its matrix. A purge merges, rewrites and truncates them.
//! It is noted in the same transaction as what was deleted, so that a killed one is taken up again.

use crate::error::Result;
use crate::model::DocumentKind;
use crate::old_databases::delete_old_matrices;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use std::time::Duration;

/// The id in `pending_purge` of a purge that has not begun, or did not get to its end.
const REWRITE: i64 = 1;
/// That of a purge that is done but for the log.
const TRUNCATION: i64 = 2;

/// The result of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeOutcome {
    /// Nothing of what was deleted is left in the files.
    Complete,
    /// Another process reads the index as it was before: what was deleted stays in its log until it ends.
    Waiting,
}

/// The step of a purge that is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingPurge {
    /// The files are to be rewritten: the purge has not begun, was killed or failed.
    Rewriting,
    /// The log is to be truncated: another process read the index as it was before.
    Truncation,
}

impl Reader {
    /// Returns true when the files may hold deleted text.
    ///
    /// # Errors
    /// When the database fails.
    pub fn is_purge_pending(&self) -> Result<bool> {
        Ok(self.pending_purge()?.is_some())
    }

    /// Returns the step that is pending of a purge; `None` if the files hold no deleted text.
    ///
    /// # Errors
    /// When the database fails.
    pub fn pending_purge(&self) -> Result<Option<PendingPurge>> {
        let select = "SELECT id FROM pending_purge ORDER BY id LIMIT 1";
        let step: Option<i64> = self.db.first(select, [], |row| row.get(0))?;
        Ok(step.map(|step| match step {
            TRUNCATION => PendingPurge::Truncation,
            _ => PendingPurge::Rewriting,
        }))
    }
}

impl Writer {
    /// Notes that the files hold deleted text, for the next commit.
    ///
    /// # Errors
    /// When the database fails.
    pub fn request_purge(&mut self) -> Result<()> {
        self.begin()?;
        let insert = "INSERT OR REPLACE INTO pending_purge(id) VALUES(?1)";
        self.db().execute("DELETE FROM pending_purge", [])?;
        self.db().execute(insert, [REWRITE])?;
        Ok(())
    }

    /// Commits, and removes from the files what was deleted: words, rows, vectors, the log.
    ///
    /// # Errors
    /// When the disk or the database fails; the purge is taken up by the next writer then.
    pub fn purge(&mut self) -> Result<PurgeOutcome> {
        self.request_purge()?;
        self.finish_purge()
    }

    /// Commits, and continues the purge that is pending. A purge that only waits for a reader is as quick as a checkpoint.
    ///
    /// # Errors
    /// As [`Writer::purge`].
    pub fn finish_purge(&mut self) -> Result<PurgeOutcome> {
        self.commit()?;
        if self.has_pending(REWRITE)? {
            self.rewrite_files()?;
        }
        if self.truncate_log()? {
            return Ok(PurgeOutcome::Waiting);
        }
        self.begin()?;
        self.db().execute("DELETE FROM pending_purge", [])?;
        self.commit()?;
        self.truncate_log()?;
        Ok(PurgeOutcome::Complete)
    }

    fn has_pending(&self, step: i64) -> Result<bool> {
        let select = "SELECT EXISTS(SELECT 1 FROM pending_purge WHERE id = ?1)";
        Ok(self.db().query_row(select, [step], |row| row.get(0))?)
    }

    /// Removes what was deleted from all files but the log.
    fn rewrite_files(&mut self) -> Result<()> {
        self.begin()?;
        // Only a merge of all segments removes the deleted words of a contentless table.
        let optimize = "INSERT INTO words(words) VALUES('optimize')";
        self.db().execute(optimize, [])?;
        for model in self.reader.models()? {
            for kind in DocumentKind::ALL {
                if self.reader.count_dead_rows(&model, kind)? > 0 {
                    self.rewrite_matrix(&model, kind)?;
                }
            }
        }
        self.commit()?;
        delete_old_matrices(self.reader.root());
        self.db().execute_batch("VACUUM")?;
        self.begin()?;
        self.db()
            .execute("UPDATE pending_purge SET id = ?1", [TRUNCATION])?;
        self.commit()
    }

    /// Sets how long a purge waits for readers.
    ///
    /// # Errors
    /// When the database fails.
    pub fn set_lock_wait(&self, wait: Duration) -> Result<()> {
        Ok(self.db().busy_timeout(wait)?)
    }

    /// Empties the write-ahead log; returns true when a reader keeps it.
    pub(crate) fn truncate_log(&self) -> Result<bool> {
        let pragma = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy: i64 = self.db().query_row(pragma, [], |row| row.get(0))?;
        Ok(busy != 0)
    }
}
