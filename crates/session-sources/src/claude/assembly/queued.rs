//! Prompts that waited while the agent worked.

use super::{Assembly, Place};
use crate::claude::entry::Entry;
use crate::claude::prompt::{self, Words};
use crate::claude::queue::Removed;
use crate::claude::time::milliseconds;
use session_core::{Part, PromptKind};

impl Assembly<'_> {
    /// Of all attachments only this one holds words of the user.
    pub(super) fn attachment(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        let Some(attachment) = &entry.attachment.0 else {
            return;
        };
        if attachment.kind.get() != Some("queued_command") {
            return;
        }
        let typed = attachment.timestamp.get().and_then(milliseconds);
        let place = Place {
            ms: typed.or(place.ms),
            ..*place
        };
        let words = prompt::queued(&attachment.prompt.words());
        match words {
            Words::Typed(ref text) | Words::Command(ref text)
                if self.state.queue.repeats_attached(text) => {}
            words => self.queued(words, &place),
        }
    }

    pub(super) fn queue_operation(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        let text = entry.content.words();
        match entry.operation.or_empty() {
            "enqueue" => {
                let words = prompt::queued(&text);
                self.state.queue.enqueue(&words, place.span.start, place.ms);
            }
            "dequeue" => self.state.queue.dequeue(),
            "popAll" => self.state.queue.pop_all(),
            "remove" => self.removed(&text, place),
            _ => {}
        }
    }

    fn removed(&mut self, text: &str, place: &Place<'_>) {
        let words = prompt::queued(text);
        match self.state.queue.remove(&words) {
            Removed::Known => {}
            Removed::Named => self.steered(words, place),
            Removed::Waiting(waiting) => {
                let place = Place {
                    ms: waiting.ms,
                    ..*place
                };
                let text = (self.recall)(waiting.at).unwrap_or_default();
                self.steered(prompt::queued(&text), &place);
            }
        }
    }

    /// Words that were given to the agent at its work. A command never is: it
    /// was taken back, or comes in a line of its own when the work is done.
    fn steered(&mut self, words: Words, place: &Place<'_>) {
        match words {
            Words::Command(text) => self.part(Part::Notice { text }, place),
            words => self.queued(words, place),
        }
    }

    fn queued(&mut self, words: Words, place: &Place<'_>) {
        match words {
            Words::Typed(text) => self.begin(PromptKind::Typed, text, place),
            Words::Command(text) => self.begin(PromptKind::Command, text, place),
            _ => {}
        }
    }
}
