//! Embedding in a process of its own, after a search.

use crate::command::refresh;
use anyhow::Result;
#[cfg(unix)]
use session_config::close_descriptors_on_exec;
#[cfg(windows)]
use session_config::prepare_detached;
use session_config::{Home, lower_priority};
use session_indexer::SilentProgress;
use session_query::{SearchEngine, is_embedding};
use session_store::{EmbeddingPauses, IndexLock};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The longest wait for the lock, which other processes hold briefly while they check whether one runs.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// The option of `index` that marks such a process.
pub const FLAG: &str = "--background";

/// Starts such a process, unless one runs or the configuration forbids it. A failure is not reported: the search has been
/// answered.
pub fn start(home: &Home) {
    if home.allows_background() && !is_embedding(&home.root) {
        spawn(home, &["index", FLAG], file_system_root(home));
    }
}

/// Returns the root of the index's file system, which is the working directory of such a process. In the index's own
/// directory, the variable that names the index would lead into the working directory, and be refused.
fn file_system_root(home: &Home) -> &Path {
    home.root.ancestors().last().unwrap_or(&home.root)
}

/// Starts a process that makes all vectors that prompts of a folder wait for. A prompt itself makes only some of those of
/// memories that came with a clone or were edited by hand, and injects nothing until all are made.
pub fn spawn_vector_preparation(home: &Home, folder: &Path) {
    // What is explained is neither noted nor counted.
    if home.allows_background() {
        spawn(
            home,
            &["inject", "--explain", "--prompt", "prepare"],
            folder,
        );
    }
}

/// Starts the program on its own. What was refused here is refused there, whatever its folder.
fn spawn(home: &Home, args: &[&str], folder: &Path) {
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    for name in &home.refused {
        match home.env.get(name) {
            Some(kept) => command.env(name, kept),
            None => command.env_remove(name),
        };
    }
    // On Unix the new process detaches itself, by `lower_priority`.
    #[cfg(unix)]
    close_descriptors_on_exec();
    #[cfg(windows)]
    prepare_detached(&mut command);
    let child = command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    drop(child); // it outlives this process
}

/// Embeds what is left to embed, on its own and behind all other processes, until all is done.
pub fn run(home: &Home) -> Result<()> {
    let Some(_lock) = IndexLock::acquire_embedding_within(&home.root, LOCK_PATIENCE)? else {
        return Ok(());
    };
    lower_priority(home.config.nice);
    let engine = SearchEngine::new(home.clone())?;
    refresh::set_thread_count(home.config.background_threads());
    let pauses = EmbeddingPauses::new(home.root.clone());
    let chosen = home.chosen_model()?;
    let stop = || {
        pauses.wait();
        home.is_background_paused() || !home.continues_background(&chosen)
    };
    engine.models().embed_pending(&stop, &SilentProgress)?;
    Ok(())
}
