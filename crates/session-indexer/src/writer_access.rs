//! Access to the writer: held throughout, or taken for each write.

use crate::error::IndexError;
use session_store::{Reader, StoreError, Writer};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::{Duration, Instant};

/// Access to an index and its writer.
pub(crate) enum WriterAccess<'a> {
    /// The writer is held, and others wait for it meanwhile.
    Held(&'a mut Writer),
    /// The index in this directory is opened for each read, and its writer for each write.
    PerCommit(&'a Path),
}

/// Longest time to wait for another process that is writing the index.
pub const MAX_LOCK_WAIT: Duration = Duration::from_secs(60);

impl WriterAccess<'_> {
    /// Calls `read` with a reader of one state of the index.
    pub(crate) fn read<T, E>(
        &mut self,
        read: impl FnOnce(&Reader) -> Result<T, E>,
    ) -> Result<T, IndexError>
    where
        IndexError: From<E>,
    {
        match self {
            Self::Held(writer) => Ok(read(writer.reader()?)?),
            Self::PerCommit(root) => {
                let index = Reader::open(root)?;
                index.begin_snapshot()?;
                Ok(read(&index)?)
            }
        }
    }

    /// Calls `write` with the writer; it has to commit what it writes.
    pub(crate) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut Writer) -> Result<T, StoreError>,
    ) -> Result<T, IndexError> {
        match self {
            Self::Held(writer) => Ok(write(writer)?),
            Self::PerCommit(root) => Ok(write(&mut wait_for_writer(root, || {})?)?),
        }
    }
}

/// First and longest pause between two attempts: an attempt may look for changes in all histories.
const PAUSES: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_millis(200);

/// Opens an index for writing. While another process writes, waits for it, up to a minute; `on_wait` is called once then.
///
/// # Errors
/// When there is no index, or it cannot be written; [`StoreError::Locked`] after a minute.
pub fn wait_for_writer(root: &Path, on_wait: impl FnOnce()) -> Result<Writer, StoreError> {
    let open = || {
        drop(Reader::open(root)?); // never made anew where it has been deleted
        Writer::open(root)
    };
    let is_locked =
        |opened: &Result<Writer, StoreError>| opened.as_ref().is_err_and(StoreError::is_locked);
    retry_while_locked(is_locked, on_wait, open)
}

/// Calls `attempt` again as long as its result says that another process writes the index, at most for [`MAX_LOCK_WAIT`], and
/// returns the last result. `on_wait` is called once where that is waited for.
pub fn retry_while_locked<T>(
    is_locked: impl Fn(&T) -> bool,
    on_wait: impl FnOnce(),
    attempt: impl FnMut() -> T,
) -> T {
    retry_for(MAX_LOCK_WAIT, is_locked, on_wait, attempt)
}

fn retry_for<T>(
    longest: Duration,
    is_locked: impl Fn(&T) -> bool,
    on_wait: impl FnOnce(),
    mut attempt: impl FnMut() -> T,
) -> T {
    let began = Instant::now();
    let mut on_wait = Some(on_wait);
    let mut pause = *PAUSES.start();
    loop {
        let result = attempt();
        if !is_locked(&result) || began.elapsed() >= longest {
            return result;
        }
        if let Some(on_wait) = on_wait.take() {
            on_wait();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(*PAUSES.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_end_with_the_lock_or_with_the_longest_wait() {
        let count_attempts = |longest, locked| {
            let (mut attempts, mut waits) = (0, 0);
            let attempt = || {
                attempts += 1;
                attempts
            };
            let last = retry_for(longest, |at| *at <= locked, || waits += 1, attempt);
            (last, waits)
        };
        assert_eq!(count_attempts(MAX_LOCK_WAIT, 0), (1, 0));
        assert_eq!(count_attempts(MAX_LOCK_WAIT, 2), (3, 1));
        assert_eq!(count_attempts(Duration::ZERO, 2), (1, 0));
    }
}
