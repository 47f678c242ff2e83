//! A conversation as the lines of a screen.

use session_core::diff::DiffLine;
use session_core::text::printable;
use session_core::{CodeFences, FencedLine, Part, PromptKind};
use session_display::{minute, safe_line, wrap_lines};
use session_export::{CallStatus, CallView};
use session_search::{Exchange, Origin};
use std::ops::Range;

/// The role of a line or a part of it, from which a theme takes its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRole {
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
pub enum CallDetail {
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
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Short,
            Self::Short => Self::Full,
            Self::Full => Self::Off,
        }
    }

    /// Most lines of an output or a diff.
    fn lines(self) -> usize {
        match self {
            Self::Off => 0,
            Self::Short => 6,
            Self::Full => 2_000,
        }
    }
}

/// One line, safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// The text, no wider than the pane.
    pub text: String,
    /// The role of the line.
    pub role: LineRole,
    /// Parts that are something else, as byte ranges in order.
    pub parts: Vec<(Range<usize>, LineRole)>,
    /// Number of its turn in the session, from 0.
    pub turn: u32,
    /// Number of its part in the turn, from 1; 0 for the rule and the prompt.
    pub part: usize,
}

/// The place of a line, whatever the columns and the detail of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    turn: u32,
    part: usize,
    /// Lines of the part before it.
    offset: usize,
}

/// Turns of a session as lines of so many columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextLines {
    /// The lines.
    pub lines: Vec<TextLine>,
}

impl TextLines {
    /// Lays turns out. `of` is the number of turns of the session.
    pub fn new(exchanges: &[Exchange], of: u32, columns: usize, calls: CallDetail) -> Self {
        let mut layout = Layout {
            columns: columns.max(8),
            calls,
            turn: 0,
            part: 0,
            lines: Vec::new(),
        };
        for exchange in exchanges {
            layout.exchange(exchange, of);
        }
        Self {
            lines: layout.lines,
        }
    }

    /// Returns where a line stands.
    pub fn position(&self, at: usize) -> Option<TextPosition> {
        let TextLine { turn, part, .. } = *self.lines.get(at)?;
        let before = self.lines[..at].iter().rev();
        let before = before.take_while(|line| (line.turn, line.part) == (turn, part));
        Some(TextPosition {
            turn,
            part,
            offset: before.count(),
        })
    }

    /// Returns the line at a position; where its part is not shown, the one that follows, and where it is
    /// shorter, its last.
    pub fn line_at(&self, position: TextPosition) -> usize {
        let TextPosition { turn, part, offset } = position;
        let key = |line: &TextLine| (line.turn, line.part);
        let first = self.lines.partition_point(|line| key(line) < (turn, part));
        let own = self.lines[first..].iter();
        let own = own.take_while(|line| key(line) == (turn, part)).count();
        let last = self.lines.len().saturating_sub(1);
        (first + offset.min(own.saturating_sub(1))).min(last)
    }

    /// Returns the first line of a turn, or of the next one that there is.
    pub fn turn_line(&self, turn: u32) -> usize {
        let found = self.lines.iter().position(|line| line.turn >= turn);
        found.unwrap_or(self.lines.len().saturating_sub(1))
    }
}

/// The lines as far as they are made.
struct Layout {
    columns: usize,
    calls: CallDetail,
    turn: u32,
    part: usize,
    lines: Vec<TextLine>,
}

impl Layout {
    fn exchange(&mut self, exchange: &Exchange, of: u32) {
        let turn = &exchange.turn;
        self.turn = turn.index;
        self.part = 0;
        let origin = match exchange.origin {
            Origin::History => "",
            Origin::Index => "  (from the index: the history is gone or changed)",
        };
        let rule = format!(
            "── {}/{of}  {}{origin} ",
            turn.index + 1,
            minute(turn.started_ms)
        );
        let fill = self.columns.saturating_sub(rule.chars().count());
        self.push(&format!("{rule}{}", "─".repeat(fill)), LineRole::Rule);
        let who = match turn.kind {
            PromptKind::Model => "agent",
            _ => "you",
        };
        if !turn.prompt.is_empty() {
            self.push(who, LineRole::Prompt);
            self.markdown(&turn.prompt);
            self.blank();
        }
        for (part, at) in turn.parts.iter().zip(1..) {
            self.part = at;
            self.push_part(part);
        }
    }

    fn push_part(&mut self, part: &Part) {
        match part {
            Part::Text { text } => {
                self.markdown(text);
                self.blank();
            }
            Part::Error { text } => self.block(text, LineRole::Failed, "  "),
            Part::Thinking { text } | Part::Notice { text } if self.calls == CallDetail::Full => {
                self.block(text, LineRole::Faint, "  ");
                self.blank();
            }
            Part::Recap { text } | Part::Summary { text } => {
                self.block(text, LineRole::Faint, "  ");
                self.blank();
            }
            Part::Call(call) if self.calls != CallDetail::Off => {
                self.call(&CallView::new(call));
                self.blank();
            }
            Part::Thinking { .. } | Part::Notice { .. } | Part::Call(_) => {}
        }
    }

    fn call(&mut self, view: &CallView<'_>) {
        let (mark, role) = match view.status {
            CallStatus::Done => ("", LineRole::Call),
            CallStatus::Failed => (" failed", LineRole::Failed),
            CallStatus::Unfinished => (" unfinished", LineRole::Call),
        };
        let name = safe_line(&view.call.name);
        let subject = view.subject.unwrap_or_default();
        let first = subject.lines().next().unwrap_or_default();
        self.push(&format!("● {name}{mark}  {}", safe_line(first)), role);
        if self.calls == CallDetail::Full && subject.lines().nth(1).is_some() {
            self.block(subject, LineRole::Code, "  ");
        }
        for edit in &view.edits {
            self.edit(edit);
        }
        if self.calls == CallDetail::Full {
            for input in &view.inputs {
                self.block(
                    &format!("{}: {}", input.name, input.text),
                    LineRole::Faint,
                    "  ",
                );
            }
        }
        let shows_output = self.calls == CallDetail::Full || view.status == CallStatus::Failed;
        if let Some(output) = view.call.output.as_ref().filter(|_| shows_output) {
            self.block(output, LineRole::Faint, "  │ ");
        }
    }

    fn edit(&mut self, edit: &[DiffLine<'_>]) {
        let most = self.calls.lines();
        for line in edit.iter().take(most) {
            let (text, role) = match line {
                DiffLine::Added(text) => (format!("  + {text}"), LineRole::Added),
                DiffLine::Removed(text) => (format!("  - {text}"), LineRole::Removed),
                DiffLine::Context(text) => (format!("    {text}"), LineRole::Faint),
                DiffLine::Gap => ("  …".to_owned(), LineRole::Faint),
            };
            self.push(&text, role);
        }
        self.note_left(edit.len().saturating_sub(most));
    }

    /// Adds lines that are cut where there are many.
    fn block(&mut self, text: &str, role: LineRole, indent: &str) {
        let text = printable(text);
        let most = self.calls.lines().max(6);
        for line in text.trim_end().lines().take(most) {
            self.push(&format!("{indent}{line}"), role);
        }
        self.note_left(text.trim_end().lines().count().saturating_sub(most));
    }

    fn note_left(&mut self, left: usize) {
        if left > 0 {
            self.push(&format!("  … {left} more lines"), LineRole::Faint);
        }
    }

    /// Adds Markdown as it is written, with its headings, code and marks in styles of their own.
    fn markdown(&mut self, text: &str) {
        let mut fences = CodeFences::default();
        for line in printable(text).trim_end().lines() {
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

    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.text.is_empty()) {
            self.push("", LineRole::Plain);
        }
    }

    /// Adds a line, wrapped.
    fn push(&mut self, text: &str, role: LineRole) {
        let text = printable(text).replace('\t', "    ");
        let mut wrapped = wrap_lines(&text, self.columns).peekable();
        if wrapped.peek().is_none() {
            return self.lines.push(self.line("", role));
        }
        let lines: Vec<TextLine> = wrapped.map(|line| self.line(line, role)).collect();
        self.lines.extend(lines);
    }

    fn line(&self, text: &str, role: LineRole) -> TextLine {
        TextLine {
            parts: match role {
                LineRole::Plain => inline_code(text),
                _ => Vec::new(),
            },
            text: text.to_owned(),
            role,
            turn: self.turn,
            part: self.part,
        }
    }
}

fn is_heading(line: &str) -> bool {
    let marks = line.len() - line.trim_start_matches('#').len();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

/// Returns the ranges between pairs of backticks.
fn inline_code(line: &str) -> Vec<(Range<usize>, LineRole)> {
    let marks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    let pairs = marks.chunks_exact(2);
    pairs
        .map(|pair| (pair[0]..pair[1] + 1, LineRole::Code))
        .collect()
}
