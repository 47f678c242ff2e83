//! What parsing threads send to the writer.

use session_core::{SessionMeta, Turn};
use session_sources::{Cursor, Flow, Sink, Warning};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

pub(crate) enum Event {
    Session {
        meta: Box<SessionMeta>,
        fresh: bool,
    },
    Turn(Box<Turn>),
    Checkpoint(Cursor),
    Gone(String),
    Title {
        message: String,
        title: String,
    },
    Warning(Box<Warning>),
    /// The reader came to the end.
    Done,
}

/// Sends what a source reads to the writer. Says stop when the writer no
/// longer listens, or at a checkpoint when time is up.
pub(crate) struct Sender<'a> {
    pub(crate) channel: SyncSender<Event>,
    pub(crate) time_is_up: &'a AtomicBool,
    pub(crate) stopped: bool,
}

impl Sender<'_> {
    pub(crate) fn send(&mut self, event: Event) -> Flow {
        self.stopped = self.stopped || self.channel.send(event).is_err();
        if self.stopped {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }
}

impl Sink for Sender<'_> {
    fn session(&mut self, meta: &SessionMeta, fresh: bool) -> Flow {
        self.send(Event::Session {
            meta: Box::new(meta.clone()),
            fresh,
        })
    }

    fn turn(&mut self, turn: Turn) -> Flow {
        self.send(Event::Turn(Box::new(turn)))
    }

    fn checkpoint(&mut self, cursor: Cursor) -> Flow {
        let flow = self.send(Event::Checkpoint(cursor));
        if self.time_is_up.load(Ordering::Relaxed) {
            self.stopped = true;
            return Flow::Stop;
        }
        flow
    }

    fn gone(&mut self, session: &str) -> Flow {
        self.send(Event::Gone(session.to_owned()))
    }

    fn title_elsewhere(&mut self, message: &str, title: &str) -> Flow {
        self.send(Event::Title {
            message: message.to_owned(),
            title: title.to_owned(),
        })
    }

    fn warning(&mut self, warning: Warning) {
        self.send(Event::Warning(Box::new(warning)));
    }
}
