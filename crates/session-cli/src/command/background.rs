//! Embedding in a process of its own, after a search.

use crate::command::refresh;
use anyhow::Result;
use session_config::{Home, OnBattery, detach, is_on_battery, lower_priority};
use session_indexer::{Embedded, Embedding, Progress, Silent, embed_beside};
use session_query::{QueryModels, SearchEngine, is_embedding};
use session_store::{IndexLock, StoreError};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Says on the command line that this is such a process.
pub const FLAG: &str = "--background";

/// Starts one, unless there is one, or the user does not let it. Nothing is
/// said where that fails: the search has been answered.
pub fn start(home: &Home) {
    if is_allowed(home) && !is_embedding(&home.root) {
        spawn(home, &["index", FLAG], &home.root);
    }
}

/// Makes all vectors that prompts of a folder wait for. Of memories that came with a clone or were
/// edited by hand a prompt makes some alone, and its answer is nothing until there are all.
pub fn spawn_vector_preparation(home: &Home, folder: &Path) {
    // What is explained is neither noted nor counted.
    if is_allowed(home) {
        spawn(
            home,
            &["inject", "--explain", "--prompt", "prepare"],
            folder,
        );
    }
}

/// True where the user lets a process go on by itself, now.
fn is_allowed(home: &Home) -> bool {
    home.config.background && !is_paused(home)
}

/// Starts the program on its own. What was refused here is refused there, whatever its folder.
fn spawn(home: &Home, args: &[&str], folder: &Path) {
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    for name in &home.refused {
        command.env_remove(name);
    }
    detach(&mut command);
    let child = command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    drop(child); // it outlives this process
}

fn is_paused(home: &Home) -> bool {
    home.config.on_battery == OnBattery::Pause && is_on_battery()
}

/// The process itself: on its own, behind all others, until all is done.
///
/// # Errors
/// When the index or the model fails.
pub fn run(home: &Home) -> Result<()> {
    let Some(_lock) = acquire_lock(home)? else {
        return Ok(());
    };
    lower_priority(home.config.nice);
    let engine = SearchEngine::new(home.clone())?;
    refresh::use_threads(home.config.threads(true));
    embed(home, engine.models(), &|| is_paused(home), &Silent)?;
    Ok(())
}

/// How often, and how long apart, the lock is tried: who looks whether such a process runs holds it for a moment.
const LOCK_ATTEMPTS: usize = 5;
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// Acquires the lock of the process that embeds; `None` where another one holds it.
fn acquire_lock(home: &Home) -> Result<Option<IndexLock>> {
    for _ in 0..LOCK_ATTEMPTS {
        match IndexLock::acquire_embedding(&home.root) {
            Err(StoreError::Locked { .. }) => std::thread::sleep(LOCK_INTERVAL),
            lock => return Ok(Some(lock?)),
        }
    }
    Ok(None)
}

/// Makes the chosen model's vectors of all that has none, until told to stop.
///
/// # Errors
/// When the index or the model fails.
pub fn embed(
    home: &Home,
    models: &QueryModels,
    stop: &dyn Fn() -> bool,
    progress: &dyn Progress,
) -> Result<Embedded> {
    let Some(embedder) = models.load_chosen()? else {
        return Ok(Embedded::default());
    };
    let how = Embedding {
        stop,
        ..Embedding::new(embedder.as_ref(), progress)
    };
    Ok(embed_beside(&home.root, &how)?)
}
