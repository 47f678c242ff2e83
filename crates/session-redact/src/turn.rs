//! Redacting all texts of a turn.

use crate::name::is_secret_name;
use crate::redactor::Redactor;
use serde_json::Value;
use session_core::{CallDialog, Part, SessionMeta, ToolCall, Turn, TurnContent};

impl Redactor {
    /// Redacts all texts of a turn as a source parsed it.
    pub fn redact_turn(&self, turn: &mut Turn) {
        self.redact_in_place(&mut turn.prompt);
        for part in &mut turn.parts {
            match part {
                Part::Text { text }
                | Part::Thinking { text }
                | Part::Notice { text }
                | Part::Error { text }
                | Part::Recap { text }
                | Part::Summary { text } => {
                    self.redact_in_place(text);
                }
                Part::Call(call) => self.redact_call(call),
            }
        }
        self.redact_all(&mut turn.turn_stats.pull_requests);
    }

    /// Redacts the texts of a turn as the index keeps it; returns true when it held a secret.
    pub fn redact_content(&self, content: &mut TurnContent) -> bool {
        let closing = self.redact(content.closing_answer()).len();
        let mut found = self.redact_in_place(&mut content.answer);
        if found {
            // A secret never reaches over the blank line between two messages.
            content.closing = content.answer.len().saturating_sub(closing);
        }
        found |= self.redact_in_place(&mut content.prompt);
        for list in [
            &mut content.commands,
            &mut content.files,
            &mut content.errors,
            &mut content.turn_stats.pull_requests,
        ] {
            found |= self.redact_all(list);
        }
        found
    }

    /// Redacts what is known of a session: its title and its relations to others stay otherwise.
    pub fn redact_session(&self, meta: &mut SessionMeta) {
        if let Some(title) = &mut meta.title {
            self.redact_in_place(title);
        }
    }

    fn redact_call(&self, call: &mut ToolCall) {
        if let Some(command) = &mut call.command {
            self.redact_in_place(command);
        }
        if let Some(output) = &mut call.output {
            self.redact_in_place(output);
        }
        self.redact_all(&mut call.files);
        self.redact_all(&mut call.pull_requests);
        self.redact_json(&mut call.input);
        if let Some(dialog) = &mut call.dialog {
            let CallDialog { question, reply } = dialog.as_mut();
            for text in [question, reply].into_iter().flatten() {
                self.redact_in_place(text);
            }
        }
    }

    fn redact_all(&self, texts: &mut [String]) -> bool {
        let found = texts.iter_mut().map(|text| self.redact_in_place(text));
        found.fold(false, |any, one| any | one)
    }

    /// Redacts all strings of a JSON value, those that the name of a secret stands before by their name.
    pub fn redact_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                self.redact_in_place(text);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(fields) => {
                for (name, field) in fields.iter_mut() {
                    if let (true, Value::String(text)) = (is_secret_name(name), &mut *field) {
                        self.redact_field(name, text);
                    }
                    self.redact_json(field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Redacts the string of a field as it would be redacted in JSON text, where quotes are escaped.
    fn redact_field(&self, name: &str, text: &mut String) {
        let is_escaped = text.contains('"') && !text.contains('\\');
        let value = match is_escaped {
            true => text.replace('"', "\\\""),
            false => text.clone(),
        };
        match self.redact_json_value(name, &value) {
            Some(value) if is_escaped => *text = value.replace("\\\"", "\""),
            Some(value) => *text = value,
            None => {}
        }
    }

    /// Redacts a value behind its name in JSON text.
    fn redact_json_value(&self, name: &str, value: &str) -> Option<String> {
        let prefix = format!("\"{name}\": \"");
        let line = format!("{prefix}{value}\"");
        let redacted = self.redact(&line);
        let inner = redacted.strip_prefix(prefix.as_str())?.strip_suffix('"')?;
        Some(inner.to_owned())
    }
}
