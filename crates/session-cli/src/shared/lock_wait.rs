//! Waits for another process that has the index, with a note.

use crate::output::notes;
use anyhow::Result;
use session_config::Home;
use session_indexer::wait_for_writer;
use session_store::{EmbeddingHandover, IndexLock, Writer};
use std::path::Path;
use std::time::Duration;

/// The time for which other processes may hold the lock to check whether one embeds.
pub const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// Opens the index for writing, after another process that writes to it. The wait ends after a minute.
pub fn open_writer(home: &Home) -> Result<Writer> {
    let on_wait = || note_lock_wait("writing to the index");
    Ok(wait_for_writer(&home.index_directory, on_wait)?)
}

/// Notes that another process updates the index.
pub fn note_update_wait() {
    note_lock_wait("its update");
}

/// Takes the lock of the process that embeds. One in the background would take longer for the rest than this one, so it is
/// told to stop.
pub fn take_embedding_lock(root: &Path) -> Result<Option<IndexLock>> {
    if let Some(lock) = IndexLock::acquire_embedding_within(root, LOCK_PATIENCE)? {
        return Ok(Some(lock));
    }
    note_embedding_wait();
    let _request = EmbeddingHandover::request(root)?;
    Ok(IndexLock::acquire_embedding_within(root, Duration::MAX)?)
}

/// Notes that another process embeds, with whether it ends soon.
fn note_embedding_wait() {
    note_lock_wait(
        "its embedding: the one in the background stops now, another `index` ends first",
    );
}

/// Notes that another process has to finish some work first. A failure to note it changes nothing.
fn note_lock_wait(work: &str) {
    let text = format_args!("waiting for another process to finish {work}");
    let _ = notes::print_line(text);
}
