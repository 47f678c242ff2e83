//! Signals that end the process, kept back while a file is written that has no name yet.

use std::io::{Error, Result, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// While it lives, the signals by which a user ends the process make a write fail instead, so that the temporary file
/// is removed.
pub struct StopSignal {
    /// The signal that came; 0 for none.
    caught: Arc<AtomicUsize>,
    #[cfg(unix)]
    handlers: Vec<signal_hook::SigId>,
}

impl StopSignal {
    /// Begins to keep the signals back.
    #[cfg(unix)]
    pub fn catch() -> Self {
        // SIGHUP is left alone: `nohup` lets it be ignored.
        use signal_hook::consts::{SIGINT, SIGTERM};
        let caught = Arc::default();
        let register = |signal: i32| {
            let number = usize::try_from(signal).ok()?;
            signal_hook::flag::register_usize(signal, Arc::clone(&caught), number).ok()
        };
        let handlers = [SIGINT, SIGTERM].into_iter().filter_map(register);
        let handlers = handlers.collect();
        Self { caught, handlers }
    }

    /// Begins to keep the signals back: there are none.
    #[cfg(not(unix))]
    pub fn catch() -> Self {
        Self {
            caught: Arc::default(),
        }
    }

    /// Wraps a file: once a signal has come, nothing more is written.
    pub fn wrap<W: Write>(&self, out: W) -> impl Write {
        StoppableWriter {
            out,
            caught: Arc::clone(&self.caught),
        }
    }
}

impl Drop for StopSignal {
    /// Ends the process as the signal that came would have.
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            let handlers = std::mem::take(&mut self.handlers);
            handlers.into_iter().for_each(|handler| {
                signal_hook::low_level::unregister(handler);
            });
            let caught = i32::try_from(self.caught.load(Ordering::Relaxed)).unwrap_or_default();
            if caught != 0 {
                let _ = signal_hook::low_level::emulate_default_handler(caught);
            }
        }
    }
}

struct StoppableWriter<W> {
    out: W,
    caught: Arc<AtomicUsize>,
}

impl<W: Write> Write for StoppableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self.caught.load(Ordering::Relaxed) {
            0 => self.out.write(bytes),
            _ => Err(Error::other("a signal ended it")),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn after_a_signal_nothing_is_written() {
        let stop = StopSignal::catch();
        let mut written = Vec::new();
        let mut out = stop.wrap(&mut written);
        out.write_all(b"before").unwrap();
        signal_hook::low_level::raise(signal_hook::consts::SIGTERM).unwrap();
        out.write_all(b"after").unwrap_err();
        drop(out);
        assert_eq!(written, b"before");
        std::mem::forget(stop); // which would end the test
    }
}
