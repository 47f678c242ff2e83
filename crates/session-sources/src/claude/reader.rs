//! A transcript, from its beginning or from a cursor on.

use super::assembly::{Assembly, QueuedLine};
use super::entry::TranscriptEntry;
use super::persisted::ToolResults;
use super::session_facts::SessionIdentity;
use super::state::{TranscriptState, VERSION};
use crate::cursor::CursorState;
use crate::json::{early_type, record};
use crate::lines::{Line, Lines};
use crate::reading::{
    CHECKPOINT, DamagedLines, Result, SessionAnnouncer, next_line, open_lines, stop_if_asked,
};
use crate::turn_assembler::TurnDetail;
use crate::{Cursor, Location, Sink};
use session_core::Turn;
use std::path::Path;

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

/// Reads a location into a sink.
pub(super) fn read(at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) -> Result {
    let resumed = from.and_then(|cursor| CursorState::from_cursor(cursor, &at.path, VERSION));
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
    let Some(lines) = open_lines(&at.path, offset, sink) else {
        return Ok(ReadEnd::Complete);
    };
    let identity = identity(at);
    let recall = |offset| queued_line(&at.path, offset);
    let results = ToolResults::default();
    let assembly = Assembly::new(
        state.clone(),
        TurnDetail::Index,
        &identity,
        results,
        &recall,
    );
    let is_known = state.progress.next.max(state.delivered) > 0;
    let told = is_known.then(|| state.facts.meta(&identity));
    TranscriptReading {
        path: &at.path,
        identity: &identity,
        assembly,
        announcer: SessionAnnouncer::new(sink, told, offset == 0, stale),
        done: offset,
        marked: offset,
        begun: offset,
        damage: DamagedLines::new(&at.path),
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
    let mut mended = String::new();
    let entry: TranscriptEntry<'_> = record(line.text?, &mut mended)?;
    let text = entry.content.words();
    let span = line.span();
    Some(QueuedLine { text, span })
}

struct TranscriptReading<'a> {
    path: &'a Path,
    identity: &'a SessionIdentity,
    assembly: Assembly<'a>,
    announcer: SessionAnnouncer<'a>,
    /// Everything before this offset is done.
    done: u64,
    /// Offset of the last checkpoint.
    marked: u64,
    /// Where this read began.
    begun: u64,
    damage: DamagedLines,
}

impl TranscriptReading<'_> {
    fn run(mut self, mut lines: Lines) -> Result<ReadEnd> {
        while let Some(line) = next_line(&mut lines, self.path, self.announcer.sink) {
            self.line(&line)?;
        }
        self.finish()
    }

    fn line(&mut self, line: &Line<'_>) -> Result {
        let due = line.start.saturating_sub(self.marked) >= CHECKPOINT;
        let before = due.then(|| self.assembly.state());
        self.read_record(line)?;
        for turn in self.assembly.turns().take_earlier_turns() {
            self.turn(turn)?;
        }
        let ended = self.assembly.turns().take_closed();
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
            self.checkpoint(self.done, self.assembly.state())?;
        }
        Ok(())
    }

    fn turn(&mut self, turn: Turn) -> Result {
        let (facts, identity) = (self.assembly.facts(), self.identity);
        self.announcer.turn(turn, || facts.meta(identity))
    }

    fn read_record(&mut self, line: &Line<'_>) -> Result {
        let text = line.text.unwrap_or_default();
        if line.text.is_some() && (text.is_empty() || self.is_skipped(text)) {
            return Ok(());
        }
        let span = line.span();
        let mut mended = String::new();
        let Some(entry) = record::<TranscriptEntry<'_>>(text, &mut mended) else {
            self.damage.add_line(line);
            return Ok(());
        };
        title_elsewhere(&entry, self.announcer.sink)?;
        self.assembly.push_entry(&entry, span);
        Ok(())
    }

    /// Most lines say by their type, which stands early in them, that nothing
    /// in them matters. (But any may be the first to tell the directory.)
    fn is_skipped(&self, text: &[u8]) -> bool {
        self.assembly.facts().has_cwd()
            && early_type(text).is_some_and(|kind| !KINDS.contains(&kind))
    }

    fn flush(&mut self) -> Result {
        match self.assembly.turns().flush() {
            Some(turn) => self.turn(turn),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self, offset: u64, state: TranscriptState) -> Result {
        self.marked = offset;
        let mark = CursorState::at(self.path, VERSION, offset, state);
        self.announcer
            .checkpoint(mark.map(|mark| mark.cursor()).unwrap_or_default())
    }

    fn finish(mut self) -> Result<ReadEnd> {
        self.flush()?;
        if self.done > self.begun && !self.deliver_waiting()? {
            return Ok(ReadEnd::Retracted);
        }
        self.announcer
            .tell_changes(self.assembly.facts().meta(self.identity))?;
        self.damage.report(self.announcer.sink);
        self.checkpoint(self.done, self.assembly.state())?;
        Ok(ReadEnd::Complete)
    }

    /// Delivers the prompts that wait as turns, which the next read may replace. False, and
    /// nothing is delivered, when an earlier read delivered more turns than there are.
    fn deliver_waiting(&mut self) -> Result<bool> {
        let waiting = self.assembly.waiting();
        if !self.assembly.note_delivered(waiting.len()) {
            return Ok(false);
        }
        for turn in waiting {
            self.turn(turn)?;
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
