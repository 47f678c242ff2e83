//! Notes which rows change that blocks repeat.

use crate::error::Result;
use crate::file_digests::{block_of_file, write_file_block};
use crate::reader::Reader;
use crate::session_blocks::{block_of_session, write_session_block};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

/// The blocks that differ from the rows which they repeat, until they are written.
#[derive(Debug, Default)]
pub(crate) struct StaleBlocks {
    /// Blocks of `sessions`.
    pub(crate) sessions: BTreeSet<u64>,
    /// Blocks of `files`.
    pub(crate) files: BTreeSet<u64>,
}

/// The blocks of rows that a connection has changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedRows(Arc<Mutex<StaleBlocks>>);

impl ChangedRows {
    /// Notes from now on each row of `sessions` and `files` that a connection inserts, changes or deletes. SQLite calls a
    /// hook neither for the rows that `OR REPLACE` replaces nor for a `DELETE` without a condition: these tables have none.
    pub(crate) fn watch(&self, db: &mut Connection) -> Result<()> {
        let changed = self.clone();
        let note = move |_, _: &str, table: &str, row: i64| match table {
            "sessions" => drop(changed.with(|stale| stale.sessions.insert(block_of_session(row)))),
            "files" => drop(changed.with(|stale| stale.files.insert(block_of_file(row)))),
            _ => {}
        };
        Ok(db.update_hook(Some(note))?)
    }

    /// Writes the blocks that are stale.
    pub(crate) fn flush(&self, index: &Reader) -> Result<()> {
        let StaleBlocks { sessions, files } = self.with(take);
        let mut sessions = sessions.into_iter();
        sessions.try_for_each(|block| write_session_block(index, block))?;
        let mut files = files.into_iter();
        files.try_for_each(|block| write_file_block(&index.db, block))
    }

    /// Calls a function with the blocks that are stale.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut StaleBlocks) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
