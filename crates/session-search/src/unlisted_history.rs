//! Sessions whose histories lie in a folder that no variable names now.

use session_store::{Reader, SessionRow, StoreError};
use std::path::Path;

/// Unmarks a session as gone where its history is still at its path: the last refresh did not list it, since another
/// shell names the folder.
///
/// # Errors
/// When the index fails.
pub fn unmark_unlisted(index: &Reader, session: &mut SessionRow) -> Result<(), StoreError> {
    if session.gone && !session.is_elsewhere {
        let history = index.unlisted_history(session.id)?;
        session.gone = !history.is_some_and(|path| Path::new(&path).exists());
    }
    Ok(())
}
