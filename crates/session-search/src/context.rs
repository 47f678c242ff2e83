//! A turn counts by its session, too: of two that say the same, the one in a
//! session about the matter is meant.

use rustc_hash::FxHashMap;
use session_core::Fused;

/// What sessions make of the scores of their turns.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// Each session's part of the best one's score.
    parts: FxHashMap<i64, f32>,
    /// The part of a turn's score that its session decides.
    share: f32,
}

impl Context {
    /// From the sessions' own scores.
    pub(crate) fn of(sessions: &[Fused], share: f32) -> Self {
        let best = sessions.iter().map(|f| f.score).fold(0.0, f32::max);
        let part = |score: f32| if best > 0.0 { score / best } else { 0.0 };
        let parts = sessions.iter().map(|f| (f.id, part(f.score)));
        Self {
            parts: parts.collect(),
            share,
        }
    }

    /// What the score of a session's turn is multiplied by.
    pub(crate) fn factor(&self, session: i64) -> f32 {
        let part = self.parts.get(&session).copied().unwrap_or_default();
        1.0 - self.share * (1.0 - part)
    }
}
