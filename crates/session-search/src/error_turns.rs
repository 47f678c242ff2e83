//! The turns in which a command failed with an error that is given by its signature.

use crate::filter::SearchFilter;
use crate::filtered_index::FilteredIndex;
use crate::find_turns::FoundTurn;
use session_core::ErrorSignature;
use session_store::{Reader, SessionRow, StoreError};

/// Returns the turns that `filter` lets through in which a command failed with one of these errors, newest
/// first. Of the copies of a turn one is returned.
///
/// # Errors
/// When the index fails.
pub fn find_error_turns(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    errors: &[ErrorSignature],
) -> Result<Vec<FoundTurn<ErrorSignature>>, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, filter)?;
    let mut turns = Vec::new();
    for &found in errors {
        for own in index.turns_with_error(found)? {
            let Some(shown) = filtered.resolve_copy(own) else {
                continue;
            };
            let row = index.turn(shown.turn)?;
            let session = filtered.session(shown.session).cloned();
            turns.extend(row.zip(session).map(|(turn, session)| FoundTurn {
                session,
                turn,
                found,
            }));
        }
    }
    turns.sort_by_key(|found| std::cmp::Reverse((found.time_ms(), found.turn.id)));
    Ok(turns)
}
