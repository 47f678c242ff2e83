//! Prompts typed while the agent works: they wait in a queue of which the
//! transcript keeps only the operations.
//!
//! A dequeued text appears as a `user` line. A removed text was given to
//! the agent in the middle of its work, and may stand nowhere else.

use crate::cursor::{fingerprint, is_default};
use crate::user_text::UserText;
use serde::{Deserialize, Serialize};

const MAX_WAITING: usize = 64;
const MAX_DELIVERED: usize = 16;

/// The queue as the operations so far left it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PromptQueue {
    #[serde(default, skip_serializing_if = "is_default")]
    waiting: Vec<QueuedText>,
    /// Texts that became turns when they were removed.
    #[serde(default, skip_serializing_if = "is_default")]
    delivered: Vec<u64>,
    /// The last `dequeue` took a text that is not known: the next prompt may be it.
    #[serde(rename = "stray", default, skip_serializing_if = "is_default")]
    has_unknown_dequeue: bool,
}

/// A text that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QueuedText {
    /// Offset of the line that holds the text.
    pub at: u64,
    /// When it was typed.
    pub ms: Option<i64>,
    text: u64,
    kind: QueuedKind,
}

/// In the order in which an operation that names no text takes them: the
/// program prefers the user's words to its own news, and gives no slash
/// command to a working agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum QueuedKind {
    Typed,
    /// Of the program, or delivered in another way.
    Other,
    Command,
}

/// The kind of a removal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum QueueRemoval {
    /// This text was given to the agent, unless it is a command.
    Waiting(QueuedText),
    /// So was the text that the operation itself names.
    Named,
    /// Nothing new.
    Known,
}

impl PromptQueue {
    pub(super) fn enqueue(&mut self, words: &UserText, at: u64, ms: Option<i64>) {
        let (kind, text) = kind_and_text(words);
        if self.waiting.len() == MAX_WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push(QueuedText {
            at,
            ms,
            text: fingerprint(text),
            kind,
        });
    }

    pub(super) fn dequeue(&mut self) {
        let taken = self.take_first();
        self.has_unknown_dequeue = taken.is_none_or(|waiting| waiting.kind == QueuedKind::Other);
    }

    /// Returns the typed prompts that wait, in order.
    pub(super) fn waiting_prompts(&self) -> impl Iterator<Item = &QueuedText> {
        let waiting = self.waiting.iter();
        waiting.filter(|waiting| waiting.kind == QueuedKind::Typed)
    }

    /// Takes the text back into the editor: it was not sent.
    pub(super) fn pop_all(&mut self) {
        self.waiting
            .retain(|waiting| waiting.kind == QueuedKind::Other);
    }

    /// Takes out the words that the operation names, or those whose turn it is.
    pub(super) fn remove(&mut self, named: &UserText) -> QueueRemoval {
        let (kind, text) = kind_and_text(named);
        let waiting = match text {
            "" => self.take_first(),
            text => self.remove_text(fingerprint(text)),
        };
        match waiting {
            Some(waiting) => self.deliver(waiting),
            None if text.is_empty() || self.delivered.contains(&fingerprint(text)) => {
                QueueRemoval::Known
            }
            None => {
                self.note_delivered(kind, fingerprint(text));
                QueueRemoval::Named
            }
        }
    }

    fn remove_text(&mut self, text: u64) -> Option<QueuedText> {
        let at = self.waiting.iter().position(|waiting| waiting.text == text);
        at.map(|at| self.waiting.remove(at))
    }

    /// Notes a prompt that came in a `user` line; returns true when it is a turn already.
    pub(super) fn repeats(&mut self, prompt: &str) -> bool {
        let text = fingerprint(prompt);
        self.mark_arrived(text);
        std::mem::take(&mut self.has_unknown_dequeue) && self.forget_delivered(text)
    }

    /// Notes a prompt that came in an attachment; returns true when it is a turn already.
    pub(super) fn is_repeated_attachment(&mut self, prompt: &str) -> bool {
        let text = fingerprint(prompt);
        if self.forget_delivered(text) {
            return true;
        }
        if !self.mark_arrived(text) {
            self.note_delivered(QueuedKind::Typed, text);
        }
        false
    }

    /// Notes that the next `user` line was the program's, not a prompt.
    pub(super) fn clear_unknown_dequeue(&mut self) {
        self.has_unknown_dequeue = false;
    }

    fn take_first(&mut self) -> Option<QueuedText> {
        let first = self.waiting.iter().map(|waiting| waiting.kind).min()?;
        let at = self
            .waiting
            .iter()
            .position(|waiting| waiting.kind == first)?;
        Some(self.waiting.remove(at))
    }

    fn deliver(&mut self, waiting: QueuedText) -> QueueRemoval {
        if waiting.kind == QueuedKind::Other {
            return QueueRemoval::Known;
        }
        self.note_delivered(waiting.kind, waiting.text);
        QueueRemoval::Waiting(waiting)
    }

    /// Keeps the place in the queue of a text that arrived, for the operation
    /// that will follow.
    fn mark_arrived(&mut self, text: u64) -> bool {
        let waits = |w: &&mut QueuedText| w.text == text && w.kind != QueuedKind::Other;
        let waiting = self.waiting.iter_mut().find(waits);
        waiting
            .map(|waiting| waiting.kind = QueuedKind::Other)
            .is_some()
    }

    /// Notes what became a turn. A command that is removed does not.
    fn note_delivered(&mut self, kind: QueuedKind, text: u64) {
        if kind == QueuedKind::Command {
            return;
        }
        if self.delivered.len() == MAX_DELIVERED {
            self.delivered.remove(0);
        }
        self.delivered.push(text);
    }

    fn forget_delivered(&mut self, text: u64) -> bool {
        let at = self
            .delivered
            .iter()
            .position(|&delivered| delivered == text);
        at.map(|at| self.delivered.remove(at)).is_some()
    }
}

fn kind_and_text(words: &UserText) -> (QueuedKind, &str) {
    match words {
        UserText::Typed(text) => (QueuedKind::Typed, &text.text),
        UserText::Command(text) => (QueuedKind::Command, &text.text),
        UserText::Notice(text) | UserText::Summary(text) => (QueuedKind::Other, text),
        UserText::Nothing => (QueuedKind::Other, ""),
    }
}
