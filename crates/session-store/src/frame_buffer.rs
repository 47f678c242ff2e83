//! Writes the contents of turns to the frames of their session, one frame at a time.

use crate::error::Result;
use crate::frame::{ContentFrame, content_json};
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use rusqlite::{OptionalExtension, params};
use session_core::TurnContent;

/// The frame that the writer is changing, which [`FrameBuffer::flush`] writes to the database: a
/// frame is compressed once, not turn by turn.
#[derive(Debug, Default)]
pub(crate) struct FrameBuffer(Option<OpenFrame>);

#[derive(Debug)]
struct OpenFrame {
    id: FrameId,
    session: SessionId,
    frame: ContentFrame,
    changed: bool,
}

impl FrameBuffer {
    /// Returns the content of a turn if its frame is open.
    pub(crate) fn content(&self, turn: TurnId) -> Option<TurnContent> {
        self.0.as_ref()?.frame.get(turn)
    }

    /// Opens the frame for the next turn of a session and returns its number.
    pub(crate) fn open_with_space(
        &mut self,
        index: &Reader,
        session: SessionId,
    ) -> Result<FrameId> {
        if let Some(id) = self.fitting(session) {
            return Ok(id);
        }
        if let Some(last) = last_frame(index, session)? {
            self.open(index, session, last)?;
        }
        match self.fitting(session) {
            Some(id) => Ok(id),
            None => self.open_new(index, session),
        }
    }

    /// Returns the number of the open frame if it takes another turn of a session.
    fn fitting(&self, session: SessionId) -> Option<FrameId> {
        let open = self.0.as_ref()?;
        (open.session == session && !open.frame.is_full()).then_some(open.id)
    }

    /// Inserts a turn's content as JSON into the frame of [`Self::open_with_space`].
    pub(crate) fn insert(&mut self, turn: TurnId, json: Vec<u8>) {
        self.modify(|frame| frame.insert(turn, json));
    }

    /// Replaces the content of a turn.
    pub(crate) fn replace(
        &mut self,
        index: &Reader,
        turn: TurnId,
        content: &TurnContent,
    ) -> Result<()> {
        self.open_of_turn(index, turn)?;
        self.insert(turn, content_json(content)?);
        Ok(())
    }

    /// Deletes the content of a turn; to be called before its row is deleted.
    pub(crate) fn delete(&mut self, index: &Reader, turn: TurnId) -> Result<()> {
        self.open_of_turn(index, turn)?;
        self.modify(|frame| frame.remove(turn));
        Ok(())
    }

    fn modify(&mut self, change: impl FnOnce(&mut ContentFrame)) {
        if let Some(open) = &mut self.0 {
            change(&mut open.frame);
            open.changed = true;
        }
    }

    /// Writes the open frame to the database and closes it. To be called before each commit.
    pub(crate) fn flush(&mut self, index: &Reader) -> Result<()> {
        let Some(open) = self.0.take().filter(|open| open.changed) else {
            return Ok(());
        };
        if open.frame.is_empty() {
            let delete = "DELETE FROM contents WHERE id = ?1";
            index.db.prepare_cached(delete)?.execute([open.id])?;
            return Ok(());
        }
        let update = "UPDATE contents SET frame = ?2 WHERE id = ?1";
        let packed = open.frame.pack()?;
        let changed = index
            .db
            .prepare_cached(update)?
            .execute(params![open.id, packed])?;
        if changed == 0 {
            // The row was lost: damage, which a full read mends.
            let insert = "INSERT INTO contents(id, frame) VALUES(?1, ?2)";
            index
                .db
                .prepare_cached(insert)?
                .execute(params![open.id, packed])?;
        }
        Ok(())
    }

    fn open_of_turn(&mut self, index: &Reader, turn: TurnId) -> Result<()> {
        let find = "SELECT session, frame FROM turns WHERE id = ?1";
        let (session, frame) = index
            .db
            .prepare_cached(find)?
            .query_row([turn], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.open(index, session, frame)
    }

    fn open(&mut self, index: &Reader, session: SessionId, id: FrameId) -> Result<()> {
        if self.0.as_ref().is_some_and(|open| open.id == id) {
            return Ok(());
        }
        self.flush(index)?;
        self.0 = Some(OpenFrame {
            id,
            session,
            frame: index.frame(id)?,
            changed: false,
        });
        Ok(())
    }

    fn open_new(&mut self, index: &Reader, session: SessionId) -> Result<FrameId> {
        self.flush(index)?;
        let insert = "INSERT INTO contents(frame) VALUES(x'')";
        let id = FrameId::new(index.db.prepare_cached(insert)?.insert([])?);
        self.0 = Some(OpenFrame {
            id,
            session,
            frame: ContentFrame::default(),
            changed: false,
        });
        Ok(id)
    }
}

fn last_frame(index: &Reader, session: SessionId) -> Result<Option<FrameId>> {
    let mut find = index
        .db
        .prepare_cached("SELECT frame FROM turns WHERE session = ?1 ORDER BY idx DESC LIMIT 1")?;
    Ok(find.query_row([session], |row| row.get(0)).optional()?)
}
