//! Turns: the preview and the conversation.

use super::{draw_input, format_keys, wrap_text_to};
use crate::app::App;
use crate::conversation::{ConversationView, ReadingState};
use crate::preview_pane::PreviewPane;
use crate::text_lines::{CallDetail, LineRole, TextLine};
use crate::text_pane::TextPane;
use crate::theme::Theme;
use crate::turn_position::format_turn_position;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use session_display::{format_minute, sanitize_line, session_title};
use std::ops::Range;

/// Draws the turn of the row that is selected.
pub(super) fn draw_preview(frame: &mut Frame<'_>, app: &mut App, theme: Theme, area: Rect) {
    app.preview_area = area;
    let shown = app.list.selected_row().map(|row| row.session.id);
    let preview = app.preview.as_ref();
    let Some(preview) = preview.filter(|preview| Some(preview.session.id) == shown) else {
        return;
    };
    let inner = indent_area(area);
    let head_lines = format_preview_head(preview, theme, inner);
    let head_height = u16::try_from(head_lines.len()).unwrap_or(u16::MAX);
    let [head, body] =
        Layout::vertical([Constraint::Length(head_height), Constraint::Fill(1)]).areas(inner);
    frame.render_widget(Text::from(head_lines), head);
    let columns = usize::from(body.width).saturating_sub(1);
    app.lay_out_preview(columns, usize::from(body.height));
    if let Some(preview) = &app.preview {
        draw_pane(frame, &preview.pane, theme.matching(), theme, body);
    }
}

/// Lines of a preview from which its head has two lines of the title.
const TALL_PREVIEW: u16 = 6;

/// Formats the title, of which the row has room for a part, then the folder of the project, and which turn it is: its own
/// line may be above what is shown.
fn format_preview_head(preview: &PreviewPane, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let session = &preview.session;
    let title_lines = if area.height < TALL_PREVIEW { 1 } else { 2 };
    let title = session_title(session);
    let mut lines = wrap_text_to(&title, area.width, title_lines, theme.title());
    let columns = usize::from(area.width);
    let folder = sanitize_line(session.project.as_deref().unwrap_or_default());
    let turn = preview.pane.text.exchanges().first().map(|e| &e.turn);
    let place = turn.map_or(String::new(), |turn| {
        let position = format_turn_position(turn.index, session.turns, columns);
        format!("  {position}  {}", format_minute(turn.started_ms))
    });
    let left = columns.saturating_sub(place.len());
    let folder = super::pad_column(&folder, left);
    lines.push(Line::styled(format!("{folder}{place}"), theme.faint()));
    lines
}

/// Leaves a column free at the left.
fn indent_area(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(1),
        ..area
    }
}

/// Draws lines with the words that match; `current` is the style of the match that was found last.
fn draw_pane(frame: &mut Frame<'_>, pane: &TextPane, current: Style, theme: Theme, area: Rect) {
    let lines = pane.visible_lines().into_iter();
    let lines = lines.map(|visible| {
        let matching = match visible.is_current {
            true => current,
            false => theme.matching(),
        };
        style_line(visible.line, &visible.matches, matching, theme)
    });
    frame.render_widget(Text::from(lines.collect::<Vec<_>>()), area);
}

/// Styles a line: its parts, and over them the words that match.
fn style_line<'a>(
    line: &'a TextLine,
    matches: &[Range<usize>],
    matching: Style,
    theme: Theme,
) -> Line<'a> {
    let parts = line
        .parts
        .iter()
        .flat_map(|(range, _)| [range.start, range.end]);
    let ends = matches.iter().flat_map(|range| [range.start, range.end]);
    let mut edges: Vec<usize> = parts.chain(ends).chain([0, line.text.len()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let spans = edges.windows(2).filter_map(|edge| {
        let text = line.text.get(edge[0]..edge[1])?;
        let holds = |range: &Range<usize>| range.contains(&edge[0]);
        let part = line.parts.iter().find(|(range, _)| holds(range));
        let mut style = theme.role(part.map_or(line.role, |(_, role)| *role));
        if matches.iter().any(holds) && line.role != LineRole::Rule {
            style = style.patch(matching);
        }
        Some(Span::styled(text, style))
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// Draws the conversation that is open.
pub(super) fn draw_conversation(frame: &mut Frame<'_>, app: &mut App, theme: Theme, area: Rect) {
    let [head, body, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let Some(conversation) = &mut app.conversation else {
        return;
    };
    conversation.lay_out(
        usize::from(body.width).saturating_sub(2),
        usize::from(body.height),
    );
    frame.render_widget(
        format_conversation_head(conversation, theme, head.width),
        head,
    );
    let current = theme.current_match();
    draw_pane(frame, &conversation.pane, current, theme, indent_area(body));
    if conversation.is_typing {
        let cursor = draw_input(frame, "/", &conversation.search, theme, footer);
        frame.set_cursor_position(cursor)
    } else {
        frame.render_widget(format_keys(&KEYS, theme, footer.width), footer)
    }
}

/// The keys and what they do, the most useful first: there may be no room for all.
const KEYS: [(&str, &str); 8] = [
    ("Esc", "back"),
    ("h", "all keys"),
    ("J/K", "turn"),
    ("/", "find"),
    ("n/N", "match"),
    ("t", "calls"),
    ("r", "resume"),
    ("y", "copy text"),
];

fn format_conversation_head(
    conversation: &ConversationView,
    theme: Theme,
    columns: u16,
) -> Line<'static> {
    let calls = match conversation.calls {
        CallDetail::Off => "off",
        CallDetail::Short => "short",
        CallDetail::Full => "full",
    };
    let reading = match conversation.reading {
        ReadingState::Running => "  reading",
        ReadingState::Complete => "",
        ReadingState::Failed => "  not all read",
    };
    let columns = usize::from(columns);
    let (turn, turns) = (conversation.turn(), conversation.session.turns);
    let position = format_turn_position(turn, turns, columns);
    let place = format!("  {position}  calls {calls}{reading}");
    let left = columns.saturating_sub(place.len() + 1);
    let name = super::pad_column(&session_title(&conversation.session), left);
    Line::from(vec![
        Span::raw(" "),
        Span::styled(name, theme.title()),
        Span::styled(place, theme.faint()),
    ])
}
