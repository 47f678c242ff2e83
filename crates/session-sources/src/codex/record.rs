//! A line of a rollout, typed and borrowed: only what is used is decoded.

use crate::lenient_json::{
    LenientCount, LenientFlag, LenientItems, LenientJson, LenientMembers, LenientObject,
    LenientObjects, LenientText, lenient_types,
};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use serde_json::value::RawValue;
use session_core::TokenTotals;
use std::borrow::Cow;

lenient_types!(ThreadOrigin, TextItems<'a>);

/// A line, and what it says. Which fields mean something depends on the kinds of both.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload<'a> {
    // Of a line.
    #[serde(borrow)]
    pub timestamp: LenientText<'a>,
    #[serde(borrow)]
    pub payload: LenientObject<Box<Payload<'a>>>,
    #[serde(borrow, rename = "type")]
    pub kind: LenientText<'a>,
    // Of `session_meta` and `turn_context`.
    #[serde(borrow)]
    pub id: LenientText<'a>,
    #[serde(borrow)]
    pub cwd: LenientText<'a>,
    #[serde(borrow)]
    pub forked_from_id: LenientText<'a>,
    #[serde(borrow)]
    pub parent_thread_id: LenientText<'a>,
    pub source: ThreadOrigin,
    #[serde(borrow)]
    pub git: LenientObject<GitState<'a>>,
    #[serde(borrow)]
    pub turn_id: LenientText<'a>,
    #[serde(borrow)]
    pub model: LenientText<'a>,
    // Of items of the conversation.
    #[serde(borrow)]
    pub role: LenientText<'a>,
    #[serde(borrow)]
    pub content: TextItems<'a>,
    #[serde(borrow)]
    pub summary: TextItems<'a>,
    #[serde(borrow)]
    pub name: LenientText<'a>,
    #[serde(borrow)]
    pub namespace: LenientText<'a>,
    #[serde(borrow)]
    pub call_id: LenientText<'a>,
    /// JSON in a string.
    #[serde(borrow)]
    pub arguments: LenientText<'a>,
    #[serde(borrow)]
    pub input: LenientText<'a>,
    #[serde(borrow)]
    pub output: TextItems<'a>,
    #[serde(borrow)]
    pub action: Option<&'a RawValue>,
    // Of events.
    #[serde(borrow)]
    pub message: LenientText<'a>,
    #[serde(borrow, rename = "kind")]
    pub kind_of_message: LenientText<'a>,
    pub images: LenientItems<LenientFlag>,
    pub local_images: LenientItems<LenientFlag>,
    #[serde(borrow)]
    pub error: LenientObject<EventError<'a>>,
    #[serde(borrow)]
    pub reason: LenientText<'a>,
    #[serde(borrow)]
    pub thread_name: LenientText<'a>,
    #[serde(borrow)]
    pub thread_id: LenientText<'a>,
    pub info: LenientObject<TokenInfo>,
    #[serde(borrow)]
    pub command: LenientItems<LenientText<'a>>,
    #[serde(borrow)]
    pub status: LenientText<'a>,
    #[serde(borrow)]
    pub aggregated_output: LenientText<'a>,
    #[serde(borrow)]
    pub stdout: LenientText<'a>,
    #[serde(borrow)]
    pub stderr: LenientText<'a>,
    /// May be negative.
    #[serde(borrow)]
    pub exit_code: Option<&'a RawValue>,
    /// The changes of files, by their paths.
    #[serde(borrow)]
    pub changes: LenientMembers<'a, LenientObject<ChangedFile<'a>>>,
    #[serde(borrow)]
    pub user_facing_hint: LenientText<'a>,
    #[serde(borrow)]
    pub review_output: LenientObject<ReviewOutput<'a>>,
    /// Of the end of a call of an MCP server.
    #[serde(borrow)]
    pub result: LenientObject<McpResult<'a>>,
    /// Of `item_completed`: an item of the interface, which has the same fields.
    #[serde(borrow)]
    pub item: LenientObject<Box<Payload<'a>>>,
}

impl Payload<'_> {
    /// Returns the line that `command` runs.
    pub(crate) fn command_line(&self) -> String {
        let words: Vec<&str> = self.command.0.iter().map(LenientText::or_empty).collect();
        crate::tool_table::command_line(&words)
    }

    /// Returns the id of the call that ended: that of an event, or of an item.
    pub(crate) fn ended_call(&self) -> &str {
        self.call_id.get().or(self.id.get()).unwrap_or_default()
    }

    /// Returns the output of a command or of a patch.
    pub(crate) fn printed(&self) -> &str {
        let texts = [&self.aggregated_output, &self.stdout, &self.stderr];
        let mut texts = texts.into_iter().filter_map(LenientText::get);
        texts.next().unwrap_or_default()
    }

    /// Returns true for a call that an MCP server could not answer, or answered with an error.
    pub(crate) fn is_mcp_failure(&self) -> bool {
        let result = self.result.0.as_ref();
        result.is_some_and(|result| {
            let answer = result.ok.0.as_ref();
            result.err.present().is_some() || answer.is_some_and(|answer| answer.is_error.0)
        })
    }

    /// Returns true for a command that was killed: it has no exit code of its own.
    pub(crate) fn was_killed(&self) -> bool {
        self.exit_code.is_some_and(|code| code.get() == "-1")
    }
}

/// The answer of an MCP server, or the reason for which there is none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct McpResult<'a> {
    #[serde(rename = "Ok")]
    ok: LenientObject<McpAnswer>,
    #[serde(borrow, rename = "Err")]
    err: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct McpAnswer {
    #[serde(rename = "isError")]
    is_error: LenientFlag,
}

/// A change of a file, as its end records it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChangedFile<'a> {
    /// `add`, `delete` or `update`.
    #[serde(borrow, rename = "type")]
    pub kind: LenientText<'a>,
    #[serde(borrow)]
    pub content: LenientText<'a>,
    #[serde(borrow)]
    pub unified_diff: LenientText<'a>,
    #[serde(borrow)]
    pub move_path: LenientText<'a>,
}

/// Who began a thread: a program's name, or that of a subagent.
#[derive(Debug, Default)]
pub(crate) struct ThreadOrigin {
    pub name: String,
    pub is_subagent: bool,
    pub parent: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OriginObject<'a> {
    #[serde(borrow)]
    subagent: Option<LenientObject<SpawnedThread<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SpawnedThread<'a> {
    #[serde(borrow)]
    thread_spawn: LenientObject<ThreadSpawn<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ThreadSpawn<'a> {
    #[serde(borrow)]
    parent_thread_id: LenientText<'a>,
}

impl<'de> LenientJson<'de> for ThreadOrigin {
    fn text(text: Cow<'de, str>) -> Self {
        Self {
            name: text.into_owned(),
            ..Self::default()
        }
    }
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        let object = OriginObject::deserialize(MapAccessDeserializer::new(members))?;
        let spawned = object.subagent.as_ref().and_then(|agent| agent.0.as_ref());
        let spawn = spawned.and_then(|spawned| spawned.thread_spawn.0.as_ref());
        let parent = spawn.and_then(|spawn| spawn.parent_thread_id.get());
        Ok(Self {
            name: String::new(),
            is_subagent: object.subagent.is_some(),
            parent: parent.map(str::to_owned),
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GitState<'a> {
    #[serde(borrow)]
    pub branch: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EventError<'a> {
    #[serde(borrow)]
    pub message: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ReviewOutput<'a> {
    #[serde(borrow)]
    pub overall_explanation: LenientText<'a>,
    #[serde(borrow)]
    pub findings: LenientObjects<ReviewFinding<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ReviewFinding<'a> {
    #[serde(borrow)]
    pub title: LenientText<'a>,
    #[serde(borrow)]
    pub body: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TokenInfo {
    pub total_token_usage: TokenUsage,
    pub last_token_usage: TokenUsage,
}

/// Tokens of one answer or of all; input counts what a cache held, too.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TokenUsage {
    input_tokens: LenientCount,
    cached_input_tokens: LenientCount,
    output_tokens: LenientCount,
}

impl TokenUsage {
    pub(crate) fn tokens(&self) -> TokenTotals {
        let cached = self.cached_input_tokens.0;
        TokenTotals {
            input: self.input_tokens.0.saturating_sub(cached),
            cached,
            output: self.output_tokens.0,
        }
    }
}

/// Texts of a message, of reasoning or of an output, which may be a mere string.
#[derive(Debug, Default)]
pub(crate) struct TextItems<'a>(Vec<TextItem<'a>>);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TextItem<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientText<'a>,
    #[serde(borrow)]
    text: LenientText<'a>,
}

impl TextItems<'_> {
    /// Returns the texts on a line each; an image alone reads `[Image]`.
    pub(crate) fn joined(&self) -> Cow<'_, str> {
        let mut texts = self.0.iter().filter_map(|item| item.text.get());
        match (texts.next(), texts.next()) {
            (Some(text), None) => text.into(),
            (Some(first), Some(second)) => {
                let all = [first, second].into_iter().chain(texts);
                all.collect::<Vec<_>>().join("\n").into()
            }
            _ if self.has_image() => "[Image]".into(),
            _ => "".into(),
        }
    }

    fn has_image(&self) -> bool {
        let mut kinds = self.0.iter().map(|item| item.kind.or_empty());
        kinds.any(|kind| kind.contains("image"))
    }
}

impl<'de: 'a, 'a> LenientJson<'de> for TextItems<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(vec![TextItem {
            text: text.into(),
            ..TextItem::default()
        }])
    }
    fn items<A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        LenientObjects::items(items).map(|found| Self(found.0))
    }
}
