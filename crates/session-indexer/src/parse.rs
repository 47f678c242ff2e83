//! Reading many histories at once, delivered one after the other.

use crate::discover::Change;
use crate::event_channel::{EventReceiver, EventSender, SpentEvents, WaitingBytes, event_channel};
use crate::events::{Sender, is_past};
use crate::policy::ReadPolicy;
use session_embed::Embedder;
use session_sources::Cursor;
use session_store::TurnPreparer;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Files that may have been begun and not yet taken by the writer.
const MAX_WAITING_FILES: usize = 512;

/// Files in order, each announced to the writer when a thread begins it.
struct EventQueue<'a> {
    files: std::slice::Iter<'a, Change>,
    begun: SyncSender<(&'a Change, EventReceiver)>,
    waiting: Arc<WaitingBytes>,
}

impl<'a> EventQueue<'a> {
    fn next(&mut self, spent: &Arc<SpentEvents>) -> Option<(&'a Change, EventSender)> {
        let change = self.files.next()?;
        self.waiting.wait_for_room();
        let (sender, receiver) = event_channel(&self.waiting, spent);
        self.begun.send((change, receiver)).ok()?;
        Some((change, sender))
    }
}

/// How each file is read.
pub(crate) struct ReadOptions<'a> {
    /// The time from which on no further files are begun.
    pub(crate) deadline: Option<Instant>,
    /// Rules for what is read.
    pub(crate) policy: &'a ReadPolicy,
    /// Models that embed what is read as it is read.
    pub(crate) embedders: &'a [&'a dyn Embedder],
}

/// Reads `changes` on `threads` threads and calls `each` with every file and
/// its events, in the order given, on this thread; each thread prepares turns by a clone of `preparer`. Past the deadline no further
/// files are begun; but each thread reads from one, so that every run gets on.
pub(crate) fn in_order<E>(
    changes: &[Change],
    threads: usize,
    options: &ReadOptions<'_>,
    preparer: &TurnPreparer,
    mut each: impl FnMut(&Change, EventReceiver) -> Result<(), E>,
) -> Result<(), E> {
    let (begun, inbox) = sync_channel(MAX_WAITING_FILES);
    let waiting = Arc::new(WaitingBytes::default());
    let queue = Arc::new(Mutex::new(EventQueue {
        files: changes.iter(),
        begun,
        waiting: Arc::clone(&waiting),
    }));
    std::thread::scope(|scope| {
        let reading = || {
            let queue = Arc::clone(&queue);
            let preparer = preparer.clone();
            move || work(&queue, options, preparer)
        };
        scope.spawn(reading());
        for _ in 1..threads.min(changes.len()) {
            // Where no other thread can be had, the first reads all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, reading());
        }
        drop(queue); // when the last thread drops it, the inbox ends
        // A failed write drops the inbox and the events, which stops the threads that send, and this those that wait.
        let _close = waiting.close_on_drop();
        inbox
            .into_iter()
            .try_for_each(|(change, events)| each(change, events))
    })
}

/// Takes files off the queue in order. The oldest unfinished file always has a
/// thread, so the writer never waits for one that nobody reads.
fn work(queue: &Mutex<EventQueue<'_>>, options: &ReadOptions<'_>, mut preparer: TurnPreparer) {
    let spent = Arc::default();
    loop {
        let next = queue.lock().ok().and_then(|mut queue| queue.next(&spent));
        let Some((change, channel)) = next else {
            return;
        };
        let mut sender = Sender::new(channel, options, change.source.name(), &mut preparer);
        let cursor = change.cursor.clone().map(Cursor);
        change
            .source
            .read(&change.location, cursor.as_ref(), &mut sender);
        sender.done();
        if is_past(options.deadline) {
            return;
        }
    }
}
