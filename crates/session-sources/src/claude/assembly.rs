//! Lines to turns, in the order of the file.
//!
//! The graph of `parentUuid` is not walked: it would lose what was rewound and
//! all that came before a compaction.

use super::call::{self, Outcome};
use super::entry::{Block, Entry};
use super::facts::Identity;
use super::persisted::ToolResults;
use super::prompt::{self, Words, clipped, spoken};
use super::queue::Removed;
use super::state::{Novelty, Standing, State};
use super::time::milliseconds;
use session_core::{Detail, Part, PromptKind, Span, ToolCall, Turn};
use std::collections::HashMap;

/// Gives the text of the line at an offset, which waited in the queue.
pub(super) type Recall<'r> = &'r dyn Fn(u64) -> Option<String>;

/// Builds turns, one line at a time.
pub(super) struct Assembly<'a> {
    pub state: State,
    detail: Detail,
    identity: &'a Identity,
    results: ToolResults,
    recall: Recall<'a>,
    /// The turn at hand, or what this read adds to it.
    open: Option<Turn>,
    /// Calls of the turn at hand, by id: the index of the part.
    calls: HashMap<String, usize>,
    closed: Option<Turn>,
}

/// A line as a place in a turn.
struct Place<'e> {
    span: Span,
    ms: Option<i64>,
    /// Id of the line.
    uuid: Option<&'e str>,
    /// The id by which a turn that begins here is known in all copies.
    origin: Option<&'e str>,
    /// True for lines of the conversation itself.
    is_message: bool,
}

impl<'e> Place<'e> {
    fn of(entry: &'e Entry<'_>, span: Span) -> Self {
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
        state: State,
        detail: Detail,
        identity: &'a Identity,
        results: ToolResults,
        recall: Recall<'a>,
    ) -> Self {
        let (open, calls, closed) = (None, HashMap::new(), None);
        Self {
            state,
            detail,
            identity,
            results,
            recall,
            open,
            calls,
            closed,
        }
    }

    /// Takes a line, and gives the turn that it ended.
    pub(super) fn take(&mut self, entry: &Entry<'_>, span: Span) -> Option<Turn> {
        self.state.facts.note(entry, self.identity);
        if !entry
            .uuid
            .get()
            .is_some_and(|uuid| self.state.seen.repeats(uuid))
        {
            self.dispatch(entry, &Place::of(entry, span));
        }
        self.closed.take()
    }

    /// Gives the turn at hand as far as it is known. What follows of it comes
    /// as a turn that continues it.
    pub(super) fn flush(&mut self) -> Option<Turn> {
        self.calls.clear();
        self.open.take()
    }

    fn dispatch(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        let foreign = entry.is_sidechain.0 && !self.identity.is_subagent();
        match entry.kind.get() {
            Some("user" | "assistant" | "system") if foreign => self.sidechain(entry, place),
            Some("user") => self.user(entry, place),
            Some("assistant") => self.assistant(entry, place),
            Some("system") => self.system(entry, place),
            Some("attachment") => self.attachment(entry, place),
            Some("queue-operation") => self.queue_operation(entry, place),
            _ => {}
        }
    }

    /// A subagent's line in the file of its parent, as old versions wrote it.
    fn sidechain(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        let place = Place {
            is_message: false,
            ..*place
        };
        self.notice(&entry.message.content.words(), &place);
    }

    fn user(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        self.results(entry, place);
        match spoken(entry, self.identity.is_subagent()) {
            Words::Notice(text) => {
                self.state.queue.news();
                self.part(Part::Notice { text }, place);
            }
            words => self.said(words, place),
        }
    }

    fn said(&mut self, words: Words, place: &Place<'_>) {
        match words {
            Words::Typed(text) => self.prompt(PromptKind::Typed, text, place),
            Words::Command(text) => self.prompt(PromptKind::Command, text, place),
            Words::Summary(text) => self.part(Part::Summary { text }, place),
            Words::Notice(text) => self.part(Part::Notice { text }, place),
            Words::Nothing => {
                self.touch(place);
            }
        }
    }

    fn prompt(&mut self, kind: PromptKind, text: String, place: &Place<'_>) {
        if self.state.queue.repeats(&text) {
            self.touch(place);
            return;
        }
        if let Some(name) = text
            .strip_prefix("/rename ")
            .filter(|_| kind == PromptKind::Command)
        {
            self.state.facts.rename(name);
        }
        self.begin(kind, text, place);
    }

    fn assistant(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        let message = &entry.message;
        if entry.is_api_error_message.0 || message.model.get() == Some("<synthetic>") {
            return self.notice(&message.content.words(), place);
        }
        self.state.reply.turn_to(message.id.get());
        for block in &message.content.0 {
            self.block(block, entry, place);
        }
        self.touch(place);
    }

    fn block(&mut self, block: &Block<'_>, entry: &Entry<'_>, place: &Place<'_>) {
        match block.kind.or_empty() {
            "text" => self.reply_text(block.text.or_empty().trim(), place),
            "thinking" => self.thinking(block.thinking.or_empty().trim(), place),
            "tool_use" | "server_tool_use" => self.call(block, place),
            kind if kind.ends_with("_tool_result") => self.result(block, entry, place),
            _ => {}
        }
    }

    fn reply_text(&mut self, text: &str, place: &Place<'_>) {
        if text.is_empty() {
            return;
        }
        let text = clipped(text);
        match self.state.reply.note(&text) {
            Novelty::New => self.part(Part::Text { text }, place),
            Novelty::Repeated => {}
            Novelty::Extended(earlier) => self.extend_text(text, earlier, place),
        }
    }

    /// Puts a longer snapshot of a text in the place of the shorter. Where that
    /// one was delivered already, the rest follows as a part of its own.
    fn extend_text(&mut self, text: String, earlier: usize, place: &Place<'_>) {
        let begin = &text[..earlier];
        let parts = self
            .open
            .iter_mut()
            .flat_map(|turn| turn.parts.iter_mut().rev());
        let mut texts = parts.filter_map(|part| match part {
            Part::Text { text } => Some(text),
            _ => None,
        });
        match texts.find(|have| *have == begin) {
            Some(have) => *have = text,
            None => {
                let text = text[earlier..].trim().to_owned();
                self.part(Part::Text { text }, place);
            }
        }
    }

    fn thinking(&mut self, text: &str, place: &Place<'_>) {
        let full = self.detail == Detail::Full && !text.is_empty();
        if full && self.state.reply.note(text) != Novelty::Repeated {
            self.part(
                Part::Thinking {
                    text: clipped(text),
                },
                place,
            );
        }
    }

    fn call(&mut self, block: &Block<'_>, place: &Place<'_>) {
        let id = block.id.or_empty();
        if !id.is_empty() && self.state.reply.note(id) == Novelty::Repeated {
            return;
        }
        let call = call::call(block, self.detail);
        if call.command.is_some() {
            self.state.shells.wait_for(id);
        }
        self.part(Part::Call(call), place);
        if let Some(turn) = &self.open {
            self.calls
                .insert(id.to_owned(), turn.parts.len().saturating_sub(1));
        }
    }

    fn results(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        for block in &entry.message.content.0 {
            if block.kind.get() == Some("tool_result") {
                self.result(block, entry, place);
            }
        }
    }

    fn result(&mut self, block: &Block<'_>, entry: &Entry<'_>, place: &Place<'_>) {
        let outcome = call::outcome(block, &entry.tool_use_result, self.detail, &self.results);
        self.touch(place);
        let of_shell = self.state.shells.take(outcome.id());
        if let Some(call) = self.call_of(&outcome) {
            outcome.complete(call);
        } else if outcome.is_news() && self.state.standing == Standing::Open {
            self.part(Part::Call(outcome.nameless(of_shell)), place);
        }
    }

    fn call_of(&mut self, outcome: &Outcome) -> Option<&mut ToolCall> {
        let at = *self.calls.get(&outcome.id)?;
        match self.open.as_mut()?.parts.get_mut(at)? {
            Part::Call(call) => Some(call),
            _ => None,
        }
    }

    fn system(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        let text = entry.content.words();
        match entry.subtype.or_empty() {
            "away_summary" => self.recap(&text, place),
            "local_command" => self.local_command(&text, place),
            "api_error" => self.api_error(entry, place),
            _ => self.notice(&text, place),
        }
    }

    fn recap(&mut self, text: &str, place: &Place<'_>) {
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

    fn local_command(&mut self, text: &str, place: &Place<'_>) {
        match prompt::words(text) {
            Words::Command(command) if command.starts_with("/rename") => {
                self.state
                    .facts
                    .rename(command.trim_start_matches("/rename"));
                self.notice(&command, place);
            }
            words => self.said(words, place),
        }
    }

    fn api_error(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
        if let Some(error) = &entry.error.0 {
            let text = error.formatted.get().or(error.message.get());
            self.notice(text.unwrap_or_default(), place);
        }
    }

    /// Of all attachments only this one holds words of the user.
    fn attachment(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
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

    fn queue_operation(&mut self, entry: &Entry<'_>, place: &Place<'_>) {
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
        let named = match &words {
            Words::Typed(text) | Words::Command(text) | Words::Notice(text) => Some(text.as_str()),
            _ => None,
        };
        match self.state.queue.remove(named) {
            Removed::Known => {}
            Removed::Named => self.queued(words, place),
            Removed::Waiting(waiting) => {
                let place = Place {
                    ms: waiting.ms,
                    ..*place
                };
                let text = (self.recall)(waiting.at).unwrap_or_default();
                self.queued(prompt::queued(&text), &place);
            }
        }
    }

    fn queued(&mut self, words: Words, place: &Place<'_>) {
        match words {
            Words::Typed(text) => self.begin(PromptKind::Typed, text, place),
            Words::Command(text) => self.begin(PromptKind::Command, text, place),
            _ => {}
        }
    }

    fn notice(&mut self, text: &str, place: &Place<'_>) {
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
    fn begin(&mut self, kind: PromptKind, prompt: String, place: &Place<'_>) {
        self.calls.clear();
        self.closed = self.open.take().or_else(|| self.closed.take());
        let first = self.state.next == 0;
        if first && self.identity.is_subagent() && prompt.trim() == "Warmup" {
            self.state.standing = Standing::Muted;
            return;
        }
        let kind = match kind {
            PromptKind::Typed if self.identity.is_subagent() => PromptKind::Model,
            kind => kind,
        };
        let index = self.state.next;
        self.state.next = index.saturating_add(1);
        self.state.standing = Standing::Open;
        let origin = place.origin.map(str::to_owned);
        self.open = Some(Turn {
            index,
            origin,
            prompt,
            ..self.blank(kind, place)
        });
        self.touch(place);
    }

    /// A turn at this place of which nothing is known.
    fn blank(&self, kind: PromptKind, place: &Place<'_>) -> Turn {
        Turn {
            index: self.state.next.saturating_sub(1),
            continues: false,
            origin: None,
            leaf: None,
            started_ms: place.ms,
            ended_ms: place.ms,
            branch: self.state.facts.branch().map(str::to_owned),
            span: place.span,
            kind,
            prompt: String::new(),
            parts: Vec::new(),
        }
    }

    /// The turn at hand, extended to this place.
    fn touch(&mut self, place: &Place<'_>) -> Option<&mut Turn> {
        if self.state.standing != Standing::Open {
            return None;
        }
        if self.open.is_none() {
            let rest = self.blank(PromptKind::None, place);
            self.open = Some(Turn {
                continues: true,
                started_ms: None,
                ..rest
            });
        }
        let turn = self.open.as_mut()?;
        turn.span.end = place.span.end;
        turn.ended_ms = turn.ended_ms.max(place.ms);
        if let Some(uuid) = place.uuid.filter(|_| place.is_message) {
            turn.leaf = Some(uuid.to_owned());
        }
        Some(turn)
    }

    fn part(&mut self, part: Part, place: &Place<'_>) {
        let kept = is_indexed(&part);
        if kept && self.state.standing == Standing::Before {
            self.begin(PromptKind::None, String::new(), place);
        }
        let full = self.detail == Detail::Full;
        if let Some(turn) = self.touch(place).filter(|_| kept || full) {
            turn.parts.push(part);
        }
    }
}

fn is_indexed(part: &Part) -> bool {
    matches!(part, Part::Text { .. } | Part::Call(_) | Part::Recap { .. })
}
