//! A progress bar on stderr, for what takes longer than a moment.

use crate::output::notes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use session_indexer::{Progress, Stage};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_millis(400);

/// Shows sessions migrated, bytes read, then turns embedded. Silent where stderr is no terminal.
pub struct IndexProgressBar {
    bar: ProgressBar,
    stage: Cell<Option<Stage>>,
    began: Instant,
}

impl IndexProgressBar {
    /// Makes a bar that shows itself when the work takes longer than a moment.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self {
            bar,
            stage: Cell::new(None),
            began: Instant::now(),
        }
    }

    fn enter(&self, stage: Stage, total: u64) {
        let template = match stage {
            Stage::Migrating => "migrating index  {bar:16} {pos}/{len} sessions  {eta} left",
            Stage::Reading => "reading history  {bar:16} {bytes}/{total_bytes}  {eta} left",
            Stage::Embedding => "embedding        {bar:16} {pos}/{len} turns  {msg}{eta} left",
            Stage::Purging => "removing deleted text from the index",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        // Drawn once: each of both by itself would be drawn with the other of the stage before.
        self.bar.update(|state| {
            state.set_pos(0);
            state.set_len(total);
        });
        self.stage.set(Some(stage));
    }
}

impl Progress for IndexProgressBar {
    fn at(&self, stage: Stage, done: u64, total: u64) {
        if self.stage.get() != Some(stage) {
            self.enter(stage, total);
        }
        if self.bar.is_hidden() && self.began.elapsed() > PATIENCE {
            self.bar.set_draw_target(notes::progress_target());
        }
        self.bar.set_position(done);
    }

    fn tokens(&self, so_far: u64) {
        let seconds = self.began.elapsed().as_secs().max(1);
        self.bar
            .set_message(format!("about {} tokens/s  ", so_far / seconds));
    }
}

impl Drop for IndexProgressBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
