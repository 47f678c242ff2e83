//! Visits turn after turn of all that a filter lets through, without ranking.

use crate::filter::Filter;
use crate::filtered_index::FilteredIndex;
use session_core::TurnContent;
use session_store::{Reader, SessionRow, SessionTurn, StoreError, TurnRow};

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
    /// Returns when it began, or its session ended, in milliseconds since 1970.
    pub fn time_ms(&self) -> Option<i64> {
        self.turn.started_ms.or(self.session.ended_ms)
    }
}

/// Visits the content of each turn that `filter` lets through and returns those for which `visit`
/// returns a value, newest first. Of the copies of a turn one is visited.
///
/// # Errors
/// When the index fails.
pub fn find_turns<T>(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &Filter,
    visit: impl Fn(&SessionRow, &TurnContent) -> Option<T>,
) -> Result<Vec<FoundTurn<T>>, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, filter)?;
    let mut turns = Vec::new();
    for session in sessions {
        let contents = index.contents(session.id)?;
        for (own, (_, content)) in index.turns(session.id)?.into_iter().zip(contents) {
            let Some(found) = visit(session, &content).filter(|_| own.owner.is_none()) else {
                continue;
            };
            let (turn, session) = (own.id, own.session);
            let Some(shown) = filtered.resolve_copy(SessionTurn { turn, session }) else {
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
