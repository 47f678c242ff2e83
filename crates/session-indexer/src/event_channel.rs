//! The way of events from a thread that reads a file to the writer, which takes the files in order.

use crate::events::Event;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Batches of events that may wait in a file's channel.
const MAX_WAITING_BATCHES: usize = 8;
/// Bytes of events from which on no further file is begun: while one thread reads a large history, so much may wait of
/// the small ones after it.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// The bytes of all events that no writer has taken.
#[derive(Default)]
pub(crate) struct WaitingBytes {
    state: Mutex<WaitingState>,
    changed: Condvar,
}

#[derive(Default)]
struct WaitingState {
    bytes: usize,
    is_closed: bool,
}

impl WaitingBytes {
    /// Waits until another file may be begun. The oldest file always has a thread, and the writer takes what that
    /// sends, so that this ends.
    pub(crate) fn wait_for_room(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full =
            |state: &mut WaitingState| state.bytes > MAX_WAITING_BYTES && !state.is_closed;
        drop(self.changed.wait_while(state, is_full));
    }

    /// Lets all threads go on: nothing is taken any more.
    pub(crate) fn close(&self) {
        self.change(|state| state.is_closed = true);
    }

    fn change(&self, change: impl FnOnce(&mut WaitingState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

/// Events that are sent together, and the bytes that they take, about.
struct EventBatch {
    events: Vec<Event>,
    bytes: usize,
}

/// Makes the channel of a file.
pub(crate) fn event_channel(waiting: &Arc<WaitingBytes>) -> (EventSender, EventReceiver) {
    let (sender, receiver) = sync_channel(MAX_WAITING_BATCHES);
    let waiting = || Arc::clone(waiting);
    let sender = EventSender {
        channel: sender,
        waiting: waiting(),
        events: Vec::new(),
        bytes: 0,
    };
    let receiver = EventReceiver {
        channel: receiver,
        waiting: waiting(),
    };
    (sender, receiver)
}

/// Bytes of events that are sent together: to wake the writer for each would let threads wait for each other.
const BATCH_BYTES: usize = 32 << 10;

/// Sends the events of a file.
pub(crate) struct EventSender {
    channel: SyncSender<EventBatch>,
    waiting: Arc<WaitingBytes>,
    events: Vec<Event>,
    bytes: usize,
}

impl EventSender {
    /// Adds an event and sends all where they are enough; returns false when nobody listens.
    pub(crate) fn push(&mut self, event: Event) -> bool {
        self.bytes += event.bytes();
        self.events.push(event);
        self.bytes < BATCH_BYTES || self.send()
    }

    /// Sends what was added; returns false when nobody listens.
    pub(crate) fn send(&mut self) -> bool {
        let events = std::mem::take(&mut self.events);
        let bytes = std::mem::take(&mut self.bytes);
        if events.is_empty() {
            return true;
        }
        self.waiting.change(|state| state.bytes += bytes);
        self.channel.send(EventBatch { events, bytes }).is_ok()
    }
}

/// Receives the events of a file.
pub(crate) struct EventReceiver {
    channel: Receiver<EventBatch>,
    waiting: Arc<WaitingBytes>,
}

impl EventReceiver {
    /// Returns the events as they come, until the sender is dropped.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Event> {
        self.channel.iter().flat_map(|batch| {
            self.waiting.change(|state| state.bytes -= batch.bytes);
            batch.events
        })
    }
}
