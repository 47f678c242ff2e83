//! Rows that were stored and are not yet in the database.

use crate::changed_rows::ChangedRows;
use crate::embeddings::vector_owners::OwnerBlocks;
use crate::error::Result;
use crate::frames::frame_buffer::FrameBuffer;
use crate::reader::Reader;
use crate::session_counts::SessionCounts;
use crate::turn_columns::TurnBlocks;
use crate::turn_keys::PendingTurnKeys;
use crate::word_index::PendingWords;
use rusqlite::Connection;

/// Writes that wait in memory: many at once take less time than each by itself.
#[derive(Default)]
pub(crate) struct PendingWrites {
    /// Contents of turns.
    pub(crate) frames: FrameBuffer,
    /// Words of turns.
    pub(crate) words: PendingWords,
    /// Keys of turns.
    pub(crate) turn_keys: PendingTurnKeys,
    /// Blocks of vectors' owners.
    pub(crate) owner_blocks: OwnerBlocks,
    /// Blocks of turns.
    pub(crate) turn_blocks: TurnBlocks,
    /// Blocks of sessions and files that are to be written again.
    pub(crate) changed_rows: ChangedRows,
    /// Counts of turns for the row of their session.
    pub(crate) counts: Option<SessionCounts>,
}

impl PendingWrites {
    /// Writes the counts of turns into the row of their session.
    pub(crate) fn flush_counts(&mut self, db: &Connection) -> Result<()> {
        match self.counts.take() {
            Some(counts) => counts.write(db),
            None => Ok(()),
        }
    }

    /// Writes what a reader of the database needs: all but the keys of turns, which the writer alone reads.
    pub(crate) fn flush_for_reader(&mut self, index: &Reader) -> Result<()> {
        // First: a row of a session that changes makes its block stale.
        self.flush_counts(&index.db)?;
        self.frames.flush(index)?;
        self.words.flush(index)?;
        self.turn_blocks.flush(&index.db)?;
        self.owner_blocks.flush(&index.db)?;
        self.changed_rows.flush(index)
    }

    /// Writes all. To be called before each commit.
    pub(crate) fn flush(&mut self, index: &Reader) -> Result<()> {
        self.turn_keys.flush(&index.db)?;
        self.flush_for_reader(index)
    }
}
