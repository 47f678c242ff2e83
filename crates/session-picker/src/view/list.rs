//! The query and the rows.

use super::{draw_input, pad_column, wrap_text};
use crate::app::App;
use crate::list_answer::ListRow;
use crate::theme::Theme;
use crate::turn_position::{format_turn_address, format_turn_position};
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use session_core::ConfidenceBand;
use session_display::{fit_line, format_elapsed, pluralize, sanitize_line};
use session_search::Level;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

const PROMPT: &str = "> ";
/// Columns from which a row takes one line.
const ONE_LINE: u16 = 76;

/// Draws the line in which the query is typed, with the cursor.
pub(super) fn draw_query(frame: &mut Frame<'_>, app: &App, theme: Theme, area: Rect) {
    let cursor = draw_input(frame, PROMPT, app.query.input(), theme, area);
    if app.overlay.is_none() {
        frame.set_cursor_position(cursor);
    }
}

/// Returns the lines that a row takes.
fn lines_per_row(columns: u16) -> u16 {
    if columns >= ONE_LINE { 1 } else { 2 }
}

/// Returns the lines that all rows take; `None` if there is no row, but a text in their place.
pub(super) fn count_row_lines(app: &App, columns: u16) -> Option<u16> {
    let rows = u16::try_from(app.list.rows.len()).unwrap_or(u16::MAX);
    (rows > 0).then(|| rows.saturating_mul(lines_per_row(columns)))
}

/// Draws the rows, or why there is none.
pub(super) fn draw_rows(frame: &mut Frame<'_>, app: &mut App, theme: Theme, area: Rect) {
    let lines_per_row = lines_per_row(area.width);
    app.list.set_area(area, lines_per_row);
    if app.list.rows.is_empty() {
        let note = match &app.list.failure {
            Some(reason) => wrap_text(reason, area.width, theme.mistake()),
            None => wrap_text(&empty_list_text(app), area.width, theme.faint()),
        };
        return frame.render_widget(ratatui::text::Text::from(note), area);
    }
    let now_ms = Timestamp::now().as_millisecond();
    let columns = usize::from(area.width);
    let visible = usize::from(area.height.div_ceil(lines_per_row));
    let cells = RowColumns::fit_columns(&app.list.rows, app.list.level, columns);
    let rows = app.list.rows.iter().enumerate();
    let rows = rows.skip(app.list.offset).take(visible);
    let lines: Vec<Line<'_>> = rows
        .flat_map(|(at, row)| {
            let drawn = DrawnRow {
                row,
                level: app.list.level,
                is_selected: at == app.list.selected,
                elapsed: format_elapsed(row.time_ms, now_ms),
                theme,
            };
            match lines_per_row {
                1 => vec![drawn.draw_one_line(columns, cells)],
                _ => drawn.draw_two_lines(columns),
            }
        })
        .collect();
    frame.render_widget(ratatui::text::Text::from(lines), area);
}

/// Returns why there are no rows.
fn empty_list_text(app: &App) -> Cow<'static, str> {
    let unmet = app
        .list
        .unmet
        .as_ref()
        .filter(|_| app.files_left == Some(0));
    if let Some(unmet) = unmet {
        return format!("{unmet}{}", format_completion_hint(app)).into();
    }
    let text = match (app.list.sessions, app.files_left) {
        (None, None | Some(0)) => "reading your histories",
        (Some(0), Some(0)) if app.this_project => {
            "no session of this project passes; Alt-P shows all projects"
        }
        (Some(0), Some(0)) if app.list.is_filtered() => "no session passes the filters",
        (Some(0), Some(0)) => {
            "there is no history yet: Esc, then `session-search demo` shows a built-in one, \
             `session-search doctor` says where histories are looked for"
        }
        (Some(_), Some(0)) if app.this_project => {
            "nothing found in this project; Alt-P searches all projects"
        }
        (Some(_), Some(0)) => "nothing found",
        _ => "nothing yet; histories are still being read",
    };
    text.into()
}

/// Formats that Tab completes the filter that is being typed, where it does.
fn format_completion_hint(app: &App) -> String {
    let open = app.query.open_filter();
    let values = app.values.as_ref();
    match open.filter(|_| values.is_some_and(|values| app.query.can_complete(values))) {
        Some(open) => format!("\nTab completes `{}:{}`", open.name, open.value),
        None => String::new(),
    }
}

/// The columns of a row's cells: no more than the rows of the list need, so that titles have room.
#[derive(Debug, Clone, Copy)]
struct RowColumns {
    agent: usize,
    project: usize,
    branch: usize,
    turns: usize,
}

impl RowColumns {
    fn fit_columns(rows: &[ListRow], level: Level, columns: usize) -> Self {
        let widest = |cell: &dyn Fn(&ListRow) -> String, most: usize| {
            let widths = rows.iter().map(|row| cell(row).width());
            widths.max().unwrap_or_default().min(most)
        };
        Self {
            agent: widest(&|row| sanitize_line(&row.session.source), 9),
            project: widest(
                &|row| sanitize_line(session_display::project_label(&row.session)),
                (columns / 7).clamp(10, 20),
            ),
            branch: widest(
                &|row| sanitize_line(branch_cell(row)),
                (columns / 8).clamp(8, 18),
            ),
            turns: widest(&|row| turns_cell(row, level), 9),
        }
    }
}

fn branch_cell(row: &ListRow) -> &str {
    let branch = match &row.turn {
        Some(turn) => row.session.branch_of(turn),
        None => row.session.branch.as_deref(),
    };
    branch.unwrap_or_default()
}

/// Returns the number of turns, or the address of the turn that a row is.
fn turns_cell(row: &ListRow, level: Level) -> String {
    match level {
        Level::Session => row.session.turns.to_string(),
        Level::Turn => format_turn_address(row.turn_index()),
    }
}

/// A row as it is drawn.
struct DrawnRow<'a> {
    row: &'a ListRow,
    level: Level,
    is_selected: bool,
    elapsed: String,
    theme: Theme,
}

impl DrawnRow<'_> {
    /// Draws band, time, agent, project, branch, turns and title on one line.
    fn draw_one_line(&self, columns: usize, cells: RowColumns) -> Line<'static> {
        let session = &self.row.session;
        let faint = self.theme.faint();
        let cell = |text: &str, width: usize| match width {
            0 => String::new(),
            width => format!("{} ", pad_column(&sanitize_line(text), width)),
        };
        let project = session_display::project_label(session);
        let turns = format!("{:>1$}  ", turns_cell(self.row, self.level), cells.turns);
        let mut line = Line::from(self.draw_marks());
        line.push_span(Span::styled(pad_column(&self.elapsed, 5), faint));
        line.push_span(Span::styled(cell(&session.source, cells.agent), faint));
        let name = cell(project, cells.project);
        line.push_span(Span::styled(name, self.theme.project()));
        line.push_span(Span::styled(
            cell(branch_cell(self.row), cells.branch),
            faint,
        ));
        line.push_span(Span::styled(turns, faint));
        let left = columns.saturating_sub(line.width());
        self.push_text(&mut line, left);
        line
    }

    /// Draws the band with the title, and all else on a second line.
    fn draw_two_lines(&self, columns: usize) -> Vec<Line<'static>> {
        let mut first = Line::from(self.draw_marks());
        let left = columns.saturating_sub(first.width());
        self.push_text(&mut first, left);
        let session = &self.row.session;
        let project = session_display::project_label(session);
        let turns = match self.level {
            Level::Session => pluralize(session.turns as usize, "turn"),
            Level::Turn => format_turn_position(self.row.turn_index(), session.turns, columns),
        };
        let parts = [
            &self.elapsed,
            &session.source,
            project,
            branch_cell(self.row),
            &turns,
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let second = parts.map(sanitize_line).collect::<Vec<_>>().join(" · ");
        let second = format!("    {}", fit_line(&second, columns.saturating_sub(4)));
        vec![first, Line::styled(second, self.theme.faint())]
    }

    /// Draws the mark of the selection and that of the band.
    fn draw_marks(&self) -> Vec<Span<'static>> {
        let selection = if self.is_selected {
            Span::styled("▌ ", self.theme.accent())
        } else {
            Span::raw("  ")
        };
        let (mark, style) = match self.row.band {
            Some(band) => (band_mark(band), self.theme.band(band)),
            None => ("  ", self.theme.faint()),
        };
        vec![selection, Span::styled(mark, style)]
    }

    fn push_text(&self, line: &mut Line<'static>, columns: usize) {
        for part in self.row.text.fit_parts(columns) {
            let style = match (part.is_match, self.is_selected) {
                (true, _) => self.theme.matching(),
                (false, true) => self.theme.title(),
                (false, false) => ratatui::style::Style::new(),
            };
            line.push_span(Span::styled(part.text, style));
        }
    }
}

fn band_mark(band: ConfidenceBand) -> &'static str {
    match band {
        ConfidenceBand::Strong => "● ",
        ConfidenceBand::Moderate => "◐ ",
        ConfidenceBand::Weak => "○ ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::AppMessage;
    use crate::view::tests::{listing, opened, press, row, screen, session};
    use crossterm::event::{KeyCode, KeyModifiers};
    use session_query::FilterValues;

    #[test]
    fn a_filter_that_nothing_meets_is_told_in_place_of_rows() {
        let shown = |typed: &str| {
            let mut app = App::new(typed);
            app.values = Some(FilterValues {
                branches: vec!["fix/lamp".into()],
                ..FilterValues::default()
            });
            app.files_left = Some(0);
            let AppMessage::ListReady(mut listed) = listing(&mut app, Vec::new(), &[]) else {
                panic!("a listing");
            };
            listed.unmet = Some("no turn is on it\nhint: there is `fix/lamp`".into());
            app.handle_message(AppMessage::ListReady(listed));
            screen(&mut app, 80, 12)
        };
        let note = "\nno turn is on it\nhint: there is `fix/lamp`\n";
        let open = shown("branch:f");
        assert!(
            open.contains(&format!("{note}Tab completes `branch:f`\n")),
            "{open}"
        );
        for typed in ["branch:f lamp", "branch:nope"] {
            let other = shown(typed);
            assert!(
                other.contains(note) && !other.contains("Tab completes"),
                "{other}"
            );
        }
    }

    #[test]
    fn few_rows_leave_the_lines_below_them_to_the_preview() {
        let mut app = opened();
        app.list.rows.truncate(1);
        let line_of_preview = |app: &mut App, columns| {
            let shown = screen(app, columns, 30);
            shown
                .lines()
                .position(|line| line.starts_with("────"))
                .unwrap()
        };
        assert_eq!(line_of_preview(&mut app, 100), 3);
        assert_eq!(line_of_preview(&mut app, 60), 4);
        app.list.rows = vec![app.list.rows[0].clone(); 40];
        assert_eq!(line_of_preview(&mut app, 100), 2 + 11);
    }

    #[test]
    fn a_list_that_is_still_to_come_is_not_called_empty() {
        let mut app = App::new("");
        for files_left in [None, Some(0)] {
            app.files_left = files_left;
            let shown = screen(&mut app, 80, 12);
            assert!(shown.contains("\nreading your histories\n"), "{shown}");
        }
    }

    #[test]
    fn turns_are_numbered_as_their_addresses() {
        let mut app = opened();
        press(&mut app, KeyCode::Tab, KeyModifiers::NONE);
        let rows = vec![row(session(1, "The lantern at the gate", 3), None, &[])];
        let listed = listing(&mut app, rows, &[]);
        app.handle_message(listed);
        let shown = screen(&mut app, 80, 24);
        assert_eq!(shown.matches(":2  3 of 12").count(), 1, "{shown}");
        assert_eq!(shown.matches(":2 ").count(), 2, "{shown}");
        let narrow = screen(&mut app, 40, 24);
        assert!(
            narrow.contains(":2") && !narrow.contains("3 of 12"),
            "{narrow}"
        );
    }
}
