//! Visits turn after turn of all that a filter lets through, without ranking.

use crate::filter::SearchFilter;
use crate::filtered_index::FilteredIndex;
use session_core::TurnContent;
use session_store::{Reader, SessionRow, SessionTurn, StoreError, TurnRecord, TurnRow};
use std::cmp::Reverse;

/// A turn with what a visitor returned for it.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundTurn<T> {
    /// The session in which it is shown.
    pub session: SessionRow,
    /// The turn.
    pub turn: TurnRow,
    /// The visitor's value.
    pub found: T,
}

impl<T> FoundTurn<T> {
    /// Reads a turn as the filter shows it; `None` if it is not there.
    pub(crate) fn read(
        index: &Reader,
        filtered: &FilteredIndex<'_>,
        shown: SessionTurn,
        found: T,
    ) -> Result<Option<Self>, StoreError> {
        let row = index.turn(shown.turn)?;
        let session = filtered.session(shown.session).cloned();
        Ok(row.zip(session).map(|(turn, session)| Self {
            session,
            turn,
            found,
        }))
    }

    /// Sorts turns, the newest first.
    pub(crate) fn sort_newest_first(turns: &mut [Self]) {
        turns.sort_by_key(|found| Reverse((found.time_ms(), found.turn.id)));
    }

    /// Returns the turn's time in milliseconds since 1970.
    pub fn time_ms(&self) -> Option<i64> {
        self.session.time_of(&self.turn)
    }
}

/// Visits the content of each turn that `filter` lets through and returns those for which `visit`
/// returns a value, newest first. Of the copies of a turn one is visited.
pub(crate) fn find_turns<T>(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    visit: impl Fn(&SessionRow, &TurnContent) -> Option<T>,
) -> Result<Vec<FoundTurn<T>>, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, filter)?;
    let mut turns = Vec::new();
    for session in sessions {
        let is_shown = |turn: &TurnRow| resolve_shown_turn(&filtered, turn).is_some();
        for TurnRecord { row, content } in index.turn_records(session.id, is_shown)? {
            let found = resolve_shown_turn(&filtered, &row).zip(visit(session, &content));
            if let Some((shown, found)) = found {
                turns.extend(FoundTurn::read(index, &filtered, shown, found)?);
            }
        }
    }
    FoundTurn::sort_newest_first(&mut turns);
    Ok(turns)
}

/// Returns the turn that the filter shows for an owner: itself or one of its copies. `None` for a copy, which its owner
/// stands for.
fn resolve_shown_turn(filtered: &FilteredIndex<'_>, turn: &TurnRow) -> Option<SessionTurn> {
    let shown = filtered.resolve_copy(turn.session_turn());
    shown.filter(|_| turn.owner.is_none())
}
