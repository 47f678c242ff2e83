//! Keeping the index fresh before it is asked.

use crate::models::Models;
use crate::output::human::plural;
use crate::output::notes;
use crate::output::progress::Bar;
use anyhow::Result;
use session_config::Home;
use session_embed::Embedder;
use session_indexer::{Mode, Outcome, Refresh, discover, refresh};
use session_store::{Reader, SessionRow, StoreError};
use std::io::Write;
use std::time::{Duration, Instant};

/// Longest time a search waits for the index; what is left is said on stderr.
const BUDGET: Duration = Duration::from_millis(300);

/// How long to wait for another process that is writing.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The index, brought up to date as far as a command can wait for it.
pub struct FreshIndex {
    pub index: Reader,
    /// All sessions of the index.
    pub all: Vec<SessionRow>,
    /// The index is as the histories are.
    pub is_complete: bool,
}

/// Opens the index, brought up to date as for a search.
///
/// # Errors
/// When the index or the model fails.
pub fn index(home: &Home) -> Result<FreshIndex> {
    let outcome = before_search(home, &Models::of(home)?)?;
    let index = home.index()?;
    Ok(FreshIndex {
        all: index.sessions()?,
        index,
        is_complete: outcome.is_complete(),
    })
}

/// Brings the index up to date as far as a search can wait for it. While
/// another process is making the first index or migrates one, there is nothing
/// to answer from: that is waited for.
///
/// # Errors
/// When the index or the model fails.
pub fn before_search(home: &Home, models: &Models) -> Result<Outcome> {
    let began = Instant::now();
    let attempt = || run(home, models.table(), Mode::Changes, Some(BUDGET));
    let mut outcome = attempt()?;
    while outcome.locked && is_awaited(home)? && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        outcome = attempt()?;
    }
    if outcome.locked {
        outcome.files_left = files_left(home)?;
    }
    if let Some(note) = note(&outcome) {
        writeln!(notes::stderr(), "{note}")?;
    }
    Ok(outcome)
}

/// How many histories are still to be read: by the other process, or by a
/// later search.
fn files_left(home: &Home) -> Result<usize> {
    match Reader::open(&home.root) {
        Err(StoreError::Missing { .. }) => Ok(0),
        index => Ok(discover(&home.env, &index?)?.files()),
    }
}

/// True while there is nothing to answer from before another process has written.
fn is_awaited(home: &Home) -> Result<bool> {
    match Reader::open(&home.root) {
        Err(StoreError::Missing { .. }) => Ok(true),
        Err(error) if error.needs_migration() => Ok(true),
        index => Ok(index?.is_empty()?),
    }
}

/// Brings the index up to date.
///
/// # Errors
/// When the index or the model fails.
pub fn run(
    home: &Home,
    embedder: &dyn Embedder,
    mode: Mode,
    budget: Option<Duration>,
) -> Result<Outcome> {
    let bar = Bar::new();
    let how = Refresh {
        mode,
        budget,
        embedders: vec![embedder],
        progress: &bar,
        ..Refresh::new(&home.root, &home.env)
    };
    Ok(refresh(&how)?)
}

/// Sets how many threads compute; once, before any does.
pub fn use_threads(count: usize) {
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global();
}

/// What the user should know of a refresh that did not come to its end.
fn note(outcome: &Outcome) -> Option<String> {
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
