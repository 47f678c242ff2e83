//! Lines to turns, in the order of the file.
//!
//! The graph of `parentUuid` is not walked: it would lose what was rewound and
//! all that came before a compaction.

mod answer;
mod queued;

use super::entry::TranscriptEntry;
use super::persisted::ToolResults;
use super::prompt::classify_user_line;
use super::session_facts::{SessionFacts, SessionIdentity};
use super::state::TranscriptState;
use crate::call_result::clipped;
use crate::cursor::SeenIds;
use crate::turn_assembler::{LinePosition, TurnAssembler, TurnDetail, TurnPreface, TurnState};
use crate::user_text::{PromptText, UserText, classify_text};
use session_core::{PromptKind, ReadDetail, TurnPart, TurnSpan};

/// A line that put a text into the queue.
pub(super) struct QueuedLine {
    pub text: String,
    pub span: TurnSpan,
}

/// Gives the line at an offset, whose text waited in the queue.
pub(super) type ReadQueuedLine<'r> = &'r dyn Fn(u64) -> Option<QueuedLine>;

/// Builds turns, one line at a time.
pub(super) struct Assembly<'a> {
    /// Its progress and preface are what `turns` began with.
    state: TranscriptState,
    turns: TurnAssembler,
    identity: &'a SessionIdentity,
    results: ToolResults,
    read_queued_line: ReadQueuedLine<'a>,
}

fn line_position<'e>(entry: &'e TranscriptEntry<'_>, span: TurnSpan) -> LinePosition<'e> {
    let uuid = entry.uuid.get();
    let forked = entry.fork().and_then(|fork| fork.message_uuid.get());
    LinePosition {
        span,
        ms: entry.time_ms(),
        uuid,
        origin: forked.or(uuid),
        is_message: matches!(entry.kind.get(), Some("user" | "assistant")),
    }
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        state: TranscriptState,
        detail: TurnDetail,
        identity: &'a SessionIdentity,
        results: ToolResults,
        read_queued_line: ReadQueuedLine<'a>,
    ) -> Self {
        let mut turns = TurnAssembler::new(state.progress.clone(), detail);
        turns.branch = state.facts.branch().map(str::to_owned);
        turns.preface.start = state.preface;
        Self {
            state,
            turns,
            identity,
            results,
            read_queued_line,
        }
    }

    /// Takes a line.
    pub(super) fn push_entry(&mut self, entry: &TranscriptEntry<'_>, span: TurnSpan) {
        self.state.facts.note(entry, self.identity);
        let branch = self.state.facts.branch();
        if self.turns.branch.as_deref() != branch {
            self.turns.branch = branch.map(str::to_owned);
        }
        let uuid = entry.uuid.get();
        if !uuid.is_some_and(|uuid| self.state.seen.repeats(uuid)) {
            self.dispatch(entry, &line_position(entry, span));
        }
    }

    /// Returns the turns as they are being built.
    pub(super) fn turns(&mut self) -> &mut TurnAssembler {
        &mut self.turns
    }

    /// Returns the state after the lines so far.
    pub(super) fn state(&self) -> TranscriptState {
        TranscriptState {
            progress: self.turns.progress.clone(),
            preface: self.turns.preface.start,
            ..self.state.clone()
        }
    }

    /// Returns the facts so far.
    pub(super) fn facts(&self) -> &SessionFacts {
        &self.state.facts
    }

    /// Notes the count of turns up to the end of this read; false, and nothing is noted, where an
    /// earlier read delivered more.
    pub(super) fn note_delivered(&mut self, waiting: usize) -> bool {
        let more = u32::try_from(waiting).unwrap_or(u32::MAX);
        let turns = self.turns.progress.next.saturating_add(more);
        let is_enough = turns >= self.state.delivered;
        if is_enough {
            self.state.delivered = turns;
        }
        is_enough
    }

    fn dispatch(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        let foreign = entry.is_sidechain.0 && !self.identity.is_subagent();
        match entry.kind.get() {
            Some("user" | "assistant" | "system") if foreign => self.sidechain(entry, position),
            Some("user") => self.user(entry, position),
            Some("assistant") => self.assistant(entry, position),
            Some("system") => self.system(entry, position),
            Some("attachment") => self.attachment(entry, position),
            Some("queue-operation") => self.queue_operation(entry, position),
            Some("pr-link") => self.pull_request(entry, position),
            _ => {}
        }
    }

    /// Adds a subagent's line in the file of its parent, as old versions wrote it. Its messages are
    /// no turns of the parent, but its calls count as work of the parent.
    fn sidechain(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        let position = LinePosition {
            is_message: false,
            ..*position
        };
        self.sidechain_calls(entry, &position);
        self.sidechain_usage(&entry.message, &position);
        self.notice(&entry.message.content.words(), &position);
    }

    fn user(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        self.results(entry, position);
        let text = entry.message.content.words();
        self.end_tasks(&text, position);
        let words = classify_user_line(entry, self.identity.is_subagent());
        match words {
            // A caveat stands before a command: the turn ended with the line before it.
            UserText::Nothing if entry.is_meta.0 => {}
            UserText::Notice(text) => {
                self.state.queue.clear_unknown_dequeue();
                self.turns.part(TurnPart::Notice { text }, position);
            }
            words => self.add_user_text(words, position),
        }
        self.report_failures(&text, position);
    }

    fn add_user_text(&mut self, words: UserText, position: &LinePosition<'_>) {
        match words {
            UserText::Typed(text) => self.prompt(PromptKind::Typed, text, position),
            UserText::Command(text) => self.prompt(PromptKind::Command, text, position),
            UserText::Summary(text) => self.summary(text, position),
            UserText::Notice(text) => self.turns.part(TurnPart::Notice { text }, position),
            UserText::Nothing => {
                self.turns.extend(position);
            }
        }
    }

    fn prompt(&mut self, kind: PromptKind, prompt: PromptText, position: &LinePosition<'_>) {
        if self.state.queue.repeats(&prompt.text) {
            self.turns.extend(position);
            return;
        }
        if let Some(name) = prompt
            .text
            .strip_prefix("/rename ")
            .filter(|_| kind == PromptKind::Command)
        {
            self.state.facts.rename(name);
        }
        self.begin_turn(kind, prompt, position);
    }

    fn system(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        let text = entry.content.words();
        match entry.subtype.or_empty() {
            "away_summary" => self.recap(&text, position),
            "local_command" => self.local_command(&text, position),
            "api_error" => self.api_error(entry, position),
            _ => self.notice(&text, position),
        }
    }

    /// Counts a pull request that the program saw opened.
    fn pull_request(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        if let Some(turn) = self.turns.extend(position) {
            turn.turn_stats.add_pull_request(entry.pr_url.or_empty());
        }
    }

    /// Adds what the program tells of the work so far. It is written in the user's absence, so its time and branch are none of
    /// the turn's, unless it begins one.
    fn recap(&mut self, text: &str, position: &LinePosition<'_>) {
        let text = text
            .trim()
            .trim_end_matches("(disable recaps in /config)")
            .trim_end();
        if text.is_empty() {
            return;
        }
        let recap = TurnPart::Recap {
            text: clipped(text),
        };
        if self.turns.progress.turn_state == TurnState::Before {
            return self.turns.part(recap, position);
        }
        let position = LinePosition {
            ms: None,
            ..*position
        };
        let branch = self.turns.branch.take();
        self.turns.part(recap, &position);
        self.turns.branch = branch;
    }

    fn local_command(&mut self, text: &str, position: &LinePosition<'_>) {
        match classify_text(text) {
            UserText::Command(command) if command.text.starts_with("/rename ") => {
                self.state
                    .facts
                    .rename(command.text.trim_start_matches("/rename "));
                self.notice(&command.text, position);
            }
            UserText::Command(command) if command.text == "/rename" => {
                self.notice(&command.text, position);
            }
            words => self.add_user_text(words, position),
        }
    }

    fn api_error(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        if let Some(error) = &entry.error.0 {
            let text = error.formatted.get().or(error.message.get());
            self.notice(text.unwrap_or_default(), position);
        }
    }

    fn notice(&mut self, text: &str, position: &LinePosition<'_>) {
        let text = text.trim();
        if !text.is_empty() {
            self.turns.part(
                TurnPart::Notice {
                    text: clipped(text),
                },
                position,
            );
        }
    }

    /// Ends the turn at hand and begins one.
    fn begin_turn(&mut self, kind: PromptKind, prompt: PromptText, position: &LinePosition<'_>) {
        let first = self.turns.progress.next == 0;
        if first && self.identity.is_subagent() && prompt.text.trim() == "Warmup" {
            self.turns.close();
            self.turns.preface = TurnPreface::default();
            self.turns.progress.turn_state = TurnState::Muted;
            return;
        }
        let kind = kind.in_session(self.identity.is_subagent());
        let is_command = kind == PromptKind::Command;
        let shell = prompt.text.strip_prefix('!').filter(|_| is_command);
        let shell = shell.map(|command| command.trim().to_owned());
        self.state.failures = SeenIds::default();
        self.turns.begin_turn(kind, prompt, position);
        if let Some(command) = shell.filter(|command| !command.is_empty()) {
            self.shell_escape(command, position);
        }
    }

    /// Adds a summary. A summary before the first turn becomes the beginning of that turn.
    fn summary(&mut self, text: String, position: &LinePosition<'_>) {
        let summary = TurnPart::Summary { text };
        if self.turns.progress.turn_state != TurnState::Before {
            return self.turns.part(summary, position);
        }
        self.turns.preface.start.get_or_insert(position.span.start);
        if self.turns.detail() == ReadDetail::Full {
            self.turns.preface.parts.push(summary);
        }
    }
}
