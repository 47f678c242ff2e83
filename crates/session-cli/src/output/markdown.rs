//! Turns in full, as Markdown.

use crate::output::layout::safe_line;
use crate::output::session::{minute, project, title};
use serde_json::Value;
use session_core::text::printable;
use session_core::{CodeFences, Part, PromptKind, ToolCall};
use session_search::Exchange;
use session_store::SessionRow;

/// A session's turns. Outputs are cut after `limit` lines.
pub fn session(session: &SessionRow, exchanges: &[Exchange], limit: usize) -> String {
    let mut out = format!("# {}\n\n", title(session));
    let facts = [
        ("Session", Some(format!("`{}`", safe_line(&session.uid)))),
        ("Project", Some(safe_line(project(session)))),
        ("Branch", session.branch.as_deref().map(safe_line)),
        ("Began", Some(minute(session.started_ms))),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            out.push_str(&format!("- {name}: {value}\n"));
        }
    }
    for exchange in exchanges {
        out.push_str(&self::exchange(exchange, session.turns, limit));
    }
    out
}

fn exchange(exchange: &Exchange, of: u32, limit: usize) -> String {
    let turn = &exchange.turn;
    let when = minute(turn.started_ms);
    let mut out = format!("\n## {}/{of}, {when}\n", turn.index + 1);
    if !turn.prompt.is_empty() {
        let who = match turn.kind {
            PromptKind::Model => "Agent",
            _ => "You",
        };
        out.push_str(&format!("\n**{who}:**\n\n{}", quoted(&turn.prompt)));
    }
    for part in &turn.parts {
        out.push_str(&self::part(part, limit));
    }
    out
}

fn part(part: &Part, limit: usize) -> String {
    match part {
        Part::Text { text } => format!("\n{}\n", closed(printable(text).trim_end())),
        Part::Thinking { text } => aside("Thinking", text),
        Part::Notice { text } => aside("Notice", text),
        Part::Error { text } => aside("Error", text),
        Part::Recap { text } => aside("Recap", text),
        Part::Summary { text } => aside("Summary after compaction", text),
        Part::Call(call) => self::call(call, limit),
    }
}

/// Markdown with a fence at its end where one is open: else all that follows would stand in it.
fn closed(text: &str) -> String {
    let mut fences = CodeFences::default();
    for line in text.lines() {
        fences.classify(line);
    }
    match fences.open() {
        Some(fence) => format!("{text}\n{fence}"),
        None => text.to_owned(),
    }
}

fn aside(name: &str, text: &str) -> String {
    format!("\n*{name}:*\n\n{}", quoted(text))
}

fn quoted(text: &str) -> String {
    let safe = printable(text);
    let lines = safe.trim_end().lines();
    lines
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect()
}

fn call(call: &ToolCall, limit: usize) -> String {
    let end = match (call.failed, call.unfinished) {
        (true, _) => " (failed)",
        (_, true) => " (unfinished)",
        _ => "",
    };
    let files: Vec<String> = call
        .files
        .iter()
        .map(|f| format!("`{}`", safe_line(f)))
        .collect();
    let named = match (call.command.is_some(), files.is_empty()) {
        (true, _) => String::new(),
        (_, true) => call
            .subject()
            .map_or_else(String::new, |subject| format!(" {}", safe_line(subject))),
        _ => format!(" {}", files.join(", ")),
    };
    let mut out = format!("\n**{}**{named}{end}\n", safe_line(&call.name));
    if let Some(command) = &call.command {
        out.push_str(&fenced("sh", command, usize::MAX));
    }
    let text = |name: &str| call.input.get(name).and_then(Value::as_str);
    if let (Some(old), Some(new)) = (text("old_string"), text("new_string")) {
        let with = |mark: &str, text: &str| -> String {
            text.lines().map(|line| format!("{mark}{line}\n")).collect()
        };
        out.push_str(&fenced("diff", &(with("-", old) + &with("+", new)), limit));
    }
    if let Some(output) = call.output.as_deref().filter(|o| !o.trim().is_empty()) {
        out.push_str(&fenced("text", output, limit));
    }
    out
}

/// A block of code whose fence is longer than any in it.
fn fenced(kind: &str, text: &str, limit: usize) -> String {
    let safe = printable(text);
    let all = safe.trim_end().lines().count();
    let mut body: Vec<&str> = safe.trim_end().lines().take(limit).collect();
    let more = format!("… {} more lines", all.saturating_sub(limit));
    if all > limit {
        body.push(&more);
    }
    let ticks = |line: &&str| line.trim_start().bytes().take_while(|b| *b == b'`').count();
    let longest = body.iter().map(ticks).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("\n{fence}{kind}\n{}\n{fence}\n", body.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::closed;

    #[test]
    fn a_fence_that_is_open_is_closed() {
        assert_eq!(closed("a\n```rust\nfn a()"), "a\n```rust\nfn a()\n```");
        assert_eq!(closed("~~~~\n```\n~~~"), "~~~~\n```\n~~~\n~~~~");
        let items = "- ```bash\n  ls\n  ```\n1. ```\n   x\n   ```\n\n    ```\n    ```";
        for text in [
            items,
            "",
            "```\na\n```",
            "```ls``` lists",
            "````\n```\n````",
            "`a` ``b``",
        ] {
            assert_eq!(closed(text), text);
        }
    }
}
