//! Turns' contents in the frames of their session: reading and writing.

use crate::error::Result;
use crate::frame::{self, Frame};
use crate::reader::Reader;
use crate::writer::Writer;
use rusqlite::{OptionalExtension, params};
use session_core::TurnContent;
use std::io;

/// The frame that the writer has in hand.
#[derive(Debug)]
pub(crate) struct Filling {
    id: i64,
    session: i64,
    frame: Frame,
    changed: bool,
}

impl Reader {
    /// What a turn says.
    ///
    /// # Errors
    /// When the database fails.
    pub fn content(&self, turn: i64) -> Result<TurnContent> {
        if let Some(content) = self.held(|filling| filling.frame.get(turn)) {
            return Ok(content);
        }
        let mut find = self.db.prepare_cached(
            "SELECT c.frame FROM turns t JOIN contents c ON c.id = t.frame WHERE t.id = ?1",
        )?;
        let found = find.query_row([turn], |row| {
            Ok(frame::content(row.get_ref(0)?.as_blob()?, turn))
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// The contents of a session's turns, in order, each with the turn's number:
    /// each frame is read once.
    ///
    /// # Errors
    /// When the database fails.
    pub fn contents(&self, session: i64) -> Result<Vec<(i64, TurnContent)>> {
        self.contents_of(
            "SELECT id, frame FROM turns WHERE session = ?1 ORDER BY idx",
            session,
        )
    }

    /// Those of the turns that are not copies.
    pub(crate) fn own_contents(&self, session: i64) -> Result<Vec<(i64, TurnContent)>> {
        self.contents_of(
            "SELECT id, frame FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx",
            session,
        )
    }

    fn contents_of(&self, query: &str, session: i64) -> Result<Vec<(i64, TurnContent)>> {
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

    fn frame(&self, id: i64) -> Result<Frame> {
        if let Some(frame) = self.held(|f| (f.id == id).then(|| f.frame.clone())) {
            return Ok(frame);
        }
        let mut find = self
            .db
            .prepare_cached("SELECT frame FROM contents WHERE id = ?1")?;
        let found = find.query_row([id], |row| Ok(Frame::of(row.get_ref(0)?.as_blob()?)));
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Asks the frame that the writer has in hand. Plain readers have none.
    fn held<T>(&self, ask: impl FnOnce(&Filling) -> Option<T>) -> Option<T> {
        self.filling.borrow().as_ref().and_then(ask)
    }
}

impl Writer {
    /// Number of the frame that takes the next turn of a session.
    pub(crate) fn frame_for(&self, session: i64) -> Result<i64> {
        let fits = |f: &Filling| f.session == session && !f.frame.is_full();
        let fitting = || self.held(|f| fits(f).then_some(f.id));
        if let Some(id) = fitting() {
            return Ok(id);
        }
        if let Some(last) = self.last_frame(session)? {
            self.take_up(session, last)?;
        }
        fitting().map_or_else(|| self.new_frame(session), Ok)
    }

    /// Adds a turn that [`Writer::frame_for`] was asked for.
    pub(crate) fn add_content(&self, turn: i64, content: &TurnContent) -> Result<()> {
        self.change_frame(|frame| frame.put(turn, content))
    }

    /// Puts another content in the place of a turn's.
    pub(crate) fn change_content(&self, turn: i64, content: &TurnContent) -> Result<()> {
        self.take_up_of(turn)?;
        self.add_content(turn, content)
    }

    /// To be called before the turn itself goes.
    pub(crate) fn remove_content(&self, turn: i64) -> Result<()> {
        self.take_up_of(turn)?;
        self.change_frame(|frame| {
            frame.remove(turn);
            Ok(())
        })
    }

    fn change_frame(&self, change: impl FnOnce(&mut Frame) -> io::Result<()>) -> Result<()> {
        if let Some(filling) = self.filling.borrow_mut().as_mut() {
            change(&mut filling.frame)?;
            filling.changed = true;
        }
        Ok(())
    }

    /// Writes the frame in hand. To be called before each commit.
    pub(crate) fn write_frame(&self) -> Result<()> {
        let Some(filling) = self.filling.take().filter(|f| f.changed) else {
            return Ok(());
        };
        if filling.frame.is_empty() {
            let delete = "DELETE FROM contents WHERE id = ?1";
            self.db.prepare_cached(delete)?.execute([filling.id])?;
            return Ok(());
        }
        let mut update = self
            .db
            .prepare_cached("UPDATE contents SET frame = ?2 WHERE id = ?1")?;
        update.execute(params![filling.id, filling.frame.pack()?])?;
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
        self.filling.replace(Some(Filling {
            id,
            session,
            frame: Frame::default(),
            changed: false,
        }));
        Ok(id)
    }

    fn take_up_of(&self, turn: i64) -> Result<()> {
        let find = "SELECT session, frame FROM turns WHERE id = ?1";
        let (session, frame) = self
            .db
            .prepare_cached(find)?
            .query_row([turn], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.take_up(session, frame)
    }

    fn take_up(&self, session: i64, id: i64) -> Result<()> {
        if self.held(|f| (f.id == id).then_some(())).is_some() {
            return Ok(());
        }
        self.write_frame()?;
        let frame = self.frame(id)?;
        self.filling.replace(Some(Filling {
            id,
            session,
            frame,
            changed: false,
        }));
        Ok(())
    }
}
