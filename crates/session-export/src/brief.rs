//! Turns whose calls are shortened, for those who read on only where it matters.

use crate::kept_text::TextLimit;
use serde_json::Value;
use session_core::{Part, ToolCall};
use session_search::Exchange;

/// Cuts inputs, outputs and asides, and says in their place how much is left out. What was said stays whole.
pub fn shorten_calls(exchanges: &mut [Exchange], limit: TextLimit) {
    let turns = exchanges.iter_mut().map(|exchange| &mut exchange.turn);
    for part in turns.flat_map(|turn| &mut turn.parts) {
        match part {
            Part::Call(call) => shorten_call(call, limit),
            Part::Thinking { text } | Part::Notice { text } | Part::Summary { text } => {
                *text = limit.shorten(text);
            }
            Part::Text { .. } | Part::Error { .. } | Part::Recap { .. } => {}
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
    use serde_json::json;
    use session_core::Turn;
    use session_search::Origin;

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
        let said = Part::Text { text: long.into() };
        let thinking = Part::Thinking { text: long.into() };
        let turn = Turn {
            prompt: long.into(),
            parts: vec![said.clone(), thinking, Part::Call(call.clone())],
            ..Turn::default()
        };
        let origin = Origin::History;
        let mut exchanges = [Exchange { turn, origin }];
        shorten_calls(&mut exchanges, TextLimit::with_lines(1));
        let shortened = ToolCall {
            command: Some(cut.into()),
            output: Some(cut.into()),
            input: json!({"command": cut, "edits": [{"new_string": cut}], "limit": 3}),
            ..call
        };
        let thinking = Part::Thinking { text: cut.into() };
        let turn = &exchanges[0].turn;
        assert_eq!(turn.parts, [said, thinking, Part::Call(shortened)]);
        assert_eq!(turn.prompt, long);
    }
}
