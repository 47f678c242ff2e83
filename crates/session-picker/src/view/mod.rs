//! The state as a screen: nothing is changed by drawing but where things stand.

mod list;
mod overlay;
#[cfg(test)]
mod tests;
mod text;

use crate::app::App;
use crate::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders};
use session_display::cut;

/// Columns from which the preview stands beside the list.
const WIDE: u16 = 110;

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, app: &mut App, theme: Theme) {
    let area = frame.area();
    match app.conversation.is_some() {
        true => text::draw_conversation(frame, app, theme, area),
        false => draw_browser(frame, app, theme, area),
    }
    if let Some(form) = &app.form {
        overlay::draw_form(frame, form, theme, area);
    }
    if app.shows_help {
        overlay::draw_help(frame, app.conversation.is_some(), theme, area);
    }
}

/// Draws the query, the list and the preview.
fn draw_browser(frame: &mut Frame<'_>, app: &mut App, theme: Theme, area: Rect) {
    let [query, status, body, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let (list_area, preview_area) = match area.width >= WIDE {
        true => {
            let [list, preview] =
                Layout::horizontal([Constraint::Percentage(52), Constraint::Fill(1)]).areas(body);
            (list, preview)
        }
        false => {
            let [list, preview] =
                Layout::vertical([Constraint::Percentage(42), Constraint::Fill(1)]).areas(body);
            (list, preview)
        }
    };
    list::draw_status(frame, app, theme, status);
    list::draw_rows(frame, app, theme, list_area);
    let borders = match area.width >= WIDE {
        true => Borders::LEFT,
        false => Borders::TOP,
    };
    let block = Block::new().borders(borders).border_style(theme.faint());
    let inner = block.inner(preview_area);
    frame.render_widget(block, preview_area);
    text::draw_preview(frame, app, theme, inner);
    draw_footer(frame, app, theme, footer);
    list::draw_query(frame, app, theme, query);
}

/// What the keys do, as far as it fits.
const LIST_KEYS: [(&str, &str); 7] = [
    ("Enter", "open"),
    ("Tab", "sessions/turns"),
    ("Alt-R", "resume"),
    ("Alt-P", "this project"),
    ("F1", "all keys"),
    ("Esc", "quit"),
    ("Alt-C", "copy command"),
];

/// Draws the last line: what was done, or else what keys do.
fn draw_footer(frame: &mut Frame<'_>, app: &App, theme: Theme, area: Rect) {
    let line = match &app.note {
        Some(note) => note_line(note, theme, area.width),
        None => keys_line(&LIST_KEYS, theme, area.width),
    };
    frame.render_widget(line, area);
}

fn note_line(note: &str, theme: Theme, columns: u16) -> Line<'static> {
    let note = session_display::line(note, usize::from(columns));
    Line::styled(note, theme.title())
}

/// Lists keys with what they do, as many as fit.
fn keys_line(keys: &[(&str, &str)], theme: Theme, columns: u16) -> Line<'static> {
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
fn column(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let fill = columns.saturating_sub(unicode_width::UnicodeWidthStr::width(text.as_str()));
    format!("{text}{}", " ".repeat(fill))
}
