//! What of a turn is kept and searched.

use crate::session::{Part, TEXT_LIMIT, ToolCall, Turn};
use crate::{noise, text};
use serde::{Deserialize, Serialize};

/// The searchable words of a turn, field by field: what the store keeps and
/// the lexical index reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnContent {
    /// The user's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The agent's words, its messages joined by blank lines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Shell commands, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Files named by calls, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Error lines of outputs, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Names of the tools used, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

const COMMAND_LIMIT: usize = 2_000;
const LIST_LIMIT: usize = 400;
const ERROR_LIMIT: usize = 60;

impl TurnContent {
    /// Takes from a turn what is worth keeping.
    pub fn of(turn: &Turn) -> Self {
        let mut content = Self {
            prompt: text::clip(&turn.prompt, TEXT_LIMIT).to_owned(),
            ..Self::default()
        };
        for part in &turn.parts {
            content.add(part);
        }
        content
    }

    /// Appends what a later read found of the same turn. Splitting a turn at
    /// any part and appending gives the same content as reading it whole.
    pub fn append(&mut self, more: &Turn) {
        for part in &more.parts {
            self.add(part);
        }
    }

    /// True when there is nothing that a person could search for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, part: &Part) {
        match part {
            Part::Text { text } | Part::Recap { text } => self.add_answer(text),
            Part::Call(call) => self.add_call(call),
            Part::Thinking { .. } | Part::Notice { .. } | Part::Summary { .. } => {}
        }
    }

    fn add_answer(&mut self, words: &str) {
        let words = words.trim();
        if words.is_empty() || self.answer.len() >= TEXT_LIMIT {
            return;
        }
        if !self.answer.is_empty() {
            self.answer.push_str("\n\n");
        }
        let room = TEXT_LIMIT.saturating_sub(self.answer.len());
        self.answer.push_str(text::clip(words, room));
    }

    fn add_call(&mut self, call: &ToolCall) {
        push_new(&mut self.tools, &call.name, LIST_LIMIT);
        if call.command.as_deref().is_some_and(noise::is_own_command) {
            return; // our own hits in a transcript would find themselves
        }
        if let Some(command) = &call.command {
            push_new(
                &mut self.commands,
                text::clip(command.trim(), COMMAND_LIMIT),
                LIST_LIMIT,
            );
        }
        for file in &call.files {
            push_new(&mut self.files, file, LIST_LIMIT);
        }
        let output = call.output.iter().filter(|_| call.reports_errors());
        for line in output.flat_map(|o| text::error_lines(o, call.failed)) {
            push_new(&mut self.errors, line, ERROR_LIMIT);
        }
    }
}

fn push_new(list: &mut Vec<String>, item: &str, limit: usize) {
    if !item.is_empty() && list.len() < limit && !list.iter().any(|have| have == item) {
        list.push(item.to_owned());
    }
}
