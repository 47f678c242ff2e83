//! Opening a session in a sink, and what a read does to the turns that the sink has of it.

use crate::{Cursor, Sink};
use session_core::{KnownTurns, SessionMeta, Turn};
use std::ops::ControlFlow;

/// How a read of a file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadStart {
    /// At the beginning of a file of which nothing was delivered.
    Beginning,
    /// Behind what was delivered before.
    Continued,
    /// At the beginning, since turns of another content were delivered.
    Replacing,
    /// At the beginning, since prompts that waited were delivered, and no other turns.
    Retracting,
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
            Self::Retracting => KnownTurns::Retract,
        }
    }

    /// Returns true at the beginning of a file of which turns were delivered.
    fn is_repeated(self) -> bool {
        matches!(self, Self::Replacing | Self::Retracting)
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

    /// Returns true if nothing of the session was delivered, by this read or an earlier one.
    pub(crate) fn is_at_beginning(&self) -> bool {
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
        let known = self.announced.is_some() || self.start.is_repeated();
        if known && self.announced.as_ref() != Some(&meta) {
            self.announce(meta)?;
        }
        ControlFlow::Continue(())
    }
}
