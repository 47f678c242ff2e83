//! The gate: which memories are worth being put before a prompt. Nothing is
//! better than something wrong.

use crate::limits;
use crate::memory::{Importance, Kind, Memory};
use crate::rank::Match;
use crate::signals::Signal;
use serde::{Deserialize, Serialize};

/// What is put before prompts: `[injection]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Injection {
    /// What a memory's match is at least, with a tenth for each of up to four words
    /// that both have.
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
            min_score: 0.55,
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

/// What a match reaches before the gate.
pub(crate) fn reached(found: &Match) -> f32 {
    let words = u8::try_from(found.terms.len().min(WORDS)).unwrap_or(u8::MAX);
    found.matched + WORD * f32::from(words)
}

impl Injection {
    /// The marks for a memory, by what it is and what the prompt says.
    pub fn marks(&self, memory: &Memory, signals: &[Signal]) -> Marks {
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
            score: self.min_score * by_signal * by_importance,
            overlap: self.min_overlap * by_signal,
        }
    }

    /// Whether a match passes.
    pub fn judge(&self, memory: &Memory, found: &Match, signals: &[Signal]) -> Reason {
        let marks = self.marks(memory, signals);
        let reached = reached(found);
        let is_plain = reached >= marks.score * WITHOUT_SHARE;
        match () {
            () if memory.front.superseded_by.is_some() => Reason::Superseded,
            () if reached < marks.score => Reason::LowScore,
            () if found.overlap < marks.overlap && !is_plain => Reason::LowOverlap,
            () => Reason::Passed,
        }
    }
}
