//! The index, brought up to date before a command reads it.

use crate::output::notes::print_notes;
use crate::output::progress::IndexProgressBar;
use crate::shared::lock_wait::note_update_wait;
use anyhow::Result;
use jiff::Zoned;
use session_config::{Home, explain_history_removals};
use session_display::{Note, format_unmet_clause};
use session_forget::Exclusions;
use session_indexer::{ReadPolicy, RefreshMode, RefreshOutcome};
use session_output::{
    MissingHistory, format_no_history, format_refresh_notes, format_unreadable_paths,
};
use session_query::{LiveIndex, SearchEngine, Snapshot, find_misplaced_history, find_unmet_clause};
use session_search::FilterClause;
use session_store::Reader;

/// The index, brought up to date as far as a command can wait for it.
pub struct RefreshedIndex {
    /// The index with its sessions.
    pub snapshot: Snapshot,
    /// True when all changed histories have been read.
    pub is_complete: bool,
    /// The note on what could not be read.
    unread: Option<Note>,
    /// The note that there is no history, where the index holds no session.
    pub no_history: Option<Note>,
}

impl RefreshedIndex {
    /// Returns why no turn passes these filters: there is no history, or one of them that no turn passes by itself, or
    /// what `otherwise` says.
    pub fn explain_no_turn(
        &self,
        clauses: &[FilterClause],
        otherwise: impl FnOnce() -> Note,
    ) -> Note {
        if let Some(note) = &self.no_history {
            return note.clone();
        }
        let Snapshot { index, sessions } = &self.snapshot;
        let unmet = find_unmet_clause(index, sessions, clauses);
        let unmet = unmet.and_then(|unmet| format_unmet_clause(&unmet, sessions));
        unmet.unwrap_or_else(otherwise)
    }

    /// Adds what could not be read to the hints of an answer in JSON.
    pub fn add_unread(&self, mut hints: Vec<String>) -> Vec<String> {
        hints.extend(self.unread.iter().flat_map(Note::sentences));
        hints
    }

    /// Notes what could not be read, beside an answer that is no JSON.
    pub fn note_unread_paths(&self, as_json: bool) -> Result<()> {
        print_notes(self.unread.as_ref().filter(|_| !as_json))
    }

    /// Returns when the first session began, in milliseconds since 1970; without one, now.
    pub fn earliest_ms(&self, now: &Zoned) -> i64 {
        let sessions = self.snapshot.sessions.iter();
        let starts = sessions.filter_map(|session| session.started_ms);
        starts.min().unwrap_or(now.timestamp().as_millisecond())
    }
}

/// Opens the index, brought up to date as for a search; where a session that is named is not in it, to the end.
pub fn open_index_with_sessions(home: &Home, named: &[String]) -> Result<RefreshedIndex> {
    let engine = SearchEngine::new(home.clone())?;
    let policy = engine.read_policy()?;
    let live = live_index(&engine, &policy);
    let outcome = engine.refresh_for_sessions(&live, named, note_update_wait)?;
    note_refresh(&outcome)?;
    let snapshot = live.snapshot()?;
    let explain = || explain_no_history(home, &policy.exclusions, Some(&snapshot.index));
    Ok(RefreshedIndex {
        no_history: snapshot.sessions.is_empty().then(explain),
        is_complete: outcome.has_read_all(),
        unread: format_unreadable_paths(&outcome),
        snapshot,
    })
}

/// Formats why there is no history.
pub fn explain_no_history(home: &Home, exclusions: &Exclusions, index: Option<&Reader>) -> Note {
    let is_excluding = !exclusions.is_empty();
    let misplaced = find_misplaced_history(&home.env);
    // Why nothing was found is no reason to fail.
    let problems = index.and_then(|index| index.problems().ok());
    let files = index.and_then(|index| index.files().ok());
    let files = files.unwrap_or_default().into_iter();
    let files = files.filter(|file| !file.gone).map(|file| file.source);
    let missing = MissingHistory {
        is_excluding,
        misplaced: misplaced.as_ref(),
        problems: &problems.unwrap_or_default(),
        files: &files.collect::<Vec<_>>(),
        removed_variables: &explain_history_removals(home),
    };
    format_no_history(&home.env, &missing)
}

/// Reads all that changed into the index, however long it takes, with a progress bar.
pub fn refresh_index(engine: &SearchEngine, mode: RefreshMode) -> Result<RefreshOutcome> {
    Ok(engine.refresh_when_unlocked(mode, &IndexProgressBar::boxed, note_update_wait)?)
}

/// Returns the user's index, refreshed with a progress bar.
pub fn live_index<'a>(engine: &'a SearchEngine, policy: &'a ReadPolicy) -> LiveIndex<'a> {
    engine.live_index(policy, &IndexProgressBar::boxed)
}

/// Notes what a refresh removed and left to be read.
pub fn note_refresh(outcome: &RefreshOutcome) -> Result<()> {
    print_notes(format_refresh_notes(outcome))
}
