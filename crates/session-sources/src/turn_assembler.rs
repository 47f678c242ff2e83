//! Turns from the events of the lines of a history, one after the other.

use crate::call_result::CallResult;
use crate::calls::{PendingCall, TurnCalls};
use crate::cursor::is_default;
use crate::user_text::PromptText;
use serde::{Deserialize, Serialize};
use session_core::{
    CallDialog, CallStatus, PauseClock, PromptKind, ReadDetail, ToolCall, Turn, TurnPart, TurnSpan,
};
use std::collections::{HashMap, HashSet};

/// How far the turns of a session have come. It is part of a cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TurnProgress {
    /// Index of the next turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub next: u32,
    #[serde(rename = "standing", default, skip_serializing_if = "is_default")]
    pub turn_state: TurnState,
    #[serde(default, skip_serializing_if = "is_default")]
    pub calls: TurnCalls,
    /// The clock of the current turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: PauseClock,
}

/// Whether there is a turn that the next line belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TurnState {
    /// None yet.
    #[default]
    Before,
    /// The turn `next - 1`.
    Open,
    /// A warm-up, of which nothing is delivered.
    Muted,
}

/// How much is built of which turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnDetail {
    /// Of each turn, the parts that the index holds.
    Index,
    /// All of one turn, which is read by itself.
    Alone,
    /// All of the turns with these indices.
    Full(HashSet<u32>),
}

impl TurnDetail {
    /// Returns the detail of the turn with this index.
    pub(crate) fn for_turn(&self, index: u32) -> ReadDetail {
        match self {
            Self::Index => ReadDetail::Index,
            Self::Alone => ReadDetail::Full,
            Self::Full(indices) if indices.contains(&index) => ReadDetail::Full,
            Self::Full(_) => ReadDetail::Index,
        }
    }
}

/// A line as a position in a turn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LinePosition<'e> {
    pub span: TurnSpan,
    /// Milliseconds since 1970.
    pub ms: Option<i64>,
    /// Id of the line.
    pub uuid: Option<&'e str>,
    /// The id by which a turn that begins here is known in all copies.
    pub origin: Option<&'e str>,
    /// True for lines of the conversation itself.
    pub is_message: bool,
}

/// Parts that stand before the first prompt and are delivered with it.
#[derive(Debug, Default)]
pub(crate) struct TurnPreface {
    /// Offset of its first line.
    pub start: Option<u64>,
    pub parts: Vec<TurnPart>,
}

/// Builds turns, one line at a time.
#[derive(Debug)]
pub(crate) struct TurnAssembler {
    pub progress: TurnProgress,
    /// The branch at this point of the history.
    pub branch: Option<String>,
    /// The parts with which the next turn begins.
    pub preface: TurnPreface,
    detail: TurnDetail,
    /// The current turn, or what this read adds to it.
    open: Option<Turn>,
    /// Calls of the current turn, by id: the index of the part.
    calls: HashMap<String, usize>,
    closed: Vec<Turn>,
    /// Results of calls of earlier turns.
    earlier: Vec<Turn>,
}

impl TurnAssembler {
    pub(crate) fn new(progress: TurnProgress, detail: TurnDetail) -> Self {
        Self {
            progress,
            branch: None,
            preface: TurnPreface::default(),
            detail,
            open: None,
            calls: HashMap::new(),
            closed: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Returns the index of the current turn.
    pub(crate) fn current_index(&self) -> u32 {
        self.progress.next.saturating_sub(1)
    }

    /// Returns how much is built of the current turn.
    pub(crate) fn detail(&self) -> ReadDetail {
        self.detail.for_turn(self.current_index())
    }

    /// Takes out the turns that ended.
    pub(crate) fn take_closed(&mut self) -> Vec<Turn> {
        std::mem::take(&mut self.closed)
    }

    /// Takes out what was recorded of earlier turns: each as one that continues it.
    pub(crate) fn take_earlier_turns(&mut self) -> Vec<Turn> {
        std::mem::take(&mut self.earlier)
    }

    /// Gives the current turn as far as it is known. What follows of it comes
    /// as a turn that continues it.
    pub(crate) fn flush(&mut self) -> Option<Turn> {
        self.calls.clear();
        let mut turn = self.open.take()?;
        turn.parts.retain(|part| !is_silent(part));
        Some(turn)
    }

    /// Ends the current turn.
    pub(crate) fn close(&mut self) {
        let turn = self.flush();
        self.closed.extend(turn);
    }

    /// Ends the current turn, and begins one.
    pub(crate) fn begin_turn(
        &mut self,
        kind: PromptKind,
        prompt: impl Into<PromptText>,
        position: &LinePosition<'_>,
    ) {
        let PromptText { text, typed_bytes } = prompt.into();
        self.close();
        let index = self.progress.next;
        self.progress.next = index.saturating_add(1);
        self.progress.turn_state = TurnState::Open;
        self.progress.calls.begin_turn();
        self.progress.clock = PauseClock::default();
        let preface = std::mem::take(&mut self.preface);
        let mut turn = Turn {
            index,
            origin: position.origin.map(str::to_owned),
            prompt: text,
            typed_bytes,
            parts: preface.parts,
            ..self.empty_turn(kind, position)
        };
        turn.span.start = preface.start.unwrap_or(position.span.start);
        self.open = Some(turn);
        self.extend(position);
    }

    /// Returns a turn at this position of which nothing is known.
    fn empty_turn(&self, kind: PromptKind, position: &LinePosition<'_>) -> Turn {
        Turn {
            index: self.current_index(),
            started_ms: position.ms,
            ended_ms: position.ms,
            branch: self.branch.clone(),
            span: position.span,
            kind,
            ..Turn::default()
        }
    }

    /// Returns the current turn, extended to this position.
    pub(crate) fn extend(&mut self, position: &LinePosition<'_>) -> Option<&mut Turn> {
        if self.progress.turn_state != TurnState::Open {
            return None;
        }
        if self.open.is_none() {
            self.open = Some(Turn {
                continues: true,
                started_ms: None,
                ..self.empty_turn(PromptKind::None, position)
            });
        }
        let turn = self.open.as_mut()?;
        if self.branch.is_some() && self.branch != turn.branch {
            turn.branch.clone_from(&self.branch);
        }
        turn.span.end = position.span.end;
        turn.ended_ms = turn.ended_ms.max(position.ms);
        turn.turn_stats
            .add_idle(self.progress.clock.advance(position.ms));
        if let Some(uuid) = position.uuid.filter(|_| position.is_message) {
            turn.leaf = Some(uuid.to_owned());
        }
        Some(turn)
    }

    /// Begins a turn without a prompt where there is none yet.
    fn begin_if_none(&mut self, position: &LinePosition<'_>) {
        if self.progress.turn_state == TurnState::Before {
            self.begin_turn(PromptKind::None, String::new(), position);
        }
    }

    /// Adds a part to the current turn, or begins one with it.
    pub(crate) fn part(&mut self, part: TurnPart, position: &LinePosition<'_>) {
        let kept = is_indexed(&part);
        if kept {
            self.begin_if_none(position);
        }
        let full = self.detail() == ReadDetail::Full;
        if let Some(turn) = self.extend(position).filter(|_| kept || full) {
            turn.parts.push(part);
        }
    }

    /// Returns true if the current turn is the first, and has texts but no prompt and no call.
    pub(crate) fn is_text_alone(&self) -> bool {
        let is_text = |part: &TurnPart| matches!(part, TurnPart::Text { .. });
        let is_unprompted = |turn: &Turn| turn.index == 0 && turn.kind == PromptKind::None;
        let open = self.open.as_ref().filter(|turn| is_unprompted(turn));
        open.is_some_and(|turn| turn.parts.iter().all(is_text))
    }

    /// Returns the current turn as this read knows it.
    pub(crate) fn open_turn(&mut self) -> Option<&mut Turn> {
        self.open.as_mut()
    }
}

/// Calls and their results.
impl TurnAssembler {
    /// Returns true for a call of the current turn, or a result that came before its call.
    pub(crate) fn has_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    /// Adds a call, with its result where that came first. It is unfinished until its result comes,
    /// which one without an id cannot have.
    pub(crate) fn call(&mut self, mut call: ToolCall, position: &LinePosition<'_>) {
        let early = self.take_early(&call.id);
        self.note_call(&call, early.is_some(), position);
        if !call.id.is_empty() {
            call.status = CallStatus::Unfinished;
        }
        if let Some(early) = early {
            call.output = early.output;
            call.status = early.status;
            call.subagent = early.subagent;
            CallDialog::merge(&mut call.dialog, early.dialog);
        }
        self.call_part(call, position);
    }

    /// Adds a call that has its result, or will never have one.
    pub(crate) fn complete_call(&mut self, call: ToolCall, position: &LinePosition<'_>) {
        self.note_call(&call, true, position);
        self.part(TurnPart::Call(call), position);
    }

    /// Counts a call in its turn, which it may begin.
    fn note_call(&mut self, call: &ToolCall, has_result: bool, position: &LinePosition<'_>) {
        self.begin_if_none(position);
        let turn = self.current_index();
        self.progress.calls.note(call, turn, has_result);
    }

    fn call_part(&mut self, call: ToolCall, position: &LinePosition<'_>) {
        let id = call.id.clone();
        let joins = !id.is_empty() || !call.name.is_empty();
        self.part(TurnPart::Call(call), position);
        if let Some(turn) = self.open.as_ref().filter(|_| joins) {
            self.calls.insert(id, turn.parts.len().saturating_sub(1));
        }
    }

    /// Takes out a result of this turn that came before its call.
    fn take_early(&mut self, id: &str) -> Option<ToolCall> {
        let at = *self.calls.get(id).filter(|_| !id.is_empty())?;
        let parts = &mut self.open.as_mut()?.parts;
        match parts.get(at)? {
            TurnPart::Call(call) if call.name.is_empty() => {}
            _ => return None,
        }
        let TurnPart::Call(early) = parts.remove(at) else {
            return None;
        };
        let later = self.calls.values_mut().filter(|position| **position > at);
        later.for_each(|position| *position -= 1);
        Some(early)
    }

    /// Takes out the call that waits for the result of this id.
    pub(crate) fn take_waiting(&mut self, id: &str) -> Option<PendingCall> {
        self.progress.calls.remove(id)
    }

    /// Records an interim status of a call, and returns the call while it waits for its result.
    pub(crate) fn note_interim(&mut self, id: &str, status: CallStatus) -> Option<PendingCall> {
        self.progress.calls.note_status(id, status);
        self.progress.calls.get(id).cloned()
    }

    /// Returns how much is built of the call that waited, or of the current turn.
    pub(crate) fn detail_of(&self, waiting: Option<&PendingCall>) -> ReadDetail {
        let turn = waiting.and_then(PendingCall::turn);
        self.detail
            .for_turn(turn.unwrap_or_else(|| self.current_index()))
    }

    /// Joins a result to its call: of the current turn, of an earlier one, or of an earlier read.
    pub(crate) fn result(
        &mut self,
        result: CallResult,
        waiting: Option<PendingCall>,
        position: &LinePosition<'_>,
    ) {
        self.extend(position);
        let current = self.current_index();
        let earlier = waiting.as_ref().and_then(|call| call.earlier_turn(current));
        if let Some(call) = self.pending_call_mut(&result) {
            result.complete(call);
        } else if let Some(turn) = earlier.filter(|_| self.detail != TurnDetail::Alone) {
            let call = result.into_unnamed_call(waiting);
            self.earlier
                .extend(call.map(|call| continuation(turn, call)));
        } else if self.progress.turn_state == TurnState::Open
            && let Some(call) = result.into_unnamed_call(waiting)
        {
            self.call_part(call, position);
        }
    }

    fn pending_call_mut(&mut self, result: &CallResult) -> Option<&mut ToolCall> {
        let at = *self.calls.get(&result.id)?;
        match self.open.as_mut()?.parts.get_mut(at)? {
            TurnPart::Call(call) => Some(call),
            _ => None,
        }
    }
}

/// Returns a result of a call of an earlier turn.
fn continuation(index: u32, call: ToolCall) -> Turn {
    Turn {
        index,
        continues: true,
        parts: vec![TurnPart::Call(call)],
        ..Turn::default()
    }
}

fn is_indexed(part: &TurnPart) -> bool {
    matches!(
        part,
        TurnPart::Text { .. } | TurnPart::Call(_) | TurnPart::Recap { .. } | TurnPart::Error { .. }
    )
}

/// Returns true for an empty result whose call did not come in its turn.
fn is_silent(part: &TurnPart) -> bool {
    let TurnPart::Call(call) = part else {
        return false;
    };
    let empty = call.output.as_deref() == Some("") && call.subagent.is_none();
    let ran = call
        .command
        .as_deref()
        .is_some_and(|command| !command.is_empty());
    let has_news = call.status != CallStatus::Done
        || call.dialog.is_some()
        || call.delivered.is_some()
        || ran
        || !call.files.is_empty()
        || !call.pull_requests.is_empty();
    call.name.is_empty() && empty && !has_news
}
