//! Bars for files that are fetched, copied or read.

use crate::output::notes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use session_models::FileProgress;
use std::time::{Duration, Instant};

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_millis(400);

const TEMPLATE: &str = "{msg:28!} {bar:12} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";

/// Progress bars on stderr, for one file after the other. They are silent where stderr is no terminal.
pub struct DownloadBars {
    bar: ProgressBar,
    began: Instant,
}

impl DownloadBars {
    /// Makes bars that show themselves when the work takes longer than a moment.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self {
            bar,
            began: Instant::now(),
        }
    }
}

impl FileProgress for DownloadBars {
    fn start_file(&self, name: &str, total: u64, done: u64) {
        self.bar.reset();
        self.bar.set_message(name.to_owned());
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    fn advance(&self, bytes: u64) {
        if self.bar.is_hidden() && self.began.elapsed() > PATIENCE {
            self.bar.set_draw_target(notes::progress_target());
        }
        self.bar.inc(bytes);
    }

    fn note(&self, text: &str) {
        self.bar.suspend(|| {
            let _ = std::io::Write::write_fmt(&mut notes::open_stderr(), format_args!("{text}\n"));
        });
    }
}

impl Drop for DownloadBars {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
