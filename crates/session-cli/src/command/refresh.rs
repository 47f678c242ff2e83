//! The index, brought up to date before a command reads it.

use crate::command::lock_wait::{LockNote, wait_for_lock};
use crate::output::notes::print_notes;
use crate::output::progress::IndexProgressBar;
use anyhow::Result;
use jiff::Zoned;
use session_config::Home;
use session_core::SessionReference;
use session_embed::Embedder;
use session_indexer::{
    MAX_LOCK_WAIT, ReadPolicy, RefreshMode, RefreshOutcome, RefreshProgress, wait_for_writer,
};
use session_output::{format_no_history, format_refresh_notes};
use session_query::{LiveIndex, SearchEngine, Snapshot, find_misplaced_history};
use session_store::{Reader, SessionRow, Writer};

/// The index, brought up to date as far as a command can wait for it.
pub struct RefreshedIndex {
    /// The index.
    pub index: Reader,
    /// All sessions of the index.
    pub sessions: Vec<SessionRow>,
    /// True when all changed histories have been read.
    pub is_complete: bool,
    /// True where something was forgotten, or is excluded by the configuration.
    pub is_excluding: bool,
}

impl RefreshedIndex {
    /// Returns when the first session began, in milliseconds since 1970; without one, now.
    pub fn earliest_ms(&self, now: &Zoned) -> i64 {
        let starts = self
            .sessions
            .iter()
            .filter_map(|session| session.started_ms);
        starts.min().unwrap_or(now.timestamp().as_millisecond())
    }

    /// Formats that there is no history, where the index holds no session.
    pub fn format_no_history_of(&self, home: &Home) -> Option<String> {
        let is_empty = self.sessions.is_empty();
        is_empty.then(|| {
            let misplaced = find_misplaced_history(&home.env);
            let problems = self.index.problems().unwrap_or_default();
            format_no_history(&home.env, self.is_excluding, misplaced.as_ref(), &problems)
        })
    }
}

/// Opens the index, brought up to date as for a search.
///
/// # Errors
/// When the index or the model fails.
pub fn open_refreshed_index(home: &Home) -> Result<RefreshedIndex> {
    open_index_with_sessions(home, &[])
}

/// Opens the index, brought up to date as for a search; where a session that is named is not in it, to the end.
///
/// # Errors
/// As [`update_index`].
pub fn open_index_with_sessions(home: &Home, named: &[String]) -> Result<RefreshedIndex> {
    let engine = SearchEngine::new(home.clone())?;
    let policy = engine.read_policy()?;
    let live = live_index(&engine, &policy);
    let outcome = refresh_for_sessions(&engine, &live, named)?;
    note_unread(&outcome)?;
    let Snapshot { index, sessions } = live.snapshot()?;
    Ok(RefreshedIndex {
        index,
        sessions,
        is_complete: outcome.is_complete(),
        is_excluding: !policy.exclusions.is_empty(),
    })
}

/// Refreshes the index as for a search, and goes on to the end where a session that is named (`ID`, `ID:7`, `ID:5-9`) is not
/// in it: that it is nowhere can be said only then.
///
/// # Errors
/// As [`update_index`].
pub fn refresh_for_sessions(
    engine: &SearchEngine,
    live: &LiveIndex<'_>,
    named: &[String],
) -> Result<RefreshOutcome> {
    let ids: Vec<String> = named
        .iter()
        .map(|id| SessionReference::strip_turns(id).to_owned())
        .collect();
    let outcome = live.refresh_for_query()?;
    if live.may_have_unread_session(&ids, &outcome)? {
        update_index(engine, RefreshMode::Changes)
    } else {
        Ok(outcome)
    }
}

/// Opens the index for writing, after another process that writes to it.
///
/// # Errors
/// When it cannot be written, or the other process does not end within a minute.
pub fn open_writer(home: &Home) -> Result<Writer> {
    let mut note = LockNote::new("writing to the index");
    let on_wait = || {
        let _ = note.print_once();
    };
    Ok(wait_for_writer(&home.root, on_wait)?)
}

/// Reads all that changed into the index, however long it takes.
///
/// # Errors
/// As [`update_index`].
pub fn update_home_index(home: &Home, mode: RefreshMode) -> Result<RefreshOutcome> {
    update_index(&SearchEngine::new(home.clone())?, mode)
}

/// Reads all that changed into the index, as soon as no other process is writing.
///
/// # Errors
/// When the index or the model fails, or another process does not end.
pub fn update_index(engine: &SearchEngine, mode: RefreshMode) -> Result<RefreshOutcome> {
    wait_for_lock("its update", MAX_LOCK_WAIT, || {
        // What was forgotten while another process wrote is not read, either.
        let policy = engine.read_policy()?;
        let outcome = live_index(engine, &policy).refresh(mode, None)?;
        Ok((!outcome.locked).then_some(outcome))
    })
}

/// Returns the user's index, refreshed with a progress bar.
pub fn live_index<'a>(engine: &'a SearchEngine, policy: &'a ReadPolicy) -> LiveIndex<'a> {
    engine.live_index(policy, &new_bar)
}

/// Returns a history's index of its own, embedded by one model.
pub fn scratch_index<'a>(
    home: &'a Home,
    table: &'a dyn Embedder,
    policy: &'a ReadPolicy,
) -> LiveIndex<'a> {
    LiveIndex {
        root: &home.root,
        env: &home.env,
        table,
        policy,
        progress: &new_bar,
    }
}

/// Makes the progress bar of a refresh.
pub fn new_bar() -> Box<dyn RefreshProgress> {
    Box::new(IndexProgressBar::new())
}

/// Sets how many threads compute; once, before any does.
pub fn set_thread_count(count: usize) {
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global();
}

/// Notes what a refresh left unread.
///
/// # Errors
/// When stderr cannot be written.
pub fn note_unread(outcome: &RefreshOutcome) -> Result<()> {
    print_notes(format_refresh_notes(outcome))
}
