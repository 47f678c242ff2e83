//! Work that may stop without an end: a connection that stays open and silent.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// What is heard of the work.
enum Heard<T> {
    /// A file begins: its length, and how much of it was there.
    File(u64, u64),
    /// So many bytes more.
    Bytes(u64),
    /// The end.
    Done(T),
}

/// Tells of downloads; the other end may have stopped listening.
pub struct Reporter<T> {
    to: Sender<Heard<T>>,
    /// Length of a file that began and of which nothing was heard.
    begun: Option<u64>,
}

impl<T> hf_hub::api::Progress for Reporter<T> {
    fn init(&mut self, size: usize, _: &str) {
        self.begun = Some(size as u64);
    }

    /// First it is what was there, then what comes.
    fn update(&mut self, size: usize) {
        let heard = match self.begun.take() {
            Some(total) => Heard::File(total, size as u64),
            None => Heard::Bytes(size as u64),
        };
        let _ = self.to.send(heard);
    }

    fn finish(&mut self) {}
}

/// Why there is no result.
pub enum Lost {
    /// Nothing was heard for too long. The work is left to itself: it ends
    /// with the process.
    Silent,
    /// The work panicked.
    Broken,
}

/// Does work in a thread, as long as it tells something every `patience`.
pub fn watched<T: Send + 'static>(
    patience: Duration,
    progress: &dyn Fn(Option<u64>, u64),
    work: impl FnOnce(Reporter<T>) -> T + Send + 'static,
) -> Result<T, Lost> {
    let (to, from) = channel();
    std::thread::spawn(move || {
        let reporter = Reporter {
            to: to.clone(),
            begun: None,
        };
        let _ = to.send(Heard::Done(work(reporter)));
    });
    listen(&from, patience, progress)
}

fn listen<T>(
    from: &Receiver<Heard<T>>,
    patience: Duration,
    progress: &dyn Fn(Option<u64>, u64),
) -> Result<T, Lost> {
    loop {
        match from.recv_timeout(patience) {
            Ok(Heard::File(total, done)) => progress(Some(total), done),
            Ok(Heard::Bytes(bytes)) => progress(None, bytes),
            Ok(Heard::Done(result)) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => return Err(Lost::Silent),
            Err(RecvTimeoutError::Disconnected) => return Err(Lost::Broken),
        }
    }
}
