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
/// longer listens, or, when time is up, at what follows a checkpoint: a reader
/// that comes to its end there is done.
pub(crate) struct Sender<'a> {
    channel: SyncSender<Event>,
    time_is_up: &'a AtomicBool,
    stopped: bool,
    at_checkpoint: bool,
}

impl<'a> Sender<'a> {
    pub(crate) fn new(channel: SyncSender<Event>, time_is_up: &'a AtomicBool) -> Self {
        Self {
            channel,
            time_is_up,
            stopped: false,
            at_checkpoint: false,
        }
    }

    /// Says that the reader has returned; that is the end, unless it was stopped.
    pub(crate) fn done(mut self) {
        self.send(Event::Done);
    }

    /// Sends what belongs to the next checkpoint.
    fn deliver(&mut self, event: Event) -> Flow {
        self.stopped |= self.at_checkpoint && self.time_is_up.load(Ordering::Relaxed);
        self.at_checkpoint = false;
        self.send(event)
    }

    fn send(&mut self, event: Event) -> Flow {
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
        self.deliver(Event::Session {
            meta: Box::new(meta.clone()),
            fresh,
        })
    }

    fn turn(&mut self, turn: Turn) -> Flow {
        self.deliver(Event::Turn(Box::new(turn)))
    }

    fn checkpoint(&mut self, cursor: Cursor) -> Flow {
        self.at_checkpoint = true;
        self.send(Event::Checkpoint(cursor))
    }

    fn gone(&mut self, session: &str) -> Flow {
        self.deliver(Event::Gone(session.to_owned()))
    }

    fn title_elsewhere(&mut self, message: &str, title: &str) -> Flow {
        self.deliver(Event::Title {
            message: message.to_owned(),
            title: title.to_owned(),
        })
    }

    fn warning(&mut self, warning: Warning) {
        self.send(Event::Warning(Box::new(warning)));
    }
}
