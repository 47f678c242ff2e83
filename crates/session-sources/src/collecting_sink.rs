//! Keeps all that a reader of histories delivers, for tests and examples.

use crate::source::{Cursor, Sink, Warning};
use session_core::{KnownTurns, SessionMeta, Turn};
use std::ops::ControlFlow;

/// A sink that keeps everything: for tests and examples.
#[derive(Debug, Clone, Default)]
pub struct CollectingSink {
    /// Sessions as last delivered, in order of first opening.
    pub sessions: Vec<SessionMeta>,
    /// Turns, in order.
    pub turns: Vec<CollectedTurn>,
    /// The cursor of the last checkpoint.
    pub cursor: Option<Cursor>,
    /// Ids reported as gone.
    pub gone: Vec<String>,
    /// Titles of sessions that other files hold.
    pub titles: Vec<CollectedTitle>,
    /// All warnings.
    pub warnings: Vec<Warning>,
    open: String,
}

/// A turn as [`CollectingSink`] keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedTurn {
    /// Id of its session.
    pub session: String,
    /// The turn.
    pub turn: Turn,
}

/// A title of a session that another file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedTitle {
    /// Id of a message in the session.
    pub message: String,
    /// The title.
    pub title: String,
}

impl Sink for CollectingSink {
    fn session(&mut self, meta: &SessionMeta, known: KnownTurns) -> ControlFlow<()> {
        self.open.clone_from(&meta.id);
        match self.sessions.iter_mut().find(|s| s.id == meta.id) {
            Some(known) => known.clone_from(meta),
            None => self.sessions.push(meta.clone()),
        }
        if known.are_replaced() {
            self.turns.retain(|collected| collected.session != meta.id);
        }
        ControlFlow::Continue(())
    }

    fn turn(&mut self, turn: Turn) -> ControlFlow<()> {
        let session = self.open.clone();
        self.turns.push(CollectedTurn { session, turn });
        ControlFlow::Continue(())
    }

    fn checkpoint(&mut self, cursor: Cursor) -> ControlFlow<()> {
        self.cursor = Some(cursor);
        ControlFlow::Continue(())
    }

    fn report_gone_session(&mut self, session: &str) -> ControlFlow<()> {
        self.gone.push(session.to_owned());
        ControlFlow::Continue(())
    }

    fn receive_foreign_title(&mut self, message: &str, title: &str) -> ControlFlow<()> {
        self.titles.push(CollectedTitle {
            message: message.to_owned(),
            title: title.to_owned(),
        });
        ControlFlow::Continue(())
    }

    fn warning(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}
