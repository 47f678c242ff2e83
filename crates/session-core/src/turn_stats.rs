//! Time, tokens, models and results of a turn.

use crate::call_status::CallStatus;
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
    /// Adds the stats of a later part of the turn.
    pub fn add(&mut self, more: &Self) {
        self.idle_ms = self.idle_ms.saturating_add(more.idle_ms);
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

    /// Adds the time since the last message to the idle time where it is a pause. `clock` is the greatest time so far.
    pub fn count_pause(&mut self, clock: &mut Option<i64>, at: Option<i64>) {
        let (Some(last), Some(now)) = (*clock, at) else {
            *clock = clock.or(at);
            return;
        };
        if now.saturating_sub(last) > PAUSE_MS {
            self.idle_ms = self.idle_ms.saturating_add(now.saturating_sub(last));
        }
        *clock = Some(now.max(last));
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

/// A command as it was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CommandRunRef<'c> {
    /// The command.
    pub command: &'c str,
    /// The end of the run.
    #[serde(flatten)]
    pub status: CallStatus,
}

/// The access of a turn to a file, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAccess {
    /// The file was named, mostly to read it.
    Read,
    /// A part of the file was changed.
    Edited,
    /// The whole file was written.
    Written,
}

impl FileAccess {
    /// Returns the access as a label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edited => "edited",
            Self::Written => "written",
        }
    }
}
