//! Sessions and lengths of turns in blocks, for a query, which reads them all.

use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::pair_blocks::{BLOCK_ROWS, PairBlock, PairColumns};
use crate::reader::Reader;
use crate::varint::read_varints;
use crate::writer::Writer;
use rusqlite::params;
use std::collections::BTreeSet;

/// The session of each turn, and the number of tokens by which it is indexed, 0 where its words are not.
#[derive(Debug, Clone, Default)]
pub struct TurnColumns(PairColumns);

impl TurnColumns {
    /// Returns the session of a turn.
    pub fn session_of(&self, turn: TurnId) -> Option<SessionId> {
        let [session, _] = self.0.get(turn.as_index())?;
        (session != 0).then(|| SessionId::new(session.into()))
    }

    /// Returns the tokens of the turn with this number.
    pub(crate) fn tokens(&self, turn: usize) -> u32 {
        self.0.get(turn).map_or(0, |[_, tokens]| tokens)
    }
}

/// The blocks that differ from `turns` and the word index until [`Writer::write_turn_blocks`].
#[derive(Debug, Default)]
pub(crate) struct StaleTurns(BTreeSet<u64>);

impl StaleTurns {
    /// Notes that a turn was inserted or deleted, or its words were.
    pub(crate) fn insert(&mut self, turn: TurnId) {
        self.0.insert(turn.as_index() as u64 / BLOCK_ROWS);
    }
}

impl Reader {
    /// Returns the session and the length of each turn.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turn_columns(&self) -> Result<TurnColumns> {
        match &self.kept {
            Some(kept) => kept.turns(self.version_for(kept)?, || self.read_turn_columns()),
            None => self.read_turn_columns(),
        }
    }

    fn read_turn_columns(&self) -> Result<TurnColumns> {
        let count = "SELECT count(*) FROM turn_blocks";
        let count = self.db.query_row(count, [], |row| row.get(0))?;
        let find = "SELECT block, turns FROM turn_blocks ORDER BY block";
        let mut find = self.db.prepare_cached(find)?;
        let blocks = find.query([])?;
        Ok(TurnColumns(PairColumns::read(count, blocks)?))
    }
}

impl Writer {
    /// Writes the blocks of turns that have changed. To be called before each commit.
    pub(crate) fn write_turn_blocks(&mut self) -> Result<()> {
        for block in std::mem::take(&mut self.stale_turns.0) {
            self.write_turn_block(block)?;
        }
        Ok(())
    }

    fn write_turn_block(&self, number: u64) -> Result<()> {
        // `words_docsize` is FTS5's own: a varint for each column.
        let mut find = self.reader.db.prepare_cached(
            "SELECT t.id, t.session, d.sz FROM turns t LEFT JOIN words_docsize d ON d.id = t.id
             WHERE t.id >= ?1 AND t.id < ?2 ORDER BY t.id",
        )?;
        let mut block = PairBlock::new(number, self.reader.root());
        let [first, end] = block.range();
        let mut rows = find.query([first, end])?;
        while let Some(row) = rows.next()? {
            let sizes = row.get_ref(2)?.as_blob_or_null();
            let sizes = sizes.ok().flatten().unwrap_or_default();
            let tokens: u64 = read_varints(sizes).sum();
            block.push(row.get(0)?, [row.get(1)?, tokens.cast_signed()])?;
        }
        let write = "INSERT OR REPLACE INTO turn_blocks(block, turns) VALUES(?1, ?2)";
        let mut write = self.reader.db.prepare_cached(write)?;
        write.execute(params![number.cast_signed(), block.pack()])?;
        Ok(())
    }

    /// Marks the blocks of all turns, where there were none before.
    pub(crate) fn mark_all_turns(&mut self) -> Result<()> {
        let last = "SELECT coalesce(max(id), 0) FROM turns";
        let last: i64 = self.reader.db.query_row(last, [], |row| row.get(0))?;
        self.stale_turns
            .0
            .extend(0..=last.cast_unsigned() / BLOCK_ROWS);
        Ok(())
    }
}
