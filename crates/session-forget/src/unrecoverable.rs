//! Sessions and turns that a history cannot give again: where a variable excludes them, they stay in the index.

use crate::error::ForgetError;
use crate::exclusions::Exclusions;
use session_store::{FileRow, Reader, SessionRow, TurnRow};

impl Exclusions {
    /// Returns true for a session of the index that the settings leave as it is: they come from variables, and its
    /// history no longer gives all of it.
    pub(crate) fn keeps_session(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<bool, ForgetError> {
        if !self.keeps_unrecoverable {
            return Ok(false);
        }
        if session.gone {
            return Ok(true);
        }
        let turns = index.turns(session.id)?;
        if turns.iter().any(TurnRow::is_lost) {
            return Ok(true);
        }
        let file = index.file(session.file)?;
        Ok(file.is_none_or(|file| has_shrunk(&file, &turns)))
    }
}

/// Returns true if a history is not on disk as the index has it: it cannot be read, or is a file of lines that is
/// shorter than it was, or than what the index has of it.
fn has_shrunk(file: &FileRow, turns: &[TurnRow]) -> bool {
    let Ok(found) = fs_err::metadata(&file.path) else {
        return true;
    };
    let known = file.stamp.size;
    file.path.ends_with(".jsonl")
        && (found.len() < known || turns.iter().any(|turn| turn.span.end > known))
}
