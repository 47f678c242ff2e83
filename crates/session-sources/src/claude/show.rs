//! Turns of a transcript, read again in full.

use super::assembly::Assembly;
use super::facts::Identity;
use super::json::with_entry;
use super::persisted::ToolResults;
use super::reader::{queued_text, unreadable};
use super::state::State;
use crate::lines::Lines;
use crate::{Shown, Warning};
use session_core::{Detail, SessionMeta, Span, Turn};
use std::io;
use std::path::Path;

/// Reads the turns at these spans.
pub(super) fn show(path: &Path, session: &SessionMeta, spans: &[(u32, Span)]) -> Shown {
    let identity = Identity {
        id: session.id.clone(),
        parent: session.parent.clone(),
    };
    let mut shown = Shown::default();
    for &(index, span) in spans {
        match turn(path, &identity, index, span) {
            Ok(Some(turn)) => shown.turns.push(turn),
            Ok(None) => shown.warnings.push(moved(path, span)),
            Err(error) => shown.warnings.push(unreadable(path, &error)),
        }
    }
    shown
}

fn moved(path: &Path, span: Span) -> Warning {
    let reason = "no turn begins here any more".to_owned();
    Warning {
        path: path.to_owned(),
        offset: Some(span.start),
        reason,
        count: 1,
    }
}

fn turn(path: &Path, identity: &Identity, index: u32, span: Span) -> io::Result<Option<Turn>> {
    if !begins_line(path, span.start)? {
        return Ok(None);
    }
    let mut state = State {
        next: index,
        ..State::default()
    };
    if needs_queue(path, span.start)? {
        state.queue = state_at(path, identity, span.start)?.queue;
    }
    let recall = |offset| queued_text(path, offset);
    let results = ToolResults::beside(path);
    let mut assembly = Assembly::new(state, Detail::Full, identity, results, &recall);
    let ended = feed(&mut assembly, path, span)?;
    let turn = ended.or_else(|| assembly.flush());
    Ok(turn.filter(|turn| turn.span.start == span.start && turn.index == index))
}

fn begins_line(path: &Path, offset: u64) -> io::Result<bool> {
    let Some(before) = offset.checked_sub(1) else {
        return Ok(true);
    };
    let mut lines = Lines::open(path, before)?;
    Ok(lines
        .next()?
        .is_some_and(|line| line.end == offset && line.terminated))
}

/// True when a turn begins with the removal of a text from the queue: what it
/// was stands earlier in the file.
fn needs_queue(path: &Path, start: u64) -> io::Result<bool> {
    let mut lines = Lines::open(path, start)?;
    let line = lines.next()?.and_then(|line| line.text);
    let is_operation =
        line.and_then(|line| with_entry(line, |entry| entry.kind.get() == Some("queue-operation")));
    Ok(is_operation == Some(true))
}

fn state_at(path: &Path, identity: &Identity, end: u64) -> io::Result<State> {
    let recall = |_| None;
    let results = ToolResults::default();
    let mut assembly = Assembly::new(State::default(), Detail::Index, identity, results, &recall);
    let mut lines = Lines::open(path, 0)?;
    while let Some(line) = lines.next()?.filter(|line| line.start < end) {
        let place = line.span();
        line.text
            .and_then(|text| with_entry(text, |entry| assembly.take(entry, place)));
    }
    Ok(assembly.state)
}

/// Gives the lines of a span to the assembly, up to the end of the first turn.
fn feed(assembly: &mut Assembly<'_>, path: &Path, span: Span) -> io::Result<Option<Turn>> {
    let mut lines = Lines::open(path, span.start)?;
    while let Some(line) = lines.next()?.filter(|line| line.start < span.end) {
        let place = line.span();
        let taken = line
            .text
            .and_then(|text| with_entry(text, |entry| assembly.take(entry, place)));
        if let Some(turn) = taken.flatten() {
            return Ok(Some(turn));
        }
    }
    Ok(None)
}
