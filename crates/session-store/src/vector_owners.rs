//! Owners of the rows of matrices in blocks, for a query, which reads them all.
//!
//! `vectors` has a row of its own for each vector, found by hash and by session. `owner_blocks` has the
//! session and the turn of each, for reading.

use crate::error::Result;
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::Level;
use crate::pair_blocks::{BLOCK_ROWS, PairBlock, PairColumns};
use crate::reader::Reader;
use crate::writer::Writer;
use rusqlite::params;
use std::collections::BTreeSet;

/// A row of a matrix with the turn or session whose text it embeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorRow {
    /// Row of the matrix, from 0.
    pub row: usize,
    /// Number of the session.
    pub session: SessionId,
    /// Number of the turn; `None` for a chunk of the session.
    pub turn: Option<TurnId>,
}

/// The owner of each row of a matrix: its session, 0 for an orphan, and its turn, 0 for a chunk of the session.
#[derive(Debug, Clone, Default)]
pub struct VectorOwners(PairColumns);

impl VectorOwners {
    /// Returns the rows that belong to a session, in order; orphans are left out.
    pub fn rows(&self) -> impl Iterator<Item = VectorRow> + '_ {
        let rows = self.0.iter().enumerate();
        let owned = rows.filter(|(_, [session, _])| *session != 0);
        owned.map(|(row, [session, turn])| VectorRow {
            row,
            session: SessionId::new(session.into()),
            turn: (turn != 0).then(|| TurnId::new(turn.into())),
        })
    }

    /// Counts the rows that belong to a session.
    pub fn count(&self) -> usize {
        self.rows().count()
    }
}

/// A block of a matrix's owners: model, level and number.
type OwnerBlock = (ModelId, i64, u64);

/// The blocks that differ from `vectors` until [`Writer::write_owner_blocks`].
#[derive(Debug, Default)]
pub(crate) struct StaleOwners(BTreeSet<OwnerBlock>);

impl StaleOwners {
    /// Notes that the owner of a row changes.
    pub(crate) fn insert(&mut self, model: ModelId, level: i64, row: i64) {
        let block = row.cast_unsigned() / BLOCK_ROWS;
        self.0.insert((model, level, block));
    }
}

impl Reader {
    /// Returns what each row of a model's matrix embeds.
    ///
    /// # Errors
    /// When the database fails.
    pub fn vector_owners(&self, model: ModelId, level: Level) -> Result<VectorOwners> {
        let read = || self.read_vector_owners(model, level);
        match &self.kept {
            Some(kept) => kept.owners(self.version_for(kept)?, (model, level), read),
            None => read(),
        }
    }

    fn read_vector_owners(&self, model: ModelId, level: Level) -> Result<VectorOwners> {
        let mut count = self
            .db
            .prepare_cached("SELECT count(*) FROM owner_blocks WHERE model = ?1 AND level = ?2")?;
        let count = count.query_row(params![model, level.number()], |row| row.get(0))?;
        let mut find = self.db.prepare_cached(
            "SELECT block, owners FROM owner_blocks WHERE model = ?1 AND level = ?2 ORDER BY block",
        )?;
        let blocks = find.query(params![model, level.number()])?;
        Ok(VectorOwners(PairColumns::read(count, blocks)?))
    }
}

impl Writer {
    /// Writes the blocks of owners that have changed. To be called before each commit.
    pub(crate) fn write_owner_blocks(&mut self) -> Result<()> {
        for block in std::mem::take(&mut self.stale_owners.0) {
            self.write_owner_block(block)?;
        }
        Ok(())
    }

    fn write_owner_block(&self, (model, level, number): OwnerBlock) -> Result<()> {
        let mut find = self.reader.db.prepare_cached(
            "SELECT row, session, turn FROM vectors WHERE model = ?1 AND level = ?2 AND row >= ?3 AND row < ?4",
        )?;
        let mut block = PairBlock::new(number, self.reader.root());
        let [first, end] = block.range();
        let mut rows = find.query(params![model, level, first, end])?;
        while let Some(row) = rows.next()? {
            block.push(row.get(0)?, [row.get(1)?, row.get(2)?])?;
        }
        let write = "INSERT OR REPLACE INTO owner_blocks(model, level, block, owners) VALUES(?1, ?2, ?3, ?4)";
        let mut write = self.reader.db.prepare_cached(write)?;
        write.execute(params![model, level, number.cast_signed(), block.pack()])?;
        Ok(())
    }

    /// Marks the blocks that hold rows of a session.
    pub(crate) fn mark_owners_of_session(&mut self, session: SessionId) -> Result<()> {
        self.mark_owners("WHERE session = ?1", &[&session])
    }

    /// Marks all blocks, where there were none before.
    pub(crate) fn mark_all_owners(&mut self) -> Result<()> {
        self.mark_owners("", &[])
    }

    fn mark_owners(&mut self, condition: &str, values: &[&dyn rusqlite::ToSql]) -> Result<()> {
        let query = format!("SELECT model, level, row FROM vectors {condition}");
        let mut find = self.reader.db.prepare_cached(&query)?;
        let mut rows = find.query(values)?;
        while let Some(row) = rows.next()? {
            self.stale_owners
                .insert(row.get(0)?, row.get(1)?, row.get(2)?);
        }
        Ok(())
    }
}
