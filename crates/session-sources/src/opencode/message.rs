//! A message with its parts: what the database and the JSON tree both give.

use super::lenient_field::{self, LenientField};
use super::part::PartContent;
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::{TokenTotals, resolve_path};

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageRole {
    User,
    Assistant,
    /// Not readable, or of a kind not known: counted in the order of messages,
    /// otherwise passed over.
    Other,
}

/// The fields of `message.data`.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) role: MessageRole,
    /// Milliseconds since 1970.
    pub(super) created: Option<i64>,
    /// Missing when the run was killed.
    pub(super) completed: Option<i64>,
    /// An assistant's message that sums up the session (compaction).
    pub(super) summary: bool,
    /// `MessageAbortedError: Aborted`.
    pub(super) error: Option<String>,
    /// Of an assistant's message.
    pub(super) model: Option<String>,
    pub(super) tokens: TokenTotals,
}

/// A message, in its place in the session.
#[derive(Debug)]
pub(super) struct StoredMessage {
    pub(super) id: String,
    /// Place in the session in the order of `(time_created, id)`, from 0.
    pub(super) ordinal: u64,
    pub(super) header: Header,
    pub(super) parts: Vec<PartContent>,
}

impl StoredMessage {
    /// Makes the paths in its calls absolute: they are from a directory on.
    pub(super) fn resolve_files(&mut self, directory: Option<&str>) {
        for part in &mut self.parts {
            let PartContent::Call(call) = part else {
                continue;
            };
            let files = std::mem::take(&mut call.files).into_iter();
            call.files = files.map(|path| resolve_path(directory, path)).collect();
        }
    }
}

#[derive(Deserialize)]
struct MessageData<'a> {
    #[serde(default)]
    role: LenientField<String>,
    #[serde(default)]
    time: LenientField<MessageTimes>,
    /// `true` on an assistant's, an object with whole patches on a user's.
    #[serde(default)]
    summary: LenientField<bool>,
    #[serde(borrow, default)]
    error: LenientField<MessageError<'a>>,
    #[serde(default, rename = "modelID")]
    model: LenientField<String>,
    #[serde(default)]
    tokens: LenientField<TokenCounts>,
}

/// Token counts of a message, in both storages.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TokenCounts {
    #[serde(default)]
    input: LenientField<u64>,
    #[serde(default)]
    output: LenientField<u64>,
    #[serde(default)]
    reasoning: LenientField<u64>,
    #[serde(default)]
    cache: LenientField<CacheCounts>,
}

#[derive(Debug, Default, Deserialize)]
struct CacheCounts {
    #[serde(default)]
    read: LenientField<u64>,
    #[serde(default)]
    write: LenientField<u64>,
}

impl TokenCounts {
    pub(super) fn tokens(self) -> TokenTotals {
        let sum = |a: LenientField<u64>, b: LenientField<u64>| {
            let [a, b] = [a, b].map(|count| count.0.unwrap_or_default());
            a.saturating_add(b)
        };
        let cache = self.cache.0.unwrap_or_default();
        TokenTotals {
            input: sum(self.input, cache.write),
            cached: cache.read.0.unwrap_or_default(),
            output: sum(self.output, self.reasoning),
        }
    }
}

/// Milliseconds since 1970.
#[derive(Debug, Default, Deserialize)]
pub(super) struct MessageTimes {
    #[serde(default)]
    pub(super) created: LenientField<i64>,
    #[serde(default)]
    pub(super) completed: LenientField<i64>,
}

#[derive(Deserialize)]
struct MessageError<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: LenientField<ErrorReason<'a>>,
}

#[derive(Deserialize)]
struct ErrorReason<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

pub(super) const ERROR_LIMIT: usize = 8 * 1024;

impl Header {
    /// Returns the replacement for a message that cannot be read.
    pub(super) const UNREADABLE: Self = Self {
        role: MessageRole::Other,
        created: None,
        completed: None,
        summary: false,
        error: None,
        model: None,
        tokens: TokenTotals {
            input: 0,
            cached: 0,
            output: 0,
        },
    };

    /// Reads `message.data`.
    pub(super) fn decode(data: &str) -> Result<Self, serde_json::Error> {
        let data: MessageData<'_> = serde_json::from_str(data)?;
        let times = data.time.0.unwrap_or_default();
        Ok(Self {
            role: role(data.role.0.as_deref()),
            created: times.created.0,
            completed: times.completed.0,
            summary: data.summary.0 == Some(true),
            error: data.error.0.and_then(|failure| failure.words()),
            model: data.model.0,
            tokens: data.tokens.0.map(TokenCounts::tokens).unwrap_or_default(),
        })
    }
}

fn role(name: Option<&str>) -> MessageRole {
    match name {
        Some("user") => MessageRole::User,
        Some("assistant") => MessageRole::Assistant,
        _ => MessageRole::Other,
    }
}

impl MessageError<'_> {
    fn words(&self) -> Option<String> {
        let name = lenient_field::string(self.name, ERROR_LIMIT);
        let message = self
            .data
            .0
            .as_ref()
            .and_then(|d| lenient_field::string(d.message, ERROR_LIMIT));
        match (name, message) {
            (Some(name), Some(message)) => Some(format!("{name}: {message}")),
            (name, message) => name.or(message),
        }
    }
}
