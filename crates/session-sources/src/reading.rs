//! Reading a growing file: lines until the end, damage counted, a sink that may stop.

use crate::cursor::CursorState;
use crate::json::is_whole;
use crate::lines::{Line, LineFiles, Lines};
use crate::turn_assembler::TurnAssembler;
use crate::{Cursor, KnownTurns, Sink, Warning};
use serde::Serialize;
use serde::de::DeserializeOwned;
use session_core::{SessionMeta, Turn, TurnSpan};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes after which the next turn's beginning is a checkpoint.
const CHECKPOINT_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes without a record after which the time is checked.
const CLOCK_CHECK_BYTES: u64 = 256 * 1024;

/// Lines after a turn in which results of its calls are looked for.
pub(crate) const MAX_LATE_LINES: usize = 5000;

/// Longest last line that is left for later whenever it was written.
const UNFINISHED_LIMIT: u64 = 16 * 1024 * 1024;
/// The time since a file's last change for which it counts as being written.
const WRITING_TIME: Duration = Duration::from_secs(60);

/// Returns the warning for a path, with one count and no offset.
pub(crate) fn warning(path: &Path, reason: impl ToString) -> Warning {
    Warning {
        path: path.to_owned(),
        offset: None,
        reason: reason.to_string(),
        count: 1,
        is_tried_again: false,
    }
}

/// Returns the warning for a turn that is to be shown and is not there.
pub(crate) fn missing_turn_warning(path: &Path, span: TurnSpan) -> Warning {
    Warning {
        offset: Some(span.start),
        ..warning(path, "no turn begins here any more")
    }
}

/// Lines that could not be read, one warning of each kind.
#[derive(Debug)]
pub(crate) struct DamagedLines {
    path: PathBuf,
    warnings: Vec<Warning>,
}

impl DamagedLines {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, reason: &str, offset: u64) {
        match self.warnings.iter_mut().find(|w| w.reason == reason) {
            Some(warning) => warning.count += 1,
            None => self.warnings.push(Warning {
                offset: Some(offset),
                ..warning(&self.path, reason)
            }),
        }
    }

    /// Notes a line that holds no JSON object, unless it is blank.
    pub(crate) fn add_line(&mut self, line: &Line<'_>) {
        match line.text {
            None => self.add("line is too long", line.start),
            Some(text) if text.trim_ascii().is_empty() => {}
            Some(_) => self.add("line is not valid JSON", line.start),
        }
    }

    /// Passes those since the last report to the sink.
    pub(crate) fn report(&mut self, sink: &mut dyn Sink) {
        for warning in self.warnings.drain(..) {
            sink.warning(warning);
        }
    }
}

/// Opens lines at an offset. A file that cannot be opened is reported, and tried again next time: there
/// is no checkpoint.
pub(crate) fn open_lines<'p>(
    files: impl Into<LineFiles<'p>>,
    offset: u64,
    sink: &mut dyn Sink,
) -> Option<Lines> {
    let files = files.into();
    let opened = Lines::open(files, offset);
    opened
        .map_err(|error| sink.warning(warning(files.first, error)))
        .ok()
}

/// Returns the next line that its writer has ended. An error ends the lines, too, and is reported.
pub(crate) fn next_line<'l>(
    lines: &'l mut Lines,
    files: LineFiles<'_>,
    sink: &mut dyn Sink,
) -> Option<Line<'l>> {
    let line: io::Result<Option<Line<'l>>> = lines.next();
    match line {
        Ok(line) => line.filter(|line| !is_unfinished(line, files.last())),
        Err(error) => {
            sink.warning(warning(files.first, error));
            None
        }
    }
}

/// Returns true for a last line that its writer has not ended yet: it is left for later, but not for ever, and a long one
/// only while the file is being written.
fn is_unfinished(line: &Line<'_>, path: &Path) -> bool {
    !line.terminated
        && (line.end - line.start <= UNFINISHED_LIMIT || is_being_written(path))
        && line.text.is_none_or(|text| !is_whole(text))
}

fn is_being_written(path: &Path) -> bool {
    let modified = fs_err::metadata(path).and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age < WRITING_TIME)
}

/// The part of a source that takes the lines of a file.
pub(crate) trait LineAssembly {
    /// The state that a cursor holds.
    type State: Default + Serialize + DeserializeOwned;

    /// The version of the cursors.
    const VERSION: u32;

    /// Takes a line; false when it holds no record.
    fn push(&mut self, line: &Line<'_>, sink: &mut dyn Sink) -> ControlFlow<(), bool>;

    /// Returns the turns as they are being built.
    fn turns(&mut self) -> &mut TurnAssembler;

    /// Returns the state after the lines so far.
    fn state(&self) -> Self::State;

    /// Returns the session as it is known so far.
    fn session(&self) -> SessionMeta;

    /// Ends a read that took lines or not. Returns the turns that wait still, which the next read may
    /// replace; `None` when there are fewer turns than were delivered before.
    fn finish(&mut self, has_news: bool) -> Option<Vec<Turn>>;

    /// Returns true where the lines of a whole file make no session yet.
    fn is_noise(&mut self) -> bool {
        false
    }
}

/// How a read ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadEnd {
    Complete,
    /// There are fewer turns than were delivered. The session is to be read from its beginning.
    Retracted,
}

/// A file of lines that is being read into a sink.
pub(crate) struct FileReading<'a, A> {
    files: LineFiles<'a>,
    assembly: A,
    announcer: SessionAnnouncer<'a>,
    /// Offset at which this read began.
    start: u64,
    /// Offset up to which everything was delivered.
    delivered: u64,
    /// Offset of the last checkpoint.
    checkpoint: u64,
    /// Offset behind the last record, or at which the time was checked since.
    clock_checked: u64,
    damage: DamagedLines,
}

impl<'a, A: LineAssembly> FileReading<'a, A> {
    pub(crate) fn new(
        files: impl Into<LineFiles<'a>>,
        assembly: A,
        announcer: SessionAnnouncer<'a>,
        offset: u64,
    ) -> Self {
        let files = files.into();
        Self {
            files,
            assembly,
            announcer,
            start: offset,
            delivered: offset,
            checkpoint: offset,
            clock_checked: offset,
            damage: DamagedLines::new(files.first),
        }
    }

    /// Reads to the end.
    pub(crate) fn run(mut self, mut lines: Lines) -> ControlFlow<(), ReadEnd> {
        loop {
            let is_due = lines.offset().saturating_sub(self.checkpoint) >= CHECKPOINT_BYTES;
            let before = is_due.then(|| self.mark_behind(&lines)).flatten();
            let Some(line) = next_line(&mut lines, self.files, self.announcer.sink) else {
                break;
            };
            let is_record = self.read_line(&line, before)?;
            let is_long = self.delivered.saturating_sub(self.checkpoint) >= 2 * CHECKPOINT_BYTES;
            if self.is_late(self.delivered, is_record) || is_long {
                let open = self.assembly.turns().flush();
                self.deliver(open)?;
                let mark = self.mark_behind(&lines);
                self.checkpoint(mark)?;
            }
        }
        self.finish()
    }

    /// Takes a line, and returns true where it holds a record. `before` is the mark before it, where a checkpoint is due.
    fn read_line(
        &mut self,
        line: &Line<'_>,
        before: Option<CursorState<A::State>>,
    ) -> ControlFlow<(), bool> {
        let is_record = self.assembly.push(line, self.announcer.sink)?;
        if !is_record {
            self.damage.add_line(line);
        }
        let earlier = self.assembly.turns().take_earlier_turns();
        self.deliver(earlier)?;
        let ended = self.assembly.turns().take_closed();
        let before = before.filter(|_| !ended.is_empty());
        self.deliver(ended)?;
        if before.is_some() {
            self.checkpoint(before)?;
        }
        self.delivered = line.end;
        ControlFlow::Continue(is_record)
    }

    /// Marks the place before the next line. The bytes before it are those that were read: a packed file would be unpacked
    /// from its beginning for them.
    fn mark_behind(&self, lines: &Lines) -> Option<CursorState<A::State>> {
        let (offset, state) = (lines.offset(), self.assembly.state());
        match lines.tail() {
            Some(tail) => Some(CursorState::behind(tail, A::VERSION, offset, state)),
            None => CursorState::at(self.files, A::VERSION, offset, state).ok(),
        }
    }

    /// Returns true where blank or damaged lines have gone on for long and the time is up.
    fn is_late(&mut self, end: u64, is_record: bool) -> bool {
        let is_due = !is_record && end - self.clock_checked >= CLOCK_CHECK_BYTES;
        if is_record || is_due {
            self.clock_checked = end;
        }
        is_due && self.announcer.sink.is_out_of_time()
    }

    fn deliver(&mut self, turns: impl IntoIterator<Item = Turn>) -> ControlFlow<()> {
        let mut turns = turns.into_iter();
        turns.try_for_each(|turn| {
            self.announcer
                .deliver_turn(turn, || self.assembly.session())
        })
    }

    fn checkpoint(&mut self, mark: Option<CursorState<A::State>>) -> ControlFlow<()> {
        self.checkpoint = mark.as_ref().map_or(self.delivered, |mark| mark.offset);
        self.damage.report(self.announcer.sink);
        let cursor = mark.map(|mark| mark.cursor()).unwrap_or_default();
        self.announcer.sink.checkpoint(cursor)
    }

    fn finish(mut self) -> ControlFlow<(), ReadEnd> {
        let Some(waiting) = self.assembly.finish(self.delivered > self.start) else {
            return ControlFlow::Continue(ReadEnd::Retracted);
        };
        if waiting.is_empty() && self.announcer.is_at_beginning() && self.assembly.is_noise() {
            // Lines that come may make it one, which has these, too.
            let start = CursorState::at(self.files, A::VERSION, 0, A::State::default());
            self.checkpoint(start.ok())?;
            return ControlFlow::Continue(ReadEnd::Complete);
        }
        let open = self.assembly.turns().flush();
        self.deliver(open)?;
        self.deliver(waiting)?;
        self.announcer.announce_changes(self.assembly.session())?;
        let state = self.assembly.state();
        let end = CursorState::at(self.files, A::VERSION, self.delivered, state);
        self.checkpoint(end.ok())?;
        ControlFlow::Continue(ReadEnd::Complete)
    }
}

/// How a read of a file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadStart {
    /// At the beginning of a file of which nothing was delivered.
    Beginning,
    /// Behind what was delivered before.
    Continued,
    /// At the beginning, since turns of another content were delivered.
    Replacing,
}

impl ReadStart {
    /// Returns how a read begins by its cursor, and by the offset of it where it is one of the file as it is now.
    pub(crate) fn new(from: Option<&Cursor>, resumed: Option<u64>) -> Self {
        match (from, resumed) {
            (_, Some(offset)) if offset > 0 => Self::Continued,
            (None, _) | (_, Some(_)) => Self::Beginning,
            (Some(_), None) => Self::Replacing,
        }
    }

    /// Returns what becomes of the turns that were delivered before.
    pub(crate) fn known_turns(self) -> KnownTurns {
        match self {
            Self::Continued => KnownTurns::Keep,
            Self::Beginning | Self::Replacing => KnownTurns::Replace,
        }
    }
}

/// Opens the session in the sink before its first turn, and reports its
/// metadata again when they changed.
pub(crate) struct SessionAnnouncer<'a> {
    pub sink: &'a mut dyn Sink,
    /// The metadata as the sink knows them.
    announced: Option<SessionMeta>,
    start: ReadStart,
    opened: bool,
}

impl<'a> SessionAnnouncer<'a> {
    /// Makes one for a read that begins so.
    pub(crate) fn new(
        sink: &'a mut dyn Sink,
        announced: Option<SessionMeta>,
        start: ReadStart,
    ) -> Self {
        Self {
            sink,
            announced,
            start,
            opened: false,
        }
    }

    /// Returns true where nothing of the session was delivered, by this read or an earlier one.
    fn is_at_beginning(&self) -> bool {
        self.start == ReadStart::Beginning && !self.opened
    }

    fn announce(&mut self, meta: SessionMeta) -> ControlFlow<()> {
        let known = if self.opened {
            KnownTurns::Keep
        } else {
            self.start.known_turns()
        };
        let flow = self.sink.session(&meta, known);
        self.opened = true;
        self.announced = Some(meta);
        flow
    }

    /// Delivers a turn, in the session that `meta` describes.
    pub(crate) fn deliver_turn(
        &mut self,
        turn: Turn,
        meta: impl FnOnce() -> SessionMeta,
    ) -> ControlFlow<()> {
        if !self.opened {
            self.announce(meta())?;
        }
        self.sink.turn(turn)
    }

    /// Announces the session again where it changed since.
    pub(crate) fn announce_changes(&mut self, meta: SessionMeta) -> ControlFlow<()> {
        let known = self.announced.is_some() || self.start == ReadStart::Replacing;
        if known && self.announced.as_ref() != Some(&meta) {
            self.announce(meta)?;
        }
        ControlFlow::Continue(())
    }
}
