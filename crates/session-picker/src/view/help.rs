//! The keys and what they do, in a box over everything else.

use super::overlay::draw_box;
use crate::action::PickerAction;
use crate::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use session_display::wrap_lines;

const LIST_KEY_HELP: [(&str, &str); 11] = [
    ("letters", "search"),
    (
        "agent: project: branch: file:",
        "filter, also since: until: when:; - negates",
    ),
    ("Tab Shift-Tab", "complete a filter; else sessions or turns"),
    ("↑ ↓ Ctrl-KJPN PgUp PgDn", "move"),
    ("Ctrl-Home Ctrl-End", "first row, last row read"),
    ("Shift-↑ ↓ PgUp PgDn", "scroll the preview"),
    ("Enter", "open the conversation"),
    ("Alt-P", "this project, worktrees included, or all"),
    ("Ctrl-ABDEFUWY Alt-BDF", "edit the query"),
    ("Ctrl-L Ctrl-Z", "draw everything anew, suspend until `fg`"),
    ("Esc Ctrl-G Ctrl-C", "quit"),
];

/// The marks and the numbers of a row.
const ROW_HELP: [(&str, &str); 2] = [
    ("● ◐ ○", "strong, moderate, weak match"),
    ("12  :7", "number of turns, address of a turn"),
];

const CONVERSATION_KEY_HELP: [(&str, &str); 10] = [
    ("j k ↑ ↓ Space b PgUp PgDn", "scroll"),
    ("Ctrl-D Ctrl-U Ctrl-F Ctrl-B", "scroll half a page, a page"),
    ("J K", "next turn, previous turn"),
    ("g G", "beginning, end"),
    ("/", "find a text"),
    ("n N", "next match, previous match"),
    ("t", "calls: short, full, off"),
    ("Ctrl-L Ctrl-Z", "draw everything anew, suspend until `fg`"),
    ("Esc q", "back to the list"),
    ("Ctrl-C", "quit"),
];

/// Columns of the keys where what they do stands beside them.
const KEY_COLUMNS: usize = 30;
/// Columns from which it does.
const TWO_COLUMNS: usize = 50;
/// Columns and lines of the box around the keys.
const FRAME: (u16, u16) = (4, 2);

/// Draws the keys, and what they do: as many lines as there is room for, from the one on to which they are scrolled.
pub(super) fn draw_help(
    frame: &mut Frame<'_>,
    is_conversation: bool,
    offset: &mut usize,
    theme: Theme,
    area: Rect,
) {
    let columns = usize::from(area.width.saturating_sub(FRAME.0));
    let room = usize::from(area.height.saturating_sub(FRAME.1));
    let mut lines = format_help_lines(is_conversation, theme, columns);
    if lines.len() > room {
        // The last line says that there are more.
        let shown = room.saturating_sub(1);
        *offset = (*offset).min(lines.len() - shown);
        lines = lines.split_off(*offset);
        lines.truncate(shown);
        lines.push(Line::styled("… ↑ ↓ PgUp PgDn scroll", theme.faint()));
    }
    draw_box(frame, "keys", lines, theme, area);
}

fn format_help_lines(is_conversation: bool, theme: Theme, columns: usize) -> Vec<Line<'static>> {
    let (keys, before, marks): (&[(&str, &str)], _, &[_]) = if is_conversation {
        (&CONVERSATION_KEY_HELP, "", &[])
    } else {
        (&LIST_KEY_HELP, "Alt-", &ROW_HELP)
    };
    let format_all = |keys: &[(&str, &str)]| {
        let lines = keys.iter();
        lines
            .flat_map(|(key, does)| format_key_lines(key, does, theme, columns))
            .collect::<Vec<_>>()
    };
    let mut lines = format_all(keys);
    lines.push(Line::default());
    lines.extend(PickerAction::ALL.into_iter().flat_map(|action| {
        let letter = if is_conversation {
            action.key_letter()
        } else {
            action.key_letter().to_ascii_uppercase()
        };
        let key = format!("{before}{letter}");
        format_key_lines(&key, action.description(), theme, columns)
    }));
    if !marks.is_empty() {
        lines.push(Line::default());
        lines.extend(format_all(marks));
    }
    lines
}

/// Formats a key with what it does beside it, or below it where there are few columns.
fn format_key_lines(key: &str, does: &str, theme: Theme, columns: usize) -> Vec<Line<'static>> {
    let is_beside = columns >= TWO_COLUMNS;
    let indent = if is_beside { KEY_COLUMNS } else { 2 };
    let folded = wrap_lines(does, columns.saturating_sub(indent).max(1));
    let folded = folded.map(|line| format!("{}{line}", " ".repeat(indent)));
    let mut lines: Vec<Line<'_>> = folded.map(Line::from).collect();
    let key = Span::styled(key.to_owned(), theme.title());
    match lines.first_mut().filter(|_| is_beside) {
        Some(first) => {
            let fill = KEY_COLUMNS.saturating_sub(key.width()).max(1);
            let does = first.to_string().trim_start().to_owned();
            *first = Line::from(vec![key, Span::raw(" ".repeat(fill) + &does)]);
        }
        None => lines.insert(0, Line::from(key)),
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::app::App;
    use crate::view::tests::{opened, press, screen};
    use crossterm::event::{KeyCode, KeyModifiers};
    use insta::assert_snapshot;

    fn opened_help() -> App {
        let mut app = opened();
        press(&mut app, KeyCode::F(1), KeyModifiers::NONE);
        app
    }

    fn scroll(app: &mut App, key: KeyCode) -> String {
        press(app, key, KeyModifiers::NONE);
        screen(app, 40, 10)
    }

    #[test]
    fn what_a_key_does_stands_below_it_on_few_columns() {
        assert_snapshot!(screen(&mut opened_help(), 40, 10), @r"
        ┌ keys ───────────────────────────────┐
        │ letters                             │
        │   search                            │
        │ agent: project: branch: file:       │…
        │   filter, also since: until: when:; │…
        │   - negates                         │─
        │ Tab Shift-Tab                       │
        │   complete a filter; else sessions  │e
        │ … ↑ ↓ PgUp PgDn scroll              │
        └─────────────────────────────────────┘
        ");
    }

    #[test]
    fn what_a_key_does_is_folded_beside_it() {
        assert_snapshot!(screen(&mut opened_help(), 64, 10), @r"
        > ┌ keys ────────────────────────────────────────────────────┐
          │ letters                       search                     │s
        ▌ │ agent: project: branch: file: filter, also since: until: │
          │                               when:; - negates           │
          │ Tab Shift-Tab                 complete a filter; else    │m…
        ──│                               sessions or turns          │──
         T│ ↑ ↓ Ctrl-KJPN PgUp PgDn       move                       │
         /│ Ctrl-Home Ctrl-End            first row, last row read   │te
         W│ … ↑ ↓ PgUp PgDn scroll                                   │
        En└──────────────────────────────────────────────────────────┘
        ");
    }

    #[test]
    fn keys_that_do_not_fit_are_scrolled() {
        let mut app = opened_help();
        let first = screen(&mut app, 40, 10);
        assert!(scroll(&mut app, KeyCode::Down).contains("  search"));
        assert_eq!(scroll(&mut app, KeyCode::Up), first);
        assert!(!scroll(&mut app, KeyCode::PageDown).contains("letters"));
        let last = scroll(&mut app, KeyCode::End);
        assert!(
            last.contains("number of turns, address of a turn"),
            "{last}"
        );
        assert_eq!(scroll(&mut app, KeyCode::PageDown), last);
        assert_ne!(scroll(&mut app, KeyCode::Up), last);
        assert!(!scroll(&mut app, KeyCode::Esc).contains("keys"));
        press(&mut app, KeyCode::F(1), KeyModifiers::NONE);
        assert_eq!(screen(&mut app, 40, 10), first);
    }
}
