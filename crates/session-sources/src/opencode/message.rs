//! A message with its parts: what the database and the JSON tree both give.

use super::json::{self, Lax};
use super::piece::Piece;
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::Tokens;

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    /// Not readable, or of a kind not known: counted in the order of messages,
    /// otherwise passed over.
    Other,
}

/// What `message.data` says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) role: Role,
    /// Milliseconds since 1970.
    pub(super) created: Option<i64>,
    /// Missing when the run was killed.
    pub(super) completed: Option<i64>,
    /// An assistant's message that retells the session (compaction).
    pub(super) summary: bool,
    /// `MessageAbortedError: Aborted`.
    pub(super) error: Option<String>,
    /// Of an assistant's message.
    pub(super) model: Option<String>,
    pub(super) tokens: Tokens,
}

/// A message, in its place in the session.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: String,
    /// Place in the session in the order of `(time_created, id)`, from 0.
    pub(super) ordinal: u64,
    pub(super) header: Header,
    pub(super) pieces: Vec<Piece>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(default)]
    role: Lax<String>,
    #[serde(default)]
    time: Lax<Times>,
    /// `true` on an assistant's, an object with whole patches on a user's.
    #[serde(default)]
    summary: Lax<bool>,
    #[serde(borrow, default)]
    error: Lax<Failure<'a>>,
    #[serde(default, rename = "modelID")]
    model: Lax<String>,
    #[serde(default)]
    tokens: Lax<Counts>,
}

/// What a message took, as both storages count it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Counts {
    #[serde(default)]
    input: Lax<u64>,
    #[serde(default)]
    output: Lax<u64>,
    #[serde(default)]
    reasoning: Lax<u64>,
    #[serde(default)]
    cache: Lax<CacheCounts>,
}

#[derive(Debug, Default, Deserialize)]
struct CacheCounts {
    #[serde(default)]
    read: Lax<u64>,
    #[serde(default)]
    write: Lax<u64>,
}

impl Counts {
    pub(super) fn tokens(self) -> Tokens {
        let sum = |a: Lax<u64>, b: Lax<u64>| {
            let [a, b] = [a, b].map(|count| count.0.unwrap_or_default());
            a.saturating_add(b)
        };
        let cache = self.cache.0.unwrap_or_default();
        Tokens {
            input: sum(self.input, cache.write),
            cached: cache.read.0.unwrap_or_default(),
            output: sum(self.output, self.reasoning),
        }
    }
}

/// Milliseconds since 1970.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Times {
    #[serde(default)]
    pub(super) created: Lax<i64>,
    #[serde(default)]
    pub(super) completed: Lax<i64>,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Lax<Reason<'a>>,
}

#[derive(Deserialize)]
struct Reason<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

pub(super) const ERROR_LIMIT: usize = 8 * 1024;

impl Header {
    /// What stands for a message that cannot be read.
    pub(super) const UNREADABLE: Self = Self {
        role: Role::Other,
        created: None,
        completed: None,
        summary: false,
        error: None,
        model: None,
        tokens: Tokens {
            input: 0,
            cached: 0,
            output: 0,
        },
    };

    /// Reads `message.data`.
    pub(super) fn decode(data: &str) -> Result<Self, serde_json::Error> {
        let data: Data<'_> = serde_json::from_str(data)?;
        let times = data.time.0.unwrap_or_default();
        Ok(Self {
            role: role(data.role.0.as_deref()),
            created: times.created.0,
            completed: times.completed.0,
            summary: data.summary.0 == Some(true),
            error: data.error.0.and_then(|failure| failure.words()),
            model: data.model.0,
            tokens: data.tokens.0.map(Counts::tokens).unwrap_or_default(),
        })
    }
}

fn role(name: Option<&str>) -> Role {
    match name {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::Other,
    }
}

impl Failure<'_> {
    fn words(&self) -> Option<String> {
        let name = json::string(self.name, ERROR_LIMIT);
        let message = self
            .data
            .0
            .as_ref()
            .and_then(|d| json::string(d.message, ERROR_LIMIT));
        match (name, message) {
            (Some(name), Some(message)) => Some(format!("{name}: {message}")),
            (name, message) => name.or(message),
        }
    }
}
