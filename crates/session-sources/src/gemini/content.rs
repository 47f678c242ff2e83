//! The content of a message or a result: a string, a part, or a list of both.

use crate::lenient_json::{LenientFlag, LenientJson, LenientObject, LenientText, lenient_types};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use std::borrow::Cow;

lenient_types!(ListedPart<'a>, GeminiContent<'a>);

/// How the text begins with which the client names the directory to the model.
const SESSION_CONTEXT: [&str; 2] = [
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context",
];

/// Parts of a message, in order.
#[derive(Debug, Default)]
pub(crate) struct GeminiContent<'a>(pub Vec<ContentPart<'a>>);

/// A text, reasoning, or the result of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContentPart<'a> {
    #[serde(borrow)]
    pub text: LenientText<'a>,
    pub thought: LenientFlag,
    #[serde(borrow)]
    pub function_response: LenientObject<FunctionResponse<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionResponse<'a> {
    #[serde(borrow)]
    pub response: LenientObject<ToolResponse<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ToolResponse<'a> {
    #[serde(borrow)]
    pub output: LenientText<'a>,
    #[serde(borrow)]
    pub error: LenientText<'a>,
}

impl GeminiContent<'_> {
    /// Returns the texts that are not reasoning.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let parts = self.0.iter().filter(|part| !part.thought.0);
        parts.filter_map(|part| part.text.get()).collect()
    }

    /// Returns the texts that are not reasoning, on a line each.
    pub(crate) fn joined(&self) -> String {
        self.texts().join("\n")
    }

    /// Returns true for a message with which the client begins a conversation.
    pub(crate) fn begins_session(&self) -> bool {
        self.texts()
            .first()
            .is_some_and(|text| is_session_context(text))
    }

    /// Returns the texts after that.
    pub(crate) fn without_session_context(&self) -> Vec<&str> {
        let texts = self.texts().into_iter();
        texts.filter(|text| !is_session_context(text)).collect()
    }

    /// Returns what tools gave back, an error in its place.
    pub(crate) fn tool_output(&self) -> String {
        let outputs = self.responses().map(|response| {
            let output = response.output.get();
            output.unwrap_or(response.error.or_empty())
        });
        outputs.chain(self.texts()).collect::<Vec<_>>().join("\n")
    }

    /// Returns true if a tool gave back an error.
    pub(crate) fn has_error(&self) -> bool {
        self.responses()
            .any(|response| response.error.get().is_some())
    }

    fn responses(&self) -> impl Iterator<Item = &ToolResponse<'_>> {
        let responses = self
            .0
            .iter()
            .filter_map(|part| part.function_response.0.as_ref());
        responses.filter_map(|response| response.response.0.as_ref())
    }
}

fn is_session_context(text: &str) -> bool {
    let text = text.trim_start();
    SESSION_CONTEXT.iter().any(|begin| text.starts_with(begin))
}

impl<'a> ContentPart<'a> {
    fn from_text(text: Cow<'a, str>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// A part of a list, which may be a mere string.
#[derive(Default)]
struct ListedPart<'a>(Option<ContentPart<'a>>);

impl<'de: 'a, 'a> LenientJson<'de> for ListedPart<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(Some(ContentPart::from_text(text)))
    }
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        ContentPart::deserialize(MapAccessDeserializer::new(members)).map(|part| Self(Some(part)))
    }
}

impl<'de: 'a, 'a> LenientJson<'de> for GeminiContent<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(vec![ContentPart::from_text(text)])
    }
    fn items<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        let mut found = Vec::new();
        while let Some(item) = items.next_element::<ListedPart<'a>>()? {
            found.extend(item.0);
        }
        Ok(Self(found))
    }
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        Ok(Self(ListedPart::members(members)?.0.into_iter().collect()))
    }
}
