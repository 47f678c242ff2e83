//! Keys that are typed ahead of the rows that they are meant for.

use crate::action::PickerAction;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Events that wait for rows, or for values of filters, which are still to come.
#[derive(Debug, Default)]
pub(crate) struct DeferredKeys {
    events: Vec<Event>,
}

impl DeferredKeys {
    pub(crate) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Takes the events in their order.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    pub(crate) fn clear(&mut self) {
        self.events.clear();
    }

    /// Returns true for a key of the list that has to wait while its rows are outdated.
    pub(crate) fn must_defer(&self, key: KeyEvent) -> bool {
        let waits = moves_to_row(key) || acts_on_row(key) || self.has_action();
        waits && key.code != KeyCode::Esc
    }

    /// Returns true if a key waits that opens a row or acts on it. What is typed behind it is meant for what it opens.
    pub(crate) fn has_action(&self) -> bool {
        let keys = self.events.iter().filter_map(Event::as_key_event);
        keys.into_iter().any(acts_on_row)
    }
}

fn moves_to_row(key: KeyEvent) -> bool {
    match (key.modifiers, key.code) {
        (KeyModifiers::SHIFT, _) => false,
        (_, KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown) => true,
        (KeyModifiers::CONTROL, KeyCode::Home | KeyCode::End) => true,
        (KeyModifiers::CONTROL, KeyCode::Char(letter)) => ['p', 'n', 'k', 'j'].contains(&letter),
        _ => false,
    }
}

fn acts_on_row(key: KeyEvent) -> bool {
    match (key.modifiers, key.code) {
        (KeyModifiers::SHIFT, _) => false,
        (_, KeyCode::Enter) => true,
        (KeyModifiers::ALT, KeyCode::Char(letter)) => {
            PickerAction::from_key_letter(letter).is_some()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::app::App;
    use crate::app_effect::AppEffect;
    use crate::message::AppMessage;
    use crate::overlay::Overlay;
    use crate::view::tests::{give_form, listing, opened, press, row, session};
    use crossterm::event::{Event, KeyCode, KeyModifiers};

    fn type_in(app: &mut App, text: &str) {
        for letter in text.chars() {
            press(app, KeyCode::Char(letter), KeyModifiers::NONE);
        }
    }

    /// Receives a message, and handles the keys that waited for it.
    fn receive_and_handle(app: &mut App, message: AppMessage) {
        let Some(AppEffect::Handle(events)) = app.handle_message(message) else {
            panic!("the keys are to be handled now");
        };
        for event in events {
            if let asked @ Some(AppEffect::Act(..)) = app.handle_event(&event) {
                give_form(app, asked, false);
            }
        }
    }

    /// Lists a session, and handles the keys that waited for it.
    fn list_and_handle(app: &mut App, title: &str) {
        let rows = vec![row(session(4, title, 5), None, &[])];
        let listed = listing(app, rows, &[]);
        receive_and_handle(app, listed);
    }

    #[test]
    fn a_key_for_a_row_waits_for_the_rows_of_the_query() {
        let mut app = opened();
        press(&mut app, KeyCode::Char('s'), KeyModifiers::NONE);
        press(&mut app, KeyCode::Down, KeyModifiers::NONE);
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        assert!(app.conversation.is_none());

        let rows = vec![
            row(session(4, "Lanterns of the pier", 5), None, &[]),
            row(session(5, "Lanterns of the mole", 6), None, &[]),
        ];
        let listed = listing(&mut app, rows, &[]);
        receive_and_handle(&mut app, listed);
        let opened = app.conversation.as_ref().unwrap();
        assert_eq!(
            opened.session.title.as_deref(),
            Some("Lanterns of the mole")
        );
    }

    #[test]
    fn keys_behind_an_enter_that_waits_are_for_what_it_opens() {
        let mut app = opened();
        type_in(&mut app, "s");
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        type_in(&mut app, "/oil");
        app.handle_event(&Event::Paste(" lamp".into()));
        press(&mut app, KeyCode::F(1), KeyModifiers::NONE);
        assert_eq!(app.query.text(), "lanterns");
        assert!(app.overlay.is_none());

        list_and_handle(&mut app, "Lanterns of the pier");
        let opened = app.conversation.as_ref().unwrap();
        assert_eq!(opened.search.value(), "oil lamp");
        assert_eq!(app.query.text(), "lanterns");
    }

    #[test]
    fn an_action_that_waits_is_not_lost_by_letters_behind_it() {
        let mut app = opened();
        type_in(&mut app, "s");
        press(&mut app, KeyCode::Char('m'), KeyModifiers::ALT);
        type_in(&mut app, "It burns oil");
        list_and_handle(&mut app, "Lanterns of the pier");
        let Some(Overlay::Form(form)) = &app.overlay else {
            panic!("the form is to be open");
        };
        assert_eq!(form.info(), "It burns oil");
    }

    #[test]
    fn esc_and_control_c_do_not_wait() {
        for (code, modifiers) in [
            (KeyCode::Esc, KeyModifiers::NONE),
            (KeyCode::Char('c'), KeyModifiers::CONTROL),
        ] {
            let mut app = opened();
            type_in(&mut app, "s");
            press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
            let key = Event::Key(crossterm::event::KeyEvent::new(code, modifiers));
            assert!(
                matches!(app.handle_event(&key), Some(AppEffect::Quit)),
                "{code:?}"
            );
        }
    }

    #[test]
    fn what_waited_for_a_list_that_fails_is_handled() {
        let mut app = opened();
        type_in(&mut app, "s");
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        type_in(&mut app, "x");
        receive_and_handle(&mut app, AppMessage::ListFailed("it is gone".into()));
        assert!(app.conversation.is_none());
        assert_eq!(app.query.text(), "lanternsx");
    }
}
