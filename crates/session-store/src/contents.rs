//! Reads the contents of turns from the frames of their session.

use crate::error::Result;
use crate::frame::{self, ContentFrame};
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use rusqlite::OptionalExtension;
use session_core::TurnContent;

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
            Ok(frame::unpack_content(row.get_ref(0)?.as_blob()?, turn))
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

    fn query_contents(
        &self,
        query: &str,
        session: SessionId,
    ) -> Result<Vec<(TurnId, TurnContent)>> {
        let mut find = self.db.prepare_cached(query)?;
        let rows = find.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let turns: Vec<(TurnId, FrameId)> = rows.collect::<rusqlite::Result<_>>()?;
        let mut contents = Vec::with_capacity(turns.len());
        for of_one in turns.chunk_by(|a, b| a.1 == b.1) {
            let frame = self.frame(of_one[0].1)?;
            let content = |turn| frame.get(turn).unwrap_or_default();
            contents.extend(of_one.iter().map(|&(turn, _)| (turn, content(turn))));
        }
        Ok(contents)
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
