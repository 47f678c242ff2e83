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
pub enum DownloadProgress {
    /// A file starts with `total` bytes, of which `done` bytes are there already.
    Started { total: u64, done: u64 },
    /// More bytes of the current file were received.
    Received(u64),
}

/// Sends the progress of downloads to the thread that waits. That thread may have timed out.
pub struct DownloadReporter<T> {
    sender: Sender<WorkerMessage<T>>,
    /// Length of a file that started and whose first update is due.
    pending_total: Option<u64>,
}

impl<T> hf_hub::api::Progress for DownloadReporter<T> {
    fn init(&mut self, size: usize, _: &str) {
        self.pending_total = Some(size as u64);
    }

    /// Reports bytes. The first update of a file counts the bytes that were there already.
    fn update(&mut self, size: usize) {
        let progress = match self.pending_total.take() {
            Some(total) => DownloadProgress::Started {
                total,
                done: size as u64,
            },
            None => DownloadProgress::Received(size as u64),
        };
        let _ = self.sender.send(WorkerMessage::Progress(progress));
    }

    fn finish(&mut self) {}
}

/// Why a worker thread gave no result.
pub enum WorkerFailure {
    /// Nothing was received within the timeout. The thread is detached and ends with the
    /// process.
    TimedOut,
    /// The thread panicked.
    Panicked,
}

/// Runs `work` in a thread and waits for its result, as long as it reports progress at least
/// every `timeout`.
pub fn run_with_idle_timeout<T: Send + 'static>(
    timeout: Duration,
    on_progress: &dyn Fn(DownloadProgress),
    work: impl FnOnce(DownloadReporter<T>) -> T + Send + 'static,
) -> Result<T, WorkerFailure> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let reporter = DownloadReporter {
            sender: sender.clone(),
            pending_total: None,
        };
        let _ = sender.send(WorkerMessage::Done(work(reporter)));
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
