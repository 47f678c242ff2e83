//! Waiting for another process that holds a lock of the index.

use crate::output::notes;
use anyhow::{Result, bail};
use std::io::Write;
use std::time::{Duration, Instant};

/// Time between two attempts.
const INTERVAL: Duration = Duration::from_millis(200);

/// Attempts something until it succeeds. `None` means that another process holds the lock, which is noted once.
///
/// # Errors
/// Those of the attempt, or when the other process does not end within `limit`.
pub fn wait_for_lock<T>(
    work: &'static str,
    limit: Duration,
    mut attempt: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let began = Instant::now();
    let mut note = LockNote::new(work);
    loop {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
        if began.elapsed() > limit {
            let minutes = limit.as_secs() / 60;
            bail!(
                "another process has not finished {work} in {minutes} min\nhint: wait for it to end"
            );
        }
        note.print_once()?;
        std::thread::sleep(INTERVAL);
    }
}

/// The note that another process is waited for.
pub struct LockNote {
    work: &'static str,
    is_printed: bool,
}

impl LockNote {
    /// Names the work that the other process has to finish.
    pub fn new(work: &'static str) -> Self {
        let is_printed = false;
        Self { work, is_printed }
    }

    /// Prints the note, unless it was printed before.
    ///
    /// # Errors
    /// When stderr cannot be written.
    pub fn print_once(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.is_printed, true) {
            let work = self.work;
            writeln!(
                notes::open_stderr(),
                "waiting for another process to finish {work}"
            )?;
        }
        Ok(())
    }
}
