//! The index, brought up to date before a command reads it.

use crate::output::notes;
use crate::output::progress::Bar;
use anyhow::Result;
use session_config::Home;
use session_embed::Embedder;
use session_forget::Removed;
use session_indexer::{Mode, Outcome, Progress, ReadPolicy};
use session_output::plural;
use session_query::{LiveIndex, SearchEngine, Snapshot};
use session_store::{Reader, SessionRow};
use std::io::Write;

/// The index, brought up to date as far as a command can wait for it.
pub struct RefreshedIndex {
    /// The index.
    pub index: Reader,
    /// All sessions of the index.
    pub all: Vec<SessionRow>,
    /// True when all changed histories have been read.
    pub is_complete: bool,
}

/// Opens the index, brought up to date as for a search.
///
/// # Errors
/// When the index or the model fails.
pub fn index(home: &Home) -> Result<RefreshedIndex> {
    let engine = SearchEngine::new(home.clone())?;
    let policy = engine.read_policy()?;
    let live = live_index(&engine, &policy);
    let outcome = live.refresh_for_query()?;
    note_unread(&outcome)?;
    let Snapshot { index, sessions } = live.snapshot()?;
    Ok(RefreshedIndex {
        index,
        all: sessions,
        is_complete: outcome.is_complete(),
    })
}

/// Reads all that changed into the index, however long it takes.
///
/// # Errors
/// When the index or the model fails.
pub fn update(home: &Home, mode: Mode) -> Result<Outcome> {
    let engine = SearchEngine::new(home.clone())?;
    let policy = engine.read_policy()?;
    Ok(live_index(&engine, &policy).refresh(mode, None)?)
}

/// Returns the user's index, refreshed with a progress bar.
pub fn live_index<'a>(engine: &'a SearchEngine, policy: &'a ReadPolicy) -> LiveIndex<'a> {
    engine.live_index(policy, &new_bar)
}

/// Returns a history's index of its own, embedded by one model: nothing of it is redacted or excluded.
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
fn new_bar() -> Box<dyn Progress> {
    Box::new(Bar::new())
}

/// Sets how many threads compute; once, before any does.
pub fn use_threads(count: usize) {
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global();
}

/// Notes what a refresh left unread.
///
/// # Errors
/// When stderr cannot be written.
pub fn note_unread(outcome: &Outcome) -> Result<()> {
    if let Some(removed) = removed(outcome) {
        writeln!(notes::stderr(), "note: {removed}")?;
    }
    if let Some(reason) = &outcome.unwritable {
        let hint = "see that its folder can be written, or set SESSION_SEARCH_HOME to another";
        writeln!(
            notes::stderr(),
            "note: the index cannot be written ({reason}); it is searched as it is\nhint: {hint}"
        )?;
        return Ok(());
    }
    note_open_directory(outcome)?;
    if let Some(note) = unread(outcome) {
        writeln!(notes::stderr(), "{note}")?;
    }
    Ok(())
}

/// Notes that others could write to the index.
///
/// # Errors
/// When stderr cannot be written.
pub fn note_open_directory(outcome: &Outcome) -> Result<()> {
    if outcome.was_open_to_others {
        let note = "others could write to the folder of the index: it is closed to them now";
        writeln!(
            notes::stderr(),
            "note: {note}\nhint: `session-search index --full` builds the index anew, should they have"
        )?;
    }
    Ok(())
}

/// Describes what a refresh removed from the index, if it did.
pub fn removed(outcome: &Outcome) -> Option<String> {
    let Removed { sessions, turns } = outcome.removed;
    let (sessions, turns) = (plural(sessions, "session"), plural(turns, "turn"));
    (outcome.removed != Removed::default())
        .then(|| format!("removed {sessions} and {turns} that are excluded"))
}

fn unread(outcome: &Outcome) -> Option<String> {
    let left = match (outcome.files_left, outcome.sessions_left) {
        (0, 0) => None,
        (0, n) => Some(format!("{} still to be embedded", plural(n, "session"))),
        (n, _) => Some(format!("{} still to be read", plural(n, "changed file"))),
    };
    match (outcome.locked, left) {
        (true, left) => {
            let left = left.map(|left| format!(", {left}")).unwrap_or_default();
            Some(format!(
                "note: another process is updating the index{left}; this answer may be incomplete"
            ))
        }
        (false, Some(left)) => Some(format!(
            "note: {left}; the next search goes on, or run `session-search index`"
        )),
        (false, None) => None,
    }
}
