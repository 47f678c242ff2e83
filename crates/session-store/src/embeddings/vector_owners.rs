//! Owners of the rows of matrices in blocks, for a query, which reads them all.
//!
//! `vectors` has the rows of each session with the hashes of their texts. `owner_blocks` has the session and the turn of
//! each row.

use crate::embeddings::matrix::MatrixId;
use crate::embeddings::vector_entries::{MatrixRow, VectorEntry};
use crate::error::Result;
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::DocumentKind;
use crate::pair_blocks::{ChangedBlock, ChangedBlocks, PairColumns, pair_number, read_blob};
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::{Connection, params};

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

    /// Returns true if a row belongs to the session that lists it, and to the same turn.
    pub(crate) fn is_owner(&self, session: SessionId, entry: &VectorEntry) -> bool {
        let turn = i64::from(entry.turn.unwrap_or_default());
        let owner = usize::try_from(entry.row.index).ok();
        let owner = owner.and_then(|row| self.0.get(row));
        owner.is_some_and(|owner| owner.map(i64::from) == [session.into(), turn])
    }

    /// Counts the rows that belong to a session.
    pub fn count(&self) -> usize {
        self.rows().count()
    }
}

/// Blocks of owners that are not yet written.
pub(crate) type OwnerBlocks = ChangedBlocks<MatrixId>;

impl OwnerBlocks {
    /// Writes the blocks that have changed.
    pub(crate) fn flush(&mut self, db: &Connection) -> Result<()> {
        let write = "INSERT OR REPLACE INTO owner_blocks(model, level, block, owners) VALUES(?1, ?2, ?3, ?4)";
        for ChangedBlock {
            columns: MatrixId { model, kind },
            number,
            packed,
        } in self.take()
        {
            let values = params![model, kind.number(), number.cast_signed(), packed];
            db.run(write, values)?;
        }
        Ok(())
    }
}

impl Reader {
    /// Returns what each row of a model's matrix embeds.
    ///
    /// # Errors
    /// When the database fails.
    pub fn vector_owners(&self, model: ModelId, kind: DocumentKind) -> Result<VectorOwners> {
        let read = || self.read_vector_owners(model, kind);
        match &self.cache {
            Some(cache) => cache.owners(self.version_for(cache)?, MatrixId { model, kind }, read),
            None => read(),
        }
    }

    fn read_vector_owners(&self, model: ModelId, kind: DocumentKind) -> Result<VectorOwners> {
        let select = "SELECT count(*) FROM owner_blocks WHERE model = ?1 AND level = ?2";
        let count = self
            .db
            .single(select, params![model, kind.number()], |row| row.get(0))?;
        let mut find = self.db.prepare_cached(
            "SELECT block, owners FROM owner_blocks WHERE model = ?1 AND level = ?2 ORDER BY block",
        )?;
        let blocks = find.query(params![model, kind.number()])?;
        Ok(VectorOwners(PairColumns::read(self.root(), count, blocks)?))
    }
}

impl Writer {
    /// Notes the owner of a row.
    pub(crate) fn set_owner_of_row(
        &mut self,
        model: ModelId,
        session: SessionId,
        entry: &VectorEntry,
    ) -> Result<()> {
        let numbers = [session.into(), entry.turn.unwrap_or_default().into()];
        let [session, turn] = numbers.map(|number| pair_number(number, self.reader.root()));
        *self.owner_mut(model, entry.row)? = [session?, turn?];
        Ok(())
    }

    /// Notes that a row has no owner any more; returns false where it has another one than this session.
    pub(crate) fn clear_owner_of_row(
        &mut self,
        model: ModelId,
        session: SessionId,
        row: MatrixRow,
    ) -> Result<bool> {
        let owner = self.owner_mut(model, row)?;
        let is_owner = SessionId::new(owner[0].into()) == session;
        if is_owner {
            *owner = [0; 2];
        }
        Ok(is_owner)
    }

    fn owner_mut(&mut self, model: ModelId, row: MatrixRow) -> Result<&mut [u32; 2]> {
        let MatrixRow { kind, index } = row;
        let matrix = MatrixId { model, kind };
        let db = &self.reader.db;
        let read = |block: u64| {
            let values = params![model, kind.number(), block.cast_signed()];
            let select =
                "SELECT owners FROM owner_blocks WHERE model = ?1 AND level = ?2 AND block = ?3";
            db.first(select, values, read_blob)
        };
        self.pending.owner_blocks.row_mut(matrix, index, read)
    }

    /// Deletes the blocks of a matrix, whose rows get other numbers.
    pub(crate) fn delete_owner_blocks(&mut self, model: ModelId, kind: DocumentKind) -> Result<()> {
        self.pending
            .owner_blocks
            .forget(|matrix| matrix == MatrixId { model, kind });
        let delete = "DELETE FROM owner_blocks WHERE model = ?1 AND level = ?2";
        self.db().run(delete, params![model, kind.number()])
    }

    /// Makes the blocks of all matrices anew: their bytes may have been damaged, which no check of SQLite tells.
    pub(crate) fn renew_owner_blocks(&mut self) -> Result<()> {
        for model in self.reader.models()? {
            for kind in DocumentKind::ALL {
                self.delete_owner_blocks(model.id, kind)?;
            }
            for session in self.reader.sessions_with_vectors(model.id)? {
                let entries = self.reader.vector_entries(&model, session)?;
                entries
                    .iter()
                    .try_for_each(|entry| self.set_owner_of_row(model.id, session, entry))?;
            }
        }
        Ok(())
    }
}
