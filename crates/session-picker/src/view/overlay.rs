//! Overlays, drawn over everything else: the help and the form of a memory.

use crate::action::Action;
use crate::memory_form::MemoryForm;
use crate::query_line::visible_input;
use crate::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Clear, Padding};

const LIST_KEYS: [(&str, &str); 10] = [
    ("letters", "search"),
    (
        "agent: project: branch: file:",
        "filter, also since: until:; - before for not",
    ),
    ("Tab", "complete a filter; else sessions or turns"),
    ("↑ ↓ Ctrl-P Ctrl-N PgUp PgDn", "move"),
    ("Shift-↑ Shift-↓", "scroll the preview"),
    ("Enter", "open the conversation"),
    ("Alt-P", "this project, worktrees included, or all"),
    ("Ctrl-A E B F D K U W Alt-B D", "edit the query"),
    ("Ctrl-L", "draw everything anew"),
    ("Esc", "quit"),
];

const CONVERSATION_KEYS: [(&str, &str); 7] = [
    ("j k ↑ ↓ Space PgUp PgDn", "scroll"),
    ("J K", "next turn, previous turn"),
    ("g G", "beginning, end"),
    ("/", "find a text"),
    ("n N", "next match, previous match"),
    ("t", "calls: short, full, off"),
    ("Esc q", "back to the list"),
];

/// Draws the keys, and what they do.
pub(super) fn draw_help(frame: &mut Frame<'_>, is_conversation: bool, theme: Theme, area: Rect) {
    let (keys, before): (&[(&str, &str)], _) = match is_conversation {
        true => (&CONVERSATION_KEYS, ""),
        false => (&LIST_KEYS, "Alt-"),
    };
    let mut lines: Vec<Line<'_>> = keys
        .iter()
        .map(|(key, does)| key_line((*key).to_owned(), does, theme))
        .collect();
    lines.push(Line::default());
    lines.extend(Action::ALL.iter().map(|(_, letter, does)| {
        let letter = match is_conversation {
            true => *letter,
            false => letter.to_ascii_uppercase(),
        };
        key_line(format!("{before}{letter}"), does, theme)
    }));
    draw_box(frame, "keys", lines, theme, area);
}

fn key_line(key: String, does: &str, theme: Theme) -> Line<'static> {
    let fill = 30_usize.saturating_sub(key.chars().count());
    Line::from(vec![
        Span::styled(key, theme.title()),
        Span::raw(format!("{}{does}", " ".repeat(fill.max(1)))),
    ])
}

/// Draws lines in a box in the middle; returns where they stand.
fn draw_box(
    frame: &mut Frame<'_>,
    name: &str,
    mut lines: Vec<Line<'_>>,
    theme: Theme,
    area: Rect,
) -> Rect {
    let room = usize::from(area.height.saturating_sub(2));
    if lines.len() > room {
        lines.truncate(room.saturating_sub(1));
        lines.push(Line::styled("… a taller terminal has more", theme.faint()));
    }
    let text = Text::from(lines);
    let width = u16::try_from(text.width() + 4)
        .unwrap_or(u16::MAX)
        .min(area.width);
    let height = u16::try_from(text.height() + 2)
        .unwrap_or(u16::MAX)
        .min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let block = Block::bordered()
        .title(Span::styled(format!(" {name} "), theme.title()))
        .border_style(theme.faint())
        .padding(Padding::horizontal(1));
    let inner = block.inner(place);
    frame.render_widget(Clear, place);
    frame.render_widget(block, place);
    frame.render_widget(text, inner);
    inner
}

/// Columns of a field of the form.
const FIELD_WIDTH: usize = 56;

/// Draws the form of a memory.
pub(super) fn draw_form(frame: &mut Frame<'_>, form: &MemoryForm, theme: Theme, area: Rect) {
    let columns = FIELD_WIDTH.min(usize::from(area.width).saturating_sub(16));
    let fields = form.fields();
    let mut lines: Vec<Line<'_>> = fields
        .iter()
        .map(|(name, input, is_active)| {
            let style = match is_active {
                true => theme.accent(),
                false => theme.faint(),
            };
            let (text, _) = visible_input(input, columns);
            Line::from(vec![
                Span::styled(format!("{name:<10}"), style),
                Span::raw(super::column(text, columns)),
            ])
        })
        .collect();
    lines.push(Line::default());
    let keys = match form.is_complete() {
        true => "Enter save   Tab the other field   Esc give up",
        false => "both fields are needed   Tab the other field   Esc give up",
    };
    lines.push(Line::styled(keys, theme.faint()));
    let name = format!("save a memory from turn {}", form.target.turn + 1);
    let inner = draw_box(frame, &name, lines, theme, area);
    if let Some((row, (_, input, _))) = fields.iter().enumerate().find(|(_, field)| field.2) {
        let (_, cursor) = visible_input(input, columns);
        let x = inner.x + u16::try_from(10 + cursor).unwrap_or(0);
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        frame.set_cursor_position(Position::new(x, y));
    }
}
