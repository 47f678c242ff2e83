//! The session in which another goes on: a resumed history repeats the turns of the one it was resumed from.

use session_store::{Reader, SessionId, SessionRow, StoreError, TurnId};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Returns the latest session that has copies of all turns of this one and later turns besides, if there is one.
///
/// # Errors
/// When the index fails.
pub fn find_continuation<'s>(
    index: &Reader,
    session: &SessionRow,
    all: &'s [SessionRow],
) -> Result<Option<&'s SessionRow>, StoreError> {
    let turns = read_owners(index, session.id)?;
    let Some(last) = turns.last() else {
        return Ok(None);
    };
    let holders = read_holders(index, *last)?;
    let goes_on = |other: &&SessionRow| {
        // A copy of the session itself has its id, and is none that it goes on in.
        let is_itself = (&other.uid, &other.source) == (&session.uid, &session.source);
        let is_resumable = !is_itself && other.parent.is_none() && !other.gone;
        let is_later = other.turns > session.turns && other.ended_ms > session.ended_ms;
        is_resumable && is_later && holders.contains(&other.id)
    };
    let mut later: Vec<&SessionRow> = all.iter().filter(goes_on).collect();
    later.sort_by_key(|other| Reverse(other.ended_ms));
    for other in later {
        let held: HashSet<TurnId> = read_owners(index, other.id)?.into_iter().collect();
        if turns.iter().all(|turn| held.contains(turn)) {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Reads the turns of a session in order, a copy as the turn that owns it.
fn read_owners(index: &Reader, session: SessionId) -> Result<Vec<TurnId>, StoreError> {
    let turns = index.turns(session)?.into_iter();
    Ok(turns.map(|turn| turn.owner.unwrap_or(turn.id)).collect())
}

/// Reads the sessions that have a turn or a copy of it.
fn read_holders(index: &Reader, turn: TurnId) -> Result<HashSet<SessionId>, StoreError> {
    let mut holders = HashSet::new();
    for copy in index.turn_copies(turn)? {
        holders.extend(index.turn(copy)?.map(|turn| turn.session));
    }
    Ok(holders)
}
