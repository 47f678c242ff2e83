//! The newest of what a filter lets through, where there are no words to rank by.

use crate::filtered_index::FilteredIndex;
use crate::hit_reader;
use crate::request::{Level, SearchRequest};
use crate::search_results::{
    HitOrder, SearchExplanation, SearchHit, SearchResults, SearchedCounts,
};
use crate::unlisted_history::unmark_unlisted;
use session_core::ConfidenceBand;
use session_store::{Reader, SessionRow, StoreError, TurnRow};
use std::cmp::Reverse;

/// A session or turn to list, with its time.
struct NewestTurn<'a> {
    at_ms: Option<i64>,
    session: &'a SessionRow,
    turn: TurnRow,
}

/// The newest turns so far, newest first.
struct NewestList<'a> {
    turns: Vec<NewestTurn<'a>>,
    limit: usize,
}

impl<'a> NewestList<'a> {
    fn new(limit: usize) -> Self {
        let turns = Vec::new();
        Self { turns, limit }
    }

    /// Adds the turns that belong to the list; fastest where the newest comes first. A database goes before its backup, which
    /// holds the same times.
    fn add(&mut self, turns: impl IntoIterator<Item = NewestTurn<'a>>) {
        let key = |listed: &NewestTurn<'_>| {
            let rank = Reverse(listed.session.id_rank());
            (listed.at_ms, rank, listed.turn.id)
        };
        for turn in turns {
            let newer = |other: &NewestTurn<'_>| key(other) > key(&turn);
            let position = self.turns.partition_point(newer);
            if position < self.limit {
                self.turns.insert(position, turn);
                self.turns.truncate(self.limit);
            }
        }
    }

    /// Returns true if a session that ended then, and those before it, have no turn that belongs to the list.
    fn is_complete_before(&self, ended_ms: Option<i64>) -> bool {
        let oldest = self.turns.get(self.limit.saturating_sub(1));
        oldest.is_some_and(|oldest| oldest.at_ms > ended_ms)
    }
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
        Level::Session => list_by(index, &filtered, request.limit, |session, turns| {
            pick_newest(&filtered, session, turns)
        }),
        Level::Turn => list_by(index, &filtered, request.limit, |session, turns| {
            pick_shown(&filtered, session, turns)
        }),
    }?;
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

/// Reads sessions, newest first, and lists what `pick` returns of their turns, until the sessions that are left are older than
/// what is listed.
fn list_by<'a, T: IntoIterator<Item = NewestTurn<'a>>>(
    index: &Reader,
    filtered: &FilteredIndex<'a>,
    limit: usize,
    pick: impl Fn(&'a SessionRow, Vec<TurnRow>) -> T,
) -> Result<Vec<NewestTurn<'a>>, StoreError> {
    let mut listed = NewestList::new(limit);
    for session in sort_by_time(filtered) {
        if listed.is_complete_before(session.ended_ms) {
            break;
        }
        listed.add(pick(session, index.turns(session.id)?));
    }
    Ok(listed.turns)
}

/// Returns a session with the newest of its turns that passes. Where turns are filtered, it has the time of that.
fn pick_newest<'a>(
    filtered: &FilteredIndex<'_>,
    session: &'a SessionRow,
    turns: Vec<TurnRow>,
) -> Option<NewestTurn<'a>> {
    let passes = |row: &TurnRow| !row.is_excluded() && filtered.passes(row.session_turn());
    let turn = turns.into_iter().rfind(passes)?;
    Some(NewestTurn {
        at_ms: if filtered.filters_turns() {
            session.time_of(&turn)
        } else {
            session.ended_ms
        },
        session,
        turn,
    })
}

/// Returns the turns of a session that are shown, newest first.
fn pick_shown<'a>(
    filtered: &FilteredIndex<'_>,
    session: &'a SessionRow,
    turns: Vec<TurnRow>,
) -> impl Iterator<Item = NewestTurn<'a>> {
    let turns = turns.into_iter().rev();
    let shown = turns.filter(|turn| is_shown(filtered, turn));
    shown.map(|turn| NewestTurn {
        at_ms: session.time_of(&turn),
        session,
        turn,
    })
}

/// Returns true for a turn that passes and was not forgotten, and of the copies of a turn for the one that is shown.
fn is_shown(filtered: &FilteredIndex<'_>, turn: &TurnRow) -> bool {
    if turn.is_excluded() {
        return false;
    }
    let own = turn.session_turn();
    let shown = match turn.owner {
        None => filtered.resolve_copy(own),
        Some(owner) => filtered.resolve_turn(owner),
    };
    shown == Some(own)
}

fn read_hit(index: &Reader, listed: NewestTurn<'_>, rank: usize) -> Result<SearchHit, StoreError> {
    let content = index.content(listed.turn.id)?;
    let mut session = listed.session.clone();
    unmark_unlisted(index, &mut session)?;
    Ok(SearchHit {
        rank,
        probability: 0.0,
        band: ConfidenceBand::Weak,
        fused_score: 0.0,
        session,
        time_ms: listed.at_ms.or(listed.turn.started_ms),
        preview: hit_reader::preview_newest(&content, listed.session),
        files: content.files,
        tools: content.tools,
        turn: Some(listed.turn),
        lexical: None,
        dense: None,
        context_factor: 1.0,
        exact_factor: 1.0,
    })
}
