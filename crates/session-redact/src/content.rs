//! Redacting a turn as an index keeps it, by rules that came after it was read.

use crate::redactor::Redactor;
use session_core::TurnContent;
use std::borrow::Cow;

impl Redactor {
    /// Redacts the texts of a turn as the index keeps it, as [`Redactor::redact_turn`] redacts it before: what was typed and
    /// the replies, and the last message and those before it, each by itself. Returns true if one changed.
    pub fn redact_content(&self, content: &mut TurnContent) -> bool {
        let mut is_changed = self.redact_prompt(content) | self.redact_answer(content);
        for list in [
            &mut content.commands,
            &mut content.files,
            &mut content.errors,
            &mut content.turn_stats.pull_requests,
        ] {
            is_changed |= self.redact_each(list);
        }
        let names = content.tools.iter_mut();
        let names = names.chain(&mut content.turn_stats.models);
        for name in names {
            is_changed |= self.may_hold_secret(name) && self.redact_if_secret(name);
        }
        if is_changed {
            content.merge_equal_items();
        }
        is_changed
    }

    fn redact_prompt(&self, content: &mut TurnContent) -> bool {
        let Some(end) = content.typed_end else {
            return self.redact_if_secret(&mut content.prompt);
        };
        let redacted = self.redact_parts(&content.prompt, end);
        let is_changed = redacted.is_some();
        if let Some(RedactedParts { text, split }) = redacted {
            content.prompt = text;
            content.typed_end = Some(split);
        }
        is_changed
    }

    fn redact_answer(&self, content: &mut TurnContent) -> bool {
        let redacted = self.redact_parts(&content.answer, content.last_message_start);
        let is_changed = redacted.is_some();
        if let Some(RedactedParts { text, split }) = redacted {
            content.answer = text;
            content.last_message_start = split;
        }
        is_changed
    }

    /// Redacts both parts of a text, each by itself; `None` if neither holds a secret.
    fn redact_parts(&self, text: &str, split: usize) -> Option<RedactedParts> {
        let (head, tail) = text.split_at_checked(split).unwrap_or(("", text));
        let (head, tail) = (self.redact(head), self.redact(tail));
        if let (Cow::Borrowed(_), Cow::Borrowed(_)) = (&head, &tail) {
            return None;
        }
        let redacted = RedactedParts {
            split: head.len(),
            text: [head, tail].concat(),
        };
        (redacted.text != text).then_some(redacted)
    }

    fn redact_each(&self, texts: &mut [String]) -> bool {
        let changed = texts.iter_mut().map(|text| self.redact_if_secret(text));
        changed.fold(false, |any, one| any | one)
    }

    /// Redacts a text in place; returns true if it changed.
    pub fn redact_if_secret(&self, text: &mut String) -> bool {
        match self.redact(text) {
            Cow::Owned(redacted) if redacted != *text => {
                *text = redacted;
                true
            }
            _ => false,
        }
    }
}

/// Two parts of a text after redaction.
struct RedactedParts {
    text: String,
    /// Byte offset of the second part.
    split: usize,
}
