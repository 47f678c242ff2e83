//! A progress bar on stderr, for what takes longer than a moment.

use crate::output::delayed_bar::DelayedBar;
use indicatif::ProgressStyle;
use session_core::Progress;
use session_indexer::{RefreshProgress, RefreshStage};
use std::cell::Cell;

/// Shows sessions migrated, parts redacted, bytes read, then turns embedded. Silent where stderr is no terminal.
pub struct IndexProgressBar {
    delayed: DelayedBar,
    stage: Cell<Option<RefreshStage>>,
}

impl IndexProgressBar {
    /// Makes a bar that shows itself when the work takes longer than a moment.
    pub fn new() -> Self {
        Self {
            delayed: DelayedBar::new(),
            stage: Cell::new(None),
        }
    }

    /// Makes the bar of a refresh.
    pub fn boxed() -> Box<dyn RefreshProgress> {
        Box::new(Self::new())
    }

    fn enter(&self, stage: RefreshStage, total: u64) {
        let template = match stage {
            RefreshStage::Migrating => "migrating index  {bar:16} {pos}/{len} sessions  {eta} left",
            RefreshStage::Redacting => "redacting index  {bar:16} {pos}/{len} parts  {eta} left",
            RefreshStage::Reading => "reading history  {bar:16} {bytes}/{total_bytes}  {eta} left",
            RefreshStage::Embedding => {
                "embedding        {bar:16} {pos}/{len} turns  {msg}{eta} left"
            }
            RefreshStage::Purging => "removing deleted text from the index",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.delayed.bar.set_style(style);
        }
        // Drawn once: each of both by itself would be drawn with the other of the stage before.
        self.delayed.bar.update(|state| {
            state.set_pos(0);
            state.set_len(total);
        });
        self.stage.set(Some(stage));
    }
}

impl RefreshProgress for IndexProgressBar {
    fn report(&self, stage: RefreshStage, progress: Progress) {
        if self.stage.get() != Some(stage) {
            self.enter(stage, progress.total);
        }
        self.delayed.show_when_due();
        self.delayed.bar.set_position(progress.done);
    }

    fn report_tokens(&self, so_far: u64) {
        let seconds = self.delayed.elapsed().as_secs().max(1);
        self.delayed
            .bar
            .set_message(format!("about {} tokens/s  ", so_far / seconds));
    }
}
