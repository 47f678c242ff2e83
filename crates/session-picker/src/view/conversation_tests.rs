//! The screen of a conversation.

use super::tests::{lantern_turn, opened, press, screen};
use crate::app_effect::AppEffect;
use crate::message::AppMessage;
use crate::worker::{LoadedTurns, TurnsRequest};
use crossterm::event::{KeyCode, KeyModifiers};

#[test]
fn a_conversation_that_was_forgotten_goes_back_to_the_list() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    let session = app.conversation.as_ref().unwrap().session.clone();
    let effect = app.handle_message(AppMessage::Loaded(Box::new(LoadedTurns {
        request: TurnsRequest {
            session,
            turn: None,
        },
        exchanges: Vec::new(),
    })));
    assert!(matches!(effect, Some(AppEffect::Search)));
    assert!(screen(&mut app, 80, 24).contains("its turns are no longer in the index"));
    assert!(app.conversation.is_none());
}

#[test]
fn a_search_says_that_calls_are_not_shown_in_full() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    let mut searched = |calls: &str| {
        let drawn = screen(&mut app, 80, 10);
        assert!(drawn.contains(&format!("calls {calls}")), "{drawn}");
        for key in "/3 lanterns lit\r".chars() {
            let code = match key {
                '\r' => KeyCode::Enter,
                letter => KeyCode::Char(letter),
            };
            press(&mut app, code, KeyModifiers::NONE);
        }
        let drawn = screen(&mut app, 80, 10);
        press(&mut app, KeyCode::Char('t'), KeyModifiers::NONE);
        drawn
    };
    let short = searched("short");
    let hint = "not found in what is shown; t shows calls in full";
    assert!(short.ends_with(hint), "{short}");
    assert!(!searched("full").contains("not found"));
    assert!(searched("off").ends_with(hint));
}

#[test]
fn a_conversation_that_cannot_be_read_says_so() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    app.handle_message(AppMessage::TurnsFailed("the index is gone".into()));
    press(&mut app, KeyCode::Char('j'), KeyModifiers::NONE);
    assert!(screen(&mut app, 80, 24).contains("not all read"));
}

#[test]
fn the_line_at_the_top_stays_when_calls_are_shown_otherwise() {
    let mut app = opened();
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    let session = app.conversation.as_ref().unwrap().session.clone();
    app.handle_message(AppMessage::Loaded(Box::new(LoadedTurns {
        request: TurnsRequest {
            session,
            turn: None,
        },
        exchanges: vec![lantern_turn()],
    })));
    screen(&mut app, 80, 6);
    let top = |app: &mut crate::app::App, columns| {
        screen(app, columns, 6).lines().nth(1).unwrap().to_owned()
    };
    for _ in 0..40 {
        if !top(&mut app, 80).contains("fill(3);") {
            press(&mut app, KeyCode::Down, KeyModifiers::NONE);
        }
    }
    for columns in [80, 80, 80, 60, 130] {
        assert_eq!(top(&mut app, columns), " fill(3);");
        press(&mut app, KeyCode::Char('t'), KeyModifiers::NONE);
    }
}
