//! The gate of injection: the threshold that a memory has to reach for a prompt. Injecting nothing is
//! better than injecting something wrong.

use crate::content::memory::Memory;
use crate::retrieval::rank::MemoryMatch;
use crate::setting_values;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The thresholds and budgets of injection: `[injection]` of the configuration. `benches/RESULTS.md` has the measurements
/// by which the thresholds were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InjectionLimits {
    /// The least gate score of a memory, 0 to 1.
    #[serde(deserialize_with = "setting_values::deserialize_fraction")]
    pub min_score: f32,
    /// The least relevance of a memory whose trigger a call matches, 0 to 1; 0 leaves it to the trigger.
    #[serde(deserialize_with = "setting_values::deserialize_fraction")]
    pub min_trigger_relevance: f32,
    /// The most items of a block.
    #[serde(deserialize_with = "setting_values::deserialize_count")]
    pub max_items: usize,
    /// The most characters of an item, with its label and id.
    #[serde(deserialize_with = "setting_values::deserialize_count")]
    pub item_chars: usize,
    /// The most characters of a block, with its fence.
    #[serde(deserialize_with = "setting_values::deserialize_count")]
    pub total_chars: usize,
    /// The most estimated tokens of the overview at the start of a session; 0 for none.
    #[serde(deserialize_with = "setting_values::deserialize_count_or_none")]
    pub overview_tokens: usize,
    /// The longest time that a prompt waits, in milliseconds.
    #[serde(deserialize_with = "setting_values::deserialize_millis")]
    pub timeout_ms: u64,
    /// Past turns of the history are injected, too.
    pub past_turns: bool,
    /// The last session of the project is described at the start of the next one.
    pub last_session: bool,
}

impl Default for InjectionLimits {
    fn default() -> Self {
        Self {
            min_score: 0.7,
            min_trigger_relevance: 0.25,
            max_items: 5,
            item_chars: 400,
            total_chars: 1000,
            overview_tokens: 1200,
            timeout_ms: 150,
            past_turns: false,
            last_session: false,
        }
    }
}

/// Bonus for each common term, up to [`MAX_COMMON_TERMS`]: a prompt about something else rarely
/// shares several.
const COMMON_TERM_BONUS: f32 = 0.1;
const MAX_COMMON_TERMS: usize = 4;
/// The score of a perfect match with all bonuses: `1 + MAX_COMMON_TERMS * COMMON_TERM_BONUS`.
const MAX_SCORE: f32 = 1.4;

/// The time before the timeout in which vectors are cached.
const CACHE_MARGIN: Duration = Duration::from_millis(40);

/// The gate's verdict on a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// The memory is injected.
    Passed,
    /// It is injected because the prompt holds an error that it names.
    Triggered,
    /// Its gate score is below the threshold.
    LowScore,
    /// Another memory has replaced it.
    Superseded,
    /// It was injected earlier in this session.
    AlreadyInjected,
    /// It was saved from this session.
    OwnSession,
    /// It passed, and the budget was spent.
    NoRoom,
}

/// Returns the score that the gate compares with its threshold, 0 to 1: the match plus a bonus for common
/// terms. Single letters and numbers are no terms here.
pub(crate) fn gate_score(found: &MemoryMatch) -> f32 {
    let is_word = |term: &&String| term.len() > 1 && !term.bytes().all(|b| b.is_ascii_digit());
    let common = found.terms.iter().filter(is_word).count();
    let common = u8::try_from(common.min(MAX_COMMON_TERMS)).unwrap_or(u8::MAX);
    (found.fused_score + COMMON_TERM_BONUS * f32::from(common)) / MAX_SCORE
}

impl InjectionLimits {
    /// Returns the longest time that a prompt waits.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// Returns the time at which embedding has to stop, so that what is embedded can be cached before
    /// the timeout.
    pub fn embedding_deadline(&self, started: Instant) -> Instant {
        started + self.timeout().saturating_sub(CACHE_MARGIN)
    }

    /// Compares a match with the threshold.
    pub fn evaluate(&self, memory: &Memory, found: &MemoryMatch) -> GateVerdict {
        if memory.front.is_superseded() {
            GateVerdict::Superseded
        } else if gate_score(found) < self.min_score {
            GateVerdict::LowScore
        } else {
            GateVerdict::Passed
        }
    }
}
