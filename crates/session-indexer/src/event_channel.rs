//! The way of events from a thread that reads a file to the writer, which takes the files in order, and the way back
//! of their memory.

use crate::events::Event;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Batches of events that may wait in a file's channel.
const MAX_WAITING_BATCHES: usize = 8;
/// Bytes of events from which on no further file is begun: while one thread reads a large history, so much may wait of
/// the small ones after it. Each file that was begun may add what its channel holds.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// The bytes of all events that were sent and that the writer has not taken.
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

    /// Returns a guard that lets all threads go on when it is dropped: nothing is taken any more.
    pub(crate) fn close_on_drop(&self) -> CloseOnDrop<'_> {
        CloseOnDrop(self)
    }

    fn change(&self, change: impl FnOnce(&mut WaitingState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

/// Closes [`WaitingBytes`] also where the writer panics: threads that wait for room would keep it from ending.
pub(crate) struct CloseOnDrop<'w>(&'w WaitingBytes);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_closed = true);
    }
}

/// Events that the writer is done with, for the thread that sent them: to free what another thread allocated takes a
/// lock, for which both wait.
#[derive(Default)]
pub(crate) struct SpentEvents(Mutex<Vec<Vec<Event>>>);

impl SpentEvents {
    fn give_back(&self, events: Vec<Event>) {
        self.batches().push(events);
    }

    /// Frees them.
    fn free(&self) {
        let batches = std::mem::take(&mut *self.batches());
        drop(batches);
    }

    fn batches(&self) -> MutexGuard<'_, Vec<Vec<Event>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Events that are sent together, and the bytes that they take, about.
struct EventBatch {
    events: Vec<Event>,
    bytes: usize,
}

/// Makes the channel of a file; `spent` is of the thread that will send.
pub(crate) fn event_channel(
    waiting: &Arc<WaitingBytes>,
    spent: &Arc<SpentEvents>,
) -> (EventSender, EventReceiver) {
    let (sender, receiver) = sync_channel(MAX_WAITING_BATCHES);
    let sender = EventSender {
        channel: sender,
        waiting: Arc::clone(waiting),
        spent: Arc::clone(spent),
        events: Vec::new(),
        bytes: 0,
    };
    let receiver = EventReceiver {
        channel: receiver,
        waiting: Arc::clone(waiting),
        spent: Arc::clone(spent),
    };
    (sender, receiver)
}

/// Bytes of events that are sent together: to wake the writer for each would let threads wait for each other.
const BATCH_BYTES: usize = 32 << 10;

/// Sends the events of a file.
pub(crate) struct EventSender {
    channel: SyncSender<EventBatch>,
    waiting: Arc<WaitingBytes>,
    spent: Arc<SpentEvents>,
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
        self.spent.free();
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
    spent: Arc<SpentEvents>,
}

impl EventReceiver {
    /// Calls `each` with the events as they come, until it returns something or the sender is dropped. What it leaves
    /// of an event goes back to the thread that sent it.
    pub(crate) fn find_map<T>(&self, mut each: impl FnMut(&mut Event) -> Option<T>) -> Option<T> {
        self.channel.iter().find_map(|batch| {
            let EventBatch { mut events, bytes } = batch;
            self.waiting.change(|state| state.bytes -= bytes);
            let found = events.iter_mut().find_map(&mut each);
            self.spent.give_back(events);
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn what_is_received_makes_room() {
        let waiting = Arc::new(WaitingBytes::default());
        let spent = Arc::default();
        let (mut sender, receiver) = event_channel(&waiting, &spent);
        for _ in 0..10 {
            sender.push(Event::Done);
        }
        sender.send();
        drop(sender);
        assert!(waiting.state.lock().unwrap().bytes > 0);
        let mut received = 0;
        let found = receiver.find_map(|_| {
            received += 1;
            None::<()>
        });
        assert_eq!((found, received), (None, 10));
        assert_eq!(waiting.state.lock().unwrap().bytes, 0);
        let given_back = spent.batches().iter().map(Vec::len).sum::<usize>();
        assert_eq!(given_back, 10);
    }

    #[test]
    fn who_waits_for_room_goes_on_where_the_writer_panics() {
        let waiting = Arc::new(WaitingBytes::default());
        waiting.change(|state| state.bytes = MAX_WAITING_BYTES + 1);
        let (done, ended) = channel();
        let waits = Arc::clone(&waiting);
        std::thread::spawn(move || {
            waits.wait_for_room();
            done.send(()).unwrap();
        });
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _close = waiting.close_on_drop();
            panic!("the writer fails");
        }));
        ended.recv_timeout(Duration::from_secs(60)).unwrap();
    }
}
