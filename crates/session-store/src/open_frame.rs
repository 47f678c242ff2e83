//! Reads and writes the contents of turns in the frames of their session.

use crate::error::Result;
use crate::frame::{self, ContentFrame};
use crate::reader::Reader;
use crate::writer::Writer;
use rusqlite::{OptionalExtension, params};
use session_core::TurnContent;
use std::io;

/// The frame that the writer is changing, not yet written to the database.
#[derive(Debug)]
pub(crate) struct OpenFrame {
    id: i64,
    session: i64,
    frame: ContentFrame,
    changed: bool,
}

impl Reader {
    /// Returns the content of a turn, empty where it is unknown or damaged.
    ///
    /// # Errors
    /// When the database fails.
    pub fn content(&self, turn: i64) -> Result<TurnContent> {
        if let Some(content) = self.with_open_frame(|open| open.frame.get(turn)) {
            return Ok(content);
        }
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
    pub fn contents(&self, session: i64) -> Result<Vec<(i64, TurnContent)>> {
        self.query_contents(
            "SELECT id, frame FROM turns WHERE session = ?1 ORDER BY idx",
            session,
        )
    }

    /// Returns the contents of the turns that are not copies.
    pub(crate) fn contents_without_copies(&self, session: i64) -> Result<Vec<(i64, TurnContent)>> {
        self.query_contents(
            "SELECT id, frame FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx",
            session,
        )
    }

    fn query_contents(&self, query: &str, session: i64) -> Result<Vec<(i64, TurnContent)>> {
        let mut find = self.db.prepare_cached(query)?;
        let rows = find.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let turns: Vec<(i64, i64)> = rows.collect::<rusqlite::Result<_>>()?;
        let mut contents = Vec::with_capacity(turns.len());
        for of_one in turns.chunk_by(|a, b| a.1 == b.1) {
            let frame = self.frame(of_one[0].1)?;
            let content = |turn| frame.get(turn).unwrap_or_default();
            contents.extend(of_one.iter().map(|&(turn, _)| (turn, content(turn))));
        }
        Ok(contents)
    }

    fn frame(&self, id: i64) -> Result<ContentFrame> {
        if let Some(frame) = self.with_open_frame(|f| (f.id == id).then(|| f.frame.clone())) {
            return Ok(frame);
        }
        let mut find = self
            .db
            .prepare_cached("SELECT frame FROM contents WHERE id = ?1")?;
        let found = find.query_row([id], |row| {
            Ok(ContentFrame::unpack(row.get_ref(0)?.as_blob()?))
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Reads from the writer's open frame. A reader has none.
    fn with_open_frame<T>(&self, read: impl FnOnce(&OpenFrame) -> Option<T>) -> Option<T> {
        self.open_frame.borrow().as_ref().and_then(read)
    }
}

impl Writer {
    /// Opens the frame for the next turn of a session and returns its number.
    pub(crate) fn frame_with_space(&self, session: i64) -> Result<i64> {
        let fits = |f: &OpenFrame| f.session == session && !f.frame.is_full();
        let fitting = || self.with_open_frame(|f| fits(f).then_some(f.id));
        if let Some(id) = fitting() {
            return Ok(id);
        }
        if let Some(last) = self.last_frame(session)? {
            self.open_frame(session, last)?;
        }
        fitting().map_or_else(|| self.new_frame(session), Ok)
    }

    /// Inserts a turn's content into the frame of [`Writer::frame_with_space`].
    pub(crate) fn insert_content(&self, turn: i64, content: &TurnContent) -> Result<()> {
        self.modify_frame(|frame| frame.insert(turn, content))
    }

    /// Replaces the content of a turn.
    pub(crate) fn replace_content(&self, turn: i64, content: &TurnContent) -> Result<()> {
        self.open_frame_of_turn(turn)?;
        self.insert_content(turn, content)
    }

    /// Deletes the content of a turn; to be called before its row is deleted.
    pub(crate) fn delete_content(&self, turn: i64) -> Result<()> {
        self.open_frame_of_turn(turn)?;
        self.modify_frame(|frame| {
            frame.remove(turn);
            Ok(())
        })
    }

    fn modify_frame(&self, change: impl FnOnce(&mut ContentFrame) -> io::Result<()>) -> Result<()> {
        if let Some(open) = self.open_frame.borrow_mut().as_mut() {
            change(&mut open.frame)?;
            open.changed = true;
        }
        Ok(())
    }

    /// Writes the open frame to the database. To be called before each commit.
    pub(crate) fn write_frame(&self) -> Result<()> {
        let Some(open) = self.open_frame.take().filter(|f| f.changed) else {
            return Ok(());
        };
        if open.frame.is_empty() {
            let delete = "DELETE FROM contents WHERE id = ?1";
            self.db.prepare_cached(delete)?.execute([open.id])?;
            return Ok(());
        }
        let mut update = self
            .db
            .prepare_cached("UPDATE contents SET frame = ?2 WHERE id = ?1")?;
        update.execute(params![open.id, open.frame.pack()?])?;
        Ok(())
    }

    fn last_frame(&self, session: i64) -> Result<Option<i64>> {
        let mut find = self.db.prepare_cached(
            "SELECT frame FROM turns WHERE session = ?1 ORDER BY idx DESC LIMIT 1",
        )?;
        Ok(find.query_row([session], |row| row.get(0)).optional()?)
    }

    fn new_frame(&self, session: i64) -> Result<i64> {
        self.write_frame()?;
        let insert = "INSERT INTO contents(frame) VALUES(x'')";
        let id = self.db.prepare_cached(insert)?.insert([])?;
        self.open_frame.replace(Some(OpenFrame {
            id,
            session,
            frame: ContentFrame::default(),
            changed: false,
        }));
        Ok(id)
    }

    fn open_frame_of_turn(&self, turn: i64) -> Result<()> {
        let find = "SELECT session, frame FROM turns WHERE id = ?1";
        let (session, frame) = self
            .db
            .prepare_cached(find)?
            .query_row([turn], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.open_frame(session, frame)
    }

    fn open_frame(&self, session: i64, id: i64) -> Result<()> {
        if self
            .with_open_frame(|f| (f.id == id).then_some(()))
            .is_some()
        {
            return Ok(());
        }
        self.write_frame()?;
        let frame = self.frame(id)?;
        self.open_frame.replace(Some(OpenFrame {
            id,
            session,
            frame,
            changed: false,
        }));
        Ok(())
    }
}
