//! Turns whose calls are shortened, for those who read on only where it matters.

mod ranked_turn;

use crate::json::{ShownTurn, make_shown_session};
use crate::kept_text::TextLimit;
use ranked_turn::{KeptParts, RankedTurn};
use serde_json::{Value, json};
use session_core::{ToolCall, TurnPart, TurnRange, safe_json};
use session_search::Exchange;
use session_store::SessionRow;

/// Most characters of the printed JSON: what agents read of one command's output.
const BRIEF_CHARS: usize = 28_000;
/// Characters of the field that names the turns left out.
const LEFT_OUT_CHARS: usize = 100;
/// Limits of inputs, outputs and asides, of which the first is taken that brings turns within
/// [`BRIEF_CHARS`].
const CALL_LIMITS: [TextLimit; 6] = [
    TextLimit::BRIEF,
    limit_call(6, 1_000),
    limit_call(4, 500),
    limit_call(3, 300),
    limit_call(2, 160),
    SHORTEST_CALL,
];
const SHORTEST_CALL: TextLimit = limit_call(1, 80);
/// The least that is kept of a turn where calls are at their shortest and parts are left out. The first that fits is
/// taken; what room remains then takes more of the answers, and then more parts.
const LEAST_KEPT: [KeptParts; 8] = [
    keep_at_least(24, 6_000, usize::MAX),
    keep_at_least(24, 3_000, usize::MAX),
    keep_at_least(12, 1_500, usize::MAX),
    keep_at_least(3, 600, usize::MAX),
    keep_at_least(6, 600, 3_000),
    keep_at_least(2, 300, 1_500),
    keep_at_least(2, 300, 300),
    LEAST,
];
const LEAST: KeptParts = keep_at_least(1, 100, 100);
/// Where parts are left out: most files of a call, and most characters of its input, whose strings are
/// shortened but may be many.
const MAX_FILES: usize = 10;
const MAX_INPUT_CHARS: usize = 1_000;

const fn limit_call(lines: usize, bytes: usize) -> TextLimit {
    TextLimit { lines, bytes }
}

const fn keep_at_least(parts: usize, text_bytes: usize, answer_bytes: usize) -> KeptParts {
    KeptParts {
        parts,
        text_bytes,
        answer_bytes,
    }
}

/// A session whose turns are shortened.
#[derive(Debug, Clone, Copy)]
pub struct BriefSession<'a> {
    /// The session.
    pub row: &'a SessionRow,
    /// The session that repeats all of its turns and goes on.
    pub continuation: Option<&'a SessionRow>,
}

impl BriefSession<'_> {
    /// Returns the characters of turns as `show --json` prints them.
    fn count_json_chars(self, exchanges: &[Exchange]) -> usize {
        let shown = make_shown_session(self.row, exchanges).with_continuation(self.continuation);
        let json = safe_json::format_pretty(&shown);
        json.map_or(0, |json| json.chars().count() + "\n".len())
    }
}

/// Shortens the turns of a session until their JSON has at most 28,000 characters, and says in the place of each
/// text how much of it is left out. Thoughts are left out first; then inputs, outputs and asides are cut; then prompts
/// and texts, too, and parts left out; at last the turns in the middle. The closing answer of a turn is cut last, and
/// edits and failed calls are kept before other calls. Returns the range of the turns left out; `id` is the session's in
/// commands.
pub fn make_brief(
    session: BriefSession<'_>,
    id: &str,
    exchanges: &mut Vec<Exchange>,
) -> Option<TurnRange> {
    let whole = std::mem::take(exchanges);
    let fits = |exchanges: &[Exchange]| session.count_json_chars(exchanges) <= BRIEF_CHARS;
    *exchanges = shorten_calls(&whole, TextLimit::BRIEF);
    if fits(exchanges) {
        return None;
    }
    for limit in CALL_LIMITS {
        let turns = rank_turns(shorten_calls(&whole, limit));
        *exchanges = keep_parts(&turns, KeptParts::WITHOUT_THOUGHTS, id);
        if fits(exchanges) {
            return None;
        }
    }
    let mut shortest = shorten_calls(&whole, SHORTEST_CALL);
    bound_calls(&mut shortest);
    let turns = rank_turns(shortest);
    let most = find_most_kept(&turns, |kept| fits(&keep_parts(&turns, kept, id)));
    *exchanges = keep_parts(&turns, most.unwrap_or(LEAST.times(turns.len())), id);
    match most {
        Some(_) => None,
        None => drop_middle_turns(session, exchanges),
    }
}

fn rank_turns(exchanges: Vec<Exchange>) -> Vec<RankedTurn> {
    exchanges.into_iter().map(RankedTurn::new).collect()
}

/// Keeps the best parts of turns. Each turn has an equal share of them, the first ones what cannot be shared.
fn keep_parts(turns: &[RankedTurn], kept: KeptParts, id: &str) -> Vec<Exchange> {
    let shown = turns.iter().enumerate().map(|(at, turn)| {
        let rest = turns.len() - 1 - at;
        let parts = kept.parts.saturating_add(rest) / turns.len();
        turn.keep(KeptParts { parts, ..kept }, id)
    });
    shown.collect()
}

/// Finds how much of turns fits at most; `None` if the least of them does not. The parts are those of all turns
/// together.
fn find_most_kept(turns: &[RankedTurn], fits: impl Fn(KeptParts) -> bool) -> Option<KeptParts> {
    let mut least = LEAST_KEPT.iter().map(|least| least.times(turns.len()));
    let mut kept = least.find(|kept| fits(*kept))?;
    let longest = turns.iter().map(RankedTurn::answer_bytes).max()?;
    kept.answer_bytes = find_greatest(kept.answer_bytes, longest, |answer_bytes| {
        fits(KeptParts {
            answer_bytes,
            ..kept
        })
    });
    let most = turns.iter().map(RankedTurn::count_parts).max()? * turns.len();
    kept.parts = find_greatest(kept.parts, most, |parts| fits(KeptParts { parts, ..kept }));
    Some(kept)
}

/// Returns the greatest number up to `most` that fits, where `least` does and each that is less than one that fits.
fn find_greatest(least: usize, most: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut most) = (least, most);
    while fitting < most {
        let middle = most - (most - fitting) / 2;
        if fits(middle) {
            fitting = middle
        } else {
            most = middle - 1
        }
    }
    fitting
}

/// Returns the characters of one turn within the list of turns, where its lines are indented by four.
fn count_turn_chars(exchange: &Exchange) -> usize {
    let json = safe_json::format_pretty(&ShownTurn::from(exchange)).unwrap_or_default();
    json.chars().count() + 4 * json.lines().count() + ",\n".len()
}

/// Keeps as many turns of the beginning and of the end as there is room for; returns the range of the others.
fn drop_middle_turns(
    session: BriefSession<'_>,
    exchanges: &mut Vec<Exchange>,
) -> Option<TurnRange> {
    let mut room = BRIEF_CHARS.saturating_sub(session.count_json_chars(&[]) + LEFT_OUT_CHARS);
    let (mut first, mut end) = (0, exchanges.len());
    while first < end {
        let is_head = first <= exchanges.len() - end;
        let next = exchanges.get(if is_head { first } else { end - 1 })?;
        let Some(left) = room.checked_sub(count_turn_chars(next)) else {
            break;
        };
        room = left;
        if is_head { first += 1 } else { end -= 1 }
    }
    let mut dropped = exchanges.drain(first..end).map(|e| e.turn.index);
    let first = dropped.next()?;
    Some(TurnRange(first..=dropped.next_back().unwrap_or(first)))
}

/// Bounds the files and the input of each call, of which only the single strings have a limit.
fn bound_calls(exchanges: &mut [Exchange]) {
    let turns = exchanges.iter_mut().map(|exchange| &mut exchange.turn);
    for part in turns.flat_map(|turn| &mut turn.parts) {
        if let TurnPart::Call(call) = part {
            bound_call(call);
        }
    }
}

fn bound_call(call: &mut ToolCall) {
    call.files.truncate(MAX_FILES);
    if call.input.to_string().chars().count() > MAX_INPUT_CHARS {
        call.input = json!({"session-search": "input left out by --brief"});
    }
}

/// Cuts inputs, outputs and asides, and says in their place how much is left out. What was said stays whole.
fn shorten_calls(exchanges: &[Exchange], limit: TextLimit) -> Vec<Exchange> {
    let mut exchanges = exchanges.to_vec();
    let turns = exchanges.iter_mut().map(|exchange| &mut exchange.turn);
    for part in turns.flat_map(|turn| &mut turn.parts) {
        match part {
            TurnPart::Call(call) => shorten_call(call, limit),
            TurnPart::Thinking { text }
            | TurnPart::Notice { text }
            | TurnPart::Summary { text } => {
                *text = limit.shorten(text);
            }
            TurnPart::Text { .. } | TurnPart::Error { .. } | TurnPart::Recap { .. } => {}
        }
    }
    exchanges
}

fn shorten_call(call: &mut ToolCall, limit: TextLimit) {
    for text in [&mut call.command, &mut call.output].into_iter().flatten() {
        *text = limit.shorten(text);
    }
    shorten_value(&mut call.input, limit);
}

fn shorten_value(value: &mut Value, limit: TextLimit) {
    match value {
        Value::String(text) => *text = limit.shorten(text),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_value(item, limit)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| shorten_value(field, limit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
