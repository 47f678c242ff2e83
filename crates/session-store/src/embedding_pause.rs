//! Pauses the process that embeds beside others, while a person waits for one of them.

use crate::directory_ownership::PAUSE_LOCK;
use crate::embedding_handover::EmbeddingHandover;
use session_files::{Dir, Lock};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest time for which a process that embeds waits at once, and for which it then goes on: who asked may
/// have been stopped, or ask without end.
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// Interval at which it looks whether it may go on.
const PAUSE_INTERVAL: Duration = Duration::from_millis(100);

/// A request, until it is dropped, that the process that embeds beside others waits: a person does.
pub struct EmbeddingPause(#[expect(dead_code, reason = "held")] Lock);

impl EmbeddingPause {
    /// Requests a pause. Any number of processes can; `None` if no process has embedded beside others yet.
    pub fn request(root: &Path) -> Option<Self> {
        let dir = Dir::open(root).ok()?;
        let lock = Lock::try_lock_shared(&dir, PAUSE_LOCK).ok().flatten();
        lock.map(Self)
    }

    fn is_requested(root: &Path) -> bool {
        let Ok(dir) = Dir::open(root) else {
            return false;
        };
        matches!(Lock::try_lock(&dir, PAUSE_LOCK), Ok(None))
    }
}

/// Pauses of the process that embeds: after a longest one it goes on for as long, whoever asks.
pub struct EmbeddingPauses {
    root: PathBuf,
    max_pause: Duration,
    no_pause_until: Cell<Option<Instant>>,
}

impl EmbeddingPauses {
    /// Makes the pauses of the process that embeds the index in this directory.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            max_pause: MAX_PAUSE,
            no_pause_until: Cell::new(None),
        }
    }

    /// Waits while a pause is requested, ten seconds at most, unless it has just waited for so long. A process that is to hand
    /// over its work does not wait.
    pub fn wait(&self) {
        let began = Instant::now();
        let mut now = began;
        while self.no_pause_until.get().is_none_or(|end| end <= now) {
            if !EmbeddingPause::is_requested(&self.root)
                || EmbeddingHandover::is_requested(&self.root)
            {
                return;
            }
            if now - began >= self.max_pause {
                self.no_pause_until.set(now.checked_add(self.max_pause));
                return;
            }
            std::thread::sleep(PAUSE_INTERVAL.min(self.max_pause));
            now = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lasts_until_all_who_requested_it_are_answered() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert!(EmbeddingPause::request(root).is_none());
        assert_eq!(fs_err::read_dir(root).unwrap().count(), 0, "it is made");
        assert!(!EmbeddingPause::is_requested(root));
        let [first, second] = [(); 2].map(|()| EmbeddingPause::request(root).unwrap());
        drop(first);
        assert!(EmbeddingPause::is_requested(root));
        drop(second);
        assert!(!EmbeddingPause::is_requested(root));
    }

    #[test]
    fn no_pause_keeps_a_process_from_handing_over() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs_err::write(root.join(PAUSE_LOCK), "").unwrap();
        let _pause = EmbeddingPause::request(root).unwrap();
        let _handover = EmbeddingHandover::request(root).unwrap().unwrap();
        let mut pauses = EmbeddingPauses::new(root.to_owned());
        pauses.max_pause = Duration::ZERO;
        pauses.wait();
        assert_eq!(pauses.no_pause_until.get(), None, "it waited to the end");
    }

    #[test]
    fn after_a_longest_pause_it_goes_on_whoever_asks() {
        let root = tempfile::tempdir().unwrap();
        fs_err::write(root.path().join(PAUSE_LOCK), "").unwrap();
        let mut pauses = EmbeddingPauses::new(root.path().to_owned());
        pauses.wait();
        assert_eq!(pauses.no_pause_until.get(), None);
        let _request = EmbeddingPause::request(root.path()).unwrap();
        pauses.max_pause = Duration::ZERO;
        pauses.wait();
        assert!(pauses.no_pause_until.get().is_some());
        // It would not return before an hour.
        pauses.max_pause = Duration::from_secs(3600);
        let end = Instant::now() + pauses.max_pause;
        pauses.no_pause_until.set(Some(end));
        pauses.wait();
        assert_eq!(pauses.no_pause_until.get(), Some(end));
    }
}
