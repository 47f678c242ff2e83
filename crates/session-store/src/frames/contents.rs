//! Reads the contents of turns from their frames.

use crate::error::Result;
use crate::frames::frame::ContentFrame;
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use crate::sql::Statements;
use rusqlite::{Row, params};
use session_core::TurnContent;

/// The turns of a session, in order.
const ALL_TURNS: &str = "SELECT id, frame FROM turns WHERE session = ?1 ORDER BY idx";

/// Those that are not copies.
pub(crate) const OWN_TURNS: &str =
    "SELECT id, frame FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx";

/// A turn of the index with its content.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredContent {
    /// Number of the turn.
    pub turn: TurnId,
    /// Its content; empty where it is damaged.
    pub content: TurnContent,
}

/// A turn with the frame that holds its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnFrame {
    pub(crate) turn: TurnId,
    pub(crate) frame: FrameId,
}

impl TurnFrame {
    /// Reads a row that begins with `id, frame`.
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            turn: row.get(0)?,
            frame: row.get(1)?,
        })
    }
}

/// Contents of some turns of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentsPart {
    /// The turns in order.
    pub turns: Vec<StoredContent>,
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

    /// Returns the contents of a session's turns, in order.
    /// Each frame is read once.
    ///
    /// # Errors
    /// When the database fails.
    pub fn contents(&self, session: SessionId) -> Result<Vec<StoredContent>> {
        self.contents_of(&self.turn_frames(ALL_TURNS, session)?)
    }

    /// Returns the contents of the turns that are not copies.
    pub(crate) fn contents_without_copies(&self, session: SessionId) -> Result<Vec<StoredContent>> {
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
        let mut last: Option<u32> = None;
        let limit = limit.max(1).cast_signed() as i64;
        let select =
            "SELECT id, frame, idx FROM turns WHERE session = ?1 AND owner IS NULL AND idx >= ?2
             ORDER BY idx LIMIT ?3";
        let turns: Vec<TurnFrame> =
            self.db
                .rows(select, params![session, first, limit], |row| {
                    last = Some(row.get(2)?);
                    TurnFrame::from_row(row)
                })?;
        let is_full = turns.len() as i64 == limit;
        Ok(ContentsPart {
            turns: self.contents_of(&turns)?,
            next: last.filter(|_| is_full).map(|last| last + 1),
        })
    }

    /// Returns the turns that a query selects of a session, each with its frame.
    pub(crate) fn turn_frames(&self, query: &str, session: SessionId) -> Result<Vec<TurnFrame>> {
        self.db.rows(query, [session], TurnFrame::from_row)
    }

    /// Returns the content of each of some turns, in order.
    pub(crate) fn contents_of(&self, turns: &[TurnFrame]) -> Result<Vec<StoredContent>> {
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
        let select = "SELECT frame FROM contents WHERE id = ?1";
        Ok(self.db.first(select, [id], read_frame)?.unwrap_or_default())
    }
}

/// Reads a frame from the first column of a row, to nothing where it is no blob: one that is damaged costs its turns alone.
pub(crate) fn read_frame(row: &Row<'_>) -> rusqlite::Result<Vec<u8>> {
    let frame = row.get_ref(0)?.as_blob();
    Ok(frame.unwrap_or_default().to_owned())
}
