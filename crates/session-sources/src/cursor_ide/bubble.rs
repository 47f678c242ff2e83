//! A message of a conversation, a "bubble", and its tool call: both stand in one record.

use crate::cursor_tools;
use crate::lenient_json::{
    LenientCount, LenientItems, LenientJson, LenientObject, LenientText, lenient_types,
};
use crate::{CallOutcome, TurnWriter, milliseconds};
use serde::Deserialize;
use serde::de::MapAccess;
use serde_json::Value;
use session_core::{CallStatus, PromptKind, TokenTotals};
use std::borrow::Cow;

lenient_types!(Speaker, LenientTime, Reasoning);

/// A value of `bubbleId:<composer>:<bubble>`, or a message inside a conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Bubble<'a> {
    #[serde(borrow, alias = "id")]
    pub bubble_id: LenientText<'a>,
    #[serde(rename = "type")]
    speaker: Speaker,
    #[serde(borrow)]
    text: LenientText<'a>,
    #[serde(borrow)]
    raw_text: LenientText<'a>,
    created_at: LenientTime,
    thinking: Reasoning,
    tool_former_data: LenientObject<BubbleCall>,
    token_count: LenientObject<TokenCount>,
    #[serde(borrow)]
    model_info: LenientObject<ModelInfo<'a>>,
    #[serde(borrow)]
    error_details: LenientObject<ErrorDetails<'a>>,
    #[serde(borrow)]
    pub workspace_uris: LenientItems<LenientText<'a>>,
}

/// Who speaks: 1 and `user`, 2 and `ai`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Agent,
    #[default]
    Unknown,
}

impl<'de> LenientJson<'de> for Speaker {
    fn text(text: Cow<'de, str>) -> Self {
        match &*text {
            "user" => Self::User,
            "ai" => Self::Agent,
            _ => Self::Unknown,
        }
    }

    fn count(count: u64) -> Self {
        match count {
            1 => Self::User,
            2 => Self::Agent,
            _ => Self::Unknown,
        }
    }
}

/// A time as a text or in milliseconds since 1970.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct LenientTime(pub Option<i64>);

impl<'de> LenientJson<'de> for LenientTime {
    fn text(text: Cow<'de, str>) -> Self {
        Self(milliseconds(&text))
    }

    fn count(count: u64) -> Self {
        Self(i64::try_from(count).ok().filter(|ms| *ms > 0))
    }
}

/// Reasoning: a text, or an object that holds one.
#[derive(Debug, Default)]
struct Reasoning(String);

impl<'de> LenientJson<'de> for Reasoning {
    fn text(text: Cow<'de, str>) -> Self {
        Self(text.into_owned())
    }

    fn members<A: MapAccess<'de>>(mut members: A) -> Result<Self, A::Error> {
        let mut found = Self::default();
        while let Some((name, value)) = members.next_entry::<String, LenientText<'de>>()? {
            if name == "text" {
                value.or_empty().clone_into(&mut found.0);
            }
        }
        Ok(found)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct TokenCount {
    input_tokens: LenientCount,
    output_tokens: LenientCount,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ModelInfo<'a> {
    #[serde(borrow)]
    model_name: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ErrorDetails<'a> {
    #[serde(borrow)]
    message: LenientText<'a>,
}

impl Bubble<'_> {
    /// Adds the message to the turns. `ordinal` is its ordinal in the conversation, `created` when that began,
    /// and `model` the one that answers there.
    pub(super) fn push_message(
        &self,
        ordinal: u64,
        created: Option<i64>,
        model: Option<&str>,
        turns: &mut TurnWriter<'_>,
    ) {
        turns.set_time(self.created_at.0.or(created));
        turns.set_message(self.bubble_id.or_empty());
        match self.speaker {
            Speaker::User => turns.prompt(PromptKind::Typed, self.words()),
            Speaker::Agent => self.push_answer(ordinal, model, turns),
            Speaker::Unknown => {}
        }
    }

    fn words(&self) -> &str {
        self.text.get().unwrap_or(self.raw_text.or_empty())
    }

    fn push_answer(&self, ordinal: u64, model: Option<&str>, turns: &mut TurnWriter<'_>) {
        let info = self.model_info.0.as_ref();
        turns.model(
            info.and_then(|info| info.model_name.get())
                .or(model)
                .unwrap_or_default(),
        );
        turns.thinking(&self.thinking.0);
        turns.text(self.words());
        if let Some(error) = &self.error_details.0 {
            turns.error(error.message.or_empty());
        }
        if let Some(count) = &self.token_count.0 {
            turns.tokens(TokenTotals {
                input: count.input_tokens.0,
                output: count.output_tokens.0,
                ..TokenTotals::default()
            });
        }
        if let Some(tool) = self
            .tool_former_data
            .0
            .as_ref()
            .filter(|t| t.name.is_string())
        {
            let id = tool.tool_call_id.as_str().filter(|id| !id.is_empty());
            let id = id.map_or_else(|| format!("call-{ordinal}"), str::to_owned);
            tool.push_call(&id, turns);
        }
    }
}

/// A tool call with its result. `rawArgs`, `params` and `result` are JSON, mostly as a text.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BubbleCall {
    name: Value,
    tool_call_id: Value,
    raw_args: Value,
    params: Value,
    result: Value,
    status: Value,
    error: Value,
    additional_data: Value,
}

/// Values of `status` of a call that goes on.
const RUNNING: [&str; 4] = ["loading", "pending", "running", "generating"];
/// Values of `status` of a call that did not work.
const FAILED: [&str; 3] = ["error", "failed", "cancelled"];
/// Values of `status` of a call that was not let run.
const REFUSED: [&str; 2] = ["rejected", "skipped"];

impl BubbleCall {
    /// Adds the call, and its result where it has ended.
    fn push_call(&self, id: &str, turns: &mut TurnWriter<'_>) {
        let name = self.name.as_str().unwrap_or_default();
        turns.call(cursor_tools::call(id, name, self.input()));
        if !is_one_of(&self.status, &RUNNING) {
            turns.result(self.outcome(id));
        }
    }

    /// Returns the input as the model wrote it; where it wrote none, as Cursor understood it.
    fn input(&self) -> Value {
        let written = embedded(&self.raw_args);
        let is_written = written.as_object().is_some_and(|input| !input.is_empty());
        if is_written {
            written
        } else {
            embedded(&self.params)
        }
    }

    fn outcome(&self, id: &str) -> CallOutcome {
        let result = embedded(&self.result);
        let exit_code = ["exitCode", "exitCodeV2"].map(|name| result[name].as_i64());
        let has_status = |values: &[&str]| {
            let statuses = [&self.status, &self.additional_data["status"]];
            statuses.into_iter().any(|status| is_one_of(status, values))
        };
        let failed = has_status(&FAILED) || exit_code.into_iter().flatten().any(|code| code != 0);
        let is_refused = has_status(&REFUSED) || result["rejected"] == true;
        let output = output(&result);
        CallOutcome {
            id: id.to_owned(),
            output: if output.is_empty() {
                self.error_text()
            } else {
                output
            },
            status: if is_refused {
                CallStatus::NotRun
            } else {
                CallStatus::from_failure(failed)
            },
            subagent: result["agentId"].as_str().map(str::to_owned),
            ..CallOutcome::default()
        }
    }

    fn error_text(&self) -> String {
        let error = embedded(&self.error);
        let message = ["clientVisibleErrorMessage", "message"].map(|name| error[name].as_str());
        let message = message.into_iter().flatten().next().or(error.as_str());
        message.unwrap_or_default().to_owned()
    }
}

fn is_one_of(value: &Value, words: &[&str]) -> bool {
    value.as_str().is_some_and(|word| words.contains(&word))
}

/// Returns the value that a text holds as JSON, or the value itself.
fn embedded(value: &Value) -> Value {
    let parsed = value
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or_else(|| value.clone())
}

/// Returns the output in a result: that of a command, the contents of a file, or all of it.
fn output(result: &Value) -> String {
    let text = ["output", "contents"].map(|name| result[name].as_str());
    let text = text.into_iter().flatten().next().or(result.as_str());
    match (text, result) {
        (Some(text), _) => text.to_owned(),
        (None, Value::Null) => String::new(),
        (None, result) => result.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_that_was_rejected_did_not_run() {
        let status = |call: Value| {
            let call: BubbleCall = serde_json::from_value(call).unwrap();
            call.outcome("c1").status
        };
        let ended = |result: &str| status(json!({"status": "completed", "result": result}));
        assert_eq!(ended(r#"{"rejected":true}"#), CallStatus::NotRun);
        assert_eq!(ended(r#"{"rejected":false}"#), CallStatus::Done);
        assert_eq!(status(json!({"status": "skipped"})), CallStatus::NotRun);
        assert_eq!(status(json!({"status": "cancelled"})), CallStatus::Failed);
    }
}
