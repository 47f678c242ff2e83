//! A line of a transcript, typed and borrowed: only what is used is decoded.

use crate::lenient_json::{
    LenientCount, LenientFlag, LenientJson, LenientMembers, LenientObject, LenientText,
    lenient_types,
};
use crate::time::milliseconds;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use serde_json::value::RawValue;
use session_core::TokenTotals;
use std::borrow::Cow;

lenient_types!(
    EntryMessage<'a>,
    ToolUseResult<'a>,
    MessageContent<'a>,
    ContentBlock<'a>,
);

/// One line. Which fields mean something depends on `kind`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TranscriptEntry<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: LenientText<'a>,
    #[serde(borrow)]
    pub subtype: LenientText<'a>,
    #[serde(borrow)]
    pub uuid: LenientText<'a>,
    #[serde(borrow)]
    pub timestamp: LenientText<'a>,
    #[serde(borrow)]
    pub cwd: LenientText<'a>,
    #[serde(borrow)]
    pub git_branch: LenientText<'a>,
    #[serde(borrow)]
    pub session_id: LenientText<'a>,
    pub is_meta: LenientFlag,
    pub is_sidechain: LenientFlag,
    pub is_compact_summary: LenientFlag,
    pub is_api_error_message: LenientFlag,
    #[serde(borrow)]
    pub prompt_source: LenientText<'a>,
    #[serde(borrow)]
    pub origin: LenientObject<MessageOrigin<'a>>,
    #[serde(borrow)]
    pub forked_from: LenientObject<ForkedFrom<'a>>,
    #[serde(borrow)]
    pub message: EntryMessage<'a>,
    #[serde(borrow)]
    pub tool_use_result: ToolUseResult<'a>,
    /// Of `system` and `queue-operation` lines.
    #[serde(borrow)]
    pub content: MessageContent<'a>,
    /// Of `queue-operation` lines.
    #[serde(borrow)]
    pub operation: LenientText<'a>,
    #[serde(borrow)]
    pub attachment: LenientObject<EntryAttachment<'a>>,
    /// Of `system` lines of the subtype `api_error`.
    #[serde(borrow)]
    pub error: LenientObject<ApiError<'a>>,
    #[serde(borrow)]
    pub custom_title: LenientText<'a>,
    #[serde(borrow)]
    pub ai_title: LenientText<'a>,
    #[serde(borrow)]
    pub summary: LenientText<'a>,
    #[serde(borrow)]
    pub leaf_uuid: LenientText<'a>,
    /// Why the call of a result was not let run, or that the user refused or stopped it.
    #[serde(borrow)]
    pub tool_denial_kind: LenientText<'a>,
    /// Of `pr-link` lines.
    #[serde(borrow)]
    pub pr_url: LenientText<'a>,
}

impl TranscriptEntry<'_> {
    /// Returns when the line was written, in milliseconds since 1970.
    pub(super) fn time_ms(&self) -> Option<i64> {
        self.timestamp.get().and_then(milliseconds)
    }

    /// Returns the session and message that this line was forked from.
    pub(super) fn fork(&self) -> Option<&ForkedFrom<'_>> {
        self.forked_from.0.as_ref()
    }

    /// Returns true when the program says that no human typed this.
    pub(super) fn is_injected(&self) -> bool {
        let origin = self.origin.0.as_ref().and_then(|origin| origin.kind.get());
        origin.is_some_and(|kind| kind != "human") || self.prompt_source.get() == Some("system")
    }
}

/// Who wrote a user line: `human`, `task-notification`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageOrigin<'a> {
    #[serde(borrow)]
    pub kind: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ForkedFrom<'a> {
    #[serde(borrow)]
    pub session_id: LenientText<'a>,
    #[serde(borrow)]
    pub message_uuid: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EntryAttachment<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: LenientText<'a>,
    #[serde(borrow)]
    pub prompt: MessageContent<'a>,
    #[serde(borrow)]
    pub timestamp: LenientText<'a>,
    #[serde(borrow)]
    pub origin: LenientObject<MessageOrigin<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ApiError<'a> {
    #[serde(borrow)]
    pub formatted: LenientText<'a>,
    #[serde(borrow)]
    pub message: LenientText<'a>,
}

/// An API message; in old files a mere string.
#[derive(Debug, Default, Deserialize)]
#[serde(default, remote = "Self")]
pub(super) struct EntryMessage<'a> {
    #[serde(borrow)]
    pub id: LenientText<'a>,
    #[serde(borrow)]
    pub model: LenientText<'a>,
    #[serde(borrow)]
    pub content: MessageContent<'a>,
    pub usage: LenientObject<Usage>,
}

/// The tokens of a reply, as far as it has come.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    input_tokens: LenientCount,
    cache_creation_input_tokens: LenientCount,
    cache_read_input_tokens: LenientCount,
    output_tokens: LenientCount,
}

impl Usage {
    pub(super) fn tokens(&self) -> TokenTotals {
        let [fresh, stored] = [&self.input_tokens, &self.cache_creation_input_tokens];
        TokenTotals {
            input: fresh.0.saturating_add(stored.0),
            cached: self.cache_read_input_tokens.0,
            output: self.output_tokens.0,
        }
    }
}

impl<'de: 'a, 'a> LenientJson<'de> for EntryMessage<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self {
            content: MessageContent::text(text),
            ..Self::default()
        }
    }
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(members))
    }
}

/// The structured copy of a tool result. Most of it repeats the result, or is
/// a whole file before an edit: skipped.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", remote = "Self")]
pub(super) struct ToolUseResult<'a> {
    #[serde(borrow)]
    pub agent_id: LenientText<'a>,
    /// A command that was stopped before its end.
    pub interrupted: LenientFlag,
    /// The task of a command that goes on in the background.
    #[serde(borrow)]
    pub background_task_id: LenientText<'a>,
    /// The task that the call looked after, and how it stands.
    #[serde(borrow)]
    pub task: LenientObject<BackgroundTask<'a>>,
    /// Likewise of older versions.
    #[serde(borrow)]
    pub shell_id: LenientText<'a>,
    #[serde(borrow)]
    pub status: LenientText<'a>,
    /// The user's answers, by question.
    #[serde(borrow)]
    pub answers: LenientMembers<'a, LenientText<'a>>,
    /// Additions of the user to the answers, by question.
    #[serde(borrow)]
    pub annotations: LenientMembers<'a, LenientObject<Annotation<'a>>>,
    /// The plan that the user approved.
    #[serde(borrow)]
    pub plan: LenientText<'a>,
}

/// A background task as a call that looked after it reports it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BackgroundTask<'a> {
    #[serde(borrow)]
    pub task_id: LenientText<'a>,
    #[serde(borrow)]
    pub status: LenientText<'a>,
}

/// An addition of the user to an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Annotation<'a> {
    #[serde(borrow)]
    pub notes: LenientText<'a>,
}

impl<'de: 'a, 'a> LenientJson<'de> for ToolUseResult<'a> {
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(members))
    }
}

/// Blocks of a message. A mere string is one block of text.
#[derive(Debug, Default)]
pub(super) struct MessageContent<'a>(pub Vec<ContentBlock<'a>>);

impl MessageContent<'_> {
    /// Returns the texts of the blocks of type `text`, one a line. An image alone
    /// reads `[Image]`.
    pub(super) fn words(&self) -> String {
        let texts = self
            .0
            .iter()
            .filter(|block| block.kind.get() == Some("text"));
        let texts: Vec<&str> = texts.filter_map(|block| block.text.get()).collect();
        match self.0.iter().any(|block| block.kind.get() == Some("image")) {
            true if texts.is_empty() => "[Image]".to_owned(),
            _ => texts.join("\n"),
        }
    }

    pub(super) fn has(&self, kind: &str) -> bool {
        self.0.iter().any(|block| block.kind.get() == Some(kind))
    }
}

impl<'de: 'a, 'a> LenientJson<'de> for MessageContent<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(vec![ContentBlock::text(text)])
    }
    fn items<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        let mut blocks = Vec::with_capacity(1); // most have one, and a block is large
        while let Some(block) = items.next_element::<ContentBlock<'_>>()? {
            // One without a type says nothing, and a line may hold millions.
            if block.kind.get().is_some() {
                blocks.push(block);
            }
        }
        Ok(Self(blocks))
    }
}

/// A block of a message; in old files a mere string.
#[derive(Debug, Default, Deserialize)]
#[serde(default, remote = "Self")]
pub(super) struct ContentBlock<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: LenientText<'a>,
    #[serde(borrow)]
    pub text: LenientText<'a>,
    #[serde(borrow)]
    pub thinking: LenientText<'a>,
    #[serde(borrow)]
    pub id: LenientText<'a>,
    #[serde(borrow)]
    pub name: LenientText<'a>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub tool_use_id: LenientText<'a>,
    /// Of a result: decoded only where it matters.
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    pub is_error: LenientFlag,
    /// Of a `tool_reference`.
    #[serde(borrow)]
    pub tool_name: LenientText<'a>,
}

impl<'de: 'a, 'a> LenientJson<'de> for ContentBlock<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self {
            kind: Cow::Borrowed("text").into(),
            text: text.into(),
            ..Self::default()
        }
    }
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(members))
    }
}
