//! Keys that change the state.

use super::*;
use crate::view::tests::{listing, opened, press, row, screen, session};
use session_search::Level;

const NO_KEY: KeyModifiers = KeyModifiers::NONE;

/// The picker with a query and the values of an index, of which no list came.
fn typed(query: &str) -> App {
    let mut app = App::new(query);
    let values = FilterValues {
        branches: vec!["feat/lamp".into(), "fix/lamp".into()],
        ..FilterValues::default()
    };
    app.handle_message(AppMessage::Values(Box::new(values)));
    app
}

#[test]
fn tab_behind_a_filter_that_nothing_completes_says_so() {
    let mut app = typed("branch:nonexi");
    assert!(press(&mut app, KeyCode::Tab, NO_KEY).is_none());
    assert_eq!(app.list.level, Level::Session);
    let note = "nothing completes `branch:nonexi` further; behind a space Tab switches between sessions and turns";
    assert_eq!(app.note.as_deref(), Some(note));
    press(&mut app, KeyCode::Char(' '), NO_KEY);
    press(&mut app, KeyCode::Tab, NO_KEY);
    assert_eq!(app.list.level, Level::Turn);
}

#[test]
fn shift_tab_goes_backwards_and_waits_for_values_as_tab_does() {
    let mut app = typed("branch:");
    press(&mut app, KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(app.query.text(), "branch:fix/lamp");
    let mut early = App::new("branch:");
    press(&mut early, KeyCode::BackTab, KeyModifiers::SHIFT);
    let waiting = early.deferred.take_events();
    assert!(matches!(&waiting[..], [Event::Key(key)] if key.code == KeyCode::BackTab));
}

#[test]
fn home_and_end_move_in_the_list_where_no_text_is_typed() {
    let mut app = opened();
    let mut selected = |code, modifiers| {
        press(&mut app, code, modifiers);
        app.list.selected
    };
    assert_eq!(selected(KeyCode::End, NO_KEY), 0);
    assert_eq!(selected(KeyCode::End, KeyModifiers::CONTROL), 2);
    assert_eq!(selected(KeyCode::Home, NO_KEY), 2);
    assert_eq!(selected(KeyCode::Home, KeyModifiers::CONTROL), 0);
    app.query = QueryLine::new("");
    press(&mut app, KeyCode::End, NO_KEY);
    assert_eq!(app.list.selected, 2);
    press(&mut app, KeyCode::Home, NO_KEY);
    assert_eq!(app.list.selected, 0);
}

#[test]
fn an_action_on_an_empty_list_says_that_nothing_is_listed() {
    for (code, modifiers) in [
        (KeyCode::Char('r'), KeyModifiers::ALT),
        (KeyCode::Enter, NO_KEY),
    ] {
        let mut app = App::new("");
        let listed = listing(&mut app, Vec::new(), &[]);
        app.handle_message(listed);
        assert!(press(&mut app, code, modifiers).is_none());
        assert_eq!(app.note.as_deref(), Some(NOTHING_LISTED));
    }
}

#[test]
fn a_text_that_is_cut_when_it_is_pasted_is_told_of() {
    let mut app = App::new("");
    app.handle_event(&Event::Paste("lamp ".repeat(2000)));
    assert_eq!(app.note.as_deref(), Some("only the first 4 KB are pasted"));
    app.handle_event(&Event::Paste("lamp".into()));
    assert_eq!(app.note, None);
}

#[test]
fn a_match_is_counted_and_one_past_the_end_says_so() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, NO_KEY);
    screen(&mut app, 80, 20);
    let mut note = |key: char| {
        press(&mut app, KeyCode::Char(key), NO_KEY);
        app.note.clone().unwrap_or_default()
    };
    // The prompt and the answer hold the word of the query; it opens at the first one.
    let [begin, end] = ["from the beginning again", "from the end again"];
    let notes = ['n', 'n', 'N', 'N', 'j'].map(&mut note);
    let [begin, end] = [begin, end].map(|around| format!(", {around}"));
    let expected = [
        "match 2/2".to_owned(),
        format!("match 1/2{begin}"),
        format!("match 2/2{end}"),
        "match 1/2".to_owned(),
        String::new(),
    ];
    assert_eq!(notes, expected);
}

#[test]
fn the_row_that_is_selected_is_counted() {
    let mut app = App::new("");
    let mut status = |rows: i64| {
        let rows = (0..rows).map(|id| row(session(id, "A lantern", 3), None, &[]));
        let listed = listing(&mut app, rows.collect(), &[]);
        app.handle_message(listed);
        app.handle_message(AppMessage::Refreshed {
            files_left: Some(0),
        });
        press(&mut app, KeyCode::Down, NO_KEY);
        screen(&mut app, 80, 24).lines().nth(1).unwrap().to_owned()
    };
    assert!(status(3).ends_with("   2/3  3 sessions"));
    assert!(status(50).ends_with("   3/50+  50 sessions"));
    assert!(status(0).ends_with("   0 sessions"));
}

#[test]
fn the_first_row_stays_selected_once_all_histories_were_read() {
    let list = |app: &mut App, ids: &[i64]| {
        let rows = ids.iter();
        let rows = rows.map(|id| row(session(*id, "A lantern", 3), None, &[]));
        let listed = listing(app, rows.collect(), &[]);
        app.handle_message(listed);
        app.list.selected
    };
    let look_again = |app: &mut App| {
        app.handle_message(AppMessage::Refreshed {
            files_left: Some(0),
        });
    };
    let mut app = App::new("");
    list(&mut app, &[1, 2]);
    look_again(&mut app);
    assert_eq!(list(&mut app, &[9, 1, 2]), 0, "it was still to be read");
    look_again(&mut app);
    assert_eq!(list(&mut app, &[8, 9, 1, 2]), 1);
    press(&mut app, KeyCode::Char('s'), NO_KEY);
    let listed = listing(&mut app, vec![row(session(7, "A", 0), None, &[])], &[]);
    app.handle_message(listed);
    assert_eq!(app.list.selected, 0);
}

#[test]
fn keys_of_shells_and_of_fzf_are_no_others() {
    let (alt, control) = (KeyModifiers::ALT, KeyModifiers::CONTROL);
    let mut app = opened();
    assert!(press(&mut app, KeyCode::Char('b'), alt).is_none());
    assert!(press(&mut app, KeyCode::Char('f'), alt).is_none());
    assert_eq!(app.query.input().cursor(), "lantern".len());
    let forked = press(&mut app, KeyCode::Char('s'), alt);
    assert!(matches!(
        forked,
        Some(AppEffect::Act(PickerAction::Fork, _))
    ));
    for (letter, selected) in [('j', 1), ('j', 2), ('k', 1), ('n', 2), ('p', 1)] {
        press(&mut app, KeyCode::Char(letter), control);
        assert_eq!(app.list.selected, selected, "{letter}");
    }
    press(&mut app, KeyCode::Enter, NO_KEY);
    assert!(press(&mut app, KeyCode::Char('g'), control).is_none());
    assert!(app.conversation.is_none());
    let left = press(&mut app, KeyCode::Char('g'), control);
    assert!(matches!(left, Some(AppEffect::Quit)));
}

#[test]
fn esc_closes_the_candidates_of_a_filter_first() {
    let mut app = typed("lamp branch:f");
    press(&mut app, KeyCode::Tab, NO_KEY);
    press(&mut app, KeyCode::Tab, NO_KEY);
    assert_eq!(app.query.text(), "lamp branch:fix/lamp");
    let closed = press(&mut app, KeyCode::Esc, NO_KEY);
    assert!(matches!(closed, Some(AppEffect::Search)));
    assert_eq!(app.query.text(), "lamp branch:f");
    let closed = press(&mut app, KeyCode::Esc, NO_KEY);
    assert!(matches!(closed, Some(AppEffect::Quit)));
}

#[test]
fn the_preview_is_paged() {
    let mut app = opened();
    screen(&mut app, 80, 16);
    let mut top = |code| {
        press(&mut app, code, KeyModifiers::SHIFT);
        let pane = &app.preview.as_ref().unwrap().pane;
        pane.text.lines_before(pane.top()).count()
    };
    let [down, up] = [top(KeyCode::PageDown), top(KeyCode::PageUp)];
    assert!(down > 1, "{down}");
    assert_eq!(up, 0);
    assert_eq!(app.list.selected, 0);
}
