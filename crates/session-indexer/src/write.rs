//! Storing what the parsing threads deliver.

use crate::discover::{Change, path_key, problem, stamp};
use crate::events::Event;
use session_store::{Stamp, StoreError, Writer};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Longest time between two commits while reading.
const COMMIT_EVERY: Duration = Duration::from_millis(1500);

/// Stores events file by file and commits from time to time.
pub(crate) struct Storing<'a> {
    pub(crate) writer: &'a mut Writer,
    pub(crate) turns: usize,
    pub(crate) files: usize,
    pub(crate) last_commit: Instant,
}

/// How far the reading of one file has got.
struct Reading {
    file: i64,
    /// The session opened last.
    session: Option<i64>,
    /// The cursor of the last checkpoint.
    cursor: Option<String>,
    warnings: Vec<session_store::Problem>,
}

impl Storing<'_> {
    /// Stores one file's events until its reader is done or stopped. True when
    /// it was read to its end.
    pub(crate) fn file(
        &mut self,
        change: &Change,
        events: &Receiver<Event>,
    ) -> Result<bool, StoreError> {
        let Ok(first) = events.recv() else {
            return Ok(false);
        }; // never begun: time is up
        let path = path_key(&change.location);
        let file = self.begin(change, &path)?;
        let mut reading = Reading {
            file,
            session: None,
            cursor: None,
            warnings: Vec::new(),
        };
        for event in std::iter::once(first).chain(events.iter()) {
            match event {
                Event::Done => return self.finish(change, reading).map(|()| true),
                Event::Warning(warning) => reading.warnings.push(problem(&warning)),
                Event::Checkpoint(at) => {
                    // Not the stamp: until the end is reached the file counts as changed.
                    self.writer.checkpoint(file, &at.0, Stamp::default())?;
                    reading.cursor = Some(at.0);
                    self.commit_if_due()?;
                }
                other => self.store(change, &mut reading, other)?,
            }
        }
        Ok(false)
    }

    fn begin(&mut self, change: &Change, path: &str) -> Result<i64, StoreError> {
        let file = self.writer.file(&change.source.name(), path)?;
        self.writer.clear_unread(path)?;
        if change.cursor.as_ref().is_none_or(String::is_empty) {
            self.writer.begin_anew(file, path)?;
        }
        Ok(file)
    }

    /// Ends a file. One that gave nothing but warnings has not been read: what
    /// is wrong with it holds only until the next try.
    fn finish(&mut self, change: &Change, reading: Reading) -> Result<(), StoreError> {
        let nothing_read = reading.session.is_none()
            && (reading.cursor.is_none() || reading.cursor == change.cursor);
        for warning in &reading.warnings {
            match nothing_read {
                true => self.writer.unread(warning)?,
                false => self.writer.problem(warning)?,
            }
        }
        if let Some(cursor) = &reading.cursor {
            self.writer
                .checkpoint(reading.file, cursor, stamp(&change.location))?;
        }
        self.files += 1;
        self.commit_if_due()
    }

    fn store(
        &mut self,
        change: &Change,
        reading: &mut Reading,
        event: Event,
    ) -> Result<(), StoreError> {
        let writer = &mut *self.writer;
        match event {
            Event::Session { meta, fresh } => {
                let session =
                    writer.open_session(reading.file, &change.source.name(), &meta, fresh)?;
                reading.session = Some(session);
            }
            Event::Turn(turn) => {
                if let Some(session) = reading.session {
                    writer.add_turn(session, &turn)?;
                    self.turns += 1;
                }
            }
            Event::Gone(uid) => writer.session_gone(reading.file, &uid)?,
            Event::Title { message, title } => writer.title_elsewhere(&message, &title)?,
            Event::Warning(_) | Event::Checkpoint(_) | Event::Done => {}
        }
        Ok(())
    }

    fn commit_if_due(&mut self) -> Result<(), StoreError> {
        if self.last_commit.elapsed() >= COMMIT_EVERY {
            self.writer.commit()?;
            self.last_commit = Instant::now();
        }
        Ok(())
    }
}
