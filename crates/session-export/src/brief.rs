//! Turns whose calls are shortened, for those who read on only where it matters.

use crate::json::{ShownTurn, make_shown_session};
use crate::kept_text::TextLimit;
use serde_json::{Value, json};
use session_core::{ToolCall, Turn, TurnPart, TurnRange, safe_json};
use session_search::Exchange;
use session_store::SessionRow;

/// Most characters of the printed JSON: what agents read of one command's output.
const BRIEF_CHARS: usize = 28_000;
/// Characters of the field that names the turns left out.
const LEFT_OUT_CHARS: usize = 100;
/// Limits of inputs, outputs and asides, of which the first is taken that brings turns within
/// [`BRIEF_CHARS`].
const LIMITS: [TextLimit; 4] = [
    TextLimit::BRIEF,
    TextLimit {
        lines: 4,
        bytes: 500,
    },
    TextLimit {
        lines: 2,
        bytes: 160,
    },
    TextLimit {
        lines: 1,
        bytes: 80,
    },
];
/// Where all else is at its least: how many parts are kept of a turn's beginning, and of its end, and bytes of
/// each thing that was said.
const KEPT: [(usize, usize); 5] = [(12, 3_000), (6, 1_500), (3, 600), (1, 300), (1, 100)];
/// Where parts are left out: most files of a call, and most characters of its input, whose strings are
/// shortened but may be many.
const MAX_FILES: usize = 10;
const MAX_INPUT_CHARS: usize = 1_000;

/// Shortens the turns of a session until their JSON has at most 28,000 characters, and says in the place of each
/// text how much of it is left out. Inputs, outputs and asides are cut first; then words are, too, and parts left
/// out; at last the turns in the middle. Returns the range of these turns.
pub fn make_brief(session: &SessionRow, exchanges: &mut Vec<Exchange>) -> Option<TurnRange> {
    let whole = std::mem::take(exchanges);
    for limit in LIMITS {
        exchanges.clone_from(&whole);
        shorten_calls(exchanges, limit);
        if count_json_chars(session, exchanges) <= BRIEF_CHARS {
            return None;
        }
    }
    let shortest = exchanges.clone();
    for (parts, bytes) in KEPT {
        exchanges.clone_from(&shortest);
        for exchange in exchanges.iter_mut() {
            drop_parts(&mut exchange.turn, parts, bytes);
        }
        if count_json_chars(session, exchanges) <= BRIEF_CHARS {
            return None;
        }
    }
    drop_middle_turns(session, exchanges)
}

/// Returns the characters of the turns as `show --json` prints them.
fn count_json_chars(session: &SessionRow, exchanges: &[Exchange]) -> usize {
    let json = safe_json::format_pretty(&make_shown_session(session, exchanges));
    json.map_or(0, |json| json.chars().count())
}

/// Returns the characters of one turn within the list of turns, where its lines are indented by four.
fn count_turn_chars(exchange: &Exchange) -> usize {
    let json = safe_json::format_pretty(&ShownTurn::from(exchange)).unwrap_or_default();
    json.chars().count() + 4 * json.lines().count() + ",\n".len()
}

/// Keeps as many turns of the beginning and of the end as there is room for; returns the range of the others.
fn drop_middle_turns(session: &SessionRow, exchanges: &mut Vec<Exchange>) -> Option<TurnRange> {
    let mut room = BRIEF_CHARS.saturating_sub(count_json_chars(session, &[]) + LEFT_OUT_CHARS);
    let (mut first, mut end) = (0, exchanges.len());
    while first < end {
        let is_head = first <= exchanges.len() - end;
        let next = exchanges.get(if is_head { first } else { end - 1 })?;
        let Some(left) = room.checked_sub(count_turn_chars(next)) else {
            break;
        };
        room = left;
        match is_head {
            true => first += 1,
            false => end -= 1,
        }
    }
    let mut dropped = exchanges.drain(first..end).map(|e| e.turn.index);
    let first = dropped.next()?;
    Some(TurnRange(first..=dropped.next_back().unwrap_or(first)))
}

/// Leaves out thoughts and all but so many parts at both ends of a turn, says how many, and cuts what was said.
fn drop_parts(turn: &mut Turn, kept: usize, bytes: usize) {
    let words = TextLimit { lines: 60, bytes };
    turn.prompt = words.shorten(&turn.prompt);
    let all = turn.parts.len();
    turn.parts
        .retain(|part| !matches!(part, TurnPart::Thinking { .. }));
    let count = turn.parts.len();
    let middle = kept.min(count)..count.saturating_sub(kept).max(kept.min(count));
    let left_out = all - count + middle.len();
    for part in &mut turn.parts {
        match part {
            TurnPart::Text { text } | TurnPart::Error { text } | TurnPart::Recap { text } => {
                *text = words.shorten(text);
            }
            TurnPart::Call(call) => bound_call(call),
            TurnPart::Thinking { .. } | TurnPart::Notice { .. } | TurnPart::Summary { .. } => {}
        }
    }
    if left_out > 0 {
        let text = format!("[session-search: {left_out} parts left out by --brief]");
        turn.parts.splice(middle, [TurnPart::Notice { text }]);
    }
}

/// Bounds the files and the input of a call, of which only the single strings have a limit.
fn bound_call(call: &mut ToolCall) {
    call.files.truncate(MAX_FILES);
    if call.input.to_string().chars().count() > MAX_INPUT_CHARS {
        call.input = json!({"session-search": "input left out by --brief"});
    }
}

/// Cuts inputs, outputs and asides, and says in their place how much is left out. What was said stays whole.
fn shorten_calls(exchanges: &mut [Exchange], limit: TextLimit) {
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
mod tests {
    use super::*;
    use session_search::TurnOrigin;

    fn brief(exchanges: &mut Vec<Exchange>) -> Option<TurnRange> {
        make_brief(&SessionRow::default(), exchanges)
    }

    fn count_chars(exchanges: &[Exchange]) -> usize {
        count_json_chars(&SessionRow::default(), exchanges)
    }

    #[test]
    fn calls_are_shortened_and_words_are_not() {
        let long = "a\nb\nc";
        let cut = "a\n… 2 more lines";
        let call = ToolCall {
            command: Some(long.into()),
            output: Some(long.into()),
            input: json!({"command": long, "edits": [{"new_string": long}], "limit": 3}),
            ..ToolCall::default()
        };
        let said = TurnPart::Text { text: long.into() };
        let thinking = TurnPart::Thinking { text: long.into() };
        let turn = Turn {
            prompt: long.into(),
            parts: vec![said.clone(), thinking, TurnPart::Call(call.clone())],
            ..Turn::default()
        };
        let origin = TurnOrigin::History;
        let mut exchanges = [Exchange { turn, origin }];
        shorten_calls(&mut exchanges, TextLimit::with_lines(1));
        let shortened = ToolCall {
            command: Some(cut.into()),
            output: Some(cut.into()),
            input: json!({"command": cut, "edits": [{"new_string": cut}], "limit": 3}),
            ..call
        };
        let thinking = TurnPart::Thinking { text: cut.into() };
        let turn = &exchanges[0].turn;
        assert_eq!(turn.parts, [said, thinking, TurnPart::Call(shortened)]);
        assert_eq!(turn.prompt, long);
    }

    /// A turn of so many commands, each with an output of 6 KB.
    fn long_turn(commands: usize) -> Vec<Exchange> {
        let call = |n: usize| {
            TurnPart::Call(ToolCall {
                command: Some(format!("make {n}")),
                output: Some("lamp oil wick\n".repeat(430)),
                ..ToolCall::default()
            })
        };
        let turn = Turn {
            prompt: "Light the lamp".into(),
            parts: (0..commands).map(call).collect(),
            ..Turn::default()
        };
        let origin = TurnOrigin::History;
        vec![Exchange { turn, origin }]
    }

    #[test]
    fn brief_turns_fit_into_one_answer() {
        for commands in [1, 40, 400] {
            let mut exchanges = long_turn(commands);
            brief(&mut exchanges);
            assert!(count_chars(&exchanges) <= BRIEF_CHARS, "{commands}");
            assert_eq!(exchanges[0].turn.prompt, "Light the lamp");
        }
        let mut few = long_turn(1);
        brief(&mut few);
        let mut expected = long_turn(1);
        shorten_calls(&mut expected, TextLimit::BRIEF);
        assert_eq!(few, expected);
        let mut many = long_turn(400);
        brief(&mut many);
        let notice = &many[0].turn.parts[KEPT[0].0];
        let text = "[session-search: 376 parts left out by --brief]".into();
        assert_eq!(*notice, TurnPart::Notice { text });
    }

    #[test]
    fn many_turns_fit_too_and_thoughts_are_counted() {
        let mut exchanges: Vec<Exchange> = (0..40).flat_map(|_| long_turn(9)).collect();
        let thought = TurnPart::Thinking {
            text: "Oil?".into(),
        };
        exchanges[0].turn.parts.insert(0, thought);
        brief(&mut exchanges);
        assert_eq!(exchanges.len(), 40);
        assert!(count_chars(&exchanges) <= BRIEF_CHARS);
        let told = |exchange: &Exchange| {
            let mut notices = exchange.turn.parts.iter().filter_map(|part| match part {
                TurnPart::Notice { text } => Some(text.clone()),
                _ => None,
            });
            notices.next()
        };
        let kept = exchanges[1].turn.parts.len() - 1;
        let text = |count| {
            Some(format!(
                "[session-search: {count} parts left out by --brief]"
            ))
        };
        assert_eq!(told(&exchanges[1]), text(9 - kept));
        assert_eq!(told(&exchanges[0]), text(10 - kept));
    }

    /// A turn whose call has an input of many strings and names many files.
    fn wide_turn(index: u32) -> Exchange {
        let call = ToolCall {
            input: json!({"todos": vec!["Trim the wick of the lamp"; 60]}),
            files: vec!["/home/ann/harbour/lamp.rs".into(); 60],
            ..ToolCall::default()
        };
        let turn = Turn {
            index,
            prompt: "Light the lamp".into(),
            parts: vec![TurnPart::Call(call); 3],
            ..Turn::default()
        };
        let origin = TurnOrigin::History;
        Exchange { turn, origin }
    }

    #[test]
    fn turns_in_the_middle_are_left_out_and_named() {
        for count in [1, 2, 60] {
            let mut exchanges: Vec<Exchange> = (0..count).map(wide_turn).collect();
            let left_out = brief(&mut exchanges);
            assert!(count_chars(&exchanges) <= BRIEF_CHARS, "{count}");
            let kept: Vec<u32> = exchanges.iter().map(|e| e.turn.index).collect();
            let Some(TurnRange(range)) = left_out else {
                assert_eq!(kept, Vec::from_iter(0..count));
                continue;
            };
            let expected = (0..count).filter(|turn| !range.contains(turn));
            assert_eq!(kept, Vec::from_iter(expected));
            assert!(kept.len() > 4 && count > 2, "{range:?}");
        }
    }
}
