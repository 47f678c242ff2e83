//! A transcript, from its beginning or from a cursor on.

use super::assembly::{Assembly, QueuedLine};
use super::entry::TranscriptEntry;
use super::json::{early_type, is_whole, with_entry};
use super::persisted::ToolResults;
use super::session_facts::SessionIdentity;
use super::state::{CursorState, TranscriptState};
use crate::lines::{Line, Lines};
use crate::{Cursor, Flow, Location, Sink, Warning};
use session_core::{Detail, SessionMeta, Turn};
use std::io;
use std::path::Path;

/// Bytes after which the next turn's beginning is a checkpoint.
const CHECKPOINT: u64 = 16 * 1024 * 1024;

/// Longest last line that may still be being written.
const UNFINISHED_LIMIT: u64 = 16 * 1024 * 1024;

/// The types that mean something here. The others are most of the bytes.
const KINDS: [&[u8]; 9] = [
    b"user",
    b"assistant",
    b"system",
    b"attachment",
    b"queue-operation",
    b"custom-title",
    b"ai-title",
    b"summary",
    b"pr-link",
];

/// The sink asked to stop.
pub(super) struct SinkStopped;

pub(super) type Result<T = ()> = std::result::Result<T, SinkStopped>;

/// Reads a location into a sink.
pub(super) fn read(at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) -> Result {
    let resumed = from.and_then(|cursor| CursorState::from_cursor(cursor, &at.path));
    let stale = from.is_some() && resumed.is_none();
    let (offset, state) = resumed.map_or_else(Default::default, |mark| (mark.offset, mark.state));
    match read_from(at, offset, state, stale, sink)? {
        ReadEnd::Complete => Ok(()),
        ReadEnd::Retracted => read_from(at, 0, TranscriptState::default(), true, sink).map(drop),
    }
}

/// How a read ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadEnd {
    Complete,
    /// There are fewer turns than were delivered: prompts that waited were taken back. The
    /// session is to be read from its beginning.
    Retracted,
}

/// Reads a location from an offset on. `stale` says that the sink holds turns of another content.
fn read_from(
    at: &Location,
    offset: u64,
    state: TranscriptState,
    stale: bool,
    sink: &mut dyn Sink,
) -> Result<ReadEnd> {
    let lines = match Lines::open(&at.path, offset) {
        Ok(lines) => lines,
        Err(error) => {
            sink.warning(unreadable(&at.path, &error));
            return Ok(ReadEnd::Complete); // no checkpoint: it is tried again next time
        }
    };
    let identity = identity(at);
    let recall = |offset| queued_line(&at.path, offset);
    let results = ToolResults::default();
    let assembly = Assembly::new(state.clone(), Detail::Index, &identity, results, &recall);
    let is_known = state.next.max(state.delivered) > 0;
    let told = is_known.then(|| state.facts.meta(&identity));
    let fresh = offset == 0;
    let teller = SessionAnnouncer {
        sink,
        identity: &identity,
        told,
        fresh,
        stale,
        opened: false,
    };
    TranscriptReading {
        path: &at.path,
        assembly,
        teller,
        done: offset,
        marked: offset,
        begun: offset,
        damage: Vec::new(),
    }
    .run(lines)
}

/// Returns the session of a location by its path.
fn identity(at: &Location) -> SessionIdentity {
    let stem = at
        .path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    SessionIdentity {
        id: at.located.session.clone().or(stem).unwrap_or_default(),
        parent: at.located.parent.clone(),
    }
}

/// The line at this offset, which holds a text for the queue.
pub(super) fn queued_line(path: &Path, offset: u64) -> Option<QueuedLine> {
    let mut lines = Lines::open(path, offset).ok()?;
    let line = lines.next().ok()??;
    let text = with_entry(line.text?, |entry| entry.content.words())?;
    let span = line.span();
    Some(QueuedLine { text, span })
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Warning {
    Warning {
        path: path.to_owned(),
        offset: None,
        reason: error.to_string(),
        count: 1,
    }
}

/// A last line that its writer has not ended yet is left for later, but
/// not for ever: beyond a size, nothing that is being written is so long.
pub(super) fn is_unfinished(line: &Line<'_>) -> bool {
    !line.terminated
        && line.end - line.start <= UNFINISHED_LIMIT
        && line.text.is_none_or(|text| !is_whole(text))
}

/// Adds a line that cannot be read to the warnings, one of each kind.
pub(super) fn count_damage(damage: &mut Vec<Warning>, path: &Path, reason: &str, offset: u64) {
    match damage.iter_mut().find(|warning| warning.reason == reason) {
        Some(warning) => warning.count += 1,
        None => damage.push(Warning {
            path: path.to_owned(),
            offset: Some(offset),
            reason: reason.to_owned(),
            count: 1,
        }),
    }
}

pub(super) fn stop_if_asked(flow: Flow) -> Result {
    match flow {
        Flow::Continue => Ok(()),
        Flow::Stop => Err(SinkStopped),
    }
}

/// Opens the session in the sink before its first turn, and tells of its
/// metadata again when they changed.
struct SessionAnnouncer<'a> {
    sink: &'a mut dyn Sink,
    identity: &'a SessionIdentity,
    told: Option<SessionMeta>,
    /// The turns replace what was known.
    fresh: bool,
    /// The sink was told of this session, but the file is another one now.
    stale: bool,
    opened: bool,
}

impl SessionAnnouncer<'_> {
    fn session(&mut self, state: &TranscriptState) -> Result {
        let meta = state.facts.meta(self.identity);
        let flow = self.sink.session(&meta, self.fresh && !self.opened);
        self.opened = true;
        self.told = Some(meta);
        stop_if_asked(flow)
    }

    fn turn(&mut self, turn: Turn, state: &TranscriptState) -> Result {
        if !self.opened {
            self.session(state)?;
        }
        stop_if_asked(self.sink.turn(turn))
    }

    /// Tells what changed since the session was told of.
    fn mark_arrived(&mut self, state: &TranscriptState) -> Result {
        let known = self.told.is_some() || self.stale;
        if known && self.told != Some(state.facts.meta(self.identity)) {
            self.session(state)?;
        }
        Ok(())
    }
}

struct TranscriptReading<'a> {
    path: &'a Path,
    assembly: Assembly<'a>,
    teller: SessionAnnouncer<'a>,
    /// Everything before this offset is done.
    done: u64,
    /// Offset of the last checkpoint.
    marked: u64,
    /// Where this read began.
    begun: u64,
    damage: Vec<Warning>,
}

impl TranscriptReading<'_> {
    fn run(mut self, mut lines: Lines) -> Result<ReadEnd> {
        loop {
            match lines.next() {
                Ok(Some(line)) if is_unfinished(&line) => break,
                Ok(Some(line)) => self.line(&line)?,
                Ok(None) => break,
                Err(error) => {
                    self.teller.sink.warning(unreadable(self.path, &error));
                    break;
                }
            }
        }
        self.finish()
    }

    fn line(&mut self, line: &Line<'_>) -> Result {
        let due = line.start.saturating_sub(self.marked) >= CHECKPOINT;
        let before = due.then(|| self.assembly.state.clone());
        let ended = self.read_record(line)?;
        for turn in self.assembly.take_earlier_turns() {
            self.teller.turn(turn, &self.assembly.state)?;
        }
        if let Some(turn) = ended {
            self.teller.turn(turn, &self.assembly.state)?;
            if let Some(state) = before {
                self.checkpoint(line.start, state)?;
            }
        }
        self.done = line.end;
        if line.end.saturating_sub(self.marked) >= 2 * CHECKPOINT {
            self.flush()?;
            self.checkpoint(self.done, self.assembly.state.clone())?;
        }
        Ok(())
    }

    fn read_record(&mut self, line: &Line<'_>) -> Result<Option<Turn>> {
        let Some(text) = line.text else {
            self.damaged("line is too long", line.start);
            return Ok(None);
        };
        if text.is_empty() || self.is_skipped(text) {
            return Ok(None);
        }
        let span = line.span();
        let (assembly, sink) = (&mut self.assembly, &mut *self.teller.sink);
        let taken = with_entry(text, |entry| {
            title_elsewhere(entry, sink).map(|()| assembly.push_entry(entry, span))
        });
        taken.unwrap_or_else(|| {
            self.damaged("line is not valid JSON", line.start);
            Ok(None)
        })
    }

    /// Most lines say by their type, which stands early in them, that nothing
    /// in them matters. (But any may be the first to tell the directory.)
    fn is_skipped(&self, text: &[u8]) -> bool {
        self.assembly.state.facts.has_cwd()
            && early_type(text).is_some_and(|kind| !KINDS.contains(&kind))
    }

    fn damaged(&mut self, reason: &str, offset: u64) {
        count_damage(&mut self.damage, self.path, reason, offset);
    }

    fn flush(&mut self) -> Result {
        match self.assembly.flush() {
            Some(turn) => self.teller.turn(turn, &self.assembly.state),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self, offset: u64, state: TranscriptState) -> Result {
        self.marked = offset;
        let mark = CursorState::at(self.path, offset, state);
        stop_if_asked(
            self.teller
                .sink
                .checkpoint(mark.map(|mark| mark.cursor()).unwrap_or_default()),
        )
    }

    fn finish(mut self) -> Result<ReadEnd> {
        self.flush()?;
        if self.done > self.begun && !self.deliver_waiting()? {
            return Ok(ReadEnd::Retracted);
        }
        self.teller.mark_arrived(&self.assembly.state)?;
        for warning in std::mem::take(&mut self.damage) {
            self.teller.sink.warning(warning);
        }
        self.checkpoint(self.done, self.assembly.state.clone())?;
        Ok(ReadEnd::Complete)
    }

    /// Delivers the prompts that wait as turns, which the next read may replace. False, and
    /// nothing is delivered, when an earlier read delivered more turns than there are.
    fn deliver_waiting(&mut self) -> Result<bool> {
        let waiting = self.assembly.waiting();
        let state = &mut self.assembly.state;
        let more = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        let turns = state.next.saturating_add(more);
        if turns < state.delivered {
            return Ok(false);
        }
        state.delivered = turns;
        for turn in waiting {
            self.teller.turn(turn, &self.assembly.state)?;
        }
        Ok(true)
    }
}

/// A `summary` line names a message that is in another file.
fn title_elsewhere(entry: &TranscriptEntry<'_>, sink: &mut dyn Sink) -> Result {
    match (entry.kind.get(), entry.leaf_uuid.get(), entry.summary.get()) {
        (Some("summary"), Some(message), Some(title)) => {
            stop_if_asked(sink.title_elsewhere(message, title))
        }
        _ => Ok(()),
    }
}
