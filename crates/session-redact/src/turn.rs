//! Redacting all texts of a turn.

use crate::name::{is_secret_name, name_of_listed, option_name};
use crate::redactor::Redactor;
use crate::value_syntax::VALUE_FIELDS;
use serde_json::{Map, Value};
use session_core::text::normalize_searchable;
use session_core::{CallDialog, SessionMeta, ToolCall, Turn, TurnPart};
use std::borrow::Cow;

/// Bytes of a key, at least, that is known by its format.
const MIN_KEY_BYTES: usize = 20;

impl Redactor {
    /// Redacts all texts of a turn as a source parsed it.
    pub fn redact_turn(&self, turn: &mut Turn) {
        self.redact_in_place(&mut turn.prompt);
        for part in &mut turn.parts {
            match part {
                TurnPart::Text { text }
                | TurnPart::Thinking { text }
                | TurnPart::Notice { text }
                | TurnPart::Error { text }
                | TurnPart::Recap { text }
                | TurnPart::Summary { text } => {
                    self.redact_in_place(text);
                }
                TurnPart::Call(call) => self.redact_call(call),
            }
        }
        self.redact_all(&mut turn.turn_stats.pull_requests);
        self.redact_names(turn.branch.as_mut());
        self.redact_names(&mut turn.turn_stats.models);
    }

    /// Redacts the name of a session's project, which is that of its working directory where there is no other. The working
    /// directory stays, in which the session is resumed.
    pub fn redact_project(&self, meta: &mut SessionMeta) {
        let project = meta.project.as_ref().or(meta.cwd.as_ref());
        let project = project.filter(|path| self.may_hold_secret(path));
        if let Some(Cow::Owned(redacted)) = project.map(|path| self.redact(path)) {
            meta.project = Some(redacted);
        }
    }

    /// Redacts what is known of a session but its ids and folders, by which it is found and resumed.
    pub fn redact_session(&self, meta: &mut SessionMeta) {
        if let Some(title) = &mut meta.title {
            self.redact_in_place(title);
        }
        self.redact_names(meta.branch.as_mut());
    }

    /// Redacts names, which a history could hold a key in; most are too short for one.
    fn redact_names<'n>(&self, names: impl IntoIterator<Item = &'n mut String>) {
        for name in names {
            if self.may_hold_secret(name) {
                self.redact_in_place(name);
            }
        }
    }

    /// Returns true for a name that is as long as a key, and for any where the user has patterns.
    pub(crate) fn may_hold_secret(&self, name: &str) -> bool {
        name.len() >= MIN_KEY_BYTES || self.has_patterns()
    }

    fn redact_call(&self, call: &mut ToolCall) {
        self.redact_names([&mut call.name, &mut call.id]);
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

    fn redact_all(&self, texts: &mut [String]) {
        texts.iter_mut().for_each(|text| self.redact_in_place(text));
    }

    /// Redacts all strings of a JSON value, those that the name of a secret stands before by their name.
    pub fn redact_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                self.redact_in_place(text);
            }
            Value::Array(items) => {
                self.redact_arguments(items);
                items.iter_mut().for_each(|item| self.redact_json(item));
            }
            Value::Object(fields) => {
                self.redact_keys(fields);
                self.redact_named_value(fields);
                for (name, field) in fields.iter_mut() {
                    let name = &*normalize_searchable(name);
                    let of_one = is_secret_name(name).then_some(name);
                    let of_list = || name_of_listed(name).filter(|_| field.is_array());
                    if let Some(name) = of_one.or_else(of_list) {
                        self.redact_named(name, field);
                    }
                    self.redact_json(field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Redacts the names of fields: a tool may take texts as names.
    fn redact_keys(&self, fields: &mut Map<String, Value>) {
        // Nearly all are names of the tool's own: few letters and `_`.
        let is_name = |key: &str| {
            let is_part = |b: u8| b.is_ascii_alphabetic() || b == b'_';
            key.len() < MIN_KEY_BYTES && key.bytes().all(is_part)
        };
        let is_changed = |key: &String| !is_name(key) && self.redact(key) != key.as_str();
        if fields.keys().any(is_changed) {
            let old = std::mem::take(fields).into_iter();
            fields.extend(old.map(|(key, value)| (self.redact(&key).into_owned(), value)));
        }
    }

    /// Redacts a value behind the name of a secret, each of a list, and one that stands as a field of it:
    /// `{"password": {"value": "…"}}`.
    fn redact_named(&self, name: &str, value: &mut Value) {
        match value {
            Value::String(text) => self.redact_field(name, text),
            Value::Array(items) => items
                .iter_mut()
                .for_each(|item| self.redact_named(name, item)),
            Value::Object(fields) => {
                for field in VALUE_FIELDS {
                    if let Some(Value::String(text)) = fields.get_mut(field) {
                        self.redact_field(name, text);
                    }
                }
            }
            _ => {}
        }
    }

    /// Redacts the value of an object that has the name of a secret in another field: `{"name": "DB_PASSWORD", "value": "…"}`.
    fn redact_named_value(&self, fields: &mut Map<String, Value>) {
        let mut names = ["name", "key"]
            .into_iter()
            .filter_map(|field| fields.get(field)?.as_str());
        let name = names.find(|name| is_secret_name(name)).map(str::to_owned);
        if let (Some(name), Some(Value::String(text))) = (name, fields.get_mut("value")) {
            self.redact_field(&name, text);
        }
    }

    /// Redacts the arguments of a command behind options with the name of a secret: `["--password", "…"]`.
    fn redact_arguments(&self, items: &mut [Value]) {
        for at in 1..items.len() {
            let (before, rest) = items.split_at_mut(at);
            let option = before.last().and_then(Value::as_str).unwrap_or_default();
            let option = normalize_searchable(option);
            let name = option_name(&option).filter(|name| is_secret_name(name));
            if let (Some(name), Some(value)) = (name, rest.first_mut()) {
                self.redact_named(name, value);
            }
        }
    }

    /// Redacts the string of a field as it would be redacted in JSON text, where quotes are escaped.
    fn redact_field(&self, name: &str, text: &mut String) {
        let is_escaped = text.contains('"') && !text.contains('\\');
        let value = if is_escaped {
            text.replace('"', "\\\"")
        } else {
            text.clone()
        };
        match self.redact_json_value(name, &value) {
            Some(value) if is_escaped => *text = value.replace("\\\"", "\""),
            Some(value) => *text = value,
            None => {}
        }
    }

    /// Redacts a value behind its name in JSON text.
    fn redact_json_value(&self, name: &str, value: &str) -> Option<String> {
        let prefix = format!("\"{}\": \"", normalize_searchable(name));
        let line = format!("{prefix}{value}\"");
        let redacted = self.redact(&line);
        let inner = redacted.strip_prefix(prefix.as_str())?.strip_suffix('"')?;
        Some(inner.to_owned())
    }
}
