//! The candidates of one list, at one level.

use crate::request::Level;
use crate::search_results::HitId;
use rustc_hash::{FxHashMap, FxHashSet};
use session_core::ScoredItem;
use session_store::{SessionId, TurnId};

/// A turn, or a chunk of a session, with its score in a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// The session in which it is shown.
    pub(crate) session: SessionId,
    /// `None` for a chunk of the session.
    pub(crate) turn: Option<TurnId>,
    pub(crate) score: f32,
}

/// One list of candidates, turns or sessions.
#[derive(Debug, Default)]
pub(crate) struct CandidateList {
    pub(crate) scored: Vec<ScoredItem<HitId>>,
    /// At turn level, the session in which each turn is shown.
    pub(crate) session_of: FxHashMap<TurnId, SessionId>,
}

impl CandidateList {
    /// Groups candidates, best first, to at most `limit` turns or sessions.
    pub(crate) fn new(level: Level, candidates: &[Candidate], limit: usize) -> Self {
        match level {
            Level::Session => Self::from_sessions(candidates, limit),
            Level::Turn => Self::from_turns(candidates, limit),
        }
    }

    fn from_turns(candidates: &[Candidate], limit: usize) -> Self {
        let mut list = Self::default();
        let turns = candidates.iter().filter_map(|c| Some((c.turn?, c)));
        for (turn, candidate) in turns.take(limit) {
            list.push(HitId::Turn(turn), candidate.score);
            list.session_of.insert(turn, candidate.session);
        }
        list
    }

    /// Ranks sessions, each by its best candidate.
    fn from_sessions(candidates: &[Candidate], limit: usize) -> Self {
        let mut list = Self::default();
        let mut seen = FxHashSet::default();
        let best = candidates.iter().filter(|c| seen.insert(c.session));
        for candidate in best.take(limit) {
            list.push(HitId::Session(candidate.session), candidate.score);
        }
        list
    }

    fn push(&mut self, id: HitId, score: f32) {
        self.scored.push(ScoredItem { id, score });
    }
}
