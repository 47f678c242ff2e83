//! The gate: which memories are worth being put before a prompt. Nothing is
//! better than something wrong.

use crate::inject::Prompt;
use crate::limits;
use crate::memory::{Importance, Kind, Memory};
use crate::rank::Match;
use crate::signals::Signal;
use serde::{Deserialize, Serialize};

/// What is put before prompts: `[injection]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Injection {
    /// What a memory without cues reaches at least: its match, with a tenth for each of up to
    /// four words that both have, less what the prompt has of prompts that need no memory.
    #[serde(deserialize_with = "limits::share")]
    pub min_score: f32,
    /// The part of the prompt's words that it holds at least, 0 to 1.
    #[serde(deserialize_with = "limits::share")]
    pub min_overlap: f32,
    /// Most items.
    #[serde(deserialize_with = "limits::count")]
    pub max_items: usize,
    /// Most characters of an item, its label and id included.
    #[serde(deserialize_with = "limits::count")]
    pub item_chars: usize,
    /// Most characters of all, the fence included.
    #[serde(deserialize_with = "limits::count")]
    pub total_chars: usize,
    /// Longest time a prompt waits, in milliseconds.
    #[serde(deserialize_with = "limits::time")]
    pub timeout_ms: u64,
    /// Also past turns of the history.
    pub past_turns: bool,
}

impl Default for Injection {
    fn default() -> Self {
        Self {
            min_score: 0.36,
            min_overlap: 0.2,
            max_items: 5,
            item_chars: 200,
            total_chars: 1000,
            timeout_ms: 150,
            past_turns: false,
        }
    }
}

/// What a signal leaves of both marks.
const WITH_SIGNAL: f32 = 0.8;
/// What a sign of preference leaves for preferences.
const WITH_PREFERENCE: f32 = 0.6;
/// How much more a memory of low importance needs.
const LOW: f32 = 1.25;
/// What each word that both have adds to a match, and how many do: the chance that a prompt
/// about something else has several in common is small.
const WORD: f32 = 0.1;
const WORDS: usize = 4;
/// What a prompt loses that is as near as can be to one that needs no memory.
const COMMONPLACE: f32 = 0.4;
/// What each doubling of a memory's cues adds to its mark: the nearest of many is near by chance.
const DOUBLED: f32 = 0.12;
/// What goes this far beyond its mark needs no share of the prompt's words.
const WITHOUT_SHARE: f32 = 1.1;

/// Why a memory is put before a prompt, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is.
    Passed,
    /// Its match is too low.
    LowScore,
    /// Too few words are common to both.
    LowOverlap,
    /// Another memory has replaced it.
    Superseded,
    /// It has been, in this session.
    AlreadyInjected,
    /// It is this session's own words.
    OwnSession,
    /// The budget was spent.
    NoRoom,
}

/// The marks that a memory has to reach for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Marks {
    /// Least match.
    pub score: f32,
    /// Least overlap.
    pub overlap: f32,
}

/// What a match reaches before the gate. A letter alone and a number are no words.
pub(crate) fn reached(found: &Match, commonplace: f32) -> f32 {
    let is_word = |term: &&String| term.len() > 1 && !term.bytes().all(|b| b.is_ascii_digit());
    let words = found.terms.iter().filter(is_word).count().min(WORDS);
    let words = WORD * f32::from(u8::try_from(words).unwrap_or(u8::MAX));
    found.matched + words - COMMONPLACE * commonplace
}

/// How much more a memory with so many cues needs.
#[expect(clippy::cast_precision_loss, reason = "cues of a memory")]
fn by_chance(cues: usize) -> f32 {
    1.0 + DOUBLED * (1.0 + cues as f32).log2()
}

impl Injection {
    /// The marks for a memory, by what it is and what the prompt says.
    pub fn marks(&self, memory: &Memory, found: &Match, signals: &[Signal]) -> Marks {
        let is_wanted = memory.front.kind == Kind::Preference;
        let by_signal = match signals {
            [] => 1.0,
            some if some.contains(&Signal::Preference) && is_wanted => WITH_PREFERENCE,
            _ => WITH_SIGNAL,
        };
        let by_importance = match memory.front.importance {
            Importance::Low => LOW,
            Importance::Normal | Importance::High => 1.0,
        };
        Marks {
            score: self.min_score * by_signal * by_importance * by_chance(found.compared),
            overlap: self.min_overlap * by_signal,
        }
    }

    /// Whether a match passes.
    pub fn judge(&self, memory: &Memory, found: &Match, prompt: &Prompt) -> Reason {
        let marks = self.marks(memory, found, &prompt.signals);
        let reached = reached(found, prompt.commonplace);
        let is_plain = reached >= marks.score * WITHOUT_SHARE;
        match () {
            () if memory.front.superseded_by.is_some() => Reason::Superseded,
            () if reached < marks.score => Reason::LowScore,
            () if found.overlap < marks.overlap && !is_plain => Reason::LowOverlap,
            () => Reason::Passed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_cues_the_higher_the_mark() {
        assert!((by_chance(0) - 1.0).abs() < 1e-6);
        assert!((by_chance(1) - (1.0 + DOUBLED)).abs() < 1e-6);
        assert!((by_chance(15) - (1.0 + 4.0 * DOUBLED)).abs() < 1e-6);
    }
}
