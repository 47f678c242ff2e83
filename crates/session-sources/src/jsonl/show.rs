//! Turns of a file of lines, read again in full.

use super::JsonlFormat;
use super::reading::{JsonlLines, JsonlState};
use crate::lines::{LineFiles, Lines};
use crate::reading::{LineAssembly, MAX_LATE_LINES};
use crate::turn_assembler::TurnDetail;
use crate::warning::{missing_turn_warning, warning};
use crate::{IndexedSpan, ShownTurns, file};
use session_core::{CallStatus, SessionMeta, ToolCall, Turn, TurnPart, TurnSpan};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Reads the turns at these spans. The file is read once from its beginning: what a line means may
/// depend on any before it.
pub(super) fn show<F: JsonlFormat>(
    format: &F,
    path: &Path,
    session: &SessionMeta,
    spans: &[IndexedSpan],
) -> ShownTurns {
    let mut found = FoundTurns {
        wanted: spans
            .iter()
            .map(|wanted| (wanted.index, wanted.span))
            .collect(),
        turns: BTreeMap::new(),
    };
    let mut shown = ShownTurns::default();
    if let Err(error) = found.read(format, path, session) {
        shown.warnings.push(warning(path, error));
    }
    for &IndexedSpan { index, span } in spans {
        match found.turns.remove(&index) {
            Some(turn) => shown.turns.push(turn),
            None => shown.warnings.push(missing_turn_warning(path, span)),
        }
    }
    shown
}

/// The turns that are wanted, as far as they were met.
struct FoundTurns {
    wanted: BTreeMap<u32, TurnSpan>,
    turns: BTreeMap<u32, Turn>,
}

impl FoundTurns {
    fn read<F: JsonlFormat>(
        &mut self,
        format: &F,
        path: &Path,
        session: &SessionMeta,
    ) -> io::Result<()> {
        let detail = TurnDetail::Full(self.wanted.keys().copied().collect());
        let end = self.wanted.values().map(|span| span.end).max();
        let mut state = JsonlState::<F::State>::default();
        state.session.id.clone_from(&session.id);
        state.session.parent.clone_from(&session.parent);
        format.begin(path, &mut state.session);
        let stamp = file::stamp(&fs_err::metadata(path)?);
        let mut assembly = JsonlLines::new(format, path, state, detail, file::mtime_ms(&stamp));
        let is_continued = stamp.size < end.unwrap_or_default();
        let continuations = if is_continued {
            format.continuations(path)
        } else {
            Vec::new()
        };
        let files = LineFiles {
            first: path,
            continuations: &continuations,
        };
        let mut lines = Lines::open(files, 0)?;
        let mut late = 0;
        while let Some(line) = lines.next()? {
            if line.start >= end.unwrap_or_default() {
                late += 1;
                self.add_all(assembly.turns().flush());
                if late > MAX_LATE_LINES || !self.await_results() {
                    return Ok(());
                }
            }
            assembly.push_line(&line);
            self.add_all(assembly.turns().take_earlier_turns());
            self.add_all(assembly.turns().take_closed());
        }
        self.add_all(assembly.turns().flush());
        Ok(())
    }

    fn add_all(&mut self, turns: impl IntoIterator<Item = Turn>) {
        for mut turn in turns {
            let calls = turn.parts.extract_if(.., |part| is_result(part));
            for part in calls.collect::<Vec<_>>() {
                self.join(part);
            }
            let span = self.wanted.get(&turn.index);
            if !turn.continues && span.is_some_and(|span| span.start == turn.span.start) {
                self.turns.insert(turn.index, turn);
            }
        }
    }

    /// Joins a result to the call of an earlier turn.
    fn join(&mut self, part: TurnPart) {
        let TurnPart::Call(result) = part else { return };
        let mut calls = self.turns.values_mut().flat_map(calls_mut);
        if let Some(call) = calls.find(|call| call.id == result.id) {
            let news = result.output.filter(|output| !output.is_empty());
            call.output = news.or(call.output.take()).or(Some(String::new()));
            call.status = call.status.max(result.status);
            call.subagent = result.subagent.or(call.subagent.take());
            call.dialog = result.dialog.or(call.dialog.take());
        }
    }

    /// Returns true while there is a call whose result has not come.
    fn await_results(&mut self) -> bool {
        let mut calls = self.turns.values_mut().flat_map(calls_mut);
        calls.any(|call| call.status == CallStatus::Unfinished && !call.id.is_empty())
    }
}

fn calls_mut(turn: &mut Turn) -> impl Iterator<Item = &mut ToolCall> {
    turn.parts.iter_mut().filter_map(|part| match part {
        TurnPart::Call(call) => Some(call),
        _ => None,
    })
}

/// Returns true for a result whose call is not in its turn.
fn is_result(part: &TurnPart) -> bool {
    matches!(part, TurnPart::Call(call) if call.name.is_empty() && !call.id.is_empty())
}
