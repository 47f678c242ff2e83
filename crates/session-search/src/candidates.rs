//! Turns grouped to sessions: a session counts by its best evidence.

use rustc_hash::{FxHashMap, FxHashSet};
use session_core::Scored;

/// Something that speaks for a turn or a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    pub(crate) session: i64,
    /// 0 where it is no single turn.
    pub(crate) turn: i64,
    pub(crate) score: f32,
}

/// One list of candidates, by turn or by session.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) scored: Vec<Scored>,
    /// For each session the turn that spoke best for it.
    pub(crate) best_turn: FxHashMap<i64, (i64, f32)>,
    /// At turn level, where each turn is shown.
    pub(crate) session_of: FxHashMap<i64, i64>,
}

/// Candidates at turn level: evidence that is a turn, as it is.
pub(crate) fn turns(evidence: &[Evidence], limit: usize) -> Candidates {
    let turns = || evidence.iter().filter(|e| e.turn != 0).take(limit);
    let scored = |e: &Evidence| Scored {
        id: e.turn,
        score: e.score,
    };
    Candidates {
        scored: turns().map(scored).collect(),
        session_of: turns().map(|e| (e.turn, e.session)).collect(),
        ..Candidates::default()
    }
}

/// Candidates at session level, from evidence that is sorted, best first.
pub(crate) fn sessions(evidence: &[Evidence], limit: usize) -> Candidates {
    let mut found = Candidates::default();
    let mut seen = FxHashSet::default();
    for e in evidence {
        if seen.len() < limit && seen.insert(e.session) {
            found.scored.push(Scored {
                id: e.session,
                score: e.score,
            });
        }
        if e.turn != 0 {
            found
                .best_turn
                .entry(e.session)
                .or_insert((e.turn, e.score));
        }
    }
    found
}
