//! One part of a message, as far as turns are made of it.

use super::lenient_field::{self, LenientField};
use super::tool;
use crate::reminder;
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::{ReadDetail, TEXT_LIMIT, ToolCall};
use std::borrow::Cow;

/// The content of a part.
#[derive(Debug)]
pub(super) enum PartContent {
    /// Words of whoever wrote the message.
    Words(String),
    /// Words that the program put into the message, or that only the user was
    /// shown (`synthetic`, `ignored`). Only with [`ReadDetail::Full`].
    Aside(String),
    /// The user ran a shell command: a call follows in the next message.
    Shell,
    /// The name of an attached file.
    File(String),
    /// The user started a subagent, by a slash command or not.
    Subtask {
        command: Option<String>,
        /// The subagent's prompt: the expanded template of the command.
        prompt: String,
    },
    /// The message asks for a compaction.
    Compaction,
    /// Reasoning. Only with [`ReadDetail::Full`].
    Reasoning(String),
    /// A tool call.
    Call(ToolCall),
    /// Files that a step changed.
    Patch(Vec<String>),
}

#[derive(Deserialize)]
struct PartData<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(default)]
    synthetic: LenientField<bool>,
    #[serde(default)]
    ignored: LenientField<bool>,
    #[serde(borrow)]
    tool: Option<&'a RawValue>,
    #[serde(borrow, rename = "callID")]
    call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    state: Option<tool::ToolState<'a>>,
    #[serde(default)]
    files: LenientField<Vec<String>>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    filename: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
}

pub(super) const NAME_LIMIT: usize = 4096;
/// The text that OpenCode writes for a message that only ran a
/// shell command (`!command`).
const SHELL: &str = "The following tool was executed by the user";

impl PartContent {
    /// Reads `part.data`. `None` for the kinds that say nothing of the turn
    /// (`step-start`, `step-finish`, `snapshot`, …) or that `detail` leaves out.
    pub(super) fn decode(
        data: &str,
        detail: ReadDetail,
    ) -> Result<Option<Self>, serde_json::Error> {
        let data: PartData<'_> = serde_json::from_str(data)?;
        Ok(match &*data.kind {
            "text" => data.words(detail),
            "tool" => data.call(detail),
            "reasoning" if detail == ReadDetail::Full => data.text().map(Self::Reasoning),
            "patch" => data.files.0.map(Self::Patch),
            "file" => Self::file(data.filename, data.url),
            "subtask" => Some(data.subtask()),
            "compaction" => Some(Self::Compaction),
            _ => None,
        })
    }

    /// Returns somebody's words, without the reminders in them.
    pub(super) fn words(raw: Option<&RawValue>) -> Option<Self> {
        let words = lenient_field::string(raw, TEXT_LIMIT)?;
        let words = reminder::strip(&words).trim().to_owned();
        (!words.is_empty()).then_some(Self::Words(words))
    }

    /// Returns an attached file: the name it was given, else the end of its address;
    /// never a `data:` URL.
    pub(super) fn file(name: Option<&RawValue>, address: Option<&RawValue>) -> Option<Self> {
        let address = || lenient_field::string(address, NAME_LIMIT);
        lenient_field::string(name, NAME_LIMIT)
            .or_else(|| address()?.strip_prefix("file://").map(str::to_owned))
            .filter(|name| !name.is_empty())
            .map(Self::File)
    }
}

impl PartData<'_> {
    fn text(&self) -> Option<String> {
        lenient_field::string(self.text, TEXT_LIMIT).filter(|text| !text.trim().is_empty())
    }

    fn words(&self, detail: ReadDetail) -> Option<PartContent> {
        let is_synthetic = self.synthetic.0 == Some(true) || self.ignored.0 == Some(true);
        if !is_synthetic {
            return PartContent::words(self.text);
        }
        if lenient_field::string(self.text, SHELL.len()).as_deref() == Some(SHELL) {
            return Some(PartContent::Shell);
        }
        self.text()
            .filter(|_| detail == ReadDetail::Full)
            .map(PartContent::Aside)
    }

    fn call(&self, detail: ReadDetail) -> Option<PartContent> {
        let name = lenient_field::string(self.tool, NAME_LIMIT).filter(|name| !name.is_empty())?;
        let id = lenient_field::string(self.call_id, NAME_LIMIT).unwrap_or_default();
        let none = tool::ToolState::default();
        let state = self.state.as_ref().unwrap_or(&none);
        Some(PartContent::Call(state.record(id, name).call(detail)))
    }

    fn subtask(&self) -> PartContent {
        PartContent::Subtask {
            command: lenient_field::string(self.command, NAME_LIMIT)
                .filter(|name| !name.is_empty()),
            prompt: lenient_field::string(self.prompt, TEXT_LIMIT)
                .filter(|prompt| !prompt.trim().is_empty())
                .or_else(|| lenient_field::string(self.description, NAME_LIMIT))
                .unwrap_or_default(),
        }
    }
}
