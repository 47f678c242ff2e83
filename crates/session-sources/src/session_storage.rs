//! Histories that are rewritten in place: a database, a tree of files, a document. What changed of
//! them is recognized session by session, by signatures.

use crate::session_signature::{SessionSignature, SessionSignatures};
use crate::storage_error::{SkippedCounts, StorageError};
use crate::warning::warning;
use crate::{Cursor, IndexedSpan, Retry, ShownTurns, Sink, Warning};
use session_core::{KnownTurns, SessionMeta, Turn, TurnSpan};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

/// A session without its turns.
#[derive(Debug)]
pub(crate) struct StoredSession {
    /// Its metadata.
    pub meta: SessionMeta,
    /// Milliseconds since 1970.
    pub created: i64,
    /// Changes when the session does.
    pub signature: SessionSignature,
}

/// The records of all turns of a session, as [`Turn::span`] counts them.
pub(crate) const ALL_RECORDS: TurnSpan = TurnSpan {
    start: 0,
    end: u64::MAX,
};

/// Takes turns, one at a time, and says whether more are wanted.
pub(crate) type TurnVisitor<'a> = dyn FnMut(Turn) -> ControlFlow<()> + 'a;

/// An open history that holds whole sessions.
pub(crate) trait SessionStorage {
    /// Lists all sessions, in any order. What is passed over is counted in `skipped`.
    ///
    /// # Errors
    /// When none can be read.
    fn list_sessions(
        &self,
        skipped: &mut SkippedCounts,
    ) -> Result<Vec<StoredSession>, StorageError>;

    /// Returns the metadata of a session that is to be read, where listing it would have cost too
    /// much. `None` for one in which nothing was said.
    ///
    /// # Errors
    /// When the session cannot be read.
    fn read_meta(&self, session: &StoredSession) -> Result<Option<SessionMeta>, StorageError> {
        Ok(Some(session.meta.clone()))
    }

    /// Passes all turns of a session to `visit` as the index holds them, in order, until that breaks
    /// off; with `shown`, that turn alone, in full.
    ///
    /// # Errors
    /// When the session cannot be read.
    fn visit_turns(
        &self,
        session: &SessionMeta,
        shown: Option<IndexedSpan>,
        skipped: &mut SkippedCounts,
        visit: &mut TurnVisitor<'_>,
    ) -> Result<(), StorageError>;
}

/// Opens a history.
pub(crate) type OpenStorage = fn(&Path) -> Result<Box<dyn SessionStorage>, StorageError>;

/// Least number of sessions between two checkpoints. Each holds the whole
/// map, so that of many sessions there are no more than about 32.
const CHECKPOINT_STEP: usize = 8;

/// Delivers the sessions of a history that changed since `from`: [`Source::read`](crate::Source::read)
/// for such histories.
pub(crate) fn read_sessions(
    open: OpenStorage,
    path: &Path,
    from: Option<&Cursor>,
    sink: &mut dyn Sink,
) {
    let read = open(path).and_then(|history| read_open(&*history, path, from, sink));
    if let Err(error) = read {
        if error.is_permanent() {
            sink.warning(warning(path, &error));
            let _: ControlFlow<()> = sink.checkpoint(from.cloned().unwrap_or_default());
        } else {
            sink.warning(Warning {
                retry: Retry::NextRefresh,
                ..warning(path, &error)
            });
        }
    }
}

fn read_open(
    history: &dyn SessionStorage,
    path: &Path,
    from: Option<&Cursor>,
    sink: &mut dyn Sink,
) -> Result<(), StorageError> {
    let mut skipped = SkippedCounts::default();
    let mut sessions = history.list_sessions(&mut skipped)?;
    sessions.sort_by(|a, b| (a.created, &a.meta.id).cmp(&(b.created, &b.meta.id)));
    let reading = StorageReading {
        history,
        known: SessionSignatures::from_cursor(from),
        skipped,
        sink,
    };
    // A sink that stops knows that it did.
    let _ = reading.read_all(&sessions, path);
    Ok(())
}

/// A read under way.
struct StorageReading<'a> {
    history: &'a dyn SessionStorage,
    known: SessionSignatures,
    skipped: SkippedCounts,
    sink: &'a mut dyn Sink,
}

impl StorageReading<'_> {
    fn read_all(mut self, sessions: &[StoredSession], path: &Path) -> ControlFlow<()> {
        self.report_gone(sessions)?;
        for session in self.skipped.unlisted() {
            self.sink.report_unread_session(session)?;
        }
        let changed: Vec<&StoredSession> = sessions
            .iter()
            .filter(|s| !self.known.is_current(&s.meta.id, s.signature))
            .collect();
        let step = CHECKPOINT_STEP.max(changed.len() / 32);
        for (n, session) in changed.into_iter().enumerate() {
            if n > 0 && n % step == 0 {
                self.sink.checkpoint(self.known.cursor())?;
            }
            self.deliver_session(session)?;
        }
        for warning in self.skipped.warnings(path) {
            self.sink.warning(warning);
        }
        self.sink.checkpoint(self.known.cursor())
    }

    fn report_gone(&mut self, sessions: &[StoredSession]) -> ControlFlow<()> {
        let ids: HashSet<&str> = sessions.iter().map(|s| s.meta.id.as_str()).collect();
        let unlisted = self.skipped.unlisted();
        let is_there = |id: &str| ids.contains(id) || unlisted.contains(id);
        for id in self.known.take_gone(is_there) {
            self.sink.report_gone_session(&id)?;
        }
        ControlFlow::Continue(())
    }

    /// Delivers a session that changed. If an error breaks it off, it is not noted as delivered, and the
    /// next read tries again.
    fn deliver_session(&mut self, session: &StoredSession) -> ControlFlow<()> {
        match self.history.read_meta(session) {
            Ok(Some(meta)) => self.deliver_turns(&meta, session.signature),
            Ok(None) => self.note_delivered(&session.meta.id, session.signature, true),
            Err(error) => {
                self.skipped.add_session(&error);
                self.sink.report_unread_session(&session.meta.id)
            }
        }
    }

    fn deliver_turns(
        &mut self,
        session: &SessionMeta,
        signature: SessionSignature,
    ) -> ControlFlow<()> {
        match self.known.get(&session.id) {
            Some(known) => self.replace(session, signature, known),
            None => self.deliver(session, signature),
        }
    }

    /// Delivers the turns of a session that was not delivered before, as they are read.
    fn deliver(&mut self, session: &SessionMeta, signature: SessionSignature) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let mut is_empty = true;
        let (sink, skipped) = (&mut *self.sink, &mut self.skipped);
        let mut visit = |turn| {
            if std::mem::take(&mut is_empty) {
                flow = sink.session(session, KnownTurns::Replace);
            }
            if flow.is_continue() {
                flow = sink.turn(turn);
            }
            flow
        };
        let read = self.history.visit_turns(session, None, skipped, &mut visit);
        flow?;
        match read {
            Ok(()) => self.note_delivered(&session.id, signature, is_empty),
            Err(error) => {
                self.skipped.add_session(&error);
                self.sink.report_unread_session(&session.id)
            }
        }
    }

    /// Delivers a session that was delivered before, once all of it is read: one that breaks off in an error stays as it
    /// was, unless there is more of it now and the next try would fare no better.
    fn replace(
        &mut self,
        session: &SessionMeta,
        signature: SessionSignature,
        known: SessionSignature,
    ) -> ControlFlow<()> {
        let mut turns = Vec::new();
        let mut visit = |turn| {
            turns.push(turn);
            ControlFlow::Continue(())
        };
        let skipped = &mut self.skipped;
        let read = self.history.visit_turns(session, None, skipped, &mut visit);
        if let Err(error) = &read {
            self.skipped.add_session(error);
            if error.is_transient() || signature.messages <= known.messages {
                return ControlFlow::Continue(());
            }
        }
        let is_empty = turns.is_empty();
        if !is_empty {
            self.sink.session(session, KnownTurns::Replace)?;
        }
        for turn in turns {
            self.sink.turn(turn)?;
        }
        match read {
            Ok(()) => self.note_delivered(&session.id, signature, is_empty),
            Err(_) => self.sink.report_unread_session(&session.id),
        }
    }

    /// Records a session as delivered. One that has lost all its turns is reported as gone.
    fn note_delivered(
        &mut self,
        id: &str,
        signature: SessionSignature,
        is_empty: bool,
    ) -> ControlFlow<()> {
        if is_empty && self.known.get(id).is_some() {
            self.sink.report_gone_session(id)?;
        }
        self.known.insert(id, signature);
        ControlFlow::Continue(())
    }
}

/// Reads the turns at `spans` again, in full: [`Source::show`](crate::Source::show) for such histories.
pub(crate) fn show_sessions(
    open: OpenStorage,
    path: &Path,
    session: &SessionMeta,
    spans: &[IndexedSpan],
) -> ShownTurns {
    match open(path) {
        Ok(history) => show_open(&*history, path, session, spans),
        Err(error) => ShownTurns {
            turns: Vec::new(),
            warnings: vec![warning(path, &error)],
        },
    }
}

fn show_open(
    history: &dyn SessionStorage,
    path: &Path,
    session: &SessionMeta,
    spans: &[IndexedSpan],
) -> ShownTurns {
    let mut shown = ShownTurns::default();
    let mut skipped = SkippedCounts::default();
    for &span in spans {
        match read_turn(history, session, span, &mut skipped) {
            Ok(turn) => shown.turns.extend(turn),
            Err(error) => {
                shown.warnings.push(warning(path, &error));
                break;
            }
        }
    }
    shown.warnings.extend(skipped.warnings(path));
    shown
}

fn read_turn(
    history: &dyn SessionStorage,
    session: &SessionMeta,
    span: IndexedSpan,
    skipped: &mut SkippedCounts,
) -> Result<Option<Turn>, StorageError> {
    let mut first = None;
    history.visit_turns(session, Some(span), skipped, &mut |turn| {
        first = Some(turn);
        ControlFlow::Break(())
    })?;
    Ok(first)
}
