//! `index`: bring the index up to date now.

use crate::CommandOutcome;
use crate::args::IndexArgs;
use crate::command::background;
use crate::command::refresh::{self, WriterWait};
use crate::output::progress::IndexProgressBar;
use crate::output::{json, notes};
use anyhow::Result;
use session_config::Home;
use session_display::pluralize;
use session_indexer::{Embedded, Mode};
use session_output::{format_index_outcome, format_old_database, format_open_directory};
use session_query::{QueryModels, SearchEngine};
use session_store::{IndexLock, StoreError};
use std::io::Write;
use std::time::Instant;

/// Runs the command.
///
/// # Errors
/// When the index or the model fails, or another process does not end.
pub fn run(args: &IndexArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    if args.background {
        return background::run(&home).map(|()| CommandOutcome::Something);
    }
    let began = Instant::now();
    let engine = SearchEngine::new(home.clone())?.with_wait_listener(notes::make_wait_listener());
    refresh::set_thread_count(home.config.threads(false));
    let mode = if args.full { Mode::Full } else { Mode::Changes };
    let mut outcome = refresh::update_index(&engine, mode)?;
    let embedded = embed(&home, engine.models())?;
    if embedded.failed > 0 {
        let texts = pluralize(embedded.failed, "text");
        writeln!(
            notes::open_stderr(),
            "note: no vector could be had of {texts}; the next run tries again"
        )?;
    }
    outcome.embedded += embedded.texts;
    outcome.sessions_left += embedded.sessions_left;
    let notes_on_files = format_open_directory(&outcome) + &format_old_database(&outcome);
    write!(notes::open_stderr(), "{notes_on_files}")?;
    if args.json {
        json::print(&outcome)?;
    } else {
        writeln!(
            notes::open_stderr(),
            "{}",
            format_index_outcome(&outcome, began.elapsed())
        )?;
    }
    Ok(CommandOutcome::Something)
}

/// Makes the chosen model's vectors, once no other process does.
fn embed(home: &Home, models: &QueryModels) -> Result<Embedded> {
    if models.chosen().is_none() {
        models.load_chosen()?; // fails where it is none that could be loaded
        return Ok(Embedded::default());
    }
    let mut waiting = WriterWait::new("its embedding");
    let _lock = loop {
        match IndexLock::acquire_embedding(&home.root) {
            Err(StoreError::Locked { .. }) => waiting.wait()?,
            lock => break lock?,
        }
    };
    Ok(models.embed_pending(&|| false, &IndexProgressBar::new())?)
}
