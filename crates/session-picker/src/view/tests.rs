//! Snapshots of the screen.

use super::draw;
pub(crate) use super::overlay::tests::give_form;
use super::overlay::tests::open_form;
use crate::app::App;
use crate::app_effect::AppEffect;
use crate::list_answer::{ListAnswer, ListRequest, ListRow};
use crate::message::AppMessage;
use crate::theme::Theme;
use crate::worker::{LoadedTurns, TurnsRequest};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use insta::assert_snapshot;
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Modifier;
use session_core::{ConfidenceBand, ToolCall, Turn, TurnPart};
use session_display::mark_words;
use session_search::{Exchange, Level, TurnOrigin};
use session_store::{SessionId, SessionRow, TurnRow};

const HOUR_MS: i64 = 3_600_000;

pub(crate) fn session(id: i64, title: &str, hours: i64) -> SessionRow {
    SessionRow {
        id: SessionId::new(id),
        source: "keeper".into(),
        uid: format!("a{id}000000-0000-4000-8000-000000000000"),
        title: Some(title.into()),
        project: Some("/home/ann/harbour".into()),
        branch: Some("main".into()),
        ended_ms: Some(Timestamp::now().as_millisecond() - hours * HOUR_MS),
        turns: 12,
        ..SessionRow::default()
    }
}

pub(crate) fn row(session: SessionRow, band: Option<ConfidenceBand>, terms: &[&str]) -> ListRow {
    let title = session_display::session_title(&session);
    ListRow {
        text: mark_words(terms, &[&title]).unwrap().remove(0),
        turn: Some(TurnRow {
            session: session.id,
            index: 2,
            ..TurnRow::default()
        }),
        time_ms: session.ended_ms,
        session,
        band,
    }
}

pub(crate) fn listing(app: &mut App, rows: Vec<ListRow>, terms: &[&str]) -> AppMessage {
    let request: ListRequest = app.list.make_request(app.query.text(), app.this_project);
    AppMessage::ListReady(Box::new(ListAnswer {
        request,
        sessions: rows.len(),
        rows,
        terms: terms.iter().map(|term| (*term).to_owned()).collect(),
        mistake: None,
        unfound: None,
        unmet: None,
    }))
}

pub(super) fn lantern_turn() -> Exchange {
    let call = ToolCall {
        name: "Bash".into(),
        input: serde_json::json!({"command": "light --all"}),
        output: Some("3 lanterns lit".into()),
        ..ToolCall::default()
    };
    Exchange {
        origin: TurnOrigin::History,
        turn: Turn {
            index: 2,
            prompt: "Why does the **lantern** at the gate not burn?".into(),
            parts: vec![
                TurnPart::Call(call),
                TurnPart::Text {
                    text: "# Oil\n\nThe `lantern` has no oil:\n\n```\nfill(3);\n```\n".into(),
                },
            ],
            ..Turn::default()
        },
    }
}

/// A list of three sessions, with the preview of the first.
pub(crate) fn opened() -> App {
    let mut app = App::new("lantern");
    let terms = ["lantern"];
    let rows = vec![
        row(
            session(1, "The lantern at the gate", 3),
            Some(ConfidenceBand::Strong),
            &terms,
        ),
        row(
            session(
                2,
                "渡し場の灯り: a lantern for the ferry, which is told at some length",
                50,
            ),
            Some(ConfidenceBand::Moderate),
            &terms,
        ),
        row(
            session(
                3,
                "\u{1b}[31mred\u{1b}[0m \u{202e}thgin ta snretnal פנס",
                900,
            ),
            Some(ConfidenceBand::Weak),
            &terms,
        ),
    ];
    let shown = rows[0].session.clone();
    let listed = listing(&mut app, rows, &terms);
    app.handle_message(listed);
    app.handle_message(AppMessage::Refreshed {
        files_left: Some(0),
    });
    app.handle_message(AppMessage::Loaded(Box::new(LoadedTurns {
        request: TurnsRequest {
            session: shown,
            turn: Some(2),
        },
        exchanges: vec![lantern_turn()],
    })));
    app
}

fn terminal(app: &mut App, columns: u16, lines: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal
        .draw(|frame| draw(frame, app, Theme::new(true)))
        .unwrap();
    terminal
}

pub(crate) fn screen(app: &mut App, columns: u16, lines: u16) -> String {
    let text = terminal(app, columns, lines).backend().to_string();
    // After the line stands what the backend says of wide letters.
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix('"')?.rsplit_once('"'));
    let lines = lines.map(|(line, after)| match line.rsplit_once("\" Hidden by") {
        Some((line, _)) => line.trim_end(),
        None => {
            assert_eq!(after, "");
            line.trim_end()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn press(app: &mut App, code: KeyCode, modifiers: KeyModifiers) -> Option<AppEffect> {
    app.handle_event(&Event::Key(KeyEvent::new(code, modifiers)))
}

#[test]
fn a_list_with_the_preview_below() {
    assert_snapshot!(screen(&mut opened(), 80, 24));
}

#[test]
fn a_list_with_the_preview_beside() {
    assert_snapshot!(screen(&mut opened(), 130, 16));
}

#[test]
fn a_conversation() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    assert_snapshot!(screen(&mut app, 80, 20));
    press(&mut app, KeyCode::Char('t'), KeyModifiers::NONE);
    let full = screen(&mut app, 80, 20);
    assert!(full.contains("3 lanterns lit"), "{full}");
}

#[test]
fn the_keys() {
    let mut app = opened();
    press(&mut app, KeyCode::F(1), KeyModifiers::NONE);
    assert_snapshot!(screen(&mut app, 80, 24));
}

#[test]
fn words_that_match_are_marked_whether_there_are_colours_or_not() {
    for has_colours in [true, false] {
        let mut app = opened();
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal
            .draw(|frame| draw(frame, &mut app, Theme::new(has_colours)))
            .unwrap();
        let cells = terminal.backend().buffer().content.iter();
        let marked = cells.filter(|cell| {
            cell.modifier
                .contains(Modifier::UNDERLINED | Modifier::BOLD)
        });
        let marked: String = marked.map(|cell| cell.symbol()).collect();
        assert_eq!(marked.matches("lantern").count(), 4, "{marked}");
        let cells = &terminal.backend().buffer().content;
        let has = cells
            .iter()
            .any(|cell| cell.fg != ratatui::style::Color::Reset);
        assert_eq!(has, has_colours);
    }
}

#[test]
fn what_a_terminal_would_obey_is_drawn_nowhere() {
    let mut app = opened();
    app.query = crate::query_line::QueryLine::new("\u{1b}]0;owned\u{7}\u{202e}x");
    let terminal = terminal(&mut app, 80, 24);
    let symbols = terminal
        .backend()
        .buffer()
        .content
        .iter()
        .map(|cell| cell.symbol());
    let text: String = symbols.collect();
    let bad = |c: &char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(c);
    assert_eq!(text.chars().filter(bad).count(), 0, "{text:?}");
    assert!(text.contains("פנס"), "{text}");
}

#[test]
fn no_size_is_too_small() {
    for (columns, lines) in [(1, 1), (3, 2), (9, 4), (20, 6), (300, 3)] {
        let mut app = opened();
        terminal(&mut app, columns, lines);
        press(&mut app, KeyCode::F(1), KeyModifiers::NONE);
        terminal(&mut app, columns, lines);
        press(&mut app, KeyCode::Esc, KeyModifiers::NONE);
        open_form(&mut app, false);
        terminal(&mut app, columns, lines);
        press(&mut app, KeyCode::Esc, KeyModifiers::NONE);
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        press(&mut app, KeyCode::Char('/'), KeyModifiers::NONE);
        terminal(&mut app, columns, lines);
    }
}

#[test]
fn an_older_answer_is_dropped_and_a_refreshed_one_keeps_the_row() {
    let mut app = opened();
    let late = app.list.make_request("lan", false);
    let rows = || {
        vec![
            row(session(1, "one", 1), None, &[]),
            row(session(2, "two", 2), None, &[]),
        ]
    };
    let listed = listing(&mut app, rows(), &[]);
    app.handle_message(listed);
    app.handle_message(AppMessage::ListReady(Box::new(ListAnswer {
        request: late,
        rows: Vec::new(),
        sessions: 0,
        terms: Vec::new(),
        mistake: None,
        unfound: None,
        unmet: None,
    })));
    assert_eq!(app.list.rows.len(), 2);
    press(&mut app, KeyCode::Down, KeyModifiers::NONE);
    let mut more = rows();
    more.insert(0, row(session(9, "new", 0), None, &[]));
    let listed = listing(&mut app, more, &[]);
    app.handle_message(listed);
    assert_eq!(
        app.list.selected_row().unwrap().session.id,
        SessionId::new(2)
    );
    assert_eq!(app.list.level, Level::Session);
}

#[test]
fn the_preview_is_asked_for_again_after_a_conversation() {
    let mut app = opened();
    press(&mut app, KeyCode::Down, KeyModifiers::NONE);
    assert!(app.request_preview().is_some());
    // Opened before the preview was read: the session is read instead.
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    assert!(app.request_preview().is_none());
    press(&mut app, KeyCode::Esc, KeyModifiers::NONE);
    let wanted = app.request_preview().unwrap();
    assert_eq!(wanted.session.id, SessionId::new(2));
    assert!(app.request_preview().is_none());
}

#[test]
fn control_and_a_letter_do_nothing_in_a_conversation() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    for letter in "rsecyimq".chars().filter(|letter| *letter != 'c') {
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert!(app.handle_event(&Event::Key(key)).is_none(), "{letter}");
    }
    assert!(app.conversation.is_some() && app.overlay.is_none());
}

#[test]
fn what_is_pasted_and_the_wheel_reach_what_is_in_front() {
    let paste = Event::Paste("oil\n".into());
    let wheel = Event::Mouse(crossterm::event::MouseEvent {
        kind: crossterm::event::MouseEventKind::ScrollDown,
        column: 5,
        row: 4,
        modifiers: KeyModifiers::NONE,
    });
    let mut app = opened();
    screen(&mut app, 80, 24);
    press(&mut app, KeyCode::F(1), KeyModifiers::NONE);
    app.handle_event(&paste);
    app.handle_event(&wheel);
    press(&mut app, KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!((app.query.text(), app.list.selected), ("lantern", 0));
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    press(&mut app, KeyCode::Char('/'), KeyModifiers::NONE);
    app.handle_event(&paste);
    assert_eq!(app.conversation.unwrap().search.value(), "oil");
}

#[test]
fn the_whole_of_a_note_is_read_with_its_hint() {
    let mut app = opened();
    let path = "/home/ann/harbour/".repeat(5);
    let note = format!("`{path}page.html` is there already\nhint: move it \u{1b}[31maway");
    app.handle_message(AppMessage::Note(note));
    let screen = screen(&mut app, 80, 24);
    assert!(
        screen.ends_with("page.html` is there already\nhint: move it away"),
        "{screen}"
    );
}

#[test]
fn a_list_without_an_answer_says_why() {
    let mut app = opened();
    app.handle_message(AppMessage::ListFailed(
        "the index is damaged\nhint: make it anew".into(),
    ));
    let failed = screen(&mut app, 80, 24);
    assert!(
        failed.contains("\nthe index is damaged\nhint: make it anew\n"),
        "{failed}"
    );
    assert!(!failed.contains("The lantern at the gate"), "{failed}");
    let listed = listing(&mut app, vec![row(session(1, "one", 1), None, &[])], &[]);
    app.handle_message(listed);
    assert!(!screen(&mut app, 80, 24).contains("damaged"));
}

#[test]
fn the_keys_that_lead_on_are_named_on_a_narrow_screen() {
    let check = |columns: u16, keys: &str| {
        let shown = screen(&mut opened(), columns, 20);
        assert!(shown.trim_end().ends_with(keys), "{shown}");
    };
    check(60, "Enter open  Tab sessions/turns  F1 all keys  Esc quit");
    check(80, "F1 all keys  Esc quit  Alt-R resume");
}

#[test]
fn an_empty_list_says_what_leaves_nothing() {
    let check = |typed: &str, this_project: bool, sessions: usize, expected: &str| {
        let mut app = App::new(typed);
        app.this_project = this_project;
        app.handle_message(AppMessage::Refreshed {
            files_left: Some(0),
        });
        let AppMessage::ListReady(mut listed) = listing(&mut app, Vec::new(), &[]) else {
            panic!("a listing");
        };
        listed.sessions = sessions;
        app.handle_message(AppMessage::ListReady(listed));
        let shown = screen(&mut app, 80, 12);
        assert!(shown.contains(&format!("\n{expected}\n")), "{shown}");
    };
    check("lantern", false, 3, "nothing found");
    check(
        "lantern project:mole",
        false,
        0,
        "no session passes the filters",
    );
    let ways = "there is no history yet: Esc, then `session-search demo` shows a built-in one,\n`session-search doctor` says where histories are looked for";
    check("lantern", false, 0, ways);
    let other = "no session of this project passes; Alt-P shows all projects";
    check("lantern", true, 0, other);
    let other = "nothing found in this project; Alt-P searches all projects";
    check("lantern", true, 3, other);
}

#[test]
fn the_state_of_reading_is_told_alone_where_nothing_was_searched() {
    let shown = screen(&mut App::new(""), 80, 12);
    assert!(shown.contains("   reading\n"), "{shown}");
}

#[test]
fn titles_have_the_room_that_other_cells_do_not_need() {
    let mut app = opened();
    let long = "The lantern at the gate of the harbour, which does not burn since";
    let mut branched = session(1, long, 3);
    branched.branch = None;
    let listed = listing(&mut app, vec![row(branched.clone(), None, &[])], &[]);
    app.handle_message(listed);
    assert!(screen(&mut app, 100, 12).contains(long));
    branched.branch = Some("feat/a-branch-of-some-length".into());
    let listed = listing(&mut app, vec![row(branched, None, &[])], &[]);
    app.handle_message(listed);
    let shown = screen(&mut app, 100, 12);
    assert!(
        shown.contains(" feat/a-bran… ") && !shown.contains(long),
        "{shown}"
    );
}

#[test]
fn tab_behind_a_file_says_that_it_completes_none() {
    let mut app = opened();
    for letter in " file:*.rs".chars() {
        press(&mut app, KeyCode::Char(letter), KeyModifiers::NONE);
    }
    assert!(press(&mut app, KeyCode::Tab, KeyModifiers::NONE).is_none());
    assert_eq!(app.list.level, Level::Session);
    assert!(screen(&mut app, 100, 24).contains("names of files are not completed"));
    press(&mut app, KeyCode::Char(' '), KeyModifiers::NONE);
    press(&mut app, KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(app.list.level, Level::Turn);
}
