//! Turn by turn through all that a filter lets through.

use crate::filtered_index::FilteredIndex;
use session_core::{Filter, TurnContent};
use session_store::{Reader, SessionRow, StoreError, TurnRow};

/// A turn with what was looked for in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Met<T> {
    /// The session in which it is to be shown.
    pub session: SessionRow,
    /// The turn.
    pub turn: TurnRow,
    /// What was found in it.
    pub found: T,
}

/// Looks at what each turn says that `filter` lets through and keeps those of
/// which `look` finds something, newest first. Of the copies of a turn one is
/// looked at.
///
/// # Errors
/// When the index fails.
pub fn walk<T>(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &Filter,
    look: impl Fn(&SessionRow, &TurnContent) -> Option<T>,
) -> Result<Vec<Met<T>>, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, filter)?;
    let mut met = Vec::new();
    for session in sessions {
        let contents = index.contents(session.id)?;
        for (own, (_, content)) in index.turns(session.id)?.into_iter().zip(contents) {
            let Some(found) = look(session, &content).filter(|_| own.owner.is_none()) else {
                continue;
            };
            let Some((turn, session)) = filtered.resolve_copy((own.id, own.session)) else {
                continue;
            };
            let row = index.turn(turn)?;
            let session = filtered.sessions().get(&session).copied().cloned();
            met.extend(row.zip(session).map(|(turn, session)| Met {
                session,
                turn,
                found,
            }));
        }
    }
    let at = |met: &Met<T>| met.turn.started_ms.or(met.session.ended_ms);
    met.sort_by_key(|m| std::cmp::Reverse((at(m), m.turn.id)));
    Ok(met)
}
