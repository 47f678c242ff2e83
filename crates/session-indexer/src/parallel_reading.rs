//! Reading many histories at once, delivered one after the other.

use crate::deadline::Deadline;
use crate::discover::ChangedHistory;
use crate::event_channel::{EventReceiver, EventSender, SpentEvents, WaitingBytes, event_channel};
use crate::events::HistorySink;
use crate::listed_histories::ListedFile;
use crate::read_policy::ReadPolicy;
use session_embed::Embedder;
use session_sources::Cursor;
use session_store::TurnPreparer;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

/// Files that may have been begun and not yet taken by the writer.
const MAX_WAITING_FILES: usize = 512;

/// Files in order, each announced to the writer when a thread begins it.
struct HistoryQueue<'a> {
    files: std::slice::Iter<'a, ChangedHistory>,
    begun: SyncSender<BegunHistory<'a>>,
    waiting: Arc<WaitingBytes>,
}

/// A history that a thread has begun to read, for the writer.
pub(crate) struct BegunHistory<'a> {
    pub(crate) change: &'a ChangedHistory,
    pub(crate) events: EventReceiver,
}

/// A history for the thread that takes it.
struct HistoryToRead<'a> {
    change: &'a ChangedHistory,
    channel: EventSender,
}

impl<'a> HistoryQueue<'a> {
    fn next(&mut self, spent: &Arc<SpentEvents>) -> Option<HistoryToRead<'a>> {
        let change = self.files.next()?;
        self.waiting.wait_for_room();
        let (channel, events) = event_channel(&self.waiting, spent);
        self.begun.send(BegunHistory { change, events }).ok()?;
        Some(HistoryToRead { change, channel })
    }
}

/// The options by which each file is read.
pub(crate) struct ReadOptions<'a> {
    /// No further files are begun after it.
    pub(crate) deadline: Deadline,
    /// Rules for what is read.
    pub(crate) policy: &'a ReadPolicy,
    /// The model that embeds what is read as it is read.
    pub(crate) embedder: Option<&'a dyn Embedder>,
}

/// Reads `changes` on `threads` threads and calls `each` with every file, in the order given, on this thread.
///
/// Each thread prepares turns by a clone of `preparer`. Past the deadline no further files are begun; but each thread
/// reads from one, so that every run gets on.
pub(crate) fn read_in_order<E>(
    changes: &[ChangedHistory],
    threads: usize,
    options: &ReadOptions<'_>,
    preparer: &TurnPreparer,
    each: impl FnMut(BegunHistory<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let (begun, inbox) = sync_channel(MAX_WAITING_FILES);
    let waiting = Arc::new(WaitingBytes::default());
    let queue = Arc::new(Mutex::new(HistoryQueue {
        files: changes.iter(),
        begun,
        waiting: Arc::clone(&waiting),
    }));
    std::thread::scope(|scope| {
        let reading = || {
            let queue = Arc::clone(&queue);
            let preparer = preparer.clone();
            move || read_queue(&queue, options, preparer)
        };
        scope.spawn(reading());
        for _ in 1..threads.min(changes.len()) {
            // Where no other thread can be had, the first reads all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, reading());
        }
        drop(queue); // when the last thread drops it, the inbox ends
        // A failed write drops the inbox and the events, which stops the threads that send, and this those that wait.
        let _close = waiting.close_on_drop();
        inbox.into_iter().try_for_each(each)
    })
}

/// Takes files off the queue in order. The oldest unfinished file always has a
/// thread, so the writer never waits for one that nobody reads.
fn read_queue(
    queue: &Mutex<HistoryQueue<'_>>,
    options: &ReadOptions<'_>,
    mut preparer: TurnPreparer,
) {
    let spent = Arc::default();
    loop {
        let next = queue.lock().ok().and_then(|mut queue| queue.next(&spent));
        let Some(HistoryToRead { change, channel }) = next else {
            return;
        };
        let mut sink = HistorySink::new(channel, options, change, &mut preparer);
        let cursor = change.cursor.clone().map(Cursor);
        let ListedFile { source, location } = &change.file;
        source.read(location, cursor.as_ref(), &mut sink);
        sink.done();
        if options.deadline.has_passed() {
            return;
        }
    }
}
