//! The state as a screen: nothing is changed by drawing but where things stand.

#[cfg(test)]
mod conversation_tests;
mod help;
mod list;
mod overlay;
mod status;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use crate::app::App;
use crate::overlay::Overlay;
use crate::query_line::visible_input;
use crate::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Clear};
use session_display::{sanitize_line, truncate_to_columns, wrap_lines};
use tui_input::Input;

/// Columns from which the preview stands beside the list.
const WIDE: u16 = 110;

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, app: &mut App, theme: Theme) {
    let area = frame.area();
    if app.conversation.is_some() {
        text::draw_conversation(frame, app, theme, area)
    } else {
        draw_browser(frame, app, theme, area)
    }
    let is_typing = app.conversation.as_ref().is_some_and(|c| c.is_typing);
    if let Some(note) = app.note.as_ref().filter(|_| !is_typing) {
        draw_note(frame, note, theme, area);
    }
    let is_conversation = app.conversation.is_some();
    match &mut app.overlay {
        Some(Overlay::Form(form)) => overlay::draw_form(frame, form, theme, area),
        Some(Overlay::Help { offset }) => {
            help::draw_help(frame, is_conversation, offset, theme, area);
        }
        None => {}
    }
}

/// Draws the query, the list and the preview.
fn draw_browser(frame: &mut Frame<'_>, app: &mut App, theme: Theme, area: Rect) {
    let status_lines = status::format_status_lines(app, theme, area);
    let status_height = u16::try_from(status_lines.len()).unwrap_or(u16::MAX);
    let [query, status, body, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(status_height),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let (list_area, preview_area) = if area.width >= WIDE {
        let [list, preview] =
            Layout::horizontal([Constraint::Percentage(52), Constraint::Fill(1)]).areas(body);
        (list, preview)
    } else {
        let split = |list| Layout::vertical([list, Constraint::Fill(1)]).areas(body);
        let [most, _] = split(Constraint::Percentage(42));
        let needed = list::count_row_lines(app, area.width).unwrap_or(most.height);
        let [list, preview] = split(Constraint::Length(needed.min(most.height)));
        (list, preview)
    };
    frame.render_widget(Text::from(status_lines), status);
    list::draw_rows(frame, app, theme, list_area);
    let borders = if area.width >= WIDE {
        Borders::LEFT
    } else {
        Borders::TOP
    };
    let block = Block::new().borders(borders).border_style(theme.faint());
    let inner = block.inner(preview_area);
    frame.render_widget(block, preview_area);
    text::draw_preview(frame, app, theme, inner);
    frame.render_widget(format_keys(&FOOTER_KEYS, theme, footer.width), footer);
    list::draw_query(frame, app, theme, query);
}

/// The keys and what they do, the most useful first: there may be no room for all.
const FOOTER_KEYS: [(&str, &str); 7] = [
    ("Enter", "open"),
    ("Tab", "sessions/turns"),
    ("F1", "all keys"),
    ("Esc", "quit"),
    ("Alt-R", "resume"),
    ("Alt-P", "this project"),
    ("Alt-C", "copy command"),
];

/// Draws a note over the last lines. It is drawn whole, since its end may say what to do.
fn draw_note(frame: &mut Frame<'_>, note: &str, theme: Theme, area: Rect) {
    let lines = wrap_text(note, area.width, theme.title());
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let [_, place] = Layout::vertical([Constraint::Fill(1), Constraint::Max(height)]).areas(area);
    frame.render_widget(Clear, place);
    frame.render_widget(Text::from(lines), place);
}

/// Draws a line that is typed in behind its prompt; returns where its cursor stands.
fn draw_input(
    frame: &mut Frame<'_>,
    prompt: &'static str,
    input: &Input,
    theme: Theme,
    area: Rect,
) -> Position {
    let columns = usize::from(area.width).saturating_sub(prompt.len());
    let visible = visible_input(input, columns);
    let prompt_span = Span::styled(prompt, theme.accent());
    let text = Span::raw(visible.text.to_owned());
    frame.render_widget(Line::from(vec![prompt_span, text]), area);
    let column = u16::try_from(prompt.len() + visible.cursor_column).unwrap_or(u16::MAX);
    let last = area.right().saturating_sub(1);
    Position::new(area.x.saturating_add(column).min(last), area.y)
}

/// Folds a text of several lines, which is made safe, to columns.
fn wrap_text(text: &str, columns: u16, style: Style) -> Vec<Line<'static>> {
    let fold = |line: &str| {
        let line = sanitize_line(line);
        let folded = wrap_lines(&line, usize::from(columns).max(1));
        folded
            .map(|line| Line::styled(line.to_owned(), style))
            .collect::<Vec<_>>()
    };
    text.lines().flat_map(fold).collect()
}

/// Folds a text as [`wrap_text`] does, to at most `most` lines, of which the last one is marked where more would follow.
fn wrap_text_to(text: &str, columns: u16, most: usize, style: Style) -> Vec<Line<'static>> {
    let mut lines = wrap_text(text, columns, style);
    let is_cut = lines.len() > most;
    lines.truncate(most);
    if let Some(last) = lines.last_mut().filter(|_| is_cut) {
        let marked = format!("{last} …");
        let fitting = truncate_to_columns(&marked, usize::from(columns));
        *last = Line::styled(fitting, style);
    }
    lines
}

/// Lists keys with what they do, as many as fit.
fn format_keys(keys: &[(&str, &str)], theme: Theme, columns: u16) -> Line<'static> {
    let mut line = Line::default();
    for (key, does) in keys {
        let added = key.len() + does.len() + 3;
        if line.width() + added > usize::from(columns) + 2 {
            break;
        }
        line.push_span(Span::styled((*key).to_owned(), theme.title()));
        line.push_span(Span::styled(format!(" {does}  "), theme.faint()));
    }
    line
}

/// Cuts a text to columns and fills it up to them.
fn pad_column(text: &str, columns: usize) -> String {
    let text = truncate_to_columns(text, columns);
    let fill = columns.saturating_sub(unicode_width::UnicodeWidthStr::width(text.as_str()));
    format!("{text}{}", " ".repeat(fill))
}
