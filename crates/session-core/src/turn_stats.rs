//! Time, tokens, models and results of a turn.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// A time without any message, in milliseconds, beyond which nobody worked.
pub const PAUSE_MS: i64 = 30 * 60 * 1000;

/// Time, tokens, models and pull requests of a turn. Those of its parts add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStats {
    /// Milliseconds between its first and last message in which nobody worked:
    /// the sum of its pauses, each longer than [`PAUSE_MS`].
    #[serde(rename = "i", default, skip_serializing_if = "is_zero")]
    pub idle_ms: i64,
    /// Tokens, where the agent counts them.
    #[serde(rename = "u", default, skip_serializing_if = "TokenTotals::is_zero")]
    pub tokens: TokenTotals,
    /// Models that answered, in order, each once.
    #[serde(rename = "m", default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Addresses of pull requests that it opened, in order, each once.
    #[serde(rename = "p", default, skip_serializing_if = "Vec::is_empty")]
    pub pull_requests: Vec<String>,
}

fn is_zero(ms: &i64) -> bool {
    *ms == 0
}

/// Greatest number of models, and of pull requests, of one turn.
const MAX_NAMES: usize = 20;
/// Longest name or address, in bytes.
const MAX_NAME_BYTES: usize = 200;

impl TurnStats {
    /// Adds milliseconds in which nobody worked.
    pub fn add_idle(&mut self, ms: i64) {
        self.idle_ms = self.idle_ms.saturating_add(ms);
    }

    /// Adds the stats of a later part of the turn.
    pub fn add(&mut self, more: &Self) {
        self.add_idle(more.idle_ms);
        self.tokens += more.tokens;
        more.models.iter().for_each(|model| self.add_model(model));
        let opened = more.pull_requests.iter();
        opened.for_each(|address| self.add_pull_request(address));
    }

    /// Adds a model that answered.
    pub fn add_model(&mut self, name: &str) {
        push_new(&mut self.models, name);
    }

    /// Adds a pull request that was opened.
    pub fn add_pull_request(&mut self, address: &str) {
        push_new(&mut self.pull_requests, address);
    }
}

/// The greatest time of a turn so far, by which its pauses are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PauseClock {
    /// Milliseconds since 1970.
    latest_ms: Option<i64>,
}

impl PauseClock {
    /// Advances the clock to a message's time. Returns the milliseconds since the last one where they are a pause, longer than
    /// [`PAUSE_MS`], else 0.
    pub fn advance(&mut self, at: Option<i64>) -> i64 {
        let last = self.latest_ms;
        self.latest_ms = last.max(at);
        let between = at.zip(last).map_or(0, |(at, last)| at.saturating_sub(last));
        if between > PAUSE_MS { between } else { 0 }
    }
}

fn push_new(list: &mut Vec<String>, item: &str) {
    let fits = !item.is_empty() && item.len() <= MAX_NAME_BYTES && list.len() < MAX_NAMES;
    if fits && !list.iter().any(|have| have == item) {
        list.push(item.to_owned());
    }
}

/// Tokens of a model's work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
pub struct TokenTotals {
    /// Read anew, those written to a cache included.
    pub input: u64,
    /// Read from a cache.
    pub cached: u64,
    /// Written, reasoning included.
    pub output: u64,
}

impl TokenTotals {
    /// Returns true when none were counted.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the difference to smaller counts, field by field.
    pub fn saturating_sub(self, known: Self) -> Self {
        Self {
            input: self.input.saturating_sub(known.input),
            cached: self.cached.saturating_sub(known.cached),
            output: self.output.saturating_sub(known.output),
        }
    }
}

impl AddAssign for TokenTotals {
    fn add_assign(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.cached = self.cached.saturating_add(more.cached);
        self.output = self.output.saturating_add(more.output);
    }
}

impl From<[u64; 3]> for TokenTotals {
    fn from([input, cached, output]: [u64; 3]) -> Self {
        Self {
            input,
            cached,
            output,
        }
    }
}

impl From<TokenTotals> for [u64; 3] {
    fn from(tokens: TokenTotals) -> Self {
        [tokens.input, tokens.cached, tokens.output]
    }
}
