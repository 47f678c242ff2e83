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
        let file = self.writer.file(&change.source.name(), &path)?;
        if change.cursor.is_none() {
            self.writer.begin_anew(file, &path)?;
        }
        let mut session = None;
        let mut cursor = change.cursor.clone().unwrap_or_default();
        for event in std::iter::once(first).chain(events.iter()) {
            match event {
                Event::Done => {
                    self.writer
                        .checkpoint(file, &cursor, stamp(&change.location))?;
                    self.files += 1;
                    self.commit_if_due()?;
                    return Ok(true);
                }
                Event::Checkpoint(at) => {
                    cursor = at.0;
                    // Not the stamp: until the end is reached the file counts as changed.
                    self.writer.checkpoint(file, &cursor, Stamp::default())?;
                    self.commit_if_due()?;
                }
                other => self.store(change, file, &mut session, other)?,
            }
        }
        Ok(false)
    }

    fn store(
        &mut self,
        change: &Change,
        file: i64,
        session: &mut Option<i64>,
        event: Event,
    ) -> Result<(), StoreError> {
        let writer = &mut *self.writer;
        match event {
            Event::Session { meta, fresh } => {
                *session = Some(writer.open_session(file, &change.source.name(), &meta, fresh)?);
            }
            Event::Turn(turn) => {
                if let Some(session) = *session {
                    writer.add_turn(session, &turn)?;
                    self.turns += 1;
                }
            }
            Event::Gone(uid) => writer.session_gone(file, &uid)?,
            Event::Title { message, title } => writer.title_elsewhere(&message, &title)?,
            Event::Warning(warning) => writer.problem(&problem(&warning))?,
            Event::Checkpoint(_) | Event::Done => {}
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
