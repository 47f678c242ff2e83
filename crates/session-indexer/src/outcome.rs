//! Outcome and progress of a refresh.

use serde::Serialize;
use session_forget::Removed;
use session_store::StoreError;

/// The outcome of a refresh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// History files read, whole or from where they had grown.
    pub files_read: usize,
    /// History files that changed and are still to be read: time was up.
    pub files_left: usize,
    /// History files no longer on disk, newly marked.
    pub files_gone: usize,
    /// Turns delivered by the readers.
    pub turns: usize,
    /// Texts embedded; one that was embedded again, since its session changed meanwhile, counts twice.
    pub embedded: usize,
    /// Sessions still to be embedded: time was up.
    pub sessions_left: usize,
    /// Counts of what was removed since it is excluded now.
    pub removed: Removed,
    /// Why the index could not be written, where it was searched as it is.
    #[serde(skip)]
    pub unwritable: Option<Unwritable>,
    /// Others could write to the index's directory until now.
    #[serde(skip)]
    pub was_open_to_others: bool,
    /// Sessions with a prompt that asks to leave them out, by agent and id.
    #[serde(skip)]
    pub marked: Vec<(String, String)>,
    /// Deleted text is still in the log, which a reader keeps.
    #[serde(skip)]
    pub purge_waits: bool,
    /// Another process was writing, so nothing was done.
    pub locked: bool,
}

/// Why the index cannot be written, and what a user can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable {
    /// The error.
    pub reason: String,
    /// The way out.
    pub hint: &'static str,
}

impl Unwritable {
    /// Returns the reason where the folder of the index cannot be written, or its disk is full.
    pub fn new(error: &StoreError) -> Option<Self> {
        let is_unwritable = error.needs_write_access() || error.needs_space();
        let hint = error.hint().filter(|_| is_unwritable)?;
        Some(Self {
            reason: error.to_string(),
            hint,
        })
    }
}

impl Outcome {
    /// True when the index is as the histories are.
    pub fn is_complete(&self) -> bool {
        !self.locked && self.files_left == 0 && self.sessions_left == 0
    }
}

/// The stage of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Migrating an index of an older format: counts sessions.
    Migrating,
    /// Reading history: counts bytes.
    Reading,
    /// Embedding: counts turns.
    Embedding,
    /// Removing deleted text from the files of the index.
    Purging,
}

/// Hears how far a refresh has got. Called often, from one thread.
pub trait Progress {
    /// `done` of `total` in this stage.
    fn at(&self, stage: Stage, done: u64, total: u64);

    /// About how many tokens have been embedded.
    fn tokens(&self, _so_far: u64) {}
}

/// Hears nothing.
pub struct Silent;

impl Progress for Silent {
    fn at(&self, _: Stage, _: u64, _: u64) {}
}
