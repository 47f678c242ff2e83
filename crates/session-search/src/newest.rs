//! The newest of what a filter lets through, where there are no words to rank by.

use crate::filtered_index::FilteredIndex;
use crate::hit::{HitOrder, SearchExplanation, SearchHit, SearchResults, SearchedCounts};
use crate::hits;
use crate::request::SearchRequest;
use session_core::ConfidenceBand;
use session_store::{Level, Reader, SessionRow, SessionTurn, StoreError, TurnRow};
use std::cmp::Reverse;

/// A session or turn to list, with its time.
struct NewestTurn<'a> {
    at_ms: Option<i64>,
    session: &'a SessionRow,
    turn: TurnRow,
}

/// Lists the newest sessions or turns that the filter of a request lets through, whatever its query.
/// A session is listed with the newest of its turns that pass; of the copies of a turn one is listed.
///
/// # Errors
/// When the index fails.
pub fn list_newest(
    index: &Reader,
    sessions: &[SessionRow],
    request: &SearchRequest,
) -> Result<SearchResults, StoreError> {
    let filtered = FilteredIndex::new(index, sessions, &request.filter)?;
    let listed = match request.level {
        Level::Session => list_newest_sessions(index, &filtered, request.limit)?,
        Level::Turn => list_newest_turns(index, &filtered, request.limit)?,
    };
    let ranked = listed.into_iter().zip(1..);
    let hits = ranked.map(|(listed, rank)| read_hit(index, listed, rank));
    Ok(SearchResults {
        level: request.level,
        order: HitOrder::Newest,
        hits: hits.collect::<Result<_, _>>()?,
        searched: SearchedCounts::count_sessions(filtered.sessions().iter().copied()),
        explanation: SearchExplanation::default(),
    })
}

/// Returns the sessions that pass, newest first.
fn sort_by_time<'a>(filtered: &FilteredIndex<'a>) -> Vec<&'a SessionRow> {
    let mut sessions: Vec<&SessionRow> = filtered.sessions().to_vec();
    sessions.sort_unstable_by_key(|session| Reverse((session.ended_ms, session.id)));
    sessions
}

fn list_newest_sessions<'a>(
    index: &Reader,
    filtered: &FilteredIndex<'a>,
    limit: usize,
) -> Result<Vec<NewestTurn<'a>>, StoreError> {
    let mut listed = Vec::new();
    for session in sort_by_time(filtered) {
        if listed.len() >= limit {
            break;
        }
        let turns = index.turns(session.id)?;
        let last = turns.into_iter().rfind(|row| {
            let (turn, session) = (row.id, row.session);
            !row.is_blank() && filtered.passes(SessionTurn { turn, session })
        });
        listed.extend(last.map(|turn| NewestTurn {
            at_ms: session.ended_ms,
            session,
            turn,
        }));
    }
    Ok(listed)
}

/// Reads sessions, newest first, until those that are left are older than the turns found.
fn list_newest_turns<'a>(
    index: &Reader,
    filtered: &FilteredIndex<'a>,
    limit: usize,
) -> Result<Vec<NewestTurn<'a>>, StoreError> {
    let mut listed: Vec<NewestTurn<'a>> = Vec::new();
    for session in sort_by_time(filtered) {
        let oldest = listed.get(limit.saturating_sub(1));
        if oldest.is_some_and(|oldest| oldest.at_ms > session.ended_ms) {
            break;
        }
        for turn in index.turns(session.id)? {
            if is_shown(filtered, &turn) {
                listed.push(NewestTurn {
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

fn read_hit(index: &Reader, listed: NewestTurn<'_>, rank: usize) -> Result<SearchHit, StoreError> {
    let content = index.content(listed.turn.id)?;
    Ok(SearchHit {
        rank,
        score: 0.0,
        band: ConfidenceBand::Weak,
        fused: 0.0,
        session: listed.session.clone(),
        preview: hits::preview_newest(&content),
        files: content.files,
        tools: content.tools,
        turn: Some(listed.turn),
        lexical: None,
        dense: None,
        context: 1.0,
        exact: 1.0,
    })
}
