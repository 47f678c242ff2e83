//! Turns of a transcript, read again in full.

use super::assembly::Assembly;
use super::background::{BackgroundCalls, TaskEnd};
use super::call;
use super::entry::{ContentBlock, TranscriptEntry};
use super::persisted::ToolResults;
use super::reader::queued_line;
use super::session_facts::SessionIdentity;
use super::state::TranscriptState;
use crate::json::record;
use crate::lines::{Line, Lines};
use crate::reading::MAX_LATE_LINES;
use crate::turn_assembler::{TurnDetail, TurnProgress, TurnState};
use crate::warning::{missing_turn_warning, warning};
use crate::{IndexedSpan, ShownTurns};
use session_core::{CallStatus, ReadDetail, SessionMeta, ToolCall, Turn, TurnPart, TurnSpan};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

/// Reads the turns at these spans.
pub(super) fn show(path: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns {
    let identity = SessionIdentity {
        id: session.id.clone(),
        parent: session.parent.clone(),
    };
    let mut shown = ShownTurns::default();
    let before = match states_before(path, &identity, spans) {
        Ok(states) => states,
        Err(error) => {
            shown.warnings.push(warning(path, error));
            return shown;
        }
    };
    for &IndexedSpan { index, span } in spans {
        let state = before.get(&span.start).cloned().unwrap_or_default();
        match turn(path, &identity, index, span, state) {
            Ok(Some(turn)) => shown.turns.push(turn),
            Ok(None) => shown.warnings.push(missing_turn_warning(path, span)),
            Err(error) => shown.warnings.push(warning(path, error)),
        }
    }
    shown
}

fn turn(
    path: &Path,
    identity: &SessionIdentity,
    index: u32,
    span: TurnSpan,
    before: TranscriptState,
) -> io::Result<Option<Turn>> {
    let Some(lines) = open_turn(path, span)? else {
        return Ok(None);
    };
    let state = TranscriptState {
        progress: TurnProgress {
            next: index,
            turn_state: TurnState::Before,
            ..before.progress
        },
        preface: None,
        ..before
    };
    let read_queued_line = |offset| queued_line(path, offset).ok().flatten();
    let results = ToolResults::new_for(path);
    let mut assembly = Assembly::new(
        state,
        TurnDetail::Alone,
        identity,
        results,
        &read_queued_line,
    );
    let ended = feed(&mut assembly, lines, span)?;
    let turn = ended.or_else(|| assembly.turns().flush());
    let mut turn = turn.or_else(|| waiting(&assembly, index, span));
    if let Some(turn) = &mut turn {
        complete(turn, assembly.state().background, path, span.end)?;
        remove_earlier_results(turn, path, span.start)?;
    }
    Ok(turn.filter(|turn| turn.span.start == span.start && turn.index == index))
}

/// Returns the prompt that the line at a span put into the queue, where it waits still.
fn waiting(assembly: &Assembly<'_>, index: u32, span: TurnSpan) -> Option<Turn> {
    let mut waiting = assembly.waiting().into_iter();
    let turn = waiting.find(|turn| turn.span.start == span.start)?;
    Some(Turn { index, ..turn })
}

/// Joins what was recorded of calls when the next prompt was typed already: results, and ends of commands in the
/// background.
fn complete(turn: &mut Turn, background: BackgroundCalls, path: &Path, end: u64) -> io::Result<()> {
    let calls = turn.parts.iter_mut().filter_map(|part| match part {
        TurnPart::Call(call) if call.status == CallStatus::Unfinished => Some(call),
        _ => None,
    });
    let named = calls.filter(|call| !call.id.is_empty() && !call.name.is_empty());
    let mut late = LateResults {
        open: named.map(|call| (call.id.clone(), call)).collect(),
        background,
        results: ToolResults::new_for(path),
    };
    if late.open.is_empty() {
        return Ok(()); // most turns
    }
    let mut lines = Lines::open(path, end)?;
    for _ in 0..MAX_LATE_LINES {
        let Some(line) = lines.next()?.filter(|_| !late.open.is_empty()) else {
            break;
        };
        let mut repaired = String::new();
        let text = line.text.unwrap_or_default();
        if let Some(entry) = record::<TranscriptEntry<'_>>(text, &mut repaired) {
            late.push_entry(&entry);
        }
    }
    Ok(())
}

/// The calls of a turn whose ends are looked for behind it.
struct LateResults<'t> {
    /// By their ids.
    open: HashMap<String, &'t mut ToolCall>,
    background: BackgroundCalls,
    results: ToolResults,
}

impl LateResults<'_> {
    fn push_entry(&mut self, entry: &TranscriptEntry<'_>) {
        for block in &entry.message.content.0 {
            self.push_block(block, entry);
        }
        let attached = entry.attachment.0.as_ref().map(|a| a.prompt.words());
        let texts = [entry.message.content.words(), entry.content.words()];
        for text in texts.into_iter().chain(attached) {
            TaskEnd::list(&text).iter().for_each(|end| self.end(end));
        }
    }

    fn push_block(&mut self, block: &ContentBlock<'_>, entry: &TranscriptEntry<'_>) {
        let whole = &entry.tool_use_result;
        let id = block.tool_use_id.or_empty();
        let again = block.id.get().and_then(|id| self.open.remove(id)); // a call of the same id: what follows is its
        if let Some(call) = self.open.get_mut(id).filter(|_| again.is_none()) {
            call::parse_result(block, entry, false, ReadDetail::Full, &self.results).complete(call);
            match whole.background_task_id.get() {
                Some(task) => self.background.note(task, id),
                None => drop(self.open.remove(id)),
            }
        }
        if let Some(end) = TaskEnd::from_result(whole) {
            self.end(&end);
        }
    }

    fn end(&mut self, end: &TaskEnd) {
        let id = self.background.take(end);
        if let Some(call) = id.and_then(|id| self.open.remove(&id)) {
            call.status = end.status;
        }
    }
}

/// Takes out results of calls that were made before this turn: they are shown there.
fn remove_earlier_results(turn: &mut Turn, path: &Path, start: u64) -> io::Result<()> {
    let unnamed_call_id = |part: &TurnPart| match part {
        TurnPart::Call(call) if call.name.is_empty() && !call.id.is_empty() => {
            Some(call.id.clone())
        }
        _ => None,
    };
    let mut ids: HashSet<String> = turn.parts.iter().filter_map(unnamed_call_id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let mut earlier = HashSet::new();
    let mut lines = Lines::open(path, 0)?;
    while let Some(line) = lines
        .next()?
        .filter(|line| !ids.is_empty() && line.start < start)
    {
        let text = line.text.unwrap_or_default();
        if memchr::memmem::find(text, b"tool_use").is_some() {
            let is_in = |id: &String| memchr::memmem::find(text, id.as_bytes()).is_some();
            earlier.extend(ids.extract_if(is_in));
        }
    }
    turn.parts
        .retain(|part| unnamed_call_id(part).is_none_or(|id| !earlier.contains(&id)));
    Ok(())
}

/// Opens a file at the first line of a turn; `None` if no line begins there.
fn open_turn(path: &Path, span: TurnSpan) -> io::Result<Option<Lines>> {
    let before = span.start.saturating_sub(1);
    let mut lines = Lines::open_span(path, before, span.end + 1)?;
    let ends_before = |line: Line<'_>| line.end == span.start && line.terminated;
    let begins_line = span.start == 0 || lines.next()?.is_some_and(ends_before);
    Ok(begins_line.then_some(lines))
}

/// Returns the facts of earlier lines for turns of which the first line does not
/// show all. The file is read once for them all.
fn states_before(
    path: &Path,
    identity: &SessionIdentity,
    spans: &[IndexedSpan],
) -> io::Result<HashMap<u64, TranscriptState>> {
    let mut starts = HashSet::new();
    for IndexedSpan { span, .. } in spans {
        if needs_state(path, *span)? {
            starts.insert(span.start);
        }
    }
    let (read_queued_line, results) = (|_| None, ToolResults::default());
    let mut assembly = Assembly::new(
        TranscriptState::default(),
        TurnDetail::Index,
        identity,
        results,
        &read_queued_line,
    );
    let mut states = HashMap::new();
    let mut lines = Lines::open(path, 0)?;
    while !starts.is_empty()
        && let Some(line) = lines.next()?
    {
        if starts.remove(&line.start) {
            states.insert(line.start, assembly.state());
        }
        push_line(&mut assembly, &line);
    }
    Ok(states)
}

/// Returns true when the first line of a turn leaves things to those before it: which
/// text was removed from the queue, or the branch.
fn needs_state(path: &Path, span: TurnSpan) -> io::Result<bool> {
    let mut lines = Lines::open_span(path, span.start, span.end)?;
    let line = lines.next()?.and_then(|line| line.text);
    let mut repaired = String::new();
    let entry = line.and_then(|line| record::<TranscriptEntry<'_>>(line, &mut repaired));
    Ok(entry.is_some_and(|entry| {
        entry.kind.get() == Some("queue-operation") || entry.git_branch.get().is_none()
    }))
}

fn push_line(assembly: &mut Assembly<'_>, line: &Line<'_>) -> Option<Turn> {
    let mut repaired = String::new();
    let entry: TranscriptEntry<'_> = record(line.text?, &mut repaired)?;
    assembly.push_entry(&entry, line.span());
    assembly.turns().take_closed().into_iter().next()
}

/// Gives the lines of a span to the assembly, up to the end of the first turn.
fn feed(assembly: &mut Assembly<'_>, mut lines: Lines, span: TurnSpan) -> io::Result<Option<Turn>> {
    while let Some(line) = lines.next()?.filter(|line| line.start < span.end) {
        if let Some(turn) = push_line(assembly, &line) {
            return Ok(Some(turn));
        }
    }
    Ok(None)
}
