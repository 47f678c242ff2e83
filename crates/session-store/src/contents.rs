//! Reads the contents of turns from their frames.

use crate::error::Result;
use crate::frame::ContentFrame;
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use rusqlite::{OptionalExtension, Row, params};
use session_core::TurnContent;

/// The turns of a session, in order.
const ALL_TURNS: &str = "SELECT id, frame FROM turns WHERE session = ?1 ORDER BY idx";

/// Those that are not copies.
pub(crate) const OWN_TURNS: &str =
    "SELECT id, frame FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx";

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
        Ok(self.packed_turn(turn)?.unpack_first())
    }

    /// Returns the contents of a session's turns, in order, with the turns' numbers.
    /// Each frame is read once.
    ///
    /// # Errors
    /// When the database fails.
    pub fn contents(&self, session: SessionId) -> Result<Vec<(TurnId, TurnContent)>> {
        self.contents_of(&self.turn_frames(ALL_TURNS, session)?)
    }

    /// Returns the contents of the turns that are not copies.
    pub(crate) fn contents_without_copies(
        &self,
        session: SessionId,
    ) -> Result<Vec<(TurnId, TurnContent)>> {
        self.contents_of(&self.turn_frames(OWN_TURNS, session)?)
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

    /// Returns the turns that a query selects of a session, each with its frame.
    pub(crate) fn turn_frames(
        &self,
        query: &str,
        session: SessionId,
    ) -> Result<Vec<(TurnId, FrameId)>> {
        let mut find = self.db.prepare_cached(query)?;
        let rows = find.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn contents_of(&self, turns: &[(TurnId, FrameId)]) -> Result<Vec<(TurnId, TurnContent)>> {
        let mut contents = Vec::with_capacity(turns.len());
        for frame in self.packed_frames(turns) {
            contents.extend(frame?.unpack(&self.last_frames));
        }
        Ok(contents)
    }

    /// Reads a frame, empty where it is damaged or missing.
    pub(crate) fn frame(&self, id: FrameId) -> Result<ContentFrame> {
        Ok(ContentFrame::unpack(&self.packed_frame(id)?))
    }

    /// Reads a frame as it is stored, to nothing where it is missing or no blob.
    pub(crate) fn packed_frame(&self, id: FrameId) -> Result<Vec<u8>> {
        let mut find = self
            .db
            .prepare_cached("SELECT frame FROM contents WHERE id = ?1")?;
        let found = find.query_row([id], read_frame);
        Ok(found.optional()?.unwrap_or_default())
    }
}

/// Reads a frame from the first column of a row, to nothing where it is no blob: one that is damaged costs its turns alone.
pub(crate) fn read_frame(row: &Row<'_>) -> rusqlite::Result<Vec<u8>> {
    let frame = row.get_ref(0)?.as_blob();
    Ok(frame.unwrap_or_default().to_owned())
}
