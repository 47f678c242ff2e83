//! Outcome and progress of a refresh.

use serde::Serialize;
use session_core::Progress;
use session_forget::ContentCounts;
use session_store::{RewrittenCounts, StoreError, old_databases};
use std::path::{Path, PathBuf};

/// The outcome of a refresh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RefreshOutcome {
    /// History files read, whole or from where they had grown; none of which nothing could be read.
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
    /// Files and directories of histories that could not be read or listed, so that the index lacks what they hold.
    /// They are tried again by the next refresh, or once they change. Damage in a file is none of them.
    #[serde(rename = "places_unread")]
    pub unreadable_paths: usize,
    /// Counts of what was removed since it is excluded now: turns and titles are of sessions that stay.
    pub removed: ContentCounts,
    /// Ids of the sessions that the rules removed.
    #[serde(skip)]
    pub removed_sessions: Vec<String>,
    /// Folders of the projects whose sessions the rules removed.
    #[serde(skip)]
    pub removed_projects: Vec<String>,
    /// Counts of what the index held and was redacted now, since the rules of redaction are other ones.
    #[serde(skip)]
    pub redacted: RewrittenCounts,
    /// Ids of the sessions that are excluded from now on, since a prompt asks for it.
    #[serde(skip)]
    pub marked_sessions: Vec<String>,
    /// Ids of the sessions with a prompt that holds the marker where it does not count: they are indexed.
    #[serde(skip)]
    pub uncounted_markers: Vec<String>,
    /// The reason for which the index could not be written, where it was searched as it is.
    #[serde(skip)]
    pub unwritable: Option<Unwritable>,
    /// Others could write to the index's directory until now.
    #[serde(skip)]
    pub was_open_to_others: bool,
    /// A database that was renamed to `….old`, where something is to be said of it.
    #[serde(skip)]
    pub old_database: Option<OldDatabase>,
    /// Deleted text is still in the log, which a reader keeps.
    #[serde(skip)]
    pub purge_waits: bool,
    /// Another process was writing, so nothing was done.
    pub locked: bool,
}

/// A database that was renamed to `….old`, and is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OldDatabase {
    /// It was renamed now, since it is damaged: it may be all that is left of sessions whose histories are gone.
    Renamed(PathBuf),
    /// It was renamed before, and may hold what was removed from the index now.
    MayHoldRemoved(PathBuf),
}

impl OldDatabase {
    /// Returns the one to be named after something was removed from the index in `root`, or redacted in it.
    pub(crate) fn after_removal(root: &Path, outcome: &RefreshOutcome) -> Option<Self> {
        let is_removed = outcome.removed != ContentCounts::default()
            || outcome.redacted != RewrittenCounts::default();
        let mut old = old_databases(root).into_iter().filter(|_| is_removed);
        old.next().map(Self::MayHoldRemoved)
    }
}

/// The reason for which the index cannot be written, and what a user can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable {
    /// The error.
    pub reason: String,
    /// The way out.
    pub hint: &'static str,
}

impl Unwritable {
    /// Returns the reason where the directory of the index cannot be written, or its disk is full.
    pub fn new(error: &StoreError) -> Option<Self> {
        let is_unwritable = error.needs_write_access() || error.needs_space();
        let hint = error.hint().filter(|_| is_unwritable)?;
        Some(Self {
            reason: error.to_string(),
            hint,
        })
    }
}

impl RefreshOutcome {
    /// Returns true when the index is up to date with the histories.
    pub fn is_complete(&self) -> bool {
        !self.locked && self.files_left == 0 && self.sessions_left == 0
    }

    /// Returns true when the index holds all of the histories: it is up to date, and nothing of them could not be read.
    pub fn has_read_all(&self) -> bool {
        self.is_complete() && self.unreadable_paths == 0
    }
}

/// The stage of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshStage {
    /// Migrating an index of an older format: counts sessions.
    Migrating,
    /// Redacting what the index holds by rules that came later: counts parts of it.
    Redacting,
    /// Reading history: counts bytes.
    Reading,
    /// Embedding: counts turns.
    Embedding,
    /// Removing deleted text from the files of the index.
    Purging,
}

/// Makes the progress display of a refresh.
pub type ProgressFactory<'a> = &'a (dyn Fn() -> Box<dyn RefreshProgress> + Sync);

/// Receives the progress of a refresh or an embedding run: many calls, from one thread.
pub trait RefreshProgress {
    /// Receives the progress in a stage.
    fn report(&self, stage: RefreshStage, progress: Progress);

    /// Reports about how many tokens have been embedded.
    fn report_tokens(&self, _so_far: u64) {}
}

/// Ignores all progress.
pub struct SilentProgress;

impl RefreshProgress for SilentProgress {
    fn report(&self, _: RefreshStage, _: Progress) {}
}
