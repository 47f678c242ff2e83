//! The gate of injection: thresholds that a memory has to reach for a prompt. Injecting nothing is
//! better than injecting something wrong.

use crate::injection_decision::PromptFeatures;
use crate::memory::{Importance, Memory, MemoryKind};
use crate::rank::MemoryMatch;
use crate::setting_values;
use crate::signals::Signal;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Thresholds and budgets of injection: `[injection]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InjectionSettings {
    /// The least gate score of a memory without cues, 0 to 1.
    #[serde(deserialize_with = "setting_values::fraction")]
    pub min_score: f32,
    /// The least fraction of the prompt's terms that the memory holds, 0 to 1.
    #[serde(deserialize_with = "setting_values::fraction")]
    pub min_overlap: f32,
    /// The most items of a block.
    #[serde(deserialize_with = "setting_values::count")]
    pub max_items: usize,
    /// The most characters of an item, with its label and id.
    #[serde(deserialize_with = "setting_values::count")]
    pub item_chars: usize,
    /// The most characters of a block, with its fence.
    #[serde(deserialize_with = "setting_values::count")]
    pub total_chars: usize,
    /// The most estimated tokens of the overview at the start of a session; 0 for none.
    #[serde(deserialize_with = "setting_values::count_or_none")]
    pub overview_tokens: usize,
    /// The longest time that a prompt waits, in milliseconds.
    #[serde(deserialize_with = "setting_values::millis")]
    pub timeout_ms: u64,
    /// Past turns of the history are injected, too.
    pub past_turns: bool,
    /// The last session of the project is described at the start of the next one.
    pub last_session: bool,
}

impl Default for InjectionSettings {
    fn default() -> Self {
        Self {
            min_score: 0.36,
            min_overlap: 0.2,
            max_items: 5,
            item_chars: 200,
            total_chars: 1000,
            overview_tokens: 1200,
            timeout_ms: 150,
            past_turns: false,
            last_session: false,
        }
    }
}

/// Factor of both thresholds where the prompt has a signal.
const SIGNAL_FACTOR: f32 = 0.8;
/// Factor of both thresholds of a preference where the prompt asks for preferences.
const PREFERENCE_FACTOR: f32 = 0.6;
/// Factor of the score threshold of a memory of low importance.
const LOW_IMPORTANCE_FACTOR: f32 = 1.25;
/// Bonus for each common term, up to [`MAX_COMMON_TERMS`]: a prompt about something else rarely
/// shares several.
const COMMON_TERM_BONUS: f32 = 0.1;
const MAX_COMMON_TERMS: usize = 4;
/// Weight of the background similarity, which lowers the gate score.
const BACKGROUND_WEIGHT: f32 = 0.4;
/// Growth of the score threshold for each doubling of a memory's cues: the maximum of many cosines
/// is high by chance.
const CUE_DOUBLING_PENALTY: f32 = 0.12;
/// Factor of the score threshold above which the overlap threshold is waived.
const OVERLAP_WAIVER_FACTOR: f32 = 1.1;

/// The time before the timeout in which vectors are cached.
const CACHE_MARGIN: Duration = Duration::from_millis(40);

/// The gate's verdict on a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// The memory is injected.
    Passed,
    /// Its gate score is below the threshold.
    LowScore,
    /// Its overlap is below the threshold.
    LowOverlap,
    /// Another memory has replaced it.
    Superseded,
    /// It was injected earlier in this session.
    AlreadyInjected,
    /// It was saved from this session.
    OwnSession,
    /// It passed, and the budget was spent.
    NoRoom,
}

/// The least values with which a memory passes the gate for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Thresholds {
    /// The least gate score.
    pub score: f32,
    /// The least overlap.
    pub overlap: f32,
}

/// Returns the score that the gate compares with its threshold: the match, plus a bonus for common
/// terms, minus the weighted background similarity. Single letters and numbers are no terms here.
pub(crate) fn gate_score(found: &MemoryMatch, background_similarity: f32) -> f32 {
    let is_word = |term: &&String| term.len() > 1 && !term.bytes().all(|b| b.is_ascii_digit());
    let common = found.terms.iter().filter(is_word).count();
    let common = u8::try_from(common.min(MAX_COMMON_TERMS)).unwrap_or(u8::MAX);
    let bonus = COMMON_TERM_BONUS * f32::from(common);
    found.matched + bonus - BACKGROUND_WEIGHT * background_similarity
}

/// Returns the factor of the score threshold of a memory with so many cues: 1 + c log2(1 + n).
#[expect(clippy::cast_precision_loss, reason = "cues of a memory")]
fn cue_count_penalty(cues: usize) -> f32 {
    1.0 + CUE_DOUBLING_PENALTY * (1.0 + cues as f32).log2()
}

impl InjectionSettings {
    /// Returns the longest time that a prompt waits.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// Returns the time at which embedding has to stop, so that what is embedded can be cached before
    /// the timeout.
    pub fn embedding_deadline(&self, started: Instant) -> Instant {
        started + self.timeout().saturating_sub(CACHE_MARGIN)
    }

    /// Returns the thresholds of a memory for a prompt with these signals.
    pub fn thresholds(
        &self,
        memory: &Memory,
        found: &MemoryMatch,
        signals: &[Signal],
    ) -> Thresholds {
        let is_preference = memory.front.kind == MemoryKind::Preference;
        let by_signal = match signals {
            [] => 1.0,
            some if some.contains(&Signal::Preference) && is_preference => PREFERENCE_FACTOR,
            _ => SIGNAL_FACTOR,
        };
        let by_importance = match memory.front.importance {
            Importance::Low => LOW_IMPORTANCE_FACTOR,
            Importance::Normal | Importance::High => 1.0,
        };
        let by_cues = cue_count_penalty(found.compared_cues);
        Thresholds {
            score: self.min_score * by_signal * by_importance * by_cues,
            overlap: self.min_overlap * by_signal,
        }
    }

    /// Compares a match with its thresholds.
    pub fn evaluate(
        &self,
        memory: &Memory,
        found: &MemoryMatch,
        prompt: &PromptFeatures,
    ) -> GateOutcome {
        let thresholds = self.thresholds(memory, found, &prompt.signals);
        let score = gate_score(found, prompt.background_similarity);
        let is_waived = score >= thresholds.score * OVERLAP_WAIVER_FACTOR;
        if memory.front.superseded_by.is_some() {
            GateOutcome::Superseded
        } else if score < thresholds.score {
            GateOutcome::LowScore
        } else if found.overlap < thresholds.overlap && !is_waived {
            GateOutcome::LowOverlap
        } else {
            GateOutcome::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_grows_with_the_number_of_cues() {
        assert!((cue_count_penalty(0) - 1.0).abs() < 1e-6);
        assert!((cue_count_penalty(1) - (1.0 + CUE_DOUBLING_PENALTY)).abs() < 1e-6);
        assert!((cue_count_penalty(15) - (1.0 + 4.0 * CUE_DOUBLING_PENALTY)).abs() < 1e-6);
    }
}
