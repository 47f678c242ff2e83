//! Weighs turns by their sessions: of two turns that say the same, the one in a session about the
//! matter is meant.

use crate::search_results::HitId;
use rustc_hash::FxHashMap;
use session_core::FusedItem;
use session_store::SessionId;

/// The fused scores of sessions, as factors for the scores of their turns.
#[derive(Debug, Default)]
pub(crate) struct SessionScores {
    /// Each session's score over the best one's.
    relative_scores: FxHashMap<SessionId, f32>,
    /// The part of a turn's score that its session decides, 0 to 1.
    share: f32,
}

impl SessionScores {
    /// Computes the relative scores from the fused ones.
    pub(crate) fn new(sessions: &[FusedItem<HitId>], share: f32) -> Self {
        let best = sessions.iter().map(|f| f.score).fold(0.0, f32::max);
        let relative = |score: f32| if best > 0.0 { score / best } else { 0.0 };
        let relative_scores = sessions.iter().filter_map(|fused| match fused.id {
            HitId::Session(session) => Some((session, relative(fused.score))),
            HitId::Turn(_) => None,
        });
        Self {
            relative_scores: relative_scores.collect(),
            share,
        }
    }

    /// Returns the factor of the score of a session's turn: `1 - share * (1 - relative score)`.
    pub(crate) fn score_factor(&self, session: SessionId) -> f32 {
        let relative = self.relative_scores.get(&session).copied();
        1.0 - self.share * (1.0 - relative.unwrap_or_default())
    }
}
