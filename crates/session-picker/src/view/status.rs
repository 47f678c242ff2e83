//! The lines between the query and the rows.

use super::wrap_text_to;
use crate::app::App;
use crate::message::ReadBytes;
use crate::query_line::OpenCompletion;
use crate::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use session_display::{format_size, pluralize, sanitize_line};
use session_search::Level;
use unicode_width::UnicodeWidthStr;

/// Formats the levels, the project's switch, and what was searched; or the candidates of a completion,
/// what is wrong with a filter, or which words nothing holds. `area` is the screen.
pub(super) fn format_status_lines(app: &App, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let list = &app.list;
    // The end of a note may be what to do about it.
    let most = usize::from(area.height / LINES_PER_NOTE_LINE).clamp(1, MAX_NOTE_LINES);
    let fold = |note: &str, style| wrap_text_to(note, area.width, most, style);
    // What is not read yet may hold it.
    let unfound = list.unfound.as_ref();
    let unfound = unfound.filter(|_| app.files_left == Some(0));
    match (app.query.completion(), &list.mistake, unfound) {
        (Some(open), _, _) => vec![format_candidates(open, theme, area.width)],
        (None, Some(mistake), _) => fold(mistake, theme.mistake()),
        (None, None, Some(unfound)) => fold(unfound, theme.faint()),
        (None, None, None) => vec![format_status(app, theme, area.width)],
    }
}

/// Most lines of the note below the query, and the lines of a screen that has room for one of them.
const MAX_NOTE_LINES: usize = 4;
const LINES_PER_NOTE_LINE: u16 = 4;

/// Formats the candidates from two before the chosen one on, as many as there is room for.
fn format_candidates(open: &OpenCompletion, theme: Theme, columns: u16) -> Line<'static> {
    let chosen = open.chosen;
    let candidates = open.candidates.iter().enumerate();
    let first = chosen.saturating_sub(2);
    let mut spans = Line::from(if first > 0 { "… " } else { "  " });
    for (at, candidate) in candidates.skip(first) {
        let style = if at == chosen {
            theme.accent()
        } else {
            theme.faint()
        };
        let candidate = sanitize_line(candidate);
        let is_last = at + 1 == open.candidates.len();
        let mark_columns = if is_last { 0 } else { "  …".width() };
        let needed = spans.width() + candidate.width() + mark_columns;
        if needed > usize::from(columns) && at > chosen {
            spans.push_span(Span::styled("…", theme.faint()));
            break;
        }
        spans.push_span(Span::styled(candidate, style));
        spans.push_span(Span::raw("  "));
    }
    spans
}

fn format_status(app: &App, theme: Theme, columns: u16) -> Line<'static> {
    let switch = |name: &'static str, is_on: bool| {
        if is_on {
            Span::styled(name, theme.accent().add_modifier(Modifier::UNDERLINED))
        } else {
            Span::styled(name, theme.faint())
        }
    };
    let level = app.list.level;
    let mut status = Line::from(vec![
        Span::raw("  "),
        switch("sessions", level == Level::Session),
        Span::raw("  "),
        switch("turns", level == Level::Turn),
        Span::raw("   "),
        switch("this project", app.this_project),
    ]);
    let room = usize::from(columns).saturating_sub(status.width() + 3);
    let counts = format_counts(app, room);
    let fill = usize::from(columns).saturating_sub(status.width() + counts.len() + 1);
    status.push_span(Span::raw(" ".repeat(fill)));
    status.push_span(Span::styled(counts, theme.faint()));
    status
}

/// Formats which row is selected, how much was searched, and what is still to be read. If there is too little room, the
/// first of these are left out.
fn format_counts(app: &App, columns: usize) -> String {
    let position = app.list.format_position();
    let searched = app.list.sessions.map(|count| pluralize(count, "session"));
    let searched = searched.unwrap_or_default();
    let left = match app.files_left {
        Some(0) => String::new(),
        Some(left) => format!("{} to read", pluralize(left, "file")),
        None => match app.reading {
            Some(ReadBytes { done, total }) => {
                format!("reading {} of {}", format_size(done), format_size(total))
            }
            None => "reading".to_owned(),
        },
    };
    let both = if searched.is_empty() || left.is_empty() {
        format!("{searched}{left}")
    } else {
        format!("{searched}, {left}")
    };
    let all = format!("{position}  {both}").trim_start().to_owned();
    let mut shorter = [all, both, left].into_iter();
    let fitting = shorter.find(|text| text.len() <= columns);
    fitting.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::AppMessage;
    use crate::view::tests::{listing, opened, row, screen, session};

    #[test]
    fn a_candidate_takes_the_columns_of_its_characters() {
        let candidates = ["проект-один", "проект-два", "日本語"];
        let open = OpenCompletion {
            span: 0..0,
            candidates: candidates.map(str::to_owned).to_vec(),
            chosen: 0,
            typed: tui_input::Input::default(),
        };
        let theme = Theme::new(false);
        let shown = |columns| format_candidates(&open, theme, columns).to_string();
        assert_eq!(shown(33), "  проект-один  проект-два  日本語  ");
        assert_eq!(shown(32), "  проект-один  проект-два  …");
        assert_eq!(shown(27), "  проект-один  …");
        let open = OpenCompletion {
            candidates: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            chosen: 3,
            ..open
        };
        let shown = format_candidates(&open, theme, 20).to_string();
        assert_eq!(shown, "… b  c  d  ");
    }

    #[test]
    fn all_of_a_note_on_a_filter_is_read() {
        let shown = |note: &str, columns, lines| {
            let mut app = opened();
            app.list.mistake = Some(note.to_owned());
            screen(&mut app, columns, lines)
        };
        let note = "`las` is not a time, left out; write a date (2026-01-15), a month (2026-01), \
                    a span (3d) or a word (yesterday)";
        let folded = shown(note, 80, 24).replace('\n', " ");
        assert!(folded.contains(&format!("> lantern {note} ▌")), "{folded}");
        let cut = shown(&note.repeat(3), 40, 12);
        assert!(cut.lines().nth(3).unwrap().ends_with('…'), "{cut}");
        assert!(cut.lines().nth(4).unwrap().starts_with('▌'), "{cut}");
        let small = shown(note, 40, 6);
        assert!(small.lines().nth(2).unwrap().starts_with('▌'), "{small}");
    }

    #[test]
    fn words_that_were_corrected_are_told_below_the_query() {
        let mut app = App::new("lantren");
        let rows = vec![row(session(1, "one", 1), None, &[])];
        let AppMessage::ListReady(mut listed) = listing(&mut app, rows, &[]) else {
            panic!("a listing");
        };
        listed.unfound = Some("nothing holds `lantren`; searched `lantern`".into());
        app.handle_message(AppMessage::ListReady(listed));
        app.files_left = Some(0);
        let shown = screen(&mut app, 80, 12);
        assert!(
            shown.contains("> lantren\nnothing holds `lantren`; searched `lantern`\n"),
            "{shown}"
        );
    }

    #[test]
    fn counts_are_left_out_where_they_would_touch_the_switches() {
        let mut app = opened();
        app.list.sessions = Some(17);
        let mut status = |columns, files_left| {
            app.files_left = files_left;
            screen(&mut app, columns, 10)
                .lines()
                .nth(1)
                .unwrap()
                .to_owned()
        };
        let switches = "  sessions  turns   this project";
        assert_eq!(status(46, Some(0)), format!("{switches}  17 sessions"));
        assert_eq!(status(44, Some(0)), switches);
        assert_eq!(status(44, None), format!("{switches}    reading"));
    }

    #[test]
    fn how_far_the_histories_are_read_is_told_until_they_are() {
        let mut app = App::new("");
        let (done, total) = (77_000_000, 243_000_000);
        app.handle_message(AppMessage::Reading(ReadBytes { done, total }));
        let status = |app: &mut App| screen(app, 80, 12).lines().nth(1).unwrap().to_owned();
        assert!(status(&mut app).ends_with("   reading 77 MB of 243 MB"));
        app.handle_message(AppMessage::Refreshed { files_left: None });
        assert!(status(&mut app).ends_with("   reading"));
    }
}
