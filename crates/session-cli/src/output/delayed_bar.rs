//! A progress bar that short work never shows.

use crate::output::notes;
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::time::{Duration, Instant};

/// Nothing is shown before this.
const DELAY: Duration = Duration::from_millis(400);

/// A progress bar on stderr that shows itself when the work takes longer than a moment, and is removed at its end. It is
/// silent where stderr is no terminal.
pub struct DelayedBar {
    /// The bar itself.
    pub bar: ProgressBar,
    began: Instant,
}

impl DelayedBar {
    /// Makes a bar that is hidden as yet.
    pub fn new() -> Self {
        Self {
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            began: Instant::now(),
        }
    }

    /// Shows the bar once the work has taken long enough.
    pub fn show_when_due(&self) {
        if self.bar.is_hidden() && self.began.elapsed() > DELAY {
            self.bar.set_draw_target(notes::progress_target());
        }
    }

    /// Returns how long the work has taken.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Drop for DelayedBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
