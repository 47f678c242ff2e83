//! A file of lines, from its beginning or from a cursor on.

use super::JsonlFormat;
use crate::cursor::CursorState;
use crate::json::record;
use crate::lines::{Line, LineFiles};
use crate::reading::{FileReading, LineAssembly, open_lines};
use crate::session_announcer::{ReadStart, SessionAnnouncer};
use crate::turn_assembler::{TurnAssembler, TurnDetail, TurnProgress};
use crate::warning::unread_warning;
use crate::{Cursor, CursorRedaction, Location, Sink, TurnWriter, file};
use serde::{Deserialize, Serialize};
use session_core::{SessionMeta, Turn};
use std::ops::ControlFlow;
use std::path::Path;

/// Version of the cursors.
const VERSION: u32 = 3;

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
    path: &'f Path,
    state: JsonlState<F::State>,
    turns: TurnAssembler,
    /// Time of lines whose format knows none, in milliseconds since 1970: the file's last change.
    modified: Option<i64>,
}

impl<'f, F: JsonlFormat> JsonlLines<'f, F> {
    pub(super) fn new(
        format: &'f F,
        path: &'f Path,
        state: JsonlState<F::State>,
        detail: TurnDetail,
        modified: i64,
    ) -> Self {
        let mut turns = TurnAssembler::new(state.turns.clone(), detail);
        turns.branch.clone_from(&state.session.branch);
        Self {
            format,
            path,
            state,
            turns,
            modified: Some(modified),
        }
    }

    /// Takes a line; false when it holds no record.
    pub(super) fn push_line(&mut self, line: &Line<'_>) -> bool {
        let mut repaired = String::new();
        let Some(record) = record(line.text.unwrap_or_default(), &mut repaired) else {
            return false;
        };
        let JsonlState {
            session, format, ..
        } = &mut self.state;
        let mut writer = TurnWriter::new(&mut self.turns, session, line.span());
        writer.set_time(self.modified);
        self.format.record(record, format, &mut writer);
        true
    }
}

impl<F: JsonlFormat> LineAssembly for JsonlLines<'_, F> {
    type State = JsonlState<F::State>;

    const VERSION: u32 = VERSION;

    fn push(&mut self, line: &Line<'_>, _: &mut dyn Sink) -> ControlFlow<(), bool> {
        ControlFlow::Continue(self.push_line(line))
    }

    fn turns(&mut self) -> &mut TurnAssembler {
        &mut self.turns
    }

    fn state(&self) -> JsonlState<F::State> {
        JsonlState {
            turns: self.turns.progress.clone(),
            ..self.state.clone()
        }
    }

    fn session(&self) -> SessionMeta {
        self.state.session.clone()
    }

    fn finish(&mut self, _: bool) -> Option<Vec<Turn>> {
        self.format.complete(self.path, &mut self.state.session);
        Some(Vec::new())
    }
}

/// Returns the session of a file as far as its path names it.
fn located_session(at: &Location) -> SessionMeta {
    let stem = || Some(at.path.file_stem()?.to_string_lossy().into_owned());
    SessionMeta {
        id: at
            .path_session
            .session
            .clone()
            .or_else(stem)
            .unwrap_or_default(),
        parent: at.path_session.parent.clone(),
        ..SessionMeta::default()
    }
}

/// Returns false for the state of another session's file whose bytes are those of this one so far: a fork copies them.
/// Lines may give a session another id than its file's name has.
fn is_of_session<S>(at: &Location, state: &JsonlState<S>) -> bool {
    let path_session = at.path_session.session.as_ref();
    at.has_session_name() || path_session.is_none_or(|session| *session == state.session.id)
}

/// Reads a location into a sink.
pub(super) fn read<F: JsonlFormat>(
    format: &F,
    at: &Location,
    from: Option<&Cursor>,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let files = LineFiles {
        first: &at.path,
        continuations: &at.continuations,
    };
    let resumed = match CursorState::resume(from, files, VERSION) {
        Ok(resumed) => resumed,
        Err(error) => {
            sink.warning(unread_warning(&at.path, &error));
            return ControlFlow::Continue(());
        }
    };
    let resumed = resumed.filter(|state| is_of_session(at, &state.state));
    let start = ReadStart::new(from, resumed.as_ref().map(|state| state.offset));
    let (offset, state) = match resumed {
        Some(state) => (state.offset, state.state),
        None => (0, JsonlState::default()),
    };
    let Some(lines) = open_lines(files, offset, sink) else {
        return ControlFlow::Continue(());
    };
    let announced = (state.turns.next > 0).then(|| state.session.clone());
    let mut state: JsonlState<F::State> = state;
    if offset == 0 {
        state.session = located_session(at);
        format.begin(&at.path, &mut state.session);
    }
    let modified = file::mtime_ms(&at.stamp);
    let assembly = JsonlLines::new(format, &at.path, state, TurnDetail::Index, modified);
    let announcer = SessionAnnouncer::new(sink, announced, start);
    FileReading::new(files, assembly, announcer, offset)
        .run(lines)
        .map_continue(drop)
}

/// Returns a redacted cursor without the title of its session if the title is excluded, and without the branch if that or the
/// session is excluded.
pub(super) fn redact_cursor<F: JsonlFormat>(
    cursor: &Cursor,
    redaction: &CursorRedaction<'_>,
) -> Cursor {
    CursorState::<JsonlState<F::State>>::redact(cursor, VERSION, |state| {
        let session = &mut state.session;
        if (redaction.excludes_session)(session) {
            (session.title, session.branch) = (None, None);
        }
        redaction.redact_branch(&mut session.branch);
        redaction.redact_title(&mut session.title);
    })
}
