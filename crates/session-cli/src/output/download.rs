//! Bars for files that are fetched, copied or read.

use crate::output::delayed_bar::DelayedBar;
use crate::output::notes;
use indicatif::ProgressStyle;
use session_models::FileProgress;

const TEMPLATE: &str = "{msg:28!} {bar:12} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";

/// Progress bars on stderr, for one file after the other. They are silent where stderr is no terminal.
pub struct DownloadBars {
    delayed: DelayedBar,
}

impl DownloadBars {
    /// Makes bars that show themselves when the work takes longer than a moment.
    pub fn new() -> Self {
        let delayed = DelayedBar::new();
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            delayed.bar.set_style(style);
        }
        Self { delayed }
    }
}

impl FileProgress for DownloadBars {
    fn start_file(&self, name: &str, total: u64, done: u64) {
        self.delayed.bar.reset();
        self.delayed.bar.set_message(name.to_owned());
        self.delayed.bar.set_length(total);
        self.delayed.bar.set_position(done);
    }

    fn advance(&self, bytes: u64) {
        self.delayed.show_when_due();
        self.delayed.bar.inc(bytes);
    }

    fn note(&self, text: &str) {
        self.delayed.bar.suspend(|| {
            let _ = notes::print_line(text);
        });
    }
}
