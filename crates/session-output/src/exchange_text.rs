//! Turns in full, for people.

use crate::layout::{LineField, lay_out_fields};
use crate::prose_lines::wrap_prose;
use crate::session_label::make_gone_field;
use crate::style::{CALL, FAILED, FAINT, ID, PROJECT, PROMPT, TITLE, paint};
use anstyle::Style;
use session_core::diff::DiffLine;
use session_core::text::sanitize_text;
use session_core::{ToolCall, TurnAddress, TurnPart};
use session_display::{
    SessionIds, fit_line, fit_words, format_minute, pluralize, project_label, sanitize_line,
    session_title,
};
use session_export::{CallView, TextLimit};
use session_search::Exchange;
use session_store::SessionRow;
use unicode_width::UnicodeWidthStr;

/// Part of an output or input that a terminal gets.
pub const TERMINAL_LIMIT: TextLimit = TextLimit::with_lines(24);

/// Formats the heading above the turns of a session.
pub fn format_session_heading(session: &SessionRow, ids: &SessionIds<'_>, width: usize) -> String {
    let name = format!("{}  ", paint(TITLE, "SESSION"));
    let plain = Style::new();
    let mut fields = vec![
        LineField::whole(ID, ids.short_id(session)),
        LineField::whole(plain, sanitize_line(&session.source)),
        LineField::whole(PROJECT, fit_line(project_label(session), 30)),
        LineField::whole(plain, format_minute(session.started_ms)),
        LineField::whole(plain, pluralize(session.turns as usize, "turn")),
    ];
    fields.extend(make_gone_field(session));
    let mut out = name + lay_out_fields(&fields, "SESSION  ".len(), width).trim_start();
    let title = fit_words(&session_title(session), width);
    out.push_str(&format!("{}\n", paint(TITLE, title)));
    let more = [
        ("folder", &session.cwd),
        ("branch", &session.branch),
        ("part of", &session.parent),
        ("forked from", &session.forked_from),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            out.push_str(&format!(
                "{} {}\n",
                paint(FAINT, format!("{name}:")),
                fit_line(value, width.saturating_sub(10))
            ));
        }
    }
    out
}

/// Longest rule between turns, in columns.
const RULE_WIDTH: usize = 120;

/// A session's turns as text: how their addresses begin, and how much of them is shown.
#[derive(Debug, Clone, Copy)]
pub struct ExchangeLayout<'a> {
    /// The session's id, as long as it has to be.
    pub id: &'a str,
    /// The number of the session's turns.
    pub turns: u32,
    /// Most of an output or input.
    pub limit: TextLimit,
    /// Columns to fill.
    pub width: usize,
    /// True where prompts, answers, thoughts and notices are wrapped to these columns; they are as they were written in a file or a pipe.
    pub wraps_prose: bool,
}

impl ExchangeLayout<'_> {
    /// Formats a prompt or an answer that begins in a column.
    fn format_prose(&self, text: &str, begin: usize) -> String {
        self.wrap(sanitize_text(text).trim_end(), begin)
    }

    /// Formats what stands beside the agent's words, below its name.
    fn format_aside(&self, name: &str, text: &str) -> String {
        let limit = match self.limit {
            TextLimit::BRIEF => TextLimit::BRIEF_ASIDE,
            limit => limit,
        };
        let text = self.wrap(format_block(text, limit).trim_end_matches('\n'), 0);
        let (name, text) = (paint(FAINT, format!("[{name}]")), paint(FAINT, text));
        format!("\n{name}\n{text}\n")
    }

    /// Wraps prose that begins in a column, where it is to be wrapped.
    fn wrap(&self, text: &str, begin: usize) -> String {
        if self.wraps_prose {
            wrap_prose(text, begin, self.width)
        } else {
            text.to_owned()
        }
    }
}

/// Formats one turn below a rule with its address.
pub fn format_exchange(exchange: &Exchange, layout: ExchangeLayout<'_>) -> String {
    let width = layout.width;
    let turn = &exchange.turn;
    let from = exchange.origin.note();
    let from = from.map_or(String::new(), |note| format!("   {note}"));
    let rule = format!(
        "── {}   {} of {}   {}{from} ",
        TurnAddress::new(layout.id, turn.index),
        turn.index + 1,
        layout.turns,
        format_minute(turn.started_ms)
    );
    let fill = "─".repeat(width.min(RULE_WIDTH).saturating_sub(rule.chars().count()));
    let rule = format!("{rule}{fill}");
    let mut out = format!("\n{}\n", paint(FAINT, rule.trim_end()));
    let who = format!("{}>", turn.kind.author().label());
    if !turn.prompt.is_empty() {
        out.push_str(&format!(
            "{} {}\n",
            paint(PROMPT, &who),
            layout.format_prose(&turn.prompt, who.len() + 1)
        ));
    }
    for part in &turn.parts {
        out.push_str(&format_part(part, layout));
    }
    out
}

fn format_part(part: &TurnPart, layout: ExchangeLayout<'_>) -> String {
    let ExchangeLayout { limit, width, .. } = layout;
    match part {
        TurnPart::Text { text } => format!("\n{}\n", layout.format_prose(text, 0)),
        TurnPart::Thinking { text }
        | TurnPart::Notice { text }
        | TurnPart::Error { text }
        | TurnPart::Recap { text }
        | TurnPart::Summary { text } => layout.format_aside(part.label(), text),
        TurnPart::Call(call) => format_call(call, limit, width),
    }
}

fn format_call(call: &ToolCall, limit: TextLimit, width: usize) -> String {
    let view = CallView::new(call);
    let subject = call.subject().unwrap_or_default();
    let main = match view.find_repeated_input() {
        Some(_) => "",
        None => subject,
    };
    let style = if call.status.is_failed() {
        FAILED
    } else {
        FAINT
    };
    let mark = call.status.label();
    let mark = mark.map(|words| paint(style, words));
    let columns = main.width() + call.name.width() + 6;
    let one_line = !main.contains('\n') && columns < width.max(60);
    let name = paint(CALL, format!("● {}", sanitize_text(&call.name)));
    let beside = (one_line && !main.is_empty()).then(|| sanitize_text(main).into_owned());
    let first: Vec<String> = [Some(name), beside, mark].into_iter().flatten().collect();
    let mut out = format!("\n{}\n", first.join(" "));
    if !one_line {
        out.push_str(&indent_lines(&format_block(main, limit), "  "));
    }
    if call.name == ToolCall::PATCH {
        let more = call.files.iter().skip(1).map(|file| format!("{file}\n"));
        out.push_str(&indent_lines(
            &format_block(&more.collect::<String>(), limit),
            "  ",
        ));
    }
    out.push_str(&format_input(&view, limit));
    if let Some(agent) = &call.subagent {
        out.push_str(&format!(
            "  {} {}\n",
            paint(FAINT, "subagent:"),
            sanitize_text(agent)
        ));
    }
    if let Some(output) = &view.output {
        out.push_str(&indent_lines(&format_block(output, limit), "  │ "));
    }
    out
}

/// Formats edits as diffs, and the inputs that the first line does not already show.
fn format_input(view: &CallView<'_>, limit: TextLimit) -> String {
    let edits = view.edits.iter().map(|edit| format_edit_lines(edit, limit));
    let inputs = view.inputs.iter().filter(|i| i.name != "description");
    let inputs = inputs.map(|input| format_labelled(input.name, &format_block(&input.text, limit)));
    edits.chain(inputs).collect()
}

fn format_edit_lines(lines: &[DiffLine<'_>], limit: TextLimit) -> String {
    indent_lines(&format_block(&format_diff(lines), limit), "  ")
}

/// Formats edits with the marks of a unified diff, `…` between them.
pub(crate) fn format_diffs(edits: &[Vec<DiffLine<'_>>]) -> String {
    let diffs: Vec<String> = edits.iter().map(|lines| format_diff(lines)).collect();
    diffs.join("…\n")
}

fn format_diff(lines: &[DiffLine<'_>]) -> String {
    let lines = lines.iter();
    lines.map(|line| line.format(" ", "…") + "\n").collect()
}

/// Formats an input behind its name, or below it where it has several lines.
fn format_labelled(name: &str, body: &str) -> String {
    let name = paint(FAINT, format!("{}:", sanitize_text(name)));
    if body.contains('\n') {
        format!("  {name}\n{}", indent_lines(body, "    "))
    } else {
        format!("  {name} {body}\n")
    }
}

/// Returns safe text within the limit.
fn format_block(text: &str, limit: TextLimit) -> String {
    limit.shorten(&sanitize_text(text))
}

fn indent_lines(text: &str, with: &str) -> String {
    text.lines()
        .map(|line| format!("{}{line}\n", paint(FAINT, with)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_wide_letters_is_measured_in_columns() {
        let call = ToolCall {
            name: "Bash".to_owned(),
            command: Some("记".repeat(20)),
            ..ToolCall::default()
        };
        let text = format_call(&call, TERMINAL_LIMIT, 60);
        let first = format!("\n● Bash {}\n", "记".repeat(20));
        assert!(
            anstream::adapter::strip_str(&text)
                .to_string()
                .starts_with(&first),
            "{text}"
        );
    }

    #[test]
    fn thoughts_are_wrapped_on_a_terminal_alone() {
        let thought = TurnPart::Thinking {
            text: "The lantern burns low\nsince nobody trims the wick".into(),
        };
        let format = |limit, wraps_prose| {
            let layout = ExchangeLayout {
                id: "a1000000",
                turns: 1,
                limit,
                width: 20,
                wraps_prose,
            };
            anstream::adapter::strip_str(&format_part(&thought, layout)).to_string()
        };
        assert_eq!(
            format(TERMINAL_LIMIT, true),
            "\n[thinking]\nThe lantern burns\nlow\nsince nobody trims\nthe wick\n"
        );
        assert_eq!(
            format(TERMINAL_LIMIT, false),
            "\n[thinking]\nThe lantern burns low\nsince nobody trims the wick\n"
        );
        assert_eq!(
            format(TextLimit::BRIEF, true),
            format(TERMINAL_LIMIT, true),
            "a line of the text counts, not of the terminal"
        );
    }
}
