//! The turns in which a command failed with an error that is given by its signature, or by a part of its line.

use crate::filter::SearchFilter;
use crate::filtered_index::FilteredIndex;
use crate::find_turns::FoundTurn;
use session_core::{ErrorPart, ErrorSignature, Query};
use session_store::{Reader, SessionRow, StoreError};

/// A search for errors in the turns that a filter lets through.
pub struct ErrorSearch<'a> {
    index: &'a Reader,
    filtered: FilteredIndex<'a>,
}

impl<'a> ErrorSearch<'a> {
    /// Applies a filter to `sessions`, all of the index's.
    ///
    /// # Errors
    /// When the index fails.
    pub fn new(
        index: &'a Reader,
        sessions: &'a [SessionRow],
        filter: &SearchFilter,
    ) -> Result<Self, StoreError> {
        let filtered = FilteredIndex::new(index, sessions, filter)?;
        Ok(Self { index, filtered })
    }

    /// Returns the turns in which a command failed with one of these errors, newest first. Of the copies of a turn one is
    /// returned.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find_turns(
        &self,
        errors: &[ErrorSignature],
    ) -> Result<Vec<FoundTurn<ErrorSignature>>, StoreError> {
        let mut turns = Vec::new();
        for &found in errors {
            for own in self.index.turns_with_error(found)? {
                let Some(shown) = self.filtered.resolve_copy(own) else {
                    continue;
                };
                turns.extend(FoundTurn::read(self.index, &self.filtered, shown, found)?);
            }
        }
        FoundTurn::sort_newest_first(&mut turns);
        Ok(turns)
    }

    /// Returns the errors whose lines hold a part of one, in at most `limit` turns: the best by word. None where the part
    /// says nothing, or is more than a line.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find_errors_with_part(
        &self,
        part: &str,
        limit: usize,
    ) -> Result<Vec<ErrorSignature>, StoreError> {
        let line = part.trim();
        let Some(part) = ErrorPart::new(line).filter(|_| !line.contains('\n')) else {
            return Ok(Vec::new());
        };
        let is_shown = |turn| Ok(self.filtered.resolve_turn(turn).is_some());
        let found = self
            .index
            .search_lexical(&Query::new(line), limit, is_shown)?;
        let mut errors = Vec::new();
        for hit in found.turns {
            let content = self.index.content(hit.id)?;
            let lines = content.errors.iter().filter(|line| part.is_held_by(line));
            for error in lines.filter_map(|line| ErrorSignature::new(line)) {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        Ok(errors)
    }
}
