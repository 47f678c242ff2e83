//! Notes about an endpoint that lets a caller wait.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Receives a sentence about the first long wait for an endpoint, and none about later ones. By default it is
/// ignored.
#[derive(Clone)]
pub struct WaitListener {
    on_wait: Arc<dyn Fn(&str) + Send + Sync>,
    was_notified: Arc<AtomicBool>,
}

impl WaitListener {
    /// Creates a listener. It is called by a thread of its own.
    pub fn new(on_wait: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            on_wait: Arc::new(on_wait),
            was_notified: Arc::default(),
        }
    }

    /// Notifies the listener of a wait, unless it was notified before.
    pub(super) fn notify(&self, sentence: &str) {
        if !self.was_notified.swap(true, Ordering::Relaxed) {
            (self.on_wait)(sentence);
        }
    }

    /// Runs `work`, and notifies the listener when it takes longer than `patience`.
    pub(super) fn watch<T: Send>(
        &self,
        patience: Duration,
        sentence: &str,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        if self.was_notified.load(Ordering::Relaxed) {
            return work();
        }
        std::thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            scope.spawn(move || {
                if is_done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                    self.notify(sentence);
                }
            });
            let result = work();
            drop(done);
            result
        })
    }
}

impl Default for WaitListener {
    fn default() -> Self {
        Self::new(|_| ())
    }
}

impl fmt::Debug for WaitListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitListener")
    }
}
