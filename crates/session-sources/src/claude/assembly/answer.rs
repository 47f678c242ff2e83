//! Answers, calls and results of the agent.

use super::{Assembly, LinePosition};
use crate::claude::call::{self, CallResult};
use crate::claude::entry::{ContentBlock, EntryMessage, TranscriptEntry, Usage};
use crate::claude::reply::{self, BlockNovelty};
use crate::claude::state::TurnState;
use session_core::{CallDialog, Detail, Part, ToolCall, Turn};

impl Assembly<'_> {
    pub(super) fn assistant(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        let message = &entry.message;
        if entry.is_api_error_message.0 || message.model.get() == Some("<synthetic>") {
            return self.notice(&message.content.words(), place);
        }
        let blocks = &message.content.0;
        let novelties = self.state.reply.classify_blocks(message.id.get(), blocks);
        for (block, novelty) in blocks.iter().zip(novelties) {
            match novelty {
                BlockNovelty::New => self.block(block, entry, place),
                BlockNovelty::Repeated => {}
                BlockNovelty::Extended(earlier) => self.extend_block(block, earlier, place),
            }
        }
        if self.extend_open_turn(place).is_some() {
            self.add_usage(&entry.message);
        }
    }

    /// Adds the model and tokens of a line.
    fn add_usage(&mut self, message: &EntryMessage<'_>) {
        let reply = &mut self.state.reply;
        let usage = message.usage.0.as_ref().map(Usage::tokens);
        if let Some(turn) = self.open.as_mut() {
            turn.turn_stats.add_model(message.model.or_empty());
            turn.turn_stats.tokens += usage.map(|so_far| reply.count(so_far)).unwrap_or_default();
        }
    }

    fn block(
        &mut self,
        block: &ContentBlock<'_>,
        entry: &TranscriptEntry<'_>,
        place: &LinePosition<'_>,
    ) {
        match block.kind.or_empty() {
            "text" | "thinking" => self.add_text(block, place),
            "tool_use" | "server_tool_use" => self.call(block, place),
            kind if kind.ends_with("_tool_result") => self.result(block, entry, place),
            _ => {}
        }
    }

    /// The calls of a subagent's line in its parent's file, and their results.
    pub(super) fn sidechain_calls(
        &mut self,
        entry: &TranscriptEntry<'_>,
        place: &LinePosition<'_>,
    ) {
        for block in &entry.message.content.0 {
            let known = block.id.get().is_some_and(|id| self.calls.contains_key(id));
            match block.kind.or_empty() {
                "tool_use" if !known => self.call(block, place),
                "tool_result" => self.result(block, entry, place),
                _ => {}
            }
        }
    }

    fn add_text(&mut self, block: &ContentBlock<'_>, place: &LinePosition<'_>) {
        let words = reply::words(block);
        if !words.is_empty() {
            self.part(text_part(block, words), place);
        }
    }

    /// Puts a longer state of a block in the place of the shorter. Where that
    /// one was delivered already, the rest follows as a part of its own.
    fn extend_block(&mut self, block: &ContentBlock<'_>, earlier: usize, place: &LinePosition<'_>) {
        let whole = reply::words(block);
        let Some((begin, rest)) = whole.split_at_checked(earlier) else {
            return;
        };
        let shorter = text_part(block, begin);
        let turn = self.open.as_mut();
        let mut parts = turn
            .into_iter()
            .flat_map(|turn| turn.parts.iter_mut().rev());
        match parts.find(|part| **part == shorter) {
            Some(part) => *part = text_part(block, whole),
            None => self.part(text_part(block, rest.trim()), place),
        }
    }

    fn call(&mut self, block: &ContentBlock<'_>, place: &LinePosition<'_>) {
        let mut call = call::call(block, self.detail);
        let early = self.take_early(&call.id);
        let turn = self.state.next.saturating_sub(1);
        self.state.calls.note(&call, turn, early.is_some());
        if let Some(early) = early {
            call.output = early.output;
            call.failed = early.failed;
            call.subagent = early.subagent;
            CallDialog::join(&mut call.dialog, early.dialog);
        }
        self.call_part(call, place);
    }

    /// The command that the user ran, as a call of the turn that it began.
    pub(super) fn shell_escape(&mut self, command: String, place: &LinePosition<'_>) {
        let call = ToolCall {
            name: "Bash".into(),
            command: Some(command),
            ..ToolCall::default()
        };
        let turn = self.state.next.saturating_sub(1);
        self.state.calls.note(&call, turn, true);
        self.part(Part::Call(call), place);
    }

    fn call_part(&mut self, call: ToolCall, place: &LinePosition<'_>) {
        let id = call.id.clone();
        let joins = !id.is_empty() || !call.name.is_empty();
        self.part(Part::Call(call), place);
        if let Some(turn) = self.open.as_ref().filter(|_| joins) {
            self.calls.insert(id, turn.parts.len().saturating_sub(1));
        }
    }

    /// Takes out a result of this turn that came before its call.
    fn take_early(&mut self, id: &str) -> Option<ToolCall> {
        let at = *self.calls.get(id).filter(|_| !id.is_empty())?;
        let parts = &mut self.open.as_mut()?.parts;
        match parts.get(at)? {
            Part::Call(call) if call.name.is_empty() => {}
            _ => return None,
        }
        let Part::Call(early) = parts.remove(at) else {
            return None;
        };
        let later = self.calls.values_mut().filter(|place| **place > at);
        later.for_each(|place| *place -= 1);
        Some(early)
    }

    pub(super) fn results(&mut self, entry: &TranscriptEntry<'_>, place: &LinePosition<'_>) {
        for block in &entry.message.content.0 {
            if block.kind.get() == Some("tool_result") {
                self.result(block, entry, place);
            }
        }
    }

    fn result(
        &mut self,
        block: &ContentBlock<'_>,
        entry: &TranscriptEntry<'_>,
        place: &LinePosition<'_>,
    ) {
        let waiting = self.state.calls.remove(block.tool_use_id.or_empty());
        let opens = waiting.as_ref().is_some_and(|call| call.opens);
        let (whole, results) = (&entry.tool_use_result, &self.results);
        let outcome = call::outcome(block, whole, opens, self.detail, results);
        self.extend_open_turn(place);
        let at_hand = self.state.next.saturating_sub(1);
        let earlier = waiting
            .as_ref()
            .and_then(|call| call.take_earlier_turns(at_hand));
        if let Some(call) = self.pending_call_mut(&outcome) {
            outcome.complete(call);
        } else if let Some(turn) = earlier.filter(|_| self.detail == Detail::Index) {
            let call = outcome.into_unnamed_call(waiting);
            self.earlier
                .extend(call.map(|call| continuation(turn, call)));
        } else if self.state.turn_state == TurnState::Open
            && let Some(call) = outcome.into_unnamed_call(waiting)
        {
            self.call_part(call, place);
        }
    }

    fn pending_call_mut(&mut self, outcome: &CallResult) -> Option<&mut ToolCall> {
        let at = *self.calls.get(&outcome.id)?;
        match self.open.as_mut()?.parts.get_mut(at)? {
            Part::Call(call) => Some(call),
            _ => None,
        }
    }
}

/// A result of a call of an earlier turn.
fn continuation(index: u32, call: ToolCall) -> Turn {
    Turn {
        index,
        continues: true,
        parts: vec![Part::Call(call)],
        ..Turn::default()
    }
}

/// Words as a part of the kind of a block.
fn text_part(block: &ContentBlock<'_>, words: &str) -> Part {
    let text = words.to_owned();
    match block.kind.get() {
        Some("thinking") => Part::Thinking { text },
        _ => Part::Text { text },
    }
}

/// True for an empty result whose call did not come in its turn.
pub(super) fn is_silent(part: &Part) -> bool {
    let Part::Call(call) = part else {
        return false;
    };
    let empty = call.output.as_deref() == Some("") && call.subagent.is_none();
    let ran = call
        .command
        .as_deref()
        .is_some_and(|command| !command.is_empty());
    let tells = call.failed
        || call.dialog.is_some()
        || ran
        || !call.files.is_empty()
        || !call.pull_requests.is_empty();
    call.name.is_empty() && empty && !tells
}
