//! A worker thread with an idle timeout, for connections that stay open and send nothing.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// A message from the worker thread.
enum WorkerMessage<T> {
    /// Progress of the current file.
    Progress(DownloadProgress),
    /// The result of the work.
    Done(T),
}

/// Progress of a download, in bytes.
pub(crate) enum DownloadProgress {
    /// A file starts with `total` bytes, of which `done` bytes are there already.
    Started { total: u64, done: u64 },
    /// More bytes of the current file were received.
    Received(u64),
}

/// Sends the progress of a download to the thread that waits.
pub(crate) struct DownloadReporter {
    send: Box<dyn Fn(DownloadProgress) -> bool + Send>,
}

impl DownloadReporter {
    /// Reports that a file of `total` bytes starts, of which `done` bytes are there already.
    pub(crate) fn start(&self, total: u64, done: u64) {
        (self.send)(DownloadProgress::Started { total, done });
    }

    /// Reports received bytes. Returns false when the other thread no longer waits.
    pub(crate) fn advance(&self, bytes: u64) -> bool {
        (self.send)(DownloadProgress::Received(bytes))
    }
}

/// Why a worker thread gave no result.
pub(crate) enum WorkerFailure {
    /// Nothing was received within the timeout. The thread is detached, and ends with the next byte
    /// or with the process.
    TimedOut,
    /// The thread panicked.
    Panicked,
}

/// Runs `work` in a thread and waits for its result, as long as it reports progress at least
/// every `timeout`.
pub(crate) fn run_with_idle_timeout<T: Send + 'static>(
    timeout: Duration,
    on_progress: &dyn Fn(DownloadProgress),
    work: impl FnOnce(&DownloadReporter) -> T + Send + 'static,
) -> Result<T, WorkerFailure> {
    let (sender, receiver) = channel::<WorkerMessage<T>>();
    let progress: Sender<WorkerMessage<T>> = sender.clone();
    std::thread::spawn(move || {
        let send = move |message| progress.send(WorkerMessage::Progress(message)).is_ok();
        let reporter = DownloadReporter {
            send: Box::new(send),
        };
        let _ = sender.send(WorkerMessage::Done(work(&reporter)));
    });
    receive_result(&receiver, timeout, on_progress)
}

fn receive_result<T>(
    receiver: &Receiver<WorkerMessage<T>>,
    timeout: Duration,
    on_progress: &dyn Fn(DownloadProgress),
) -> Result<T, WorkerFailure> {
    loop {
        match receiver.recv_timeout(timeout) {
            Ok(WorkerMessage::Progress(progress)) => on_progress(progress),
            Ok(WorkerMessage::Done(result)) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => return Err(WorkerFailure::TimedOut),
            Err(RecvTimeoutError::Disconnected) => return Err(WorkerFailure::Panicked),
        }
    }
}
