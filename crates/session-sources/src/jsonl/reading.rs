//! A file of lines, from its beginning or from a cursor on.

use super::JsonlFormat;
use crate::cursor::CursorState;
use crate::json::record;
use crate::lines::{Line, Lines};
use crate::reading::{CHECKPOINT, DamagedLines, Result, SessionAnnouncer, next_line, open_lines};
use crate::turn_assembler::{TurnAssembler, TurnDetail, TurnProgress};
use crate::{Cursor, Location, Sink, TurnWriter};
use serde::{Deserialize, Serialize};
use session_core::{SessionMeta, Turn};
use std::path::Path;

/// All that the next line needs to know of those before it: what a cursor says.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct JsonlState<S> {
    turns: TurnProgress,
    pub session: SessionMeta,
    format: S,
}

/// Lines on their way to turns.
pub(super) struct JsonlLines<'f, F: JsonlFormat> {
    format: &'f F,
    state: JsonlState<F::State>,
    pub turns: TurnAssembler,
}

impl<'f, F: JsonlFormat> JsonlLines<'f, F> {
    pub(super) fn new(format: &'f F, state: JsonlState<F::State>, detail: TurnDetail) -> Self {
        let mut turns = TurnAssembler::new(state.turns.clone(), detail).awaiting_all();
        turns.branch.clone_from(&state.session.branch);
        Self {
            format,
            state,
            turns,
        }
    }

    /// Takes a line; false when it holds no JSON object.
    pub(super) fn push(&mut self, line: &Line<'_>) -> bool {
        let mut mended = String::new();
        let Some(record) = record(line.text.unwrap_or_default(), &mut mended) else {
            return false;
        };
        let JsonlState {
            session, format, ..
        } = &mut self.state;
        let mut writer = TurnWriter::new(&mut self.turns, session, line.span());
        self.format.record(record, format, &mut writer);
        true
    }

    /// Returns the state after the lines so far.
    fn state(&self) -> JsonlState<F::State> {
        JsonlState {
            turns: self.turns.progress.clone(),
            ..self.state.clone()
        }
    }
}

/// Returns the session of a file as far as its path tells it.
fn located_session(at: &Location) -> SessionMeta {
    let stem = || Some(at.path.file_stem()?.to_string_lossy().into_owned());
    SessionMeta {
        id: at.located.session.clone().or_else(stem).unwrap_or_default(),
        parent: at.located.parent.clone(),
        ..SessionMeta::default()
    }
}

/// Reads a location into a sink.
pub(super) fn read<F: JsonlFormat>(
    format: &F,
    at: &Location,
    from: Option<&Cursor>,
    sink: &mut dyn Sink,
) -> Result {
    let resumed = from.and_then(|c| CursorState::from_cursor(c, &at.path, format.version()));
    let stale = from.is_some() && resumed.is_none();
    let (offset, state) = match resumed {
        Some(mark) => (mark.offset, mark.state),
        None => (0, JsonlState::default()),
    };
    let Some(lines) = open_lines(&at.path, offset, sink) else {
        return Ok(());
    };
    let told = (state.turns.next > 0).then(|| state.session.clone());
    let mut state: JsonlState<F::State> = state;
    if offset == 0 {
        state.session = located_session(at);
    }
    JsonlReading {
        path: &at.path,
        lines: JsonlLines::new(format, state, TurnDetail::Index),
        announcer: SessionAnnouncer::new(sink, told, offset == 0, stale),
        done: offset,
        marked: offset,
        damage: DamagedLines::new(&at.path),
    }
    .run(lines)
}

struct JsonlReading<'a, F: JsonlFormat> {
    path: &'a Path,
    lines: JsonlLines<'a, F>,
    announcer: SessionAnnouncer<'a>,
    /// Everything before this offset is done.
    done: u64,
    /// Offset of the last checkpoint.
    marked: u64,
    damage: DamagedLines,
}

impl<F: JsonlFormat> JsonlReading<'_, F> {
    fn run(mut self, mut lines: Lines) -> Result {
        while let Some(line) = next_line(&mut lines, self.path, self.announcer.sink) {
            self.line(&line)?;
        }
        self.finish()
    }

    fn line(&mut self, line: &Line<'_>) -> Result {
        let due = line.start.saturating_sub(self.marked) >= CHECKPOINT;
        let before = due.then(|| self.lines.state());
        if !self.lines.push(line) {
            self.damage.add_line(line);
        }
        for turn in self.lines.turns.take_earlier_turns() {
            self.turn(turn)?;
        }
        let ended = self.lines.turns.take_closed();
        let before = before.filter(|_| !ended.is_empty());
        for turn in ended {
            self.turn(turn)?;
        }
        if let Some(state) = before {
            self.checkpoint(line.start, state)?;
        }
        self.done = line.end;
        if line.end.saturating_sub(self.marked) >= 2 * CHECKPOINT {
            self.flush()?;
            self.checkpoint(self.done, self.lines.state())?;
        }
        Ok(())
    }

    fn turn(&mut self, turn: Turn) -> Result {
        let session = &self.lines.state.session;
        self.announcer.turn(turn, || session.clone())
    }

    fn flush(&mut self) -> Result {
        match self.lines.turns.flush() {
            Some(turn) => self.turn(turn),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self, offset: u64, state: JsonlState<F::State>) -> Result {
        self.marked = offset;
        let mark = CursorState::at(self.path, self.lines.format.version(), offset, state);
        self.announcer
            .checkpoint(mark.map(|mark| mark.cursor()).unwrap_or_default())
    }

    fn finish(mut self) -> Result {
        let session = &mut self.lines.state.session;
        self.lines.format.complete(self.path, session);
        self.flush()?;
        self.announcer
            .tell_changes(self.lines.state.session.clone())?;
        self.damage.report(self.announcer.sink);
        self.checkpoint(self.done, self.lines.state())
    }
}
