//! Reads the contents of turns from their frames.

use crate::codec::decompress;
use crate::error::Result;
use crate::frame::{self, ContentFrame};
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use rusqlite::{OptionalExtension, params};
use session_core::TurnContent;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Most bytes of frames that are kept, packed and decompressed.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The frames that were decompressed last: sessions that are read one after the other share frames, and a query reads
/// some turns twice. What is packed tells whether it is still the one in the database.
#[derive(Default)]
pub(crate) struct LastFrames(RefCell<VecDeque<UnpackedFrame>>);

struct UnpackedFrame {
    packed: Vec<u8>,
    raw: Arc<Vec<u8>>,
}

impl UnpackedFrame {
    fn bytes(&self) -> usize {
        self.packed.len() + self.raw.len()
    }
}

impl LastFrames {
    /// Returns a packed frame decompressed.
    fn decompress(&self, packed: &[u8]) -> Arc<Vec<u8>> {
        let mut last = self.0.borrow_mut();
        if let Some(known) = last.iter().rev().find(|frame| frame.packed == packed) {
            return Arc::clone(&known.raw);
        }
        let raw = Arc::new(decompress(packed));
        last.push_back(UnpackedFrame {
            packed: packed.to_vec(),
            raw: Arc::clone(&raw),
        });
        while last.iter().map(UnpackedFrame::bytes).sum::<usize>() > MAX_KEPT_BYTES {
            last.pop_front();
        }
        raw
    }
}

/// Contents of some turns of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentsPart {
    /// The turns in order, with their numbers.
    pub turns: Vec<(TurnId, TurnContent)>,
    /// The index from which on others may follow.
    pub next: Option<u32>,
}

impl Reader {
    /// Returns the content of a turn, empty where it is unknown or damaged.
    ///
    /// # Errors
    /// When the database fails.
    pub fn content(&self, turn: TurnId) -> Result<TurnContent> {
        let mut find = self.db.prepare_cached(
            "SELECT c.frame FROM turns t JOIN contents c ON c.id = t.frame WHERE t.id = ?1",
        )?;
        let found = find.query_row([turn], |row| {
            let raw = self.last_frames.decompress(row.get_ref(0)?.as_blob()?);
            Ok(frame::raw_content(&raw, turn))
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Returns the contents of a session's turns, in order, with the turns' numbers.
    /// Each frame is read once.
    ///
    /// # Errors
    /// When the database fails.
    pub fn contents(&self, session: SessionId) -> Result<Vec<(TurnId, TurnContent)>> {
        self.query_contents(
            "SELECT id, frame FROM turns WHERE session = ?1 ORDER BY idx",
            session,
        )
    }

    /// Returns the contents of the turns that are not copies.
    pub(crate) fn contents_without_copies(
        &self,
        session: SessionId,
    ) -> Result<Vec<(TurnId, TurnContent)>> {
        self.query_contents(
            "SELECT id, frame FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx",
            session,
        )
    }

    /// Returns the contents of a session's turns that are not copies, from an index on and at most `limit` of them.
    ///
    /// # Errors
    /// When the database fails.
    pub fn contents_part(
        &self,
        session: SessionId,
        first: u32,
        limit: usize,
    ) -> Result<ContentsPart> {
        let mut find = self.db.prepare_cached(
            "SELECT id, frame, idx FROM turns WHERE session = ?1 AND owner IS NULL AND idx >= ?2
             ORDER BY idx LIMIT ?3",
        )?;
        let mut last: Option<u32> = None;
        let limit = limit.max(1).cast_signed() as i64;
        let rows = find.query_map(params![session, first, limit], |row| {
            last = Some(row.get(2)?);
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let turns: Vec<(TurnId, FrameId)> = rows.collect::<rusqlite::Result<_>>()?;
        let is_full = turns.len() as i64 == limit;
        Ok(ContentsPart {
            turns: self.contents_of(&turns)?,
            next: last.filter(|_| is_full).map(|last| last + 1),
        })
    }

    fn query_contents(
        &self,
        query: &str,
        session: SessionId,
    ) -> Result<Vec<(TurnId, TurnContent)>> {
        let mut find = self.db.prepare_cached(query)?;
        let rows = find.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let turns: Vec<(TurnId, FrameId)> = rows.collect::<rusqlite::Result<_>>()?;
        self.contents_of(&turns)
    }

    fn contents_of(&self, turns: &[(TurnId, FrameId)]) -> Result<Vec<(TurnId, TurnContent)>> {
        let mut contents = Vec::with_capacity(turns.len());
        for of_one in turns.chunk_by(|a, b| a.1 == b.1) {
            let raw = self.raw_frame(of_one[0].1)?;
            let turns = || of_one.iter().map(|(turn, _)| *turn);
            contents.extend(turns().zip(frame::raw_contents(&raw, turns())));
        }
        Ok(contents)
    }

    /// Decompresses a frame, to nothing where it is damaged or missing.
    fn raw_frame(&self, id: FrameId) -> Result<Arc<Vec<u8>>> {
        let mut find = self
            .db
            .prepare_cached("SELECT frame FROM contents WHERE id = ?1")?;
        let found = find.query_row([id], |row| {
            Ok(self.last_frames.decompress(row.get_ref(0)?.as_blob()?))
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Reads a frame, empty where it is damaged or missing.
    pub(crate) fn frame(&self, id: FrameId) -> Result<ContentFrame> {
        let mut find = self
            .db
            .prepare_cached("SELECT frame FROM contents WHERE id = ?1")?;
        let found = find.query_row([id], |row| {
            Ok(ContentFrame::unpack(row.get_ref(0)?.as_blob()?))
        });
        Ok(found.optional()?.unwrap_or_default())
    }
}
