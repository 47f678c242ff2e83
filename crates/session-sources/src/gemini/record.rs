//! A line of a session, typed and borrowed: only what is used is decoded.

use super::content::GeminiContent;
use crate::lenient_json::{
    LenientCount, LenientItems, LenientJson, LenientObject, LenientObjects, LenientText,
    lenient_types,
};
use serde::Deserialize;
use serde::de::SeqAccess;
use serde_json::value::RawValue;
use session_core::TokenTotals;

lenient_types!(MessageList<'a>);

/// A message, what is said of the session, or a change of either.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct GeminiRecord<'a> {
    // Of a session.
    #[serde(borrow)]
    pub session_id: LenientText<'a>,
    #[serde(borrow, rename = "kind")]
    pub kind_of_session: LenientText<'a>,
    #[serde(borrow)]
    pub directories: LenientItems<LenientText<'a>>,
    #[serde(borrow)]
    pub start_time: LenientText<'a>,
    #[serde(borrow)]
    pub summary: LenientText<'a>,
    // Of a change.
    #[serde(borrow, rename = "$set")]
    pub changes: LenientObject<Box<GeminiRecord<'a>>>,
    #[serde(borrow, rename = "$rewindTo")]
    pub rewind_to: LenientText<'a>,
    #[serde(borrow)]
    pub messages: Option<MessageList<'a>>,
    // Of a message.
    #[serde(borrow)]
    pub id: LenientText<'a>,
    #[serde(borrow)]
    pub timestamp: LenientText<'a>,
    #[serde(borrow, rename = "type")]
    pub kind: LenientText<'a>,
    #[serde(borrow)]
    pub content: GeminiContent<'a>,
    /// The typed words, where `content` is something else.
    #[serde(borrow)]
    pub display_content: GeminiContent<'a>,
    #[serde(borrow)]
    pub thoughts: LenientObjects<GeminiThought<'a>>,
    #[serde(borrow)]
    pub tool_calls: LenientItems<LenientObject<GeminiCall<'a>>>,
    pub tokens: LenientObject<GeminiTokens>,
    #[serde(borrow)]
    pub model: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GeminiThought<'a> {
    #[serde(borrow)]
    pub subject: LenientText<'a>,
    #[serde(borrow)]
    pub description: LenientText<'a>,
}

/// A call, with its result once that is there.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct GeminiCall<'a> {
    #[serde(borrow)]
    pub id: LenientText<'a>,
    #[serde(borrow)]
    pub name: LenientText<'a>,
    #[serde(borrow)]
    pub args: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: GeminiContent<'a>,
    #[serde(borrow)]
    pub status: LenientText<'a>,
    /// When it ended.
    #[serde(borrow)]
    pub timestamp: LenientText<'a>,
    /// Session of the subagent that it started.
    #[serde(borrow)]
    pub agent_id: LenientText<'a>,
}

impl GeminiCall<'_> {
    pub(crate) fn has_ended(&self) -> bool {
        let status = self.status.or_empty();
        ["success", "error", "cancelled"].contains(&status) || !self.result.0.is_empty()
    }
}

/// Tokens of one answer; input counts what a cache held, too, and output no reasoning.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GeminiTokens {
    input: LenientCount,
    cached: LenientCount,
    output: LenientCount,
    thoughts: LenientCount,
}

impl GeminiTokens {
    pub(crate) fn tokens(&self) -> TokenTotals {
        let cached = self.cached.0;
        TokenTotals {
            input: self.input.0.saturating_sub(cached),
            cached,
            output: self.output.0.saturating_add(self.thoughts.0),
        }
    }
}

/// The messages that the model is sent from here on.
#[derive(Debug, Default)]
pub(crate) struct MessageList<'a>(Vec<ListedMessage<'a>>);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListedMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    content: GeminiContent<'a>,
}

/// The words that the client has the model say to the summary of a compression.
const ACKNOWLEDGMENT: &str = "Got it. Thanks for the additional context!";

impl MessageList<'_> {
    /// Returns the summary with which a compression replaced the messages before.
    pub(crate) fn compression_summary(&self) -> Option<String> {
        let is_pair = |pair: &&[ListedMessage<'_>]| match pair {
            [user, answer] => {
                user.kind.get() == Some("user") && answer.content.joined() == ACKNOWLEDGMENT
            }
            _ => false,
        };
        let pair = self.0.windows(2).find(is_pair)?;
        Some(pair.first()?.content.without_session_context().join("\n"))
    }
}

impl<'de: 'a, 'a> LenientJson<'de> for MessageList<'a> {
    fn items<A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        LenientObjects::items(items).map(|found| Self(found.0))
    }
}
