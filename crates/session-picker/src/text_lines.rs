//! A conversation as the lines of a screen.

use crate::turn_position::format_turn_position;
use session_core::diff::DiffLine;
use session_core::text::sanitize_text;
use session_core::{CodeFences, FencedLine, Turn, TurnPart};
use session_display::{format_minute, sanitize_line, wrap_lines};
use session_export::CallView;
use session_search::Exchange;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// The role of a line or a part of it, from which a theme takes its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineRole {
    /// Prose.
    Plain,
    /// A heading of Markdown.
    Heading,
    /// Code, inline or in a fence.
    Code,
    /// The words of the user.
    Prompt,
    /// The rule above a turn.
    Rule,
    /// A tool call.
    Call,
    /// Outputs, thoughts and notices.
    Faint,
    /// A call that failed.
    Failed,
    /// A line that an edit adds.
    Added,
    /// A line that an edit removes.
    Removed,
}

/// The detail in which tool calls are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CallDetail {
    /// Nothing.
    Off,
    /// Their first line, and that of an edit's diff.
    #[default]
    Short,
    /// Inputs and outputs.
    Full,
}

impl CallDetail {
    /// Returns the detail that the key chooses next.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Off => Self::Short,
            Self::Short => Self::Full,
            Self::Full => Self::Off,
        }
    }

    /// Returns the most lines of an output or a diff.
    fn max_lines(self) -> usize {
        match self {
            Self::Off => 0,
            Self::Short => 6,
            Self::Full => 2_000,
        }
    }
}

/// One line, safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLine {
    /// The text, no wider than the pane.
    pub(crate) text: String,
    /// The role of the line.
    pub(crate) role: LineRole,
    /// Parts that are something else, as byte ranges in order.
    pub(crate) parts: Vec<(Range<usize>, LineRole)>,
    /// Given where the line goes on with the text of the one before, which was too long for the pane.
    pub(crate) fold: Option<LineFold>,
}

/// The fold of a text between two lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineFold {
    /// The text that stood there: a space, or nothing within a word.
    pub(crate) separator: &'static str,
    /// Bytes of the second line before its text.
    pub(crate) indent: usize,
}

/// The settings by which turns are laid out as lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextLayout {
    /// Columns of a line.
    pub(crate) columns: usize,
    /// The detail of calls.
    pub(crate) calls: CallDetail,
    /// Turns of the whole session; `None` if no rule stands above a turn.
    pub(crate) turns: Option<u32>,
}

impl TextLayout {
    /// Lays out a block of a turn: 0 is its rule and its prompt, the others are its parts, from 1.
    pub(crate) fn lay_out_lines(self, exchange: &Exchange, block: usize) -> Vec<TextLine> {
        let mut lines = BlockLines {
            columns: self.columns.max(8),
            calls: self.calls,
            lines: Vec::new(),
        };
        match block.checked_sub(1) {
            None => {
                if let Some(turns) = self.turns {
                    lines.push_rule(exchange, turns);
                }
                lines.push_prompt(&exchange.turn);
            }
            Some(part) => {
                let part = exchange.turn.parts.get(part);
                part.into_iter().for_each(|part| lines.push_part(part));
            }
        }
        lines.lines
    }
}

/// The lines of a block as far as they are made.
struct BlockLines {
    columns: usize,
    calls: CallDetail,
    lines: Vec<TextLine>,
}

impl BlockLines {
    fn push_rule(&mut self, exchange: &Exchange, of: u32) {
        let turn = &exchange.turn;
        // A rule has room for the first clause.
        let origin = exchange
            .origin
            .note()
            .and_then(|note| note.split(", ").next());
        let origin = origin.map_or(String::new(), |note| format!("  ({note})"));
        let rule = format!(
            "── {}  {}{origin} ",
            format_turn_position(turn.index, of, self.columns),
            format_minute(turn.started_ms)
        );
        let fill = self.columns.saturating_sub(rule.chars().count());
        self.push(&format!("{rule}{}", "─".repeat(fill)), LineRole::Rule);
    }

    fn push_prompt(&mut self, turn: &Turn) {
        if !turn.prompt.is_empty() {
            self.push(turn.kind.author().label(), LineRole::Prompt);
            self.push_markdown(&turn.prompt);
            self.push_blank();
        }
    }

    fn push_part(&mut self, part: &TurnPart) {
        match part {
            TurnPart::Text { text } => {
                self.push_markdown(text);
                self.push_blank();
            }
            TurnPart::Error { text } => self.push_block(text, LineRole::Failed, "  "),
            TurnPart::Thinking { text } | TurnPart::Notice { text }
                if self.calls == CallDetail::Full =>
            {
                self.push_block(text, LineRole::Faint, "  ");
                self.push_blank();
            }
            TurnPart::Recap { text } | TurnPart::Summary { text } => {
                self.push_block(text, LineRole::Faint, "  ");
                self.push_blank();
            }
            TurnPart::Call(call) if self.calls != CallDetail::Off => {
                self.push_call(&CallView::new(call));
                self.push_blank();
            }
            TurnPart::Thinking { .. } | TurnPart::Notice { .. } | TurnPart::Call(_) => {}
        }
    }

    fn push_call(&mut self, view: &CallView<'_>) {
        let (mark, role) = match view.status.label() {
            None => (String::new(), LineRole::Call),
            Some(words) if view.status.is_failed() => (format!(" {words}"), LineRole::Failed),
            Some(words) => (format!(" {words}"), LineRole::Call),
        };
        let name = sanitize_line(&view.call.name);
        let subject = view.subject.unwrap_or_default();
        let first = subject.lines().next().unwrap_or_default();
        let first = format!("{name}{mark}  {}", sanitize_line(first));
        self.push_indented(["● ", "  "], &first, role);
        if self.calls == CallDetail::Full && subject.lines().nth(1).is_some() {
            self.push_block(subject, LineRole::Code, "  ");
        }
        for edit in &view.edits {
            self.push_edit(edit);
        }
        if self.calls == CallDetail::Full {
            for input in &view.inputs {
                self.push_block(
                    &format!("{}: {}", input.name, input.text),
                    LineRole::Faint,
                    "  ",
                );
            }
        }
        let shows_output = self.calls == CallDetail::Full || view.status.is_failed();
        if let Some(output) = view.output.as_ref().filter(|_| shows_output) {
            self.push_block(output, LineRole::Faint, "  │ ");
        }
    }

    fn push_edit(&mut self, edit: &[DiffLine<'_>]) {
        let most = self.calls.max_lines();
        for line in edit.iter().take(most) {
            let role = match line {
                DiffLine::Added(_) => LineRole::Added,
                DiffLine::Removed(_) => LineRole::Removed,
                DiffLine::Context(_) | DiffLine::Gap => LineRole::Faint,
            };
            let (mark, text) = match line.text() {
                Some(text) => (format!("  {} ", line.mark()), text),
                None => ("  ".to_owned(), "…"),
            };
            self.push_indented([&mark, "    "], text, role);
        }
        self.push_left_note(edit.len().saturating_sub(most));
    }

    /// Adds lines that are cut where there are many.
    fn push_block(&mut self, text: &str, role: LineRole, indent: &str) {
        let text = sanitize_text(text);
        let most = self.calls.max_lines().max(6);
        for line in text.trim_end().lines().take(most) {
            self.push_indented([indent, indent], line, role);
        }
        self.push_left_note(text.trim_end().lines().count().saturating_sub(most));
    }

    fn push_left_note(&mut self, left: usize) {
        if left > 0 {
            self.push(&format!("  … {left} more lines"), LineRole::Faint);
        }
    }

    /// Adds Markdown as it is written, with its headings, code and marks in styles of their own.
    fn push_markdown(&mut self, text: &str) {
        let mut fences = CodeFences::default();
        for line in sanitize_text(text).trim_end().lines() {
            let role = match fences.classify(line) {
                FencedLine::Code => LineRole::Code,
                FencedLine::Fence => LineRole::Faint,
                FencedLine::Text if is_heading(line) => LineRole::Heading,
                FencedLine::Text if line.trim_start().starts_with('>') => LineRole::Faint,
                FencedLine::Text => LineRole::Plain,
            };
            self.push(line, role);
        }
    }

    fn push_blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.text.is_empty()) {
            self.push("", LineRole::Plain);
        }
    }

    /// Adds a line, wrapped.
    fn push(&mut self, text: &str, role: LineRole) {
        self.push_indented([""; 2], text, role);
    }

    /// Adds a line, wrapped, after the indent of its first line and of the others.
    fn push_indented(&mut self, [first, other]: [&str; 2], text: &str, role: LineRole) {
        let text = sanitize_text(text).replace('\t', "    ");
        let columns = self.columns.saturating_sub(other.width()).max(4);
        let wrapped = wrap_lines(&text, columns);
        let indents = std::iter::once(first).chain(std::iter::repeat(other));
        let before = self.lines.len();
        let mut rest = text.as_str();
        for (indent, line) in indents.zip(wrapped) {
            let fold = LineFold {
                separator: if rest.starts_with(line) { "" } else { " " },
                indent: indent.len(),
            };
            rest = rest.split_once(line).map_or("", |(_, rest)| rest);
            let is_first = self.lines.len() == before;
            self.lines.push(TextLine {
                fold: (!is_first).then_some(fold),
                ..make_text_line(&format!("{indent}{line}"), role)
            });
        }
        if self.lines.len() == before {
            self.lines.push(make_text_line(first.trim_end(), role));
        }
    }
}

fn make_text_line(text: &str, role: LineRole) -> TextLine {
    TextLine {
        parts: match role {
            LineRole::Plain => find_inline_code(text),
            _ => Vec::new(),
        },
        text: text.to_owned(),
        role,
        fold: None,
    }
}

fn is_heading(line: &str) -> bool {
    let marks = line.len() - line.trim_start_matches('#').len();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

/// Returns the ranges between pairs of backticks.
fn find_inline_code(line: &str) -> Vec<(Range<usize>, LineRole)> {
    let marks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    let pairs = marks.chunks_exact(2);
    pairs
        .map(|pair| (pair[0]..pair[1] + 1, LineRole::Code))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::ToolCall;
    use session_search::TurnOrigin;

    #[test]
    fn a_line_that_is_wrapped_keeps_its_indent() {
        let call = ToolCall {
            name: "Bash".into(),
            input: serde_json::json!({"command": "light every lantern of the harbour"}),
            output: Some("the lantern at the gate does not burn\n\nit has no oil".into()),
            ..ToolCall::default()
        };
        let exchange = Exchange {
            origin: TurnOrigin::History,
            turn: Turn {
                parts: vec![TurnPart::Call(call)],
                ..Turn::default()
            },
        };
        let layout = TextLayout {
            columns: 24,
            calls: CallDetail::Full,
            turns: Some(1),
        };
        let lines = layout.lay_out_lines(&exchange, 1);
        let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let expected = [
            "● Bash  light every",
            "  lantern of the harbour",
            "  │ the lantern at the",
            "  │ gate does not burn",
            "  │",
            "  │ it has no oil",
            "",
        ];
        assert_eq!(lines, expected);
    }
}
