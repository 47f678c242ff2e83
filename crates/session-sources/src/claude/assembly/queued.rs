//! Prompts that waited while the agent worked.

use super::Assembly;
use crate::claude::entry::TranscriptEntry;
use crate::claude::queue::{QueueRemoval, QueuedText};
use crate::time::milliseconds;
use crate::turn_assembler::{LinePosition, TurnState};
use crate::user_text::{self, UserText};
use session_core::{PromptKind, Turn, TurnPart};

impl Assembly<'_> {
    /// Adds a prompt that was queued: the only attachment that holds words of the user.
    pub(super) fn attachment(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        let Some(attachment) = &entry.attachment.0 else {
            return;
        };
        if attachment.kind.get() != Some("queued_command") {
            return;
        }
        let typed = attachment.timestamp.get().and_then(milliseconds);
        let position = LinePosition {
            ms: typed.or(position.ms),
            ..*position
        };
        let text = attachment.prompt.words();
        self.end_tasks(&text, &position);
        let words = user_text::queued(&text);
        match words {
            UserText::Typed(ref text) | UserText::Command(ref text)
                if self.state.queue.is_repeated_attachment(&text.text) => {}
            words => self.queued(words, &position),
        }
        self.report_failures(&text, &position);
    }

    pub(super) fn queue_operation(
        &mut self,
        entry: &TranscriptEntry<'_>,
        position: &LinePosition<'_>,
    ) {
        let text = entry.content.words();
        self.end_tasks(&text, position);
        match entry.operation.or_empty() {
            "enqueue" => {
                let words = user_text::queued(&text);
                self.state
                    .queue
                    .enqueue(&words, position.span.start, position.ms);
                self.report_failures(&text, position);
            }
            "dequeue" => self.state.queue.dequeue(),
            "popAll" => self.state.queue.pop_all(),
            "remove" => self.remove_queued(&text, position),
            _ => {}
        }
    }

    fn remove_queued(&mut self, text: &str, position: &LinePosition<'_>) {
        let words = user_text::queued(text);
        match self.state.queue.remove(&words) {
            QueueRemoval::Known => {}
            QueueRemoval::Named => self.add_steering_prompt(words, position),
            QueueRemoval::Waiting(waiting) => {
                let position = LinePosition {
                    ms: waiting.ms,
                    ..*position
                };
                let line = (self.read_queued_line)(waiting.at);
                let text = line.map(|line| line.text).unwrap_or_default();
                self.add_steering_prompt(user_text::queued(&text), &position);
            }
        }
    }

    /// Adds a prompt that steers the agent while it works. A command never does: it
    /// was taken back, or has a line of its own when the work is done.
    fn add_steering_prompt(&mut self, words: UserText, position: &LinePosition<'_>) {
        match words {
            UserText::Command(command) => {
                let text = command.text;
                self.turns.part(TurnPart::Notice { text }, position);
            }
            words => self.queued(words, position),
        }
    }

    /// Returns the prompts that still wait, as turns. A command that was not run is none.
    pub(in crate::claude) fn waiting(&self) -> Vec<Turn> {
        if self.turns.progress.turn_state == TurnState::Muted {
            return Vec::new();
        }
        let turns = self.state.queue.waiting_prompts();
        let turns = turns.filter_map(|waiting| self.queued_turn(waiting));
        let numbered = turns.zip(self.turns.progress.next..);
        numbered
            .map(|(turn, index)| Turn { index, ..turn })
            .collect()
    }

    fn queued_turn(&self, waiting: &QueuedText) -> Option<Turn> {
        let line = (self.read_queued_line)(waiting.at)?;
        let UserText::Typed(prompt) = user_text::queued(&line.text) else {
            return None;
        };
        let kind = PromptKind::Typed.in_session(self.identity.is_subagent());
        Some(Turn {
            started_ms: waiting.ms,
            ended_ms: waiting.ms,
            branch: self.state.facts.branch().map(str::to_owned),
            span: line.span,
            kind,
            prompt: prompt.text,
            typed_bytes: prompt.typed_bytes,
            ..Turn::default()
        })
    }

    fn queued(&mut self, words: UserText, position: &LinePosition<'_>) {
        match words {
            UserText::Typed(text) => self.begin_turn(PromptKind::Typed, text, position),
            UserText::Command(text) => self.begin_turn(PromptKind::Command, text, position),
            _ => {}
        }
    }
}
