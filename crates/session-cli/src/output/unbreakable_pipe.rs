//! Output whose reader may go away, as `| head` does, before a command has done its work.

use std::io::{ErrorKind, Result, Write};

/// A writer that takes what is written to a reader that went away, and loses it.
pub struct UnbreakablePipe<W>(pub W);

impl<W: Write> Write for UnbreakablePipe<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}
