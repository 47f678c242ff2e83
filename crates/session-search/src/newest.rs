//! The newest of what a filter lets through, where there are no words to rank by.

use crate::filtered_index::FilteredIndex;
use crate::hit::{Explanation, Hit, HitOrder, Results, Searched};
use crate::hits;
use crate::request::Request;
use session_core::Band;
use session_store::{Level, Reader, SessionRow, SessionTurn, StoreError, TurnRow};
use std::cmp::Reverse;

/// A session or turn to list, with its time.
struct Listed<'a> {
    at_ms: Option<i64>,
    session: &'a SessionRow,
    turn: TurnRow,
}

/// Lists the newest sessions or turns that the filter of a request lets through, whatever its query.
/// A session is listed with the newest of its turns that pass; of the copies of a turn one is listed.
///
/// # Errors
/// When the index fails.
pub fn newest(
    index: &Reader,
    sessions: &[SessionRow],
    request: &Request,
) -> Result<Results, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, &request.filter)?;
    let listed = match request.level {
        Level::Session => newest_sessions(index, &filtered, request.limit)?,
        Level::Turn => newest_turns(index, &filtered, request.limit)?,
    };
    let ranked = listed.into_iter().zip(1..);
    let hits = ranked.map(|(listed, rank)| read_hit(index, request, listed, rank));
    Ok(Results {
        level: request.level,
        order: HitOrder::Newest,
        hits: hits.collect::<Result<_, _>>()?,
        searched: Searched::count(filtered.sessions().iter().copied()),
        explanation: Explanation::default(),
    })
}

/// Returns the sessions that pass, newest first.
fn by_time<'a>(filtered: &FilteredIndex<'a>) -> Vec<&'a SessionRow> {
    let mut sessions: Vec<&SessionRow> = filtered.sessions().to_vec();
    sessions.sort_unstable_by_key(|session| Reverse((session.ended_ms, session.id)));
    sessions
}

fn newest_sessions<'a>(
    index: &Reader,
    filtered: &FilteredIndex<'a>,
    limit: usize,
) -> Result<Vec<Listed<'a>>, StoreError> {
    let mut listed = Vec::new();
    for session in by_time(filtered) {
        if listed.len() >= limit {
            break;
        }
        let turns = index.turns(session.id)?;
        let last = turns.into_iter().rfind(|row| {
            let (turn, session) = (row.id, row.session);
            !row.is_blank() && filtered.passes(SessionTurn { turn, session })
        });
        listed.extend(last.map(|turn| Listed {
            at_ms: session.ended_ms,
            session,
            turn,
        }));
    }
    Ok(listed)
}

/// Reads sessions, newest first, until those that are left are older than the turns found.
fn newest_turns<'a>(
    index: &Reader,
    filtered: &FilteredIndex<'a>,
    limit: usize,
) -> Result<Vec<Listed<'a>>, StoreError> {
    let mut listed: Vec<Listed<'a>> = Vec::new();
    for session in by_time(filtered) {
        let oldest = listed.get(limit.saturating_sub(1));
        if oldest.is_some_and(|oldest| oldest.at_ms > session.ended_ms) {
            break;
        }
        for turn in index.turns(session.id)? {
            if is_shown(filtered, &turn) {
                listed.push(Listed {
                    at_ms: session.time_of(&turn),
                    session,
                    turn,
                });
            }
        }
        listed.sort_by_key(|listed| Reverse((listed.at_ms, listed.turn.id)));
        listed.truncate(limit);
    }
    Ok(listed)
}

/// Returns true for a turn that passes and was not forgotten, and of the copies of a turn for the one that is shown.
fn is_shown(filtered: &FilteredIndex<'_>, turn: &TurnRow) -> bool {
    if turn.is_blank() {
        return false;
    }
    let own = SessionTurn {
        turn: turn.id,
        session: turn.session,
    };
    let shown = match turn.owner {
        None => filtered.resolve_copy(own),
        Some(owner) => filtered.resolve_turn(owner),
    };
    shown == Some(own)
}

fn read_hit(
    index: &Reader,
    request: &Request,
    listed: Listed<'_>,
    rank: usize,
) -> Result<Hit, StoreError> {
    let content = index.content(listed.turn.id)?;
    Ok(Hit {
        rank,
        score: 0.0,
        band: Band::Weak,
        fused: 0.0,
        session: listed.session.clone(),
        preview: hits::preview(&content, request),
        files: content.files,
        tools: content.tools,
        turn: Some(listed.turn),
        lexical: None,
        dense: None,
        context: 1.0,
        exact: 1.0,
    })
}
