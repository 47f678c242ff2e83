//! Lines to turns, in the order of the file.
//!
//! The graph of `parentUuid` is not walked: it would lose what was rewound and
//! all that came before a compaction.

mod answer;
mod queued;

use super::entry::TranscriptEntry;
use super::persisted::ToolResults;
use super::prompt::{self, UserText, classify_user_line, clipped};
use super::session_facts::SessionIdentity;
use super::state::{TranscriptState, TurnState};
use super::time::milliseconds;
use session_core::{Detail, Part, PromptKind, Span, Turn};
use std::collections::HashMap;

/// A line that put a text into the queue.
pub(super) struct QueuedLine {
    pub text: String,
    pub span: Span,
}

/// Gives the line at an offset, whose text waited in the queue.
pub(super) type ReadQueuedLine<'r> = &'r dyn Fn(u64) -> Option<QueuedLine>;

/// Builds turns, one line at a time.
pub(super) struct Assembly<'a> {
    pub state: TranscriptState,
    detail: Detail,
    identity: &'a SessionIdentity,
    results: ToolResults,
    recall: ReadQueuedLine<'a>,
    /// The turn at hand, or what this read adds to it.
    open: Option<Turn>,
    /// Calls of the turn at hand, by id: the index of the part.
    calls: HashMap<String, usize>,
    /// Summaries that came before the first turn.
    preface: Vec<Part>,
    closed: Option<Turn>,
    /// Results of calls of earlier turns.
    earlier: Vec<Turn>,
}

/// A line as a place in a turn.
struct LinePosition<'e> {
    span: Span,
    ms: Option<i64>,
    /// Id of the line.
    uuid: Option<&'e str>,
    /// The id by which a turn that begins here is known in all copies.
    origin: Option<&'e str>,
    /// True for lines of the conversation itself.
    is_message: bool,
}

impl<'e> LinePosition<'e> {
    fn new(entry: &'e TranscriptEntry<'_>, span: Span) -> Self {
        let uuid = entry.uuid.get();
        let forked = entry.fork().and_then(|fork| fork.message_uuid.get());
        let is_message = matches!(entry.kind.get(), Some("user" | "assistant"));
        let ms = entry.timestamp.get().and_then(milliseconds);
        Self {
            span,
            ms,
            uuid,
            origin: forked.or(uuid),
            is_message,
        }
    }
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        state: TranscriptState,
        detail: Detail,
        identity: &'a SessionIdentity,
        results: ToolResults,
        recall: ReadQueuedLine<'a>,
    ) -> Self {
        Self {
            state,
            detail,
            identity,
            results,
            recall,
            open: None,
            calls: HashMap::new(),
            preface: Vec::new(),
            closed: None,
            earlier: Vec::new(),
        }
    }

    /// Takes a line, and gives the turn that it ended.
    pub(super) fn push_entry(&mut self, entry: &TranscriptEntry<'_>, span: Span) -> Option<Turn> {
        self.state.facts.note(entry, self.identity);
        if !entry
            .uuid
            .get()
            .is_some_and(|uuid| self.state.seen.repeats(uuid))
        {
            self.dispatch(entry, &LinePosition::new(entry, span));
        }
        self.closed.take()
    }

    /// Gives what the last line told of earlier turns: each as one that continues it.
    pub(super) fn take_earlier_turns(&mut self) -> Vec<Turn> {
        std::mem::take(&mut self.earlier)
    }

    /// Gives the turn at hand as far as it is known. What follows of it comes
    /// as a turn that continues it.
    pub(super) fn flush(&mut self) -> Option<Turn> {
        self.calls.clear();
        let mut turn = self.open.take()?;
        turn.parts.retain(|part| !answer::is_silent(part));
        Some(turn)
    }

    fn dispatch(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        let foreign = entry.is_sidechain.0 && !self.identity.is_subagent();
        match entry.kind.get() {
            Some("user" | "assistant" | "system") if foreign => self.sidechain(entry, place),
            Some("user") => self.user(entry, place),
            Some("assistant") => self.assistant(entry, place),
            Some("system") => self.system(entry, place),
            Some("attachment") => self.attachment(entry, place),
            Some("queue-operation") => self.queue_operation(entry, place),
            Some("pr-link") => self.pull_request(entry, place),
            _ => {}
        }
    }

    /// A subagent's line in the file of its parent, as old versions wrote it: what it said is no
    /// turn of the parent's, but what it did was done.
    fn sidechain(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        let place = LinePosition {
            is_message: false,
            ..*place
        };
        self.sidechain_calls(entry, &place);
        self.notice(&entry.message.content.words(), &place);
    }

    fn user(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        self.results(entry, place);
        let words = classify_user_line(entry, self.identity.is_subagent());
        // A caveat stands before a command: the turn ended with the line before it.
        let is_caveat = entry.is_meta.0 && words == UserText::Nothing;
        let is_message = place.is_message && !is_caveat;
        let place = &LinePosition {
            is_message,
            ..*place
        };
        match words {
            UserText::Notice(text) => {
                self.state.queue.end_stray_prompt();
                self.part(Part::Notice { text }, place);
            }
            words => self.add_user_text(words, place),
        }
    }

    fn add_user_text(&mut self, words: UserText, place: &LinePosition<'_>) {
        match words {
            UserText::Typed(text) => self.prompt(PromptKind::Typed, text, place),
            UserText::Command(text) => self.prompt(PromptKind::Command, text, place),
            UserText::Summary(text) => self.summary(text, place),
            UserText::Notice(text) => self.part(Part::Notice { text }, place),
            UserText::Nothing => {
                self.extend_open_turn(place);
            }
        }
    }

    fn prompt(&mut self, kind: PromptKind, text: String, place: &LinePosition<'_>) {
        if self.state.queue.repeats(&text) {
            self.extend_open_turn(place);
            return;
        }
        if let Some(name) = text
            .strip_prefix("/rename ")
            .filter(|_| kind == PromptKind::Command)
        {
            self.state.facts.rename(name);
        }
        self.begin_turn(kind, text, place);
    }

    fn system(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        let text = entry.content.words();
        match entry.subtype.or_empty() {
            "away_summary" => self.recap(&text, place),
            "local_command" => self.local_command(&text, place),
            "api_error" => self.api_error(entry, place),
            _ => self.notice(&text, place),
        }
    }

    /// The program noticed that a pull request was opened.
    fn pull_request(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        if let Some(turn) = self.extend_open_turn(place) {
            turn.turn_stats.add_pull_request(entry.pr_url.or_empty());
        }
    }

    fn recap(&mut self, text: &str, place: &LinePosition<'_>) {
        let text = text
            .trim()
            .trim_end_matches("(disable recaps in /config)")
            .trim_end();
        if !text.is_empty() {
            self.part(
                Part::Recap {
                    text: clipped(text),
                },
                place,
            );
        }
    }

    fn local_command(&mut self, text: &str, place: &LinePosition<'_>) {
        match prompt::classify_text(text) {
            UserText::Command(command) if command.starts_with("/rename ") => {
                self.state
                    .facts
                    .rename(command.trim_start_matches("/rename "));
                self.notice(&command, place);
            }
            UserText::Command(command) if command == "/rename" => self.notice(&command, place),
            words => self.add_user_text(words, place),
        }
    }

    fn api_error(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        if let Some(error) = &entry.error.0 {
            let text = error.formatted.get().or(error.message.get());
            self.notice(text.unwrap_or_default(), place);
        }
    }

    fn notice(&mut self, text: &str, place: &LinePosition<'_>) {
        let text = text.trim();
        if !text.is_empty() {
            self.part(
                Part::Notice {
                    text: clipped(text),
                },
                place,
            );
        }
    }

    /// Ends the turn at hand and begins one.
    fn begin_turn(&mut self, kind: PromptKind, prompt: String, place: &LinePosition<'_>) {
        self.closed = self.flush().or_else(|| self.closed.take());
        let start = self.state.preface.take().unwrap_or(place.span.start);
        let parts = std::mem::take(&mut self.preface);
        let first = self.state.next == 0;
        if first && self.identity.is_subagent() && prompt.trim() == "Warmup" {
            self.state.turn_state = TurnState::Muted;
            return;
        }
        let kind = match kind {
            PromptKind::Typed if self.identity.is_subagent() => PromptKind::Model,
            kind => kind,
        };
        let index = self.state.next;
        self.state.next = index.saturating_add(1);
        self.state.turn_state = TurnState::Open;
        self.state.calls.begin_turn();
        self.state.clock = None;
        let origin = place.origin.map(str::to_owned);
        let is_command = kind == PromptKind::Command;
        let shell = prompt.strip_prefix('!').filter(|_| is_command);
        let shell = shell.map(|command| command.trim().to_owned());
        let mut turn = Turn {
            index,
            origin,
            prompt,
            parts,
            ..self.empty_turn(kind, place)
        };
        turn.span.start = start;
        self.open = Some(turn);
        self.extend_open_turn(place);
        if let Some(command) = shell.filter(|command| !command.is_empty()) {
            self.shell_escape(command, place);
        }
    }

    /// A summary before the first turn is told with that turn, which begins
    /// there for this.
    fn summary(&mut self, text: String, place: &LinePosition<'_>) {
        let summary = Part::Summary { text };
        if self.state.turn_state != TurnState::Before {
            return self.part(summary, place);
        }
        self.state.preface.get_or_insert(place.span.start);
        if self.detail == Detail::Full {
            self.preface.push(summary);
        }
    }

    /// A turn at this place of which nothing is known.
    fn empty_turn(&self, kind: PromptKind, place: &LinePosition<'_>) -> Turn {
        Turn {
            index: self.state.next.saturating_sub(1),
            started_ms: place.ms,
            ended_ms: place.ms,
            branch: self.state.facts.branch().map(str::to_owned),
            span: place.span,
            kind,
            ..Turn::default()
        }
    }

    /// The turn at hand, extended to this place.
    fn extend_open_turn(&mut self, place: &LinePosition<'_>) -> Option<&mut Turn> {
        if self.state.turn_state != TurnState::Open {
            return None;
        }
        if self.open.is_none() {
            let rest = self.empty_turn(PromptKind::None, place);
            self.open = Some(Turn {
                continues: true,
                started_ms: None,
                ..rest
            });
        }
        let branch = self.state.facts.branch();
        let turn = self.open.as_mut()?;
        if branch.is_some() && branch != turn.branch.as_deref() {
            turn.branch = branch.map(str::to_owned);
        }
        turn.span.end = place.span.end;
        turn.ended_ms = turn.ended_ms.max(place.ms);
        turn.turn_stats.tick(&mut self.state.clock, place.ms);
        if let Some(uuid) = place.uuid.filter(|_| place.is_message) {
            turn.leaf = Some(uuid.to_owned());
        }
        Some(turn)
    }

    fn part(&mut self, part: Part, place: &LinePosition<'_>) {
        let kept = is_indexed(&part);
        if kept && self.state.turn_state == TurnState::Before {
            self.begin_turn(PromptKind::None, String::new(), place);
        }
        let full = self.detail == Detail::Full;
        if let Some(turn) = self.extend_open_turn(place).filter(|_| kept || full) {
            turn.parts.push(part);
        }
    }
}

fn is_indexed(part: &Part) -> bool {
    matches!(part, Part::Text { .. } | Part::Call(_) | Part::Recap { .. })
}
