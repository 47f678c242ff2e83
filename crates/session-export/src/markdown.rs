//! Turns in full, as Markdown.

use crate::call_view::{CallInput, CallView};
use crate::capitalize::capitalize;
use crate::error::ExportError;
use crate::exported_session::ExportedSession;
use crate::kept_text::TextLimit;
use serde_json::Value;
use session_agents::resume_line;
use session_core::diff::DiffLine;
use session_core::text::{escape_markdown, sanitize_text};
use session_core::{CodeFences, PromptAuthor, ToolCall, Turn, TurnPart};
use session_display::sanitize_line;
use session_display::{format_minute, project_label, session_title};
use session_search::Exchange;
use session_store::SessionRow;
use std::borrow::Cow;
use std::io::Write;

/// Writes a session's turns as Markdown. Outputs, inputs and edits are cut at `limit`; in a brief view thoughts and notices,
/// too.
///
/// # Errors
/// When the session cannot be read, or `out` cannot be written.
pub fn write_markdown(
    session: &ExportedSession<'_>,
    limit: TextLimit,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let row = session.row();
    out.write_all(format_heading(row).as_bytes())?;
    session.try_for_each(|exchange| {
        let address = session.turn_address(exchange.turn.index);
        let turn = format_turn(exchange, &address, row.turns, limit);
        Ok(out.write_all(turn.as_bytes())?)
    })
}

/// Formats the title of a session and what is known of it as Markdown.
pub fn format_heading(session: &SessionRow) -> String {
    let code = |text: &str| format_inline_code(&sanitize_line(text));
    let facts = [
        ("Session", Some(code(&session.uid))),
        ("Agent", Some(escape_line(&session.source))),
        ("Project", Some(escape_line(project_label(session)))),
        ("Branch", session.branch.as_deref().map(escape_line)),
        ("Began", Some(format_minute(session.started_ms))),
        ("Resume", resume_line(session).map(|line| code(&line))),
    ];
    let facts = facts.into_iter();
    let lines = facts.filter_map(|(name, value)| Some(format!("- {name}: {}\n", value?)));
    let title = escape_heading(&session_title(session));
    format!("# {title}\n\n{}", lines.collect::<String>())
}

/// Returns session text on one line, escaped for Markdown.
fn escape_line(text: &str) -> String {
    escape_markdown(&sanitize_line(text))
}

/// Returns the text of a heading, escaped for Markdown: a run of `#` after a space at its end would not be shown
/// (CommonMark 0.31, section 4.2).
fn escape_heading(line: &str) -> String {
    let text = escape_markdown(line);
    let before = text.trim_end_matches('#');
    if before.len() < text.len() && before.ends_with(' ') {
        format!("{before}\\{}", &text[before.len()..])
    } else {
        text
    }
}

/// Formats a turn as Markdown, below a heading with its address and its position among `of` turns.
pub fn format_turn(exchange: &Exchange, address: &str, of: u32, limit: TextLimit) -> String {
    let turn = &exchange.turn;
    let (address, number) = (escape_line(address), turn.index + 1);
    let when = format_minute(turn.started_ms);
    let mut out = format!("\n## {address}, {number} of {of}, {when}\n");
    if let Some(note) = exchange.origin.note() {
        out.push_str(&format!("\n*{}.*\n", capitalize(note)));
    }
    if !turn.prompt.trim().is_empty() {
        out.push_str(&format_prompt(turn));
    }
    for part in &turn.parts {
        out.push_str(&format_part(part, limit));
    }
    out
}

/// Formats a prompt: as it was typed, or as Markdown where a model wrote it.
fn format_prompt(turn: &Turn) -> String {
    let author = turn.kind.author();
    let text = match author {
        PromptAuthor::Agent => format!("\n{}", quote_lines(&turn.prompt)),
        PromptAuthor::You => format_verbatim(&turn.prompt),
    };
    format!("\n**{}:**\n{text}", capitalize(author.label()))
}

fn format_part(part: &TurnPart, limit: TextLimit) -> String {
    let name = capitalize(part.label());
    match part {
        TurnPart::Text { text } => format!("\n{}\n", close_fence(sanitize_text(text).trim_end())),
        TurnPart::Thinking { text } | TurnPart::Recap { text } | TurnPart::Summary { text } => {
            let text = shorten_aside(text, limit);
            format!("\n*{name}:*\n\n{}", quote_lines(&text))
        }
        TurnPart::Notice { text } | TurnPart::Error { text } => {
            let text = shorten_aside(text, limit);
            format!("\n*{name}:*\n{}", format_verbatim(&text))
        }
        TurnPart::Call(call) => format_call(call, limit),
    }
}

/// Cuts what stands beside the agent's words in a brief view; otherwise it is whole.
fn shorten_aside(text: &str, limit: TextLimit) -> Cow<'_, str> {
    match limit {
        TextLimit::BRIEF => TextLimit::BRIEF_ASIDE.shorten(text).into(),
        _ => text.into(),
    }
}

/// Formats text as it is: a line in which Markdown reads nothing as a quote, all else as a block of code.
fn format_verbatim(text: &str) -> String {
    let safe = sanitize_text(text);
    let text = safe.trim_matches('\n').trim_end();
    if reads_as_is(text) {
        format!("\n> {text}\n")
    } else {
        format_fenced("text", text, TextLimit::UNLIMITED)
    }
}

/// Returns true for a line that Markdown shows as it is: it opens no block (CommonMark 0.31, chapter 4) and holds no
/// inline.
fn reads_as_is(line: &str) -> bool {
    let opens_block = line.starts_with(['#', '>', '-', '+', '=', '|', ' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_item = digits > 0 && line[digits..].starts_with(['.', ')']);
    let is_collapsed = line.contains(['\n', '\t', '`', '[']) || line.contains("  ");
    !opens_block && !is_item && !is_collapsed && escape_markdown(line) == line
}

/// Returns Markdown with a fence at its end where one is open: else all that follows would stand in it.
fn close_fence(text: &str) -> String {
    let mut fences = CodeFences::default();
    for line in text.lines() {
        fences.classify(line);
    }
    match fences.open_fence() {
        Some(fence) => format!("{text}\n{fence}"),
        None => text.to_owned(),
    }
}

fn quote_lines(text: &str) -> String {
    let safe = sanitize_text(text);
    let lines = safe.trim_end().lines();
    lines
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect()
}

fn format_call(call: &ToolCall, limit: TextLimit) -> String {
    let view = CallView::new(call);
    let end = view.status.format_suffix();
    let name = escape_line(&call.name);
    let mut out = format!("\n**{name}**{}{end}\n", format_subject(&view));
    if let Some(code) = find_code_subject(&view).filter(|code| code.contains('\n')) {
        out.push_str(&format_fenced("text", code, limit));
    }
    if let Some(command) = &call.command {
        out.push_str(&format_fenced("sh", command, TextLimit::UNLIMITED));
    }
    for edit in &view.edits {
        out.push_str(&format_fenced("diff", &format_diff(edit), limit));
    }
    for input in &view.inputs {
        out.push_str(&format_input(input, &view, limit));
    }
    if let Some(output) = view.output.as_deref().filter(|o| !o.trim().is_empty()) {
        out.push_str(&format_fenced("text", output, limit));
    }
    out
}

/// Returns the subject of a call where it is a pattern or an address, which is shown as it stands.
fn find_code_subject<'a>(view: &CallView<'a>) -> Option<&'a str> {
    let address = view.call.input.get("url").and_then(Value::as_str);
    let is_code =
        |subject: &&str| view.call.search_pattern() == Some(*subject) || address == Some(*subject);
    view.subject.filter(is_code)
}

/// Returns the text after a call's name: its pattern or address, its files, or its subject unless that is a command or a
/// pattern of several lines.
fn format_subject(view: &CallView<'_>) -> String {
    let call = view.call;
    if call.command.is_some() {
        return String::new();
    }
    if let Some(code) = find_code_subject(view) {
        return match code.contains('\n') {
            true => String::new(),
            false => format!(" {}", format_inline_code(&sanitize_line(code))),
        };
    }
    let files = call
        .files
        .iter()
        .map(|f| format_inline_code(&sanitize_line(f)));
    let files: Vec<String> = files.collect();
    if files.is_empty() {
        view.subject
            .map_or_else(String::new, |subject| format!(" {}", escape_line(subject)))
    } else {
        format!(" {}", files.join(", "))
    }
}

fn format_diff(lines: &[DiffLine<'_>]) -> String {
    let lines = lines.iter();
    lines.map(|line| line.format("", "@@") + "\n").collect()
}

/// Formats an input on its line, or as a block; empty where the first line has it.
fn format_input(input: &CallInput<'_>, view: &CallView<'_>, limit: TextLimit) -> String {
    let name = escape_line(input.name);
    match input.text.contains('\n') {
        true => format!("\n{name}:\n{}", format_fenced("text", &input.text, limit)),
        false if Some(&*input.text) == view.subject => String::new(),
        false => format!(
            "\n{name}: {}\n",
            format_inline_code(&sanitize_line(&input.text))
        ),
    }
}

/// Formats code between more marks than stand in it.
fn format_inline_code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    let marks = "`".repeat(longest.unwrap_or_default() + 1);
    match marks.len() {
        1 => format!("`{text}`"),
        _ => format!("{marks} {text} {marks}"),
    }
}

/// Formats a block of code whose fence is longer than any in it.
fn format_fenced(kind: &str, text: &str, limit: TextLimit) -> String {
    let safe = sanitize_text(text);
    let kept = limit.cut_text(&safe);
    let body: Vec<&str> = kept.text.lines().chain(kept.cut.as_deref()).collect();
    let ticks = |line: &&str| line.trim_start().bytes().take_while(|b| *b == b'`').count();
    let longest = body.iter().map(ticks).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("\n{fence}{kind}\n{}\n{fence}\n", body.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use session_core::PromptKind;

    #[test]
    fn names_of_a_session_are_text() {
        let session = SessionRow {
            source: "_a_".into(),
            title: Some("T</title><script> C #".into()),
            project: Some("<img src=x onerror=y>".into()),
            branch: Some("*b*".into()),
            ..SessionRow::default()
        };
        let text = format_heading(&session);
        assert!(
            text.starts_with("# T\\</title>\\<script> C \\#\n\n"),
            "{text}"
        );
        for line in [
            "Agent: \\_a\\_",
            "Project: \\<img src=x onerror=y>",
            "Branch: \\*b\\*",
        ] {
            assert!(text.contains(&format!("- {line}\n")), "{text}");
        }
        assert_eq!(escape_heading("C#"), "C#");
    }

    #[test]
    fn names_of_a_call_are_text() {
        let call = ToolCall {
            name: "<a>".into(),
            input: serde_json::json!({"pattern": "![b](c)", "<d>": 1}),
            ..ToolCall::default()
        };
        let text = format_call(&call, TextLimit::EXPORT);
        assert_eq!(text, "\n**\\<a>** `![b](c)`\n\n\\<d>: `1`\n");
    }

    #[test]
    fn patterns_and_addresses_are_code() {
        let format = |input| {
            let call = ToolCall {
                name: "A".into(),
                files: vec!["/a.rs".into()],
                input,
                ..ToolCall::default()
            };
            format_call(&call, TextLimit::EXPORT)
        };
        for (input, expected) in [
            (json!({"pattern": "<b>a</b>|`x`"}), " `` <b>a</b>|`x` ``\n"),
            (
                json!({"pattern": "fn a(\n`x`|y)"}),
                "\n\n```text\nfn a(\n`x`|y)\n```\n",
            ),
            (json!({"pattern": ""}), " `/a.rs`\n"),
        ] {
            assert_eq!(format(input), format!("\n**A**{expected}"));
        }
        let call = ToolCall {
            input: json!({"url": "https://a.example/?token=[redacted:secret]"}),
            ..ToolCall::default()
        };
        assert_eq!(
            format_subject(&CallView::new(&call)),
            " `https://a.example/?token=[redacted:secret]`"
        );
    }

    #[test]
    fn a_fence_that_is_open_is_closed() {
        assert_eq!(close_fence("a\n```rust\nfn a()"), "a\n```rust\nfn a()\n```");
        assert_eq!(close_fence("~~~~\n```\n~~~"), "~~~~\n```\n~~~\n~~~~");
        let items = "- ```bash\n  ls\n  ```\n1. ```\n   x\n   ```\n\n    ```\n    ```";
        for text in [
            items,
            "",
            "```\na\n```",
            "```ls``` lists",
            "````\n```\n````",
            "`a` ``b``",
        ] {
            assert_eq!(close_fence(text), text);
        }
    }

    #[test]
    fn what_was_typed_stays_as_it_is() {
        for line in ["/compact", "why is lamp_2 off? (2 of 3)", "~/a & b"] {
            assert_eq!(format_verbatim(line), format!("\n> {line}\n"));
        }
        for text in [
            r"C:\Users\bob\_tmp\*.log",
            "a\nb",
            "  a",
            "a  b",
            "1. a",
            "+ a",
            "# a",
            "__init__",
            "<module>",
            "&lt;",
            "`a`",
            "[a]",
        ] {
            assert_eq!(format_verbatim(text), format!("\n```text\n{text}\n```\n"));
        }
        assert_eq!(
            format_verbatim("\n a\n```\n"),
            "\n````text\n a\n```\n````\n"
        );
    }

    #[test]
    fn a_brief_view_alone_cuts_thoughts_and_notices() {
        let text = "a\nb\nc\nd\n".to_owned();
        let thought = TurnPart::Thinking { text: text.clone() };
        let notice = TurnPart::Notice { text };
        for (limit, shown_thought, shown_notice) in [
            (
                TextLimit::BRIEF,
                "> a\n> b\n> … 2 more lines",
                "a\nb\n… 2 more lines",
            ),
            (TextLimit::with_lines(1), "> a\n> b\n> c\n> d", "a\nb\nc\nd"),
        ] {
            let shown = format_part(&thought, limit);
            assert_eq!(shown, format!("\n*Thinking:*\n\n{shown_thought}\n"));
            let shown = format_part(&notice, limit);
            assert_eq!(
                shown,
                format!("\n*Notice:*\n\n```text\n{shown_notice}\n```\n")
            );
        }
    }

    #[test]
    fn a_prompt_is_markdown_where_a_model_wrote_it() {
        let formatted = |kind| {
            let prompt = "a **b**".into();
            format_prompt(&Turn {
                kind,
                prompt,
                ..Turn::default()
            })
        };
        assert_eq!(formatted(PromptKind::Model), "\n**Agent:**\n\n> a **b**\n");
        assert_eq!(
            formatted(PromptKind::Typed),
            "\n**You:**\n\n```text\na **b**\n```\n"
        );
    }

    #[test]
    fn code_has_more_marks_than_it_holds() {
        assert_eq!(format_inline_code("a"), "`a`");
        assert_eq!(format_inline_code("a `b` ``c"), "``` a `b` ``c ```");
        let call = ToolCall {
            files: vec!["a`b".into()],
            ..ToolCall::default()
        };
        assert_eq!(format_subject(&CallView::new(&call)), " `` a`b ``");
        let text = format_fenced("text", "```\na", TextLimit::UNLIMITED);
        assert_eq!(text, "\n````text\n```\na\n````\n");
    }
}
