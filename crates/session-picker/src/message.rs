//! The messages of the threads.

use crate::list_answer::ListAnswer;
use crate::worker::LoadedTurns;
use session_query::FilterValues;
use std::sync::mpsc::Sender;

/// A message of a thread to the loop of the picker.
pub(crate) enum PickerMessage {
    /// A message for the state.
    ForApp(AppMessage),
    /// A job ended.
    JobDone {
        /// Its outcome.
        outcome: JobOutcome,
        /// True for a job that wrote, which the end of the picker waits for.
        wrote: bool,
    },
    /// A signal came that ends, stops or continues the process.
    #[cfg(unix)]
    Signal(i32),
    /// Nothing can be read from the terminal any more.
    TerminalLost(std::io::Error),
    /// A thread panicked.
    Panicked(Box<dyn std::any::Any + Send>),
}

/// The way of a thread to the loop of the picker.
#[derive(Clone)]
pub(crate) struct MessageSender(pub(crate) Sender<PickerMessage>);

impl MessageSender {
    /// Sends a message; returns false where the picker has ended.
    pub(crate) fn send(&self, message: PickerMessage) -> bool {
        self.0.send(message).is_ok()
    }

    /// Sends messages for the state; returns false where the picker has ended.
    pub(crate) fn send_all(&self, messages: impl IntoIterator<Item = AppMessage>) -> bool {
        let mut messages = messages.into_iter();
        messages.all(|message| self.send(PickerMessage::ForApp(message)))
    }
}

/// The bytes of the histories that a refresh has read, of those that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadBytes {
    pub(crate) done: u64,
    pub(crate) total: u64,
}

/// A message that changes the state.
pub(crate) enum AppMessage {
    /// A key, the mouse, or a new size.
    Input(crossterm::event::Event),
    /// The list for a request.
    ListReady(Box<ListAnswer>),
    /// Values with which filters are completed.
    Values(Box<FilterValues>),
    /// Turns of a session.
    Loaded(Box<LoadedTurns>),
    /// A part of the histories was read, here or by another process.
    Refreshed {
        /// Files that changed and are still to be read; `None` while another process reads them.
        files_left: Option<usize>,
    },
    /// A refresh goes on to read.
    Reading(ReadBytes),
    /// The next list is answered from what was read.
    Prepared,
    /// A list cannot be read: why.
    ListFailed(String),
    /// Turns that were asked for cannot be read: why.
    TurnsFailed(String),
    /// Something is done, or failed: what is said of it.
    Note(String),
}

/// The outcome of a job.
pub(crate) enum JobOutcome {
    /// It is done, or failed: what is said of it.
    Note(String),
    /// A text for the clipboard, and what is said of it.
    Copy {
        /// The text.
        text: String,
        /// The note.
        note: String,
    },
}
