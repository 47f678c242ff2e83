//! Turns as a store keeps them, and as compact text.

use session_core::{CallDialog, ToolCall, Turn, TurnContent, TurnPart};
use session_sources::{CollectedTurn, CollectingSink};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The turns with those that continue one appended to it, and late results
/// joined to their calls, as a store does it.
pub fn joined(reads: &[CollectingSink]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for CollectedTurn { turn, .. } in reads.iter().flat_map(|read| &read.turns) {
        if turn.index == 0 && !turn.continues {
            turns.clear(); // told anew
        }
        match turns.iter_mut().find(|base| base.index == turn.index) {
            Some(base) if turn.continues => append(base, turn.clone()),
            Some(base) => *base = turn.clone(),
            None => turns.push(turn.clone()),
        }
    }
    turns
}

fn append(base: &mut Turn, more: Turn) {
    assert_eq!((base.index, more.prompt.as_str()), (more.index, ""));
    base.span.end = base.span.end.max(more.span.end);
    base.ended_ms = base.ended_ms.max(more.ended_ms);
    base.leaf = more.leaf.or(base.leaf.take());
    base.branch = more.branch.or(base.branch.take());
    base.turn_stats.add(&more.turn_stats);
    for part in more.parts {
        match part {
            TurnPart::Call(call) if call.name.is_empty() => join(base, call),
            part => base.parts.push(part),
        }
    }
}

fn join(base: &mut Turn, late: ToolCall) {
    let calls = base.parts.iter_mut().filter_map(|part| match part {
        TurnPart::Call(call) => Some(call),
        _ => None,
    });
    match calls.into_iter().find(|call| call.id == late.id) {
        Some(call) => {
            call.output = late.output.or(call.output.take());
            call.status = call.status.max(late.status);
            call.subagent = late.subagent.or(call.subagent.take());
            call.pull_requests.extend(late.pull_requests);
            CallDialog::merge(&mut call.dialog, late.dialog);
        }
        None => base.parts.push(TurnPart::Call(late)),
    }
}

/// Returns the searched contents, error lines sorted: late results may bring theirs in another order.
pub fn sorted(reads: &[CollectingSink]) -> Vec<TurnContent> {
    let mut contents = searched(reads);
    for content in &mut contents {
        content.errors.sort();
        content.tools.retain(|tool| !tool.is_empty());
    }
    contents
}

/// Returns the content of each turn, its continuations appended as the store does it.
pub fn searched(reads: &[CollectingSink]) -> Vec<TurnContent> {
    let mut contents: BTreeMap<u32, TurnContent> = BTreeMap::new();
    for CollectedTurn { turn, .. } in reads.iter().flat_map(|read| &read.turns) {
        if turn.index == 0 && !turn.continues {
            contents.clear(); // told anew
        }
        match contents.get_mut(&turn.index) {
            Some(base) if turn.continues => base.append(turn),
            _ => drop(contents.insert(turn.index, TurnContent::from_turn(turn))),
        }
    }
    contents.into_values().collect()
}

/// One line a prompt and part.
pub fn rendered<'t>(turns: impl IntoIterator<Item = &'t Turn>) -> String {
    let mut out = String::new();
    for turn in turns {
        let more = if turn.continues { " continues" } else { "" };
        writeln!(
            out,
            "{} {:?}{more}: {:?}",
            turn.index, turn.kind, turn.prompt
        )
        .unwrap();
        for part in &turn.parts {
            writeln!(out, "  {}", line(part)).unwrap();
        }
    }
    out
}

fn line(part: &TurnPart) -> String {
    match part {
        TurnPart::Text { text } => format!("text {text:?}"),
        TurnPart::Thinking { text } => format!("thinking {text:?}"),
        TurnPart::Notice { text } => format!("notice {text:?}"),
        TurnPart::Error { text } => format!("error {text:?}"),
        TurnPart::Recap { text } => format!("recap {text:?}"),
        TurnPart::Summary { text } => format!("summary {text:?}"),
        TurnPart::Call(call) => call_line(call),
    }
}

fn call_line(call: &ToolCall) -> String {
    let mut line = format!("call {}({})", call.name, call.id);
    if let Some(command) = &call.command {
        write!(line, " $ {command:?}").unwrap();
    }
    call.files
        .iter()
        .for_each(|file| write!(line, " @{file}").unwrap());
    if !call.input.is_null() {
        write!(line, " {}", call.input).unwrap();
    }
    if let Some(output) = &call.output {
        write!(line, " -> {output:?}").unwrap();
    }
    if let Some(words) = call.status.label() {
        line += &format!(" {words}");
    }
    if let Some(subagent) = &call.subagent {
        write!(line, " subagent={subagent}").unwrap();
    }
    line
}
