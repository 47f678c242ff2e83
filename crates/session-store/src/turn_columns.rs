//! Sessions and lengths of turns in blocks, for a query, which reads them all.

use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::pair_blocks::{ChangedBlock, ChangedBlocks, PairColumns, pair_number, read_blob};
use crate::reader::Reader;
use crate::sql::Statements;
use crate::varint::read_varints;
use crate::writer::Writer;
use rusqlite::{Connection, params};

/// The session of each turn, and the number of tokens by which it is indexed, 0 where its words are not.
#[derive(Debug, Clone, Default)]
pub struct TurnColumns(PairColumns);

impl TurnColumns {
    /// Returns the session of a turn.
    pub fn session_of(&self, turn: TurnId) -> Option<SessionId> {
        let [session, _] = self.0.get(turn.as_index())?;
        (session != 0).then(|| SessionId::new(session.into()))
    }

    /// Counts the turns that have a session.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().filter(|[session, _]| *session != 0).count()
    }

    /// Returns a number that is greater than that of each turn.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the tokens of the turn with this number.
    pub(crate) fn tokens(&self, turn: usize) -> u32 {
        self.0.get(turn).map_or(0, |[_, tokens]| tokens)
    }
}

/// Blocks of turns that are not yet written.
pub(crate) type TurnBlocks = ChangedBlocks<()>;

impl TurnBlocks {
    /// Writes the blocks that have changed.
    pub(crate) fn flush(&mut self, db: &Connection) -> Result<()> {
        let write = "INSERT OR REPLACE INTO turn_blocks(block, turns) VALUES(?1, ?2)";
        for ChangedBlock { number, packed, .. } in self.take() {
            db.run(write, params![number.cast_signed(), packed])?;
        }
        Ok(())
    }
}

impl Reader {
    /// Returns the session and the length of each turn.
    ///
    /// # Errors
    /// When the database fails.
    pub fn turn_columns(&self) -> Result<TurnColumns> {
        match &self.cache {
            Some(cache) => cache.turns(self.version_for(cache)?, || self.read_turn_columns()),
            None => self.read_turn_columns(),
        }
    }

    fn read_turn_columns(&self) -> Result<TurnColumns> {
        let count = "SELECT count(*) FROM turn_blocks";
        let count = self.db.query_row(count, [], |row| row.get(0))?;
        let find = "SELECT block, turns FROM turn_blocks ORDER BY block";
        let mut find = self.db.prepare_cached(find)?;
        let blocks = find.query([])?;
        Ok(TurnColumns(PairColumns::read(self.root(), count, blocks)?))
    }
}

impl Writer {
    /// Notes the session of a turn that was inserted.
    pub(crate) fn set_turn_session(&mut self, turn: TurnId, session: SessionId) -> Result<()> {
        let session = pair_number(session.into(), self.reader.root())?;
        self.turn_columns_mut(turn)?[0] = session;
        Ok(())
    }

    /// Notes by how many tokens a turn is indexed.
    pub(crate) fn set_turn_tokens(&mut self, turn: TurnId, tokens: u32) -> Result<()> {
        self.turn_columns_mut(turn)?[1] = tokens;
        Ok(())
    }

    /// Returns the number of tokens by which a turn is indexed.
    pub(crate) fn turn_tokens(&mut self, turn: TurnId) -> Result<u32> {
        let [_, tokens] = self.turn_columns_mut(turn)?;
        Ok(*tokens)
    }

    /// Notes that a turn was deleted.
    pub(crate) fn clear_turn_columns(&mut self, turn: TurnId) -> Result<()> {
        *self.turn_columns_mut(turn)? = [0; 2];
        Ok(())
    }

    fn turn_columns_mut(&mut self, turn: TurnId) -> Result<&mut [u32; 2]> {
        let db = &self.reader.db;
        let read = |block: u64| {
            let find = "SELECT turns FROM turn_blocks WHERE block = ?1";
            db.first(find, [block.cast_signed()], read_blob)
        };
        self.pending
            .turn_blocks
            .row_mut((), turn.as_index() as u64, read)
    }

    /// Makes the blocks of all turns anew: their bytes may have been damaged, which no check of SQLite tells. Words are to be
    /// in the database.
    pub(crate) fn renew_turn_blocks(&mut self) -> Result<()> {
        self.pending.turn_blocks.forget(|()| true);
        self.db().execute("DELETE FROM turn_blocks", [])?;
        // `words_docsize` is FTS5's own: a varint for each column.
        let select =
            "SELECT t.id, t.session, d.sz FROM turns t LEFT JOIN words_docsize d ON d.id = t.id";
        let turns: Vec<(TurnId, SessionId, u64)> = self.db().rows(select, [], |row| {
            let sizes = row.get_ref(2)?.as_blob_or_null().unwrap_or_default();
            let tokens: u64 = read_varints(sizes.unwrap_or_default()).sum();
            Ok((row.get(0)?, row.get(1)?, tokens))
        })?;
        for (turn, session, tokens) in turns {
            self.set_turn_session(turn, session)?;
            self.set_turn_tokens(turn, u32::try_from(tokens).unwrap_or(u32::MAX))?;
        }
        Ok(())
    }
}
