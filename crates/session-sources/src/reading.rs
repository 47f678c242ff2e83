//! Reading a growing file: lines until the end, damage counted, a sink that may stop.

use crate::cursor::CursorState;
use crate::json::is_whole;
use crate::lines::{Line, LineFiles, Lines, is_content_error};
use crate::session_announcer::SessionAnnouncer;
use crate::turn_assembler::TurnAssembler;
use crate::warning::{unread_warning, warning};
use crate::{Sink, Warning};
use serde::Serialize;
use serde::de::DeserializeOwned;
use session_core::{SessionMeta, Turn};
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
        .map_err(|error| sink.warning(unread_warning(files.first, &error)))
        .ok()
}

/// Returns the next line that its writer has ended.
///
/// # Errors
/// When the file cannot be read on, which is not its end.
pub(crate) fn next_line<'l>(
    lines: &'l mut Lines,
    files: LineFiles<'_>,
) -> io::Result<Option<Line<'l>>> {
    let line = lines.next()?;
    Ok(line.filter(|line| !is_unfinished(line, files.last())))
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

    /// Returns true if the lines of a whole file make no session yet.
    fn is_noise(&mut self) -> bool {
        false
    }

    /// Takes the error of a file that a line led to, where that could not be read.
    fn take_error(&mut self) -> Option<io::Error> {
        None
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
    /// The file is damaged here, and cannot be read on.
    is_damaged: bool,
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
            is_damaged: false,
        }
    }

    /// Reads to the end, or as far as the file can be read.
    pub(crate) fn run(mut self, mut lines: Lines) -> ControlFlow<(), ReadEnd> {
        loop {
            let is_due = lines.offset().saturating_sub(self.checkpoint) >= CHECKPOINT_BYTES;
            let before = is_due
                .then(|| self.state_before_next_line(&lines).ok())
                .flatten();
            let line = match next_line(&mut lines, self.files) {
                Ok(Some(line)) => line,
                Ok(None) => return self.finish(),
                Err(error) if is_content_error(&error) => return self.finish_damaged(&error),
                Err(error) => return self.break_off(&error),
            };
            let is_record = self.read_line(&line, before)?;
            if let Some(error) = self.assembly.take_error() {
                return self.report_unread(&error);
            }
            let is_long = self.delivered.saturating_sub(self.checkpoint) >= 2 * CHECKPOINT_BYTES;
            if self.is_late(self.delivered, is_record) || is_long {
                match self.state_before_next_line(&lines) {
                    Ok(state) => self.flush_to(state)?,
                    Err(error) => return self.report_unread(&error),
                }
            }
        }
    }

    /// Takes a line, and returns true if it holds a record. `before` is the state before it, where a checkpoint is due.
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

    /// Returns the state before the next line. The bytes before it are those that were read: a packed file would be unpacked
    /// from its beginning for them.
    fn state_before_next_line(&self, lines: &Lines) -> io::Result<CursorState<A::State>> {
        let (offset, state) = (lines.offset(), self.assembly.state());
        match lines.tail() {
            Some(tail) => Ok(CursorState::after_bytes(tail, A::VERSION, offset, state)),
            None => CursorState::read_at(self.files, A::VERSION, offset, state),
        }
    }

    /// Returns the state after all that was delivered.
    fn state_after_delivered(&self) -> io::Result<CursorState<A::State>> {
        let state = self.assembly.state();
        CursorState::read_at(self.files, A::VERSION, self.delivered, state)
    }

    /// Returns true if blank or damaged lines have gone on for long and the time is up.
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

    fn checkpoint(&mut self, state: Option<CursorState<A::State>>) -> ControlFlow<()> {
        self.checkpoint = state.as_ref().map_or(self.delivered, |state| state.offset);
        self.damage.report(self.announcer.sink);
        let cursor = state.map(|state| state.cursor()).unwrap_or_default();
        self.announcer.sink.checkpoint(cursor)
    }

    /// Delivers the turn at hand as far as it was read, and a checkpoint behind it.
    fn flush_to(&mut self, state: CursorState<A::State>) -> ControlFlow<()> {
        let open = self.assembly.turns().flush();
        self.deliver(open)?;
        self.checkpoint(Some(state))
    }

    /// Ends a read that an error broke off. A read that began at offset 0 discards the open turn and starts over: the index
    /// may hold more of that turn. A read that began at a checkpoint ends with another checkpoint, so that nothing is
    /// delivered twice to the turn that it continues.
    fn break_off(mut self, error: &io::Error) -> ControlFlow<(), ReadEnd> {
        let state = (self.checkpoint > 0).then(|| self.state_after_delivered());
        self.warn_unread(error);
        if let Some(Ok(state)) = state {
            self.flush_to(state)?;
        }
        ControlFlow::Continue(ReadEnd::Complete)
    }

    /// Ends a read after an error at which no later one can go on.
    fn report_unread(mut self, error: &io::Error) -> ControlFlow<(), ReadEnd> {
        self.warn_unread(error);
        ControlFlow::Continue(ReadEnd::Complete)
    }

    fn warn_unread(&mut self, error: &io::Error) {
        let warning = unread_warning(self.files.first, error);
        self.announcer.sink.warning(warning);
    }

    /// Ends a read at damage, behind which nothing can be read: what was delivered before of later turns stays.
    fn finish_damaged(mut self, error: &io::Error) -> ControlFlow<(), ReadEnd> {
        let warning = warning(self.files.first, error);
        self.announcer.sink.warning(warning);
        self.is_damaged = true;
        self.finish()
    }

    fn finish(mut self) -> ControlFlow<(), ReadEnd> {
        let Some(waiting) = self.assembly.finish(self.delivered > self.start) else {
            return ControlFlow::Continue(ReadEnd::Retracted);
        };
        if let Some(error) = self.assembly.take_error() {
            return self.report_unread(&error);
        }
        if waiting.is_empty() && self.announcer.is_at_beginning() && self.assembly.is_noise() {
            // Lines that come may make it one, which has these, too.
            let start = CursorState::after_bytes(&[], A::VERSION, 0, A::State::default());
            self.checkpoint(Some(start))?;
            return ControlFlow::Continue(ReadEnd::Complete);
        }
        let end = match self.state_after_delivered() {
            Ok(end) => Some(end),
            Err(error) if is_content_error(&error) => None,
            Err(error) => return self.report_unread(&error),
        };
        let open = self.assembly.turns().flush();
        self.deliver(open)?;
        self.deliver(waiting)?;
        self.announcer.announce_changes(self.assembly.session())?;
        if self.is_damaged {
            let session = self.assembly.session();
            self.announcer.sink.report_unread_session(&session.id)?;
        }
        self.checkpoint(end)?;
        ControlFlow::Continue(ReadEnd::Complete)
    }
}
