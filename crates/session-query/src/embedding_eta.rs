//! When the process that embeds in the background expects to be done, for others to tell.

use crate::index_status::is_embedding;
use session_core::Progress;
use session_files::private;
use session_indexer::{RefreshProgress, RefreshStage};
use session_store::EMBEDDING_ETA_FILE;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time after which the speed of a process is known, and between two estimates.
const ESTIMATE_INTERVAL: Duration = Duration::from_secs(5);
/// The most bytes of an estimate.
const MAX_BYTES: u64 = 64;

/// Writes when a process will have embedded all turns, at the speed that it has had since it began, into the folder of
/// the index. Dropped, it removes the estimate.
pub struct EmbeddingEta {
    path: PathBuf,
    began: Instant,
    estimated: Cell<Instant>,
}

impl EmbeddingEta {
    /// Begins a process that embeds, which holds the lock of that. The estimate of one that was killed is removed.
    pub fn begin(root: &Path) -> Self {
        Self::begin_at(root, Instant::now())
    }

    fn begin_at(root: &Path, began: Instant) -> Self {
        let path = root.join(EMBEDDING_ETA_FILE);
        let _ = fs_err::remove_file(&path);
        Self {
            path,
            began,
            estimated: Cell::new(began),
        }
    }
}

impl RefreshProgress for EmbeddingEta {
    /// A failure is ignored: it costs the estimate alone.
    fn report(&self, stage: RefreshStage, progress: Progress) {
        if stage != RefreshStage::Embedding || self.estimated.get().elapsed() < ESTIMATE_INTERVAL {
            return;
        }
        self.estimated.set(Instant::now());
        if let Some(left) = estimate_time_left(self.began.elapsed(), progress) {
            let _ = write_end(&self.path, left);
        }
    }
}

impl Drop for EmbeddingEta {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.path);
    }
}

/// Returns `elapsed * (total - done) / done`; `None` before anything is done.
fn estimate_time_left(elapsed: Duration, progress: Progress) -> Option<Duration> {
    let Progress { done, total } = progress;
    let left = total.saturating_sub(done) as f64 / done as f64;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * left).ok()
}

/// Writes the time at which so much will have passed, in milliseconds since 1970: a reader needs no clock of the writer.
fn write_end(path: &Path, left: Duration) -> Option<()> {
    let end = SystemTime::now().checked_add(left)?;
    let end = end.duration_since(UNIX_EPOCH).ok()?.as_millis();
    private::write_cached(path, end.to_string().as_bytes()).ok()
}

/// Returns how long the process that embeds the index in a folder will take by its estimate; `None` if none runs, or it
/// has no estimate yet.
pub(crate) fn read_embedding_time_left(root: &Path) -> Option<Duration> {
    let end = private::read_text(&root.join(EMBEDDING_ETA_FILE), MAX_BYTES);
    let end = Duration::from_millis(end.ok()??.trim().parse().ok()?);
    let end = UNIX_EPOCH.checked_add(end)?;
    let left = end.duration_since(SystemTime::now()).ok()?;
    // Checked last: it makes the lock.
    is_embedding(root).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::IndexLock;

    #[test]
    fn the_time_left_is_in_proportion_to_the_turns_left() {
        let left =
            |done, total| estimate_time_left(Duration::from_secs(100), Progress { done, total });
        assert_eq!(left(10, 30), Some(Duration::from_secs(200)));
        assert_eq!(left(30, 30), Some(Duration::ZERO));
        assert_eq!(left(0, 30), None);
        assert_eq!(left(0, 0), None);
    }

    #[test]
    fn an_estimate_is_read_while_its_process_runs() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let lock = IndexLock::acquire_embedding(root).unwrap();
        assert_eq!(read_embedding_time_left(root), None);
        let new = EmbeddingEta::begin(root);
        new.report(RefreshStage::Embedding, Progress { done: 1, total: 2 });
        assert_eq!(read_embedding_time_left(root), None, "it has just begun");
        // It takes a day for a third.
        let day = Duration::from_secs(24 * 60 * 60);
        let old = EmbeddingEta::begin_at(root, Instant::now().checked_sub(day).unwrap());
        old.report(RefreshStage::Reading, Progress { done: 1, total: 2 });
        assert_eq!(read_embedding_time_left(root), None, "another stage");
        old.report(
            RefreshStage::Embedding,
            Progress {
                done: 10,
                total: 30,
            },
        );
        let left = read_embedding_time_left(root).unwrap();
        assert!(left > day && left < day * 3, "{left:?}");
        drop(lock);
        assert_eq!(read_embedding_time_left(root), None, "it was killed");
        let _lock = IndexLock::acquire_embedding(root).unwrap();
        let next = EmbeddingEta::begin(root);
        assert_eq!(read_embedding_time_left(root), None, "another process");
        old.report(
            RefreshStage::Embedding,
            Progress {
                done: 10,
                total: 30,
            },
        );
        drop(next);
        assert!(!root.join(EMBEDDING_ETA_FILE).exists(), "it is done");
    }
}
