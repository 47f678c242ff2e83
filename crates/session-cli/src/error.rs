//! Errors as a person reads them: what, where, and what to do.

use anyhow::Error;
use session_core::text::printable;
use session_indexer::IndexError;
use session_store::StoreError;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Prints an error on stderr and gives the exit code for it. A reader that
/// went away (`| head`) is none.
pub fn report(error: &Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let text = format!("{error:#}");
    let hint = hint(error)
        .map(|h| format!("\nhint: {h}"))
        .unwrap_or_default();
    let _ = writeln!(anstream::stderr(), "error: {}{hint}", printable(&text));
    ExitCode::from(2)
}

fn is_broken_pipe(error: &Error) -> bool {
    error
        .chain()
        .filter_map(|e| e.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == ErrorKind::BrokenPipe)
}

fn hint(error: &Error) -> Option<String> {
    let store = error.chain().find_map(|cause| {
        cause
            .downcast_ref::<StoreError>()
            .or(match cause.downcast_ref::<IndexError>() {
                Some(IndexError::Store(store)) => Some(store),
                _ => None,
            })
    })?;
    match store {
        _ if store.wants_rebuild() => Some(
            "run `session-search index --full` to build it anew; the old database is kept beside it".into(),
        ),
        StoreError::Format { .. } | StoreError::Corrupt { .. } => None,
        StoreError::Locked { .. } => Some("wait for it to end, or see `session-search status`".into()),
        StoreError::Missing { .. } => Some("run `session-search index`".into()),
        StoreError::Io(_) => Some("see that the folder can be written, or set SESSION_SEARCH_HOME to another".into()),
        StoreError::Sqlite(_) => None,
    }
}
