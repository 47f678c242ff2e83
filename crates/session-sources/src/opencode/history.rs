//! Sessions and messages, wherever they are kept, and how they are read.

use super::error::{self, SkippedCounts, StorageError};
use super::message::StoredMessage;
use super::signature::{SessionSignature, SessionSignatures};
use super::turns::TurnBuilder;
use crate::{Cursor, Flow, ShownTurns, Sink};
use session_core::{Detail, SessionMeta, Span, Turn};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

/// A session without its messages.
#[derive(Debug)]
pub(super) struct StoredSession {
    pub(super) meta: SessionMeta,
    /// Milliseconds since 1970.
    pub(super) created: i64,
    pub(super) signature: SessionSignature,
}

/// Where messages go, one at a time.
pub(super) type MessageVisitor<'a> = dyn FnMut(StoredMessage) -> ControlFlow<()> + 'a;

/// A database, or a tree of JSON files.
pub(super) trait SessionStorage {
    /// All sessions, in any order.
    fn sessions(&self, faults: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError>;

    /// Id of the first message of a session that the user undid
    /// (`session.revert`): it and those after it stay until the next prompt.
    fn reverted_from(&self, session: &str) -> Option<String>;

    /// The messages of a session whose ordinals lie in `span`, in order.
    fn messages(
        &self,
        session: &str,
        span: Span,
        detail: Detail,
        faults: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> Result<(), StorageError>;
}

/// All messages of a session.
const WHOLE: Span = Span {
    start: 0,
    end: u64::MAX,
};
/// Least number of sessions between two checkpoints. Each holds the whole
/// map, so that of many sessions there are no more than about 32.
const CHECKPOINT_STEP: usize = 8;

/// Delivers the sessions that changed since `from`.
pub(super) fn read(
    history: &dyn SessionStorage,
    path: &Path,
    from: Option<&Cursor>,
    sink: &mut dyn Sink,
) -> Result<(), StorageError> {
    let mut faults = SkippedCounts::default();
    let mut sessions = history.sessions(&mut faults)?;
    sessions.sort_by(|a, b| (a.created, &a.meta.id).cmp(&(b.created, &b.meta.id)));
    let reading = HistoryRead {
        history,
        known: SessionSignatures::from_cursor(from),
        faults,
        sink,
    };
    // Broken off means that the sink wants to hear no more.
    let _: ControlFlow<()> = reading.read_all(&sessions, path);
    Ok(())
}

/// A read under way.
struct HistoryRead<'a> {
    history: &'a dyn SessionStorage,
    known: SessionSignatures,
    faults: SkippedCounts,
    sink: &'a mut dyn Sink,
}

impl HistoryRead<'_> {
    fn read_all(mut self, sessions: &[StoredSession], path: &Path) -> ControlFlow<()> {
        self.report_gone(sessions)?;
        let changed: Vec<&StoredSession> = sessions
            .iter()
            .filter(|s| !self.known.contains(&s.meta.id, s.signature))
            .collect();
        let step = CHECKPOINT_STEP.max(changed.len() / 32);
        for (n, session) in changed.into_iter().enumerate() {
            if n > 0 && n % step == 0 {
                continue_unless_stopped(self.sink.checkpoint(self.known.cursor()))?;
            }
            self.session(session)?;
        }
        for warning in self.faults.warnings(path) {
            self.sink.warning(warning);
        }
        continue_unless_stopped(self.sink.checkpoint(self.known.cursor()))
    }

    fn report_gone(&mut self, sessions: &[StoredSession]) -> ControlFlow<()> {
        let ids: HashSet<&str> = sessions.iter().map(|s| s.meta.id.as_str()).collect();
        for id in self.known.take_gone(|id| ids.contains(id)) {
            continue_unless_stopped(self.sink.gone(&id))?;
        }
        ControlFlow::Continue(())
    }

    /// A session that breaks off in an error is not noted as delivered: the
    /// next read tries it again.
    fn session(&mut self, session: &StoredSession) -> ControlFlow<()> {
        continue_unless_stopped(self.sink.session(&session.meta, true))?;
        let mut turns = TurnBuilder::new(0, session.meta.parent.is_some(), Detail::Index);
        let mut flow = ControlFlow::Continue(());
        let sink = &mut *self.sink;
        let read = self.history.messages(
            &session.meta.id,
            WHOLE,
            Detail::Index,
            &mut self.faults,
            &mut |message| {
                flow = turns.push(message).map_or(ControlFlow::Continue(()), |t| {
                    continue_unless_stopped(sink.turn(t))
                });
                flow
            },
        );
        flow?;
        if let Some(last) = turns.finish() {
            continue_unless_stopped(self.sink.turn(last))?;
        }
        match read {
            Ok(()) => self.known.insert(&session.meta.id, session.signature),
            Err(error) => self
                .faults
                .add(&format!("session could not be read: {error}")),
        }
        ControlFlow::Continue(())
    }
}

fn continue_unless_stopped(flow: Flow) -> ControlFlow<()> {
    match flow {
        Flow::Continue => ControlFlow::Continue(()),
        Flow::Stop => ControlFlow::Break(()),
    }
}

/// Reads the turns at `spans` again, in full.
pub(super) fn show(
    history: &dyn SessionStorage,
    path: &Path,
    session: &SessionMeta,
    spans: &[(u32, Span)],
) -> ShownTurns {
    let mut shown = ShownTurns::default();
    let mut faults = SkippedCounts::default();
    let reverted = history.reverted_from(&session.id);
    for (index, span) in spans {
        let turns = TurnBuilder::new(*index, session.parent.is_some(), Detail::Full);
        let turns = turns.reverted(reverted.clone());
        match turn_at(history, &session.id, turns, *span, &mut faults) {
            Ok(turn) => shown.turns.extend(turn),
            Err(error) => {
                shown.warnings.push(error::warning(path, &error));
                break;
            }
        }
    }
    shown.warnings.extend(faults.warnings(path));
    shown
}

fn turn_at(
    history: &dyn SessionStorage,
    session: &str,
    mut turns: TurnBuilder,
    span: Span,
    faults: &mut SkippedCounts,
) -> Result<Option<Turn>, StorageError> {
    let mut first = None;
    history.messages(session, span, Detail::Full, faults, &mut |message| {
        first = turns.push(message);
        if first.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    Ok(first.or_else(|| turns.finish()))
}
