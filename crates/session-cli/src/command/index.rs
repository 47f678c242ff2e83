//! `index`: bring the index up to date now.

use crate::CommandOutcome;
use crate::args::IndexArgs;
use crate::output::notes::{print_note, print_notes};
use crate::output::progress::IndexProgressBar;
use crate::output::{json, notes};
use crate::shared::detached_process::lower_priority;
use crate::shared::{lock_wait, refreshed_index};
use anyhow::Result;
use session_config::Home;
use session_display::pluralize;
use session_indexer::{EmbeddingCounts, RefreshMode};
use session_output::{
    format_index_outcome, format_marked_sessions, format_old_database, format_open_directory,
    format_redacted, format_unreadable_paths,
};
use session_query::{EmbeddingEta, QueryModels, SearchEngine};
use session_store::{EmbeddingHandover, EmbeddingPauses, IndexLock};
use std::time::Instant;

/// Runs the command.
pub fn run(args: &IndexArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    if args.background {
        return run_in_background(&home, args.refresh).map(|()| CommandOutcome::Found);
    }
    let began = Instant::now();
    let engine = SearchEngine::new(home.clone())?.with_wait_listener(notes::make_wait_listener());
    set_thread_count(home.config.threads());
    let mode = if args.full {
        RefreshMode::Full
    } else {
        RefreshMode::Changes
    };
    let mut outcome = refreshed_index::refresh_index(&engine, mode)?;
    let embedded = embed(&home, engine.models())?;
    if embedded.failed > 0 {
        let texts = pluralize(embedded.failed, "text");
        print_note(format!(
            "no vector could be had of {texts}; the next run tries again"
        ))?;
    }
    outcome.embedded += embedded.texts;
    outcome.sessions_left += embedded.sessions_left;
    print_notes(format_redacted(&outcome))?;
    print_notes(format_marked_sessions(&outcome))?;
    print_notes(format_open_directory(&outcome))?;
    print_notes(format_old_database(&outcome))?;
    if args.json {
        json::print(&outcome)?;
    } else {
        notes::print_line(format_index_outcome(&outcome, began.elapsed()))?;
    }
    print_notes(format_unreadable_paths(&outcome))?;
    Ok(CommandOutcome::Found)
}

/// Makes the chosen model's vectors, once no other process does.
fn embed(home: &Home, models: &QueryModels) -> Result<EmbeddingCounts> {
    if models.chosen().is_none() {
        models.load_chosen()?; // fails where it is none that could be loaded
        return Ok(EmbeddingCounts::default());
    }
    let _lock = lock_wait::take_embedding_lock(&home.index_directory)?;
    // The estimate of a process that was killed is not that of this one, which has a bar instead.
    let _eta = EmbeddingEta::begin(&home.index_directory);
    Ok(models.embed_by_chosen_model(&|| false, &IndexProgressBar::new())?)
}

/// Reads what changed, if it is to, and embeds what is left to embed, behind all other processes, until all is done.
fn run_in_background(home: &Home, reads_changes: bool) -> Result<()> {
    lower_priority(home.config.nice);
    set_thread_count(home.config.background_threads());
    let engine = SearchEngine::new(home.clone())?;
    if reads_changes {
        // Where another process writes, that one reads them.
        engine.refresh_within(None)?;
    }
    let Some(_lock) =
        IndexLock::acquire_embedding_within(&home.index_directory, lock_wait::LOCK_PATIENCE)?
    else {
        return Ok(());
    };
    let pauses = EmbeddingPauses::new(home.index_directory.clone());
    let chosen = home.chosen_model()?;
    let stop = || {
        pauses.wait();
        EmbeddingHandover::is_requested(&home.index_directory)
            || home.is_background_paused()
            || !home.continues_background(&chosen)
    };
    let eta = EmbeddingEta::begin(&home.index_directory);
    engine.models().embed_by_chosen_model(&stop, &eta)?;
    Ok(())
}

/// Sets how many threads compute; once, before any does.
fn set_thread_count(count: usize) {
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build_global();
}
