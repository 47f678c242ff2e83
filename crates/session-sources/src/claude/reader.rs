//! A transcript, from its beginning or from a cursor on.

use super::assembly::{Assembly, QueuedLine};
use super::entry::TranscriptEntry;
use super::persisted::ToolResults;
use super::session_facts::SessionIdentity;
use super::state::{TranscriptState, VERSION};
use crate::cursor::CursorState;
use crate::json::{early_type, record};
use crate::lines::{Line, Lines};
use crate::reading::{FileReading, LineAssembly, ReadEnd, open_lines};
use crate::session_announcer::{ReadStart, SessionAnnouncer};
use crate::turn_assembler::{TurnAssembler, TurnDetail};
use crate::warning::unread_warning;
use crate::{Cursor, Location, Sink};
use session_core::{SessionMeta, Turn};
use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
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
pub(super) fn read(at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) -> ControlFlow<()> {
    let resumed = match CursorState::resume(from, &at.path, VERSION) {
        Ok(resumed) => resumed,
        Err(error) => {
            sink.warning(unread_warning(&at.path, &error));
            return ControlFlow::Continue(());
        }
    };
    let start = ReadStart::new(from, resumed.as_ref().map(|state| state.offset));
    let (offset, state): (u64, TranscriptState) =
        resumed.map_or_else(Default::default, |state| (state.offset, state.state));
    // A file that held turns and gives none any more is damaged.
    let restart = match state.progress.next {
        0 => ReadStart::Retracting,
        _ => ReadStart::Replacing,
    };
    match read_from(at, offset, state, start, sink)? {
        ReadEnd::Complete => ControlFlow::Continue(()),
        ReadEnd::Retracted => {
            let state = TranscriptState::default();
            read_from(at, 0, state, restart, sink).map_continue(drop)
        }
    }
}

/// Reads a location from an offset on.
fn read_from(
    at: &Location,
    offset: u64,
    state: TranscriptState,
    start: ReadStart,
    sink: &mut dyn Sink,
) -> ControlFlow<(), ReadEnd> {
    let Some(lines) = open_lines(&at.path, offset, sink) else {
        return ControlFlow::Continue(ReadEnd::Complete);
    };
    let identity = identity(at);
    let queued_line_error = Cell::new(None);
    let read_queued_line = |offset| {
        queued_line(&at.path, offset).unwrap_or_else(|error| {
            queued_line_error.set(Some(error));
            None
        })
    };
    let results = ToolResults::default();
    let assembly = Assembly::new(
        state.clone(),
        TurnDetail::Index,
        &identity,
        results,
        &read_queued_line,
    );
    let is_known = state.progress.next.max(state.delivered) > 0;
    let announced = is_known.then(|| state.facts.meta(&identity));
    let assembly = TranscriptLines {
        identity: &identity,
        assembly,
        queued_line_error: &queued_line_error,
    };
    let announcer = SessionAnnouncer::new(sink, announced, start);
    FileReading::new(&at.path, assembly, announcer, offset).run(lines)
}

/// Returns the session of a location by its path.
fn identity(at: &Location) -> SessionIdentity {
    let stem = at
        .path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    SessionIdentity {
        id: at.path_session.session.clone().or(stem).unwrap_or_default(),
        parent: at.path_session.parent.clone(),
    }
}

/// Returns the line at this offset, which holds a text for the queue.
///
/// # Errors
/// When the file cannot be read there.
pub(super) fn queued_line(path: &Path, offset: u64) -> io::Result<Option<QueuedLine>> {
    let mut lines = Lines::open(path, offset)?;
    Ok(lines.next()?.and_then(|line| queued_text(&line)))
}

fn queued_text(line: &Line<'_>) -> Option<QueuedLine> {
    let mut repaired = String::new();
    let entry: TranscriptEntry<'_> = record(line.text?, &mut repaired)?;
    let text = entry.content.words();
    let span = line.span();
    Some(QueuedLine { text, span })
}

/// The lines of a transcript on their way to turns.
struct TranscriptLines<'a> {
    identity: &'a SessionIdentity,
    assembly: Assembly<'a>,
    /// Why a line of the queue could not be read again.
    queued_line_error: &'a Cell<Option<io::Error>>,
}

impl TranscriptLines<'_> {
    /// Returns true for a line that need not be parsed: most say by their type, which stands early in them, that nothing
    /// in them matters. (But any may be the first to name the directory.)
    fn is_skipped(&self, text: &[u8]) -> bool {
        self.assembly.facts().has_cwd()
            && early_type(text).is_some_and(|kind| !KINDS.contains(&kind))
    }
}

impl LineAssembly for TranscriptLines<'_> {
    type State = TranscriptState;

    const VERSION: u32 = VERSION;

    fn push(&mut self, line: &Line<'_>, sink: &mut dyn Sink) -> ControlFlow<(), bool> {
        let text = line.text.unwrap_or_default();
        if self.is_skipped(text) {
            return ControlFlow::Continue(true);
        }
        let mut repaired = String::new();
        let Some(entry) = record::<TranscriptEntry<'_>>(text, &mut repaired) else {
            return ControlFlow::Continue(false);
        };
        pass_foreign_title(&entry, sink)?;
        self.assembly.push_entry(&entry, line.span());
        ControlFlow::Continue(true)
    }

    fn turns(&mut self) -> &mut TurnAssembler {
        self.assembly.turns()
    }

    fn state(&self) -> TranscriptState {
        self.assembly.state()
    }

    fn session(&self) -> SessionMeta {
        self.assembly.facts().meta(self.identity)
    }

    /// Prompts that wait may be taken back by the next read.
    fn finish(&mut self, has_news: bool) -> Option<Vec<Turn>> {
        if !has_news {
            return Some(Vec::new());
        }
        let waiting = self.assembly.waiting();
        self.assembly
            .note_delivered(waiting.len())
            .then_some(waiting)
    }

    /// A subagent's file with texts alone has answers to a warm-up, whose prompt stands nowhere.
    fn is_noise(&mut self) -> bool {
        self.identity.is_subagent() && self.assembly.turns().is_text_alone()
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.queued_line_error.take()
    }
}

/// Delivers the title of a `summary` line, which names a message that is in another file.
fn pass_foreign_title(entry: &TranscriptEntry<'_>, sink: &mut dyn Sink) -> ControlFlow<()> {
    match (entry.kind.get(), entry.leaf_uuid.get(), entry.summary.get()) {
        (Some("summary"), Some(message), Some(title)) => sink.receive_foreign_title(message, title),
        _ => ControlFlow::Continue(()),
    }
}
