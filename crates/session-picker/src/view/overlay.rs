//! Overlays, drawn over everything else: a box, and the form of a memory in it.

use super::wrap_text;
use crate::memory_form::MemoryForm;
use crate::query_line::visible_input;
use crate::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Clear, Padding};

/// Draws lines in a box in the middle; returns where they stand.
pub(super) fn draw_box(
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

/// Most columns of the form, and of a field of it.
const FORM_WIDTH: u16 = 66;
const FIELD_WIDTH: usize = 56;

/// Draws the form of a memory.
pub(super) fn draw_form(frame: &mut Frame<'_>, form: &MemoryForm, theme: Theme, area: Rect) {
    let columns = FIELD_WIDTH.min(usize::from(area.width).saturating_sub(16));
    let fields = form.fields();
    let mut lines: Vec<Line<'_>> = fields
        .iter()
        .map(|field| {
            let style = if field.is_active {
                theme.accent()
            } else {
                theme.faint()
            };
            // Another field is shown from its beginning, wherever its cursor is.
            let text = if field.is_active {
                visible_input(field.input, columns).text
            } else {
                field.input.value()
            };
            Line::from(vec![
                Span::styled(format!("{:<10}", field.name), style),
                Span::raw(super::pad_column(text, columns)),
            ])
        })
        .collect();
    lines.extend(format_destination(form, text_columns(area), theme));
    lines.push(Line::default());
    let keys = if form.is_complete() {
        "Enter save, Tab the other field, Esc give up"
    } else {
        "both fields are needed, Tab the other field, Esc give up"
    };
    lines.extend(wrap_text(keys, text_columns(area), theme.faint()));
    let name = format!("save a memory from {}", form.target.address());
    let inner = draw_box(frame, &name, lines, theme, area);
    let active = fields.iter().enumerate().find(|(_, field)| field.is_active);
    if let Some((row, field)) = active {
        let visible = visible_input(field.input, columns);
        let x = inner.x + u16::try_from(10 + visible.cursor_column).unwrap_or(0);
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        frame.set_cursor_position(Position::new(x, y));
    }
}

/// Returns the columns of the text in a box that is as wide as the screen.
fn text_columns(area: Rect) -> u16 {
    area.width.saturating_sub(4).min(FORM_WIDTH)
}

/// Names the project that the memory is saved for, and says where that is not the one of its turn.
fn format_destination(form: &MemoryForm, columns: u16, theme: Theme) -> Vec<Line<'static>> {
    let destination = &form.destination;
    let column = |label: &'static str, text: &str, style| {
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let folded = wrap_text(text, columns.saturating_sub(10), style);
        let lines = labels.zip(folded);
        lines.map(move |(label, text)| Line::styled(format!("{label:<10}{text}"), style))
    };
    let mut lines: Vec<_> = column("for", &destination.name, theme.faint()).collect();
    if destination.is_substitute {
        let reason = "the project of the turn is not on this machine";
        lines.extend(column("", reason, theme.mistake()));
    }
    lines
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::action::PickerAction;
    use crate::app::App;
    use crate::app_effect::AppEffect;
    use crate::memory_destination::MemoryDestination;
    use crate::overlay::Overlay;
    use crate::view::tests::{opened, press, screen};
    use crossterm::event::{KeyCode, KeyModifiers};
    use insta::assert_snapshot;

    /// Asks for the form of a memory, and gives it as the picker does.
    pub(crate) fn open_form(app: &mut App, is_substitute: bool) {
        let asked = press(app, KeyCode::Char('m'), KeyModifiers::ALT);
        give_form(app, asked, is_substitute);
    }

    /// Gives the form that was asked for.
    pub(crate) fn give_form(app: &mut App, asked: Option<AppEffect>, is_substitute: bool) {
        let Some(AppEffect::Act(PickerAction::SaveMemory, target)) = asked else {
            panic!("{asked:?}");
        };
        let destination = MemoryDestination {
            folder: "/home/ann/lantern".into(),
            name: "~/lantern".into(),
            is_substitute,
        };
        app.overlay = Some(Overlay::Form(Box::new(MemoryForm::new(
            target,
            destination,
        ))));
    }

    #[test]
    fn the_form_of_a_memory() {
        let mut app = opened();
        open_form(&mut app, false);
        "It burns oil".chars().for_each(|letter| {
            press(&mut app, KeyCode::Char(letter), KeyModifiers::NONE);
        });
        assert_snapshot!(screen(&mut app, 80, 12));
    }

    #[test]
    fn the_form_of_a_memory_says_that_its_project_is_elsewhere() {
        let mut app = opened();
        open_form(&mut app, true);
        let shown = screen(&mut app, 80, 12);
        let told = "for       ~/lantern";
        let why = "the project of the turn is not on this machine";
        assert!(shown.contains(told) && shown.contains(why), "{shown}");
    }

    #[test]
    fn the_form_of_a_memory_is_folded_on_few_columns() {
        let mut app = opened();
        open_form(&mut app, true);
        let shown = screen(&mut app, 40, 12);
        let words: String = shown.replace(['│', '\n'], " ");
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in [
            "the project of the turn is not on this machine",
            "Tab the other field, Esc give up",
        ] {
            assert!(words.contains(text), "{shown}");
        }
    }

    #[test]
    fn the_topic_is_shown_from_its_beginning_until_it_is_edited() {
        let mut app = opened();
        press(&mut app, KeyCode::Down, KeyModifiers::NONE);
        open_form(&mut app, false);
        let shown = screen(&mut app, 60, 12);
        assert!(
            shown.contains("topic     渡し場の灯り: a lantern"),
            "{shown}"
        );
        press(&mut app, KeyCode::Tab, KeyModifiers::NONE);
        let edited = screen(&mut app, 60, 12);
        assert!(edited.contains("told at some length"), "{edited}");
    }

    #[test]
    fn the_form_of_a_memory_says_what_it_lacks() {
        let mut app = opened();
        open_form(&mut app, false);
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        let shown = screen(&mut app, 80, 12);
        assert!(shown.contains("both fields are needed"), "{shown}");
    }
}
