//! The rows of matrices that belong to a session, in one blob for each model.
//!
//! A row of SQLite for each vector, and its entry in an index of sessions, took a twentieth of the time of a first
//! index. `vector_texts` has the vectors of slow models by text, too, so that none is made twice.

use crate::error::Result;
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::{DocumentKind, ModelRow};
use crate::reader::Reader;
use crate::sql::Statements;
use crate::varint::{push_varint, read_varint};
use crate::writer::Writer;
use rusqlite::params;
use rustc_hash::FxHashSet;

/// A row of one of a model's matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MatrixRow {
    /// The kind of the matrix.
    pub(crate) kind: DocumentKind,
    /// From 0.
    pub(crate) index: u64,
}

/// A vector of a session: the row that holds it, and what it embeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VectorEntry {
    pub(crate) row: MatrixRow,
    /// `None` for a chunk of the session.
    pub(crate) turn: Option<TurnId>,
    /// Hash of the text that was embedded.
    pub(crate) hash: i64,
}

impl VectorEntry {
    fn push_to(&self, packed: &mut Vec<u8>) {
        let MatrixRow { kind, index } = self.row;
        push_varint(packed, index << 1 | kind.number().cast_unsigned());
        let turn = i64::from(self.turn.unwrap_or_default());
        push_varint(packed, turn.cast_unsigned());
        packed.extend(self.hash.to_le_bytes());
    }

    /// Takes an entry off the front; none at the end and where it is damaged.
    fn take_from(packed: &mut &[u8]) -> Option<Self> {
        let row = read_varint(packed)?;
        let turn = TurnId::new(read_varint(packed)?.cast_signed());
        let (hash, rest) = packed.split_first_chunk()?;
        *packed = rest;
        Some(Self {
            row: MatrixRow {
                kind: DocumentKind::from_number((row & 1).cast_signed()),
                index: row >> 1,
            },
            turn: Some(turn).filter(|turn| *turn != TurnId::default()),
            hash: i64::from_le_bytes(*hash),
        })
    }
}

fn pack(entries: &[VectorEntry]) -> Vec<u8> {
    let mut packed = Vec::new();
    entries.iter().for_each(|entry| entry.push_to(&mut packed));
    packed
}

fn unpack(mut packed: &[u8]) -> Vec<VectorEntry> {
    std::iter::from_fn(|| VectorEntry::take_from(&mut packed)).collect()
}

/// A row of a matrix whose session has no use for it any more.
#[derive(Debug)]
pub(crate) struct Orphan {
    pub(crate) model: ModelId,
    row: MatrixRow,
    hash: i64,
}

impl Reader {
    fn read_entries(&self, model: ModelId, session: SessionId) -> Result<Vec<VectorEntry>> {
        let find = "SELECT entries FROM vectors WHERE session = ?1 AND model = ?2";
        Ok(self
            .db
            .first(find, [i64::from(session), model.into()], |row| {
                Ok(unpack(row.get_ref(0)?.as_blob().unwrap_or_default()))
            })?
            .unwrap_or_default())
    }

    /// Returns the rows of a model's matrices that belong to a session, up to one that the matrix does not have: what
    /// follows is damaged, too.
    pub(crate) fn vector_entries(
        &self,
        model: &ModelRow,
        session: SessionId,
    ) -> Result<Vec<VectorEntry>> {
        let mut entries = self.read_entries(model.id, session)?;
        let is_missing = |row: MatrixRow| row.index >= model.rows(row.kind) as u64;
        let missing = entries.iter().position(|entry| is_missing(entry.row));
        entries.truncate(missing.unwrap_or(entries.len()));
        Ok(entries)
    }

    /// Returns the hashes of the texts of a session that a model has embedded.
    pub(crate) fn text_hashes(&self, model: ModelId, session: SessionId) -> Result<FxHashSet<i64>> {
        let entries = self.read_entries(model, session)?;
        Ok(entries.iter().map(|entry| entry.hash).collect())
    }

    /// Returns the rows of a matrix that belong to sessions, in order.
    pub(crate) fn live_rows(&self, model: &ModelRow, kind: DocumentKind) -> Result<Vec<u64>> {
        let mut live = Vec::new();
        for session in self.sessions_with_vectors(model.id)? {
            let rows = self.vector_entries(model, session)?.into_iter();
            let rows = rows.map(|entry| entry.row);
            live.extend(rows.filter(|row| row.kind == kind).map(|row| row.index));
        }
        live.sort_unstable();
        live.dedup();
        Ok(live)
    }

    /// Finds the row with the vector of a text by its hash: of a model whose [texts are indexed](Writer::index_texts).
    pub(crate) fn find_text(&self, model: ModelId, hash: i64) -> Result<Option<MatrixRow>> {
        let find = "SELECT level, row FROM vector_texts WHERE model = ?1 AND hash = ?2 LIMIT 1";
        self.db.first(find, params![model, hash], |row| {
            Ok(MatrixRow {
                kind: DocumentKind::from_number(row.get(0)?),
                index: row.get::<_, i64>(1)?.cast_unsigned(),
            })
        })
    }

    /// Returns the sessions of which a model has vectors.
    pub(crate) fn sessions_with_vectors(&self, model: ModelId) -> Result<Vec<SessionId>> {
        let find = "SELECT session FROM vectors WHERE model = ?1 ORDER BY session";
        self.db.rows(find, [model], |row| row.get(0))
    }
}

impl Writer {
    /// Replaces the rows of a model's matrices that belong to a session.
    pub(crate) fn write_vector_entries(
        &self,
        model: ModelId,
        session: SessionId,
        entries: &[VectorEntry],
    ) -> Result<()> {
        let db = self.db();
        if entries.is_empty() {
            let delete = "DELETE FROM vectors WHERE session = ?1 AND model = ?2";
            db.run(delete, params![session, model])?;
            return Ok(());
        }
        let write = "INSERT OR REPLACE INTO vectors(session, model, entries) VALUES(?1, ?2, ?3)";
        let values = params![session, model, pack(entries)];
        db.run(write, values)
    }

    /// Lets a vector be found by its text.
    pub(crate) fn insert_text(&self, model: ModelId, entry: &VectorEntry) -> Result<()> {
        let MatrixRow { kind, index } = entry.row;
        let insert =
            "INSERT OR IGNORE INTO vector_texts(model, hash, level, row) VALUES(?1, ?2, ?3, ?4)";
        self.db().run(
            insert,
            params![model, entry.hash, kind.number(), index.cast_signed()],
        )
    }

    /// Lets all vectors of a model be found by their texts.
    pub(crate) fn insert_all_texts(&self, model: &ModelRow) -> Result<()> {
        let delete = "DELETE FROM vector_texts WHERE model = ?1";
        self.db().execute(delete, [model.id])?;
        for session in self.reader.sessions_with_vectors(model.id)? {
            let entries = self.reader.vector_entries(model, session)?;
            entries
                .iter()
                .try_for_each(|entry| self.insert_text(model.id, entry))?;
        }
        Ok(())
    }

    /// Takes a row from its session, which no longer lists it. Until the commit its vector can still be copied to another
    /// session: [`EmbeddedTexts::has`](crate::EmbeddedTexts::has) may have returned true for its text.
    pub(crate) fn orphan_row(
        &mut self,
        model: ModelId,
        session: SessionId,
        entry: &VectorEntry,
    ) -> Result<()> {
        let VectorEntry { row, hash, .. } = *entry;
        // A damaged list may name the rows of others.
        if self.clear_owner_of_row(model, session, row)? {
            self.matrices.orphans.push(Orphan { model, row, hash });
        }
        Ok(())
    }

    /// Orphans all rows of a session, some of whose turns were deleted.
    pub(crate) fn orphan_session_rows(&mut self, session: SessionId) -> Result<()> {
        self.orphan_rows_where(session, |_| true)
    }

    /// Orphans the rows of a session that embed its chunks, which have words of all its turns, or one of these turns.
    pub(crate) fn orphan_rows_of_turns(
        &mut self,
        session: SessionId,
        turns: &FxHashSet<TurnId>,
    ) -> Result<()> {
        let is_of_one = |turn: TurnId| turns.contains(&turn);
        self.orphan_rows_where(session, |entry| entry.turn.is_none_or(is_of_one))
    }

    fn orphan_rows_where(
        &mut self,
        session: SessionId,
        is_orphan: impl Fn(&VectorEntry) -> bool,
    ) -> Result<()> {
        self.matrices
            .series
            .take_if(|series| series.is_of_session(session));
        for model in self.reader.models()? {
            let entries = self.reader.vector_entries(&model, session)?;
            let (orphans, kept): (Vec<_>, Vec<_>) = entries.into_iter().partition(&is_orphan);
            for entry in &orphans {
                self.orphan_row(model.id, session, entry)?;
            }
            self.write_vector_entries(model.id, session, &kept)?;
        }
        Ok(())
    }

    /// Notes how many rows are dead since the last commit, and lets none be found by its text.
    pub(crate) fn delete_orphans(&mut self) -> Result<()> {
        let db = &self.reader.db;
        for Orphan { model, row, hash } in self.matrices.orphans.drain(..) {
            let MatrixRow { kind, index } = row;
            let name = kind.name();
            let note = format!("UPDATE models SET {name}_dead = {name}_dead + 1 WHERE id = ?1");
            db.run(&note, [model])?;
            let delete = "DELETE FROM vector_texts WHERE model = ?1 AND hash = ?2 AND level = ?3 AND row = ?4";
            let values = params![model, hash, kind.number(), index.cast_signed()];
            db.run(delete, values)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry() -> impl Strategy<Value = VectorEntry> {
        let kind = prop_oneof![Just(DocumentKind::Chunk), Just(DocumentKind::Turn)];
        let turn = prop::option::of((1..i64::MAX).prop_map(TurnId::new));
        (kind, 0..1_u64 << 40, turn, 0..i64::MAX).prop_map(|(kind, index, turn, hash)| {
            VectorEntry {
                row: MatrixRow { kind, index },
                turn,
                hash,
            }
        })
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked_up_to_where_it_is_cut(
            entries in prop::collection::vec(entry(), 0..20),
            kept: prop::sample::Index,
        ) {
            let packed = pack(&entries);
            prop_assert_eq!(&unpack(&packed), &entries);
            let cut = unpack(&packed[..kept.index(packed.len() + 1)]);
            prop_assert_eq!(&cut, &entries[..cut.len()]);
        }
    }
}
