//! `index`: bring the index up to date now.

use crate::CommandOutcome;
use crate::args::IndexArgs;
use crate::command::background;
use crate::command::refresh;
use crate::output::notes::{print_note, print_notes};
use crate::output::progress::IndexProgressBar;
use crate::output::{json, notes};
use anyhow::Result;
use session_config::Home;
use session_display::pluralize;
use session_indexer::{EmbeddingCounts, RefreshMode};
use session_output::{
    format_index_outcome, format_old_database, format_open_directory, format_unread_places,
};
use session_query::{QueryModels, SearchEngine};
use session_store::{IndexLock, StoreError};
use std::time::{Duration, Instant};

/// Runs the command.
pub fn run(args: &IndexArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    if args.background {
        return background::run(&home).map(|()| CommandOutcome::Something);
    }
    let began = Instant::now();
    let engine = SearchEngine::new(home.clone())?.with_wait_listener(notes::make_wait_listener());
    refresh::set_thread_count(home.config.threads());
    let mode = if args.full {
        RefreshMode::Full
    } else {
        RefreshMode::Changes
    };
    let mut outcome = refresh::update_index(&engine, mode)?;
    let embedded = embed(&home, engine.models())?;
    if embedded.failed > 0 {
        let texts = pluralize(embedded.failed, "text");
        print_note(format!(
            "no vector could be had of {texts}; the next run tries again"
        ))?;
    }
    outcome.embedded += embedded.texts;
    outcome.sessions_left += embedded.sessions_left;
    print_notes(format_open_directory(&outcome))?;
    print_notes(format_old_database(&outcome))?;
    if args.json {
        json::print(&outcome)?;
    } else {
        notes::print_line(format_index_outcome(&outcome, began.elapsed()))?;
    }
    print_notes(format_unread_places(&outcome))?;
    Ok(CommandOutcome::Something)
}

/// Makes the chosen model's vectors, once no other process does.
fn embed(home: &Home, models: &QueryModels) -> Result<EmbeddingCounts> {
    if models.chosen().is_none() {
        models.load_chosen()?; // fails where it is none that could be loaded
        return Ok(EmbeddingCounts::default());
    }
    let _lock = match IndexLock::acquire_embedding(&home.root) {
        Err(StoreError::Locked { .. }) => {
            refresh::note_lock_wait("its embedding");
            IndexLock::acquire_embedding_within(&home.root, Duration::MAX)?
        }
        lock => Some(lock?),
    };
    Ok(models.embed_pending(&|| false, &IndexProgressBar::new())?)
}
