//! Writes the contents of turns to frames, and compresses these on other threads.

use crate::error::Result;
use crate::frames::frame::{ContentFrame, content_json};
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use crate::sql::Statements;
use rusqlite::params;
use session_core::TurnContent;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// The frame that the writer is changing, and those that are being compressed on other threads until
/// [`FrameBuffer::flush`] has them in the database: a frame is compressed once, not turn by turn.
#[derive(Debug, Default)]
pub(crate) struct FrameBuffer {
    open: Option<OpenFrame>,
    /// Oldest first.
    closed: VecDeque<ClosedFrame>,
}

#[derive(Debug)]
struct OpenFrame {
    id: FrameId,
    frame: ContentFrame,
    changed: bool,
}

/// Frames that may wait to be compressed or written.
const MAX_CLOSED_FRAMES: usize = 16;

#[derive(Debug)]
struct ClosedFrame {
    id: FrameId,
    frame: Arc<ContentFrame>,
    packed: Receiver<io::Result<Vec<u8>>>,
}

impl ClosedFrame {
    fn new(id: FrameId, frame: ContentFrame) -> Self {
        let frame = Arc::new(frame);
        let (sender, packed) = sync_channel(1);
        let shared = Arc::clone(&frame);
        rayon::spawn(move || drop(sender.send(shared.pack())));
        Self { id, frame, packed }
    }

    fn write(self, index: &Reader) -> Result<()> {
        let packed = match self.packed.recv() {
            Ok(packed) => packed?,
            Err(_) => self.frame.pack()?, // its thread died
        };
        let update = "UPDATE contents SET frame = ?2 WHERE id = ?1";
        let changed = index.db.change(update, params![self.id, packed])?;
        if changed == 0 {
            // The row was lost: damage, which a full read repairs.
            let insert = "INSERT INTO contents(id, frame) VALUES(?1, ?2)";
            index.db.run(insert, params![self.id, packed])?;
        }
        Ok(())
    }
}

impl FrameBuffer {
    /// Returns the content of a turn if its frame is not in the database.
    pub(crate) fn content(&self, turn: TurnId) -> Option<TurnContent> {
        let open = self.open.iter().map(|open| &open.frame);
        let mut frames = open.chain(self.closed.iter().map(|closed| &*closed.frame));
        frames.find_map(|frame| frame.get(turn))
    }

    /// Opens a frame for the next turn of a session and returns its number: the one that is open if it has space,
    /// that of the session's last turn, or the newest.
    pub(crate) fn open_with_space(
        &mut self,
        index: &Reader,
        session: SessionId,
    ) -> Result<FrameId> {
        if self.open.is_none() {
            let last = match last_frame(index, session)? {
                Some(last) => Some(last),
                None => newest_frame(index)?,
            };
            if let Some(last) = last {
                self.open(index, last)?;
            }
        }
        match self.open.as_ref().filter(|open| !open.frame.is_full()) {
            Some(open) => Ok(open.id),
            None => self.open_new(index),
        }
    }

    /// Inserts a turn's content as JSON into the frame of [`Self::open_with_space`].
    pub(crate) fn insert(&mut self, turn: TurnId, json: &[u8]) {
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
        self.insert(turn, &content_json(content)?);
        Ok(())
    }

    /// Deletes the content of a turn; to be called before its row is deleted.
    pub(crate) fn delete(&mut self, index: &Reader, turn: TurnId) -> Result<()> {
        self.open_of_turn(index, turn)?;
        self.modify(|frame| frame.remove(turn));
        Ok(())
    }

    fn modify(&mut self, change: impl FnOnce(&mut ContentFrame)) {
        if let Some(open) = &mut self.open {
            change(&mut open.frame);
            open.changed = true;
        }
    }

    /// Writes all frames to the database. To be called before each commit.
    pub(crate) fn flush(&mut self, index: &Reader) -> Result<()> {
        self.close(index)?;
        self.write_closed(index, 0)
    }

    /// Closes the open frame.
    fn close(&mut self, index: &Reader) -> Result<()> {
        let Some(open) = self.open.take().filter(|open| open.changed) else {
            return Ok(());
        };
        if open.frame.is_empty() {
            let delete = "DELETE FROM contents WHERE id = ?1";
            index.db.run(delete, [open.id])?;
            return Ok(());
        }
        self.closed.push_back(ClosedFrame::new(open.id, open.frame));
        self.write_closed(index, MAX_CLOSED_FRAMES)
    }

    /// Writes the oldest closed frames, all but so many.
    fn write_closed(&mut self, index: &Reader, left: usize) -> Result<()> {
        while self.closed.len() > left
            && let Some(closed) = self.closed.pop_front()
        {
            closed.write(index)?;
        }
        Ok(())
    }

    fn open_of_turn(&mut self, index: &Reader, turn: TurnId) -> Result<()> {
        let find = "SELECT frame FROM turns WHERE id = ?1";
        let frame = index.db.single(find, [turn], |row| row.get(0))?;
        self.open(index, frame)
    }

    fn open(&mut self, index: &Reader, id: FrameId) -> Result<()> {
        if self.open.as_ref().is_some_and(|open| open.id == id) {
            return Ok(());
        }
        self.flush(index)?;
        self.open = Some(OpenFrame {
            id,
            frame: index.frame(id)?,
            changed: false,
        });
        Ok(())
    }

    fn open_new(&mut self, index: &Reader) -> Result<FrameId> {
        self.close(index)?;
        let insert = "INSERT INTO contents(frame) VALUES(x'')";
        let id = FrameId::new(index.db.insert(insert, [])?);
        self.open = Some(OpenFrame {
            id,
            frame: ContentFrame::default(),
            changed: false,
        });
        Ok(id)
    }
}

fn last_frame(index: &Reader, session: SessionId) -> Result<Option<FrameId>> {
    let select = "SELECT frame FROM turns WHERE session = ?1 ORDER BY idx DESC LIMIT 1";
    index.db.first(select, [session], |row| row.get(0))
}

fn newest_frame(index: &Reader) -> Result<Option<FrameId>> {
    let select = "SELECT id FROM contents ORDER BY id DESC LIMIT 1";
    index.db.first(select, [], |row| row.get(0))
}
