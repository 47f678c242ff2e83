//! The progress of a refresh, as a client hears it.

use session_core::Progress;
use session_indexer::{RefreshProgress, RefreshStage};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// Least time between two steps.
const INTERVAL: Duration = Duration::from_millis(250);
/// Stages of a refresh: each counts as one.
pub(crate) const STAGES: f64 = 5.0;

/// The progress of a call. It grows from one step to the next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProgressStep {
    /// Stages that are done, of [`STAGES`].
    pub(crate) done: f64,
    /// The present one.
    pub(crate) message: &'static str,
}

/// Sends steps to the client, if it wants them.
#[derive(Clone, Default)]
pub(crate) struct ProgressSink {
    sender: Option<UnboundedSender<ProgressStep>>,
    last: Arc<Mutex<Option<LastProgress>>>,
}

#[derive(Clone, Copy)]
struct LastProgress {
    done: f64,
    at: Instant,
}

impl ProgressSink {
    /// Makes a sink for a client that asked for progress.
    pub(crate) fn new(sender: UnboundedSender<ProgressStep>) -> Self {
        Self {
            sender: Some(sender),
            ..Self::default()
        }
    }

    /// Records a step and returns true if it is due: it is further than the last one, and that was a while ago.
    fn is_due(&self, done: f64) -> bool {
        let Ok(mut last) = self.last.lock() else {
            return false;
        };
        let is_due = last.is_none_or(|last| done > last.done && last.at.elapsed() >= INTERVAL);
        if is_due {
            let at = Instant::now();
            *last = Some(LastProgress { done, at });
        }
        is_due
    }
}

impl RefreshProgress for ProgressSink {
    fn report(&self, stage: RefreshStage, progress: Progress) {
        let Some(sender) = &self.sender else {
            return;
        };
        let (stages, message) = match stage {
            RefreshStage::Migrating => (0.0, "migrating the index"),
            RefreshStage::Redacting => (1.0, "redacting the index"),
            RefreshStage::Reading => (2.0, "reading histories"),
            RefreshStage::Embedding => (3.0, "embedding"),
            RefreshStage::Purging => (4.0, "removing deleted text"),
        };
        let Progress { done, total } = progress;
        let share = done.min(total) as f64 / total.max(1) as f64;
        let done = stages + share;
        if self.is_due(done) {
            // A client that is gone needs no progress.
            let _ = sender.send(ProgressStep { done, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::unbounded_channel;

    #[test]
    fn progress_grows_and_comes_at_intervals() {
        let (sender, mut steps) = unbounded_channel();
        let sink = ProgressSink::new(sender);
        sink.report(RefreshStage::Reading, Progress { done: 1, total: 4 });
        sink.report(RefreshStage::Reading, Progress { done: 2, total: 4 });
        let step = steps.try_recv().unwrap();
        assert_eq!((step.done, step.message), (2.25, "reading histories"));
        assert!(steps.try_recv().is_err(), "too soon");
        let long_ago = Instant::now().checked_sub(INTERVAL).unwrap();
        sink.last.lock().unwrap().as_mut().unwrap().at = long_ago;
        sink.report(RefreshStage::Migrating, Progress { done: 4, total: 4 });
        assert!(steps.try_recv().is_err(), "a step back");
        sink.report(RefreshStage::Embedding, Progress { done: 0, total: 0 });
        assert_eq!(steps.try_recv().unwrap().done, 3.0);
    }
}
