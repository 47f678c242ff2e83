//! Messages of OpenCode's second storage: rows of `session_message`, which
//! hold their text and their calls themselves.

use super::lenient_field::{self, LenientField};
use super::message::{ERROR_LIMIT, Header, MessageRole, MessageTimes, TokenCounts};
use super::part::{NAME_LIMIT, PartContent};
use super::tool::{self, ToolRecord};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use session_core::{ReadDetail, TEXT_LIMIT, cut_output};

/// `session_message.data`, the fields of all types.
#[derive(Deserialize)]
struct SessionMessageData<'a> {
    #[serde(default)]
    time: LenientField<MessageTimes>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    files: LenientField<Vec<LenientField<AttachmentData<'a>>>>,
    #[serde(default)]
    model: LenientField<ModelData>,
    #[serde(borrow, default)]
    content: LenientField<Vec<LenientField<ContentItem<'a>>>>,
    #[serde(default)]
    snapshot: LenientField<SnapshotData>,
    #[serde(default)]
    tokens: LenientField<TokenCounts>,
    #[serde(borrow, default)]
    error: LenientField<SessionMessageError<'a>>,
    #[serde(borrow, rename = "callID")]
    call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct AttachmentData<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct ModelData {
    #[serde(default)]
    id: LenientField<String>,
}

/// Files that the step changed.
#[derive(Debug, Deserialize)]
struct SnapshotData {
    #[serde(default)]
    files: LenientField<Vec<String>>,
}

#[derive(Deserialize)]
struct SessionMessageError<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

/// A text, a reasoning or a call of an assistant's message; a text in the
/// output of a call.
#[derive(Deserialize)]
struct ContentItem<'a> {
    #[serde(default, rename = "type")]
    kind: LenientField<String>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    state: LenientField<ToolStateData<'a>>,
}

#[derive(Default, Deserialize)]
struct ToolStateData<'a> {
    #[serde(default)]
    status: LenientField<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: LenientField<Vec<LenientField<ContentItem<'a>>>>,
    #[serde(borrow, default)]
    structured: LenientField<StructuredOutput<'a>>,
    #[serde(borrow, default)]
    error: LenientField<SessionMessageError<'a>>,
}

#[derive(Default, Deserialize)]
struct StructuredOutput<'a> {
    #[serde(default, deserialize_with = "tool::present_value")]
    exit: Option<Value>,
    #[serde(default, rename = "sessionId")]
    session: LenientField<String>,
    /// Of `question`: for each, what the user chose or wrote.
    #[serde(default)]
    answers: LenientField<Vec<Vec<String>>>,
    /// The text of a file: `read` has no other output.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// The types of messages that are read.
pub(super) const MESSAGE_TYPES: [&str; 5] =
    ["user", "assistant", "shell", "synthetic", "compaction"];

/// Reads `session_message.data` of a type.
pub(super) fn decode(
    kind: &str,
    data: &str,
    detail: ReadDetail,
) -> Result<(Header, Vec<PartContent>), serde_json::Error> {
    let data: SessionMessageData<'_> = serde_json::from_str(data)?;
    let full = detail == ReadDetail::Full;
    let (role, parts) = match kind {
        "user" => (MessageRole::User, data.prompt()),
        "assistant" => (MessageRole::Assistant, data.answer(detail)),
        "shell" => (MessageRole::User, data.shell(detail)),
        "synthetic" if full => (MessageRole::User, Vec::from_iter(data.side_content())),
        "synthetic" => (MessageRole::User, Vec::new()),
        "compaction" => (
            MessageRole::Assistant,
            Vec::from_iter(PartContent::words(data.summary)),
        ),
        _ => return Ok((Header::UNREADABLE, Vec::new())),
    };
    Ok((data.header(role, kind == "compaction"), parts))
}

impl SessionMessageData<'_> {
    fn header(self, role: MessageRole, summary: bool) -> Header {
        let times = self.time.0.unwrap_or_default();
        let message = self.error.0.and_then(|error| error.message);
        Header {
            role,
            created: times.created.0,
            completed: times.completed.0,
            summary,
            error: lenient_field::string(message, ERROR_LIMIT),
            model: self.model.0.and_then(|model| model.id.0),
            tokens: self.tokens.0.map(TokenCounts::tokens).unwrap_or_default(),
        }
    }

    fn prompt(&self) -> Vec<PartContent> {
        let attached = present_items(&self.files);
        let files = attached.filter_map(|file| PartContent::file(file.name, file.uri));
        PartContent::words(self.text)
            .into_iter()
            .chain(files)
            .collect()
    }

    fn answer(&self, detail: ReadDetail) -> Vec<PartContent> {
        let contents = present_items(&self.content).filter_map(|item| item.part_content(detail));
        let changed = self.snapshot.0.as_ref().and_then(|s| s.files.0.clone());
        contents.chain(changed.map(PartContent::Patch)).collect()
    }

    fn side_content(&self) -> Option<PartContent> {
        lenient_field::string(self.text, TEXT_LIMIT)
            .filter(|text| !text.trim().is_empty())
            .map(PartContent::Aside)
    }

    /// Returns a command that the user ran, with its output. Its time has no end while
    /// it runs, and where OpenCode was killed.
    fn shell(&self, detail: ReadDetail) -> Vec<PartContent> {
        let input = self
            .command
            .map(|command| format!("{{\"command\":{command}}}"));
        let input = input.and_then(|input| RawValue::from_string(input).ok());
        let times = self.time.0.as_ref();
        let runs = times.is_some_and(|times| times.completed.0.is_none());
        let record = ToolRecord {
            status: runs.then(|| "running".to_owned()),
            id: lenient_field::string(self.call_id, NAME_LIMIT).unwrap_or_default(),
            tool: "bash".to_owned(),
            input: input.as_deref(),
            has_result: self.output.is_some(),
            output: lenient_field::output(self.output),
            ..ToolRecord::default()
        };
        vec![PartContent::Shell, PartContent::Call(record.call(detail))]
    }
}

impl ContentItem<'_> {
    fn part_content(&self, detail: ReadDetail) -> Option<PartContent> {
        match self.kind.0.as_deref()? {
            "text" => PartContent::words(self.text),
            "reasoning" if detail == ReadDetail::Full => {
                lenient_field::string(self.text, TEXT_LIMIT)
                    .filter(|text| !text.trim().is_empty())
                    .map(PartContent::Reasoning)
            }
            "tool" => self.call(detail),
            _ => None,
        }
    }

    fn call(&self, detail: ReadDetail) -> Option<PartContent> {
        let tool = lenient_field::string(self.name, NAME_LIMIT).filter(|name| !name.is_empty())?;
        let id = lenient_field::string(self.id, NAME_LIMIT).unwrap_or_default();
        let none = ToolStateData::default();
        let state = self.state.0.as_ref().unwrap_or(&none);
        Some(PartContent::Call(state.tool_record(id, tool).call(detail)))
    }
}

impl<'a> ToolStateData<'a> {
    fn tool_record(&self, id: String, tool: String) -> ToolRecord<'a> {
        let structured = self.structured.0.as_ref();
        let status = self.status.0.clone();
        ToolRecord {
            id,
            tool,
            input: self.input,
            exit: structured.and_then(|s| s.exit.clone()),
            has_result: matches!(status.as_deref(), Some("completed" | "error")),
            output: Some(self.output()),
            session: structured.and_then(|s| s.session.0.clone()),
            answers: structured.and_then(|s| s.answers.0.clone()),
            status,
        }
    }

    fn output(&self) -> String {
        let structured = self.structured.0.as_ref().and_then(|s| s.content);
        let error = self.error.0.as_ref().and_then(|error| error.message);
        let texts = present_items(&self.content).map(|item| item.text);
        let mut output = String::new();
        for text in texts.chain([structured, error]) {
            let text = lenient_field::output(text).unwrap_or_default();
            if !output.is_empty() && !output.ends_with('\n') && !text.is_empty() {
                output.push('\n');
            }
            output.push_str(&text);
        }
        cut_output(&output, 0)
    }
}

/// Returns the elements that have the expected type.
fn present_items<T>(list: &LenientField<Vec<LenientField<T>>>) -> impl Iterator<Item = &T> {
    list.0
        .iter()
        .flatten()
        .filter_map(|element| element.0.as_ref())
}
