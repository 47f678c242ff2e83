//! The conversation that is open: level three.

use crate::marked::MarkedWords;
use crate::query_line::edit_input;
use crate::text_blocks::{SearchDirection, TextPosition};
use crate::text_lines::CallDetail;
use crate::text_pane::{SearchState, TextPane};
use crossterm::event::{Event, KeyCode};
use session_search::Exchange;
use session_store::SessionRow;
use tui_input::Input;

/// The state of reading the turns of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingState {
    /// They are being read.
    Running,
    /// All are there.
    Complete,
    /// They cannot be read.
    Failed,
}

/// A session with its turns as lines.
pub(crate) struct ConversationView {
    pub(crate) session: SessionRow,
    pub(crate) calls: CallDetail,
    /// The text that is searched within the conversation.
    pub(crate) search: Input,
    /// The words of the search are being typed.
    pub(crate) is_typing: bool,
    pub(crate) reading: ReadingState,
    pub(crate) pane: TextPane,
    /// The turn at the top, from 0.
    turn: u32,
    terms: Vec<String>,
    /// The match of the turn at which it opens is still to be shown.
    is_new: bool,
}

impl ConversationView {
    /// Opens a session at a turn. Its turns come later; until then those are shown that are known.
    pub(crate) fn new(
        session: SessionRow,
        turn: u32,
        terms: Vec<String>,
        known: Vec<Exchange>,
    ) -> Self {
        Self {
            pane: TextPane::new(known, session.turns),
            session,
            calls: CallDetail::default(),
            search: Input::default(),
            is_typing: false,
            reading: ReadingState::Running,
            turn,
            terms,
            is_new: true,
        }
    }

    /// Takes all turns. Where one was read already, its place stays.
    pub(crate) fn set_exchanges(&mut self, exchanges: Vec<Exchange>) {
        self.turn = self.top_turn();
        self.reading = ReadingState::Complete;
        if self.is_new || self.pane.is_searching() {
            self.pane = TextPane::new(exchanges, self.session.turns);
            self.is_new = true;
        } else {
            self.pane.replace_turns(exchanges, self.session.turns);
        }
    }

    /// Takes a later state of the session, in which it goes on; its turns come later. Returns false where it is the
    /// same one, or is not to be read now.
    pub(crate) fn grow_to(&mut self, session: &SessionRow) -> bool {
        let state = |session: &SessionRow| (session.turns, session.ended_ms);
        let is_ready = self.reading == ReadingState::Complete && !self.pane.is_searching();
        let has_grown = is_ready && state(&self.session) != state(session);
        if has_grown {
            self.session = session.clone();
        }
        has_grown
    }

    /// Returns the turn that is named in the head and meant by actions, from 0: the one at the top of the screen, or the
    /// last one where the end was gone to.
    pub(crate) fn turn(&self) -> u32 {
        let last = self.pane.turn_at_end();
        last.unwrap_or_else(|| self.top_turn())
    }

    fn top_turn(&self) -> u32 {
        self.pane.top_turn().unwrap_or(self.turn)
    }

    /// Lays the turns out for a screen, where that has changed; the line at the top stays there.
    pub(crate) fn lay_out(&mut self, columns: usize, height: usize) {
        self.turn = self.top_turn();
        if !self.pane.lay_out(columns, height, self.calls) {
            return;
        }
        self.update_marks();
        if self.is_new {
            let text = &self.pane.text;
            let turn = text.turn_start(self.turn)..text.turn_start(self.turn + 1);
            self.pane.open_at_match(turn);
            self.is_new = self.pane.top_turn().is_none();
        }
    }

    /// Marks what is searched here, or else the words of the query.
    fn update_marks(&mut self) {
        self.pane.set_marked(match self.search.value() {
            "" => MarkedWords::Terms(self.terms.clone()),
            text => MarkedWords::Text(text.to_owned()),
        });
    }

    /// Takes a key while the words of a search are typed. Returns the state of the search where one begins.
    pub(crate) fn handle_search_key(
        &mut self,
        code: KeyCode,
        event: &Event,
    ) -> Option<SearchState> {
        match code {
            KeyCode::Esc => {
                self.search = Input::default();
                self.is_typing = false;
                self.update_marks();
            }
            KeyCode::Enter => {
                self.is_typing = false;
                return Some(self.pane.go_to_match(SearchDirection::Forwards));
            }
            _ => self.edit_search(event),
        }
        None
    }

    /// Edits the words of a search by a key or by what is pasted.
    pub(crate) fn edit_search(&mut self, event: &Event) {
        edit_input(&mut self.search, event);
        self.update_marks();
    }

    /// Scrolls as pagers do by Ctrl and a letter.
    pub(crate) fn scroll_by_control_letter(&mut self, letter: char) {
        let page = self.pane.page_lines();
        self.pane.scroll_by(match letter {
            'j' | 'n' => 1,
            'k' | 'p' => -1,
            'd' => page / 2,
            'u' => -page / 2,
            'f' => page,
            'b' => -page,
            _ => return,
        });
    }

    /// Does what a key means for the place in the conversation. Returns the state of the search where a match is looked for.
    pub(crate) fn handle_scroll_key(&mut self, code: KeyCode) -> Option<SearchState> {
        let page = self.pane.page_lines();
        let pane = &mut self.pane;
        match code {
            KeyCode::Char('j') | KeyCode::Down => pane.scroll_by(1),
            KeyCode::Char('k') | KeyCode::Up => pane.scroll_by(-1),
            KeyCode::Char(' ') | KeyCode::PageDown => pane.scroll_by(page),
            KeyCode::Char('b') | KeyCode::PageUp => pane.scroll_by(-page),
            KeyCode::Char('g') | KeyCode::Home => pane.go_to(TextPosition::default()),
            KeyCode::Char('G') | KeyCode::End => pane.go_to_end(),
            KeyCode::Char('n') => return Some(pane.go_to_match(SearchDirection::Forwards)),
            KeyCode::Char('N') => return Some(pane.go_to_match(SearchDirection::Backwards)),
            KeyCode::Char('J') => self.go_to_turn(self.top_turn() + 1),
            KeyCode::Char('K') => self.go_to_previous_turn(),
            KeyCode::Char('/') => {
                self.search = Input::default();
                self.is_typing = true;
            }
            KeyCode::Char('t') => self.calls = self.calls.next(),
            _ => {}
        }
        None
    }

    fn go_to_turn(&mut self, turn: u32) {
        if turn < self.session.turns {
            self.pane.go_to(self.pane.text.turn_start(turn));
        }
    }

    /// Moves to the first line of this turn, or of the one before where that is at the top.
    fn go_to_previous_turn(&mut self) {
        let begin = self.pane.text.turn_start(self.top_turn());
        if begin == self.pane.top() {
            self.go_to_turn(self.top_turn().saturating_sub(1))
        } else {
            self.pane.go_to(begin)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app_effect::AppEffect;
    use crate::message::AppMessage;
    use crate::view::tests::{listing, opened, press, row, screen, session};
    use crate::worker::{LoadedTurns, TurnsRequest};
    use crossterm::event::KeyModifiers;
    use session_core::Turn;
    use session_search::TurnOrigin;

    fn turns(count: u32) -> Vec<Exchange> {
        let turn = |index| Turn {
            index,
            prompt: format!("Question {index}").repeat(9),
            ..Turn::default()
        };
        let exchange = |index| Exchange {
            origin: TurnOrigin::History,
            turn: turn(index),
        };
        (0..count).map(exchange).collect()
    }

    fn loaded(session: &SessionRow) -> AppMessage {
        AppMessage::Loaded(Box::new(LoadedTurns {
            exchanges: turns(session.turns),
            request: TurnsRequest {
                session: session.clone(),
                turn: None,
            },
        }))
    }

    #[test]
    fn the_keys_of_pagers_scroll() {
        let mut app = opened();
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        let shown = app.conversation.as_ref().unwrap().session.clone();
        app.handle_message(loaded(&shown));
        screen(&mut app, 80, 12);
        press(&mut app, KeyCode::Char('g'), KeyModifiers::NONE);
        let mut scroll = |letter, modifiers| {
            press(&mut app, KeyCode::Char(letter), modifiers);
            let pane = &app.conversation.as_ref().unwrap().pane;
            pane.text.lines_before(pane.top()).count()
        };
        let control = KeyModifiers::CONTROL;
        let tops = ['d', 'f', 'u', 'b', 'f'].map(|letter| scroll(letter, control));
        assert_eq!(tops, [4, 12, 8, 0, 8]);
        assert_eq!(scroll('b', KeyModifiers::NONE), 0);
        let lines = ['j', 'n', 'k', 'p'].map(|letter| scroll(letter, control));
        assert_eq!(lines, [1, 2, 1, 0]);
    }

    #[test]
    fn an_action_at_the_end_means_the_last_turn() {
        let mut app = opened();
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        let shown = app.conversation.as_ref().unwrap().session.clone();
        app.handle_message(loaded(&shown));
        screen(&mut app, 80, 20);
        for (key, turn) in [
            ('g', 0),
            ('G', 11),
            // The turn at the top is the ninth.
            ('J', 9),
            ('G', 11),
            ('K', 8),
            ('G', 11),
            ('g', 0),
        ] {
            press(&mut app, KeyCode::Char(key), KeyModifiers::NONE);
            let shown = screen(&mut app, 80, 20);
            let head = shown.lines().next().unwrap();
            let copied = press(&mut app, KeyCode::Char('y'), KeyModifiers::NONE);
            let Some(AppEffect::Act(_, target)) = copied else {
                panic!("{copied:?}");
            };
            assert_eq!(target.turn, turn, "{key} {shown}");
            assert!(head.contains(&format!(":{turn}  ")), "{head}");
        }
    }

    #[test]
    fn an_open_conversation_goes_on_where_its_session_does() {
        let mut app = opened();
        press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
        let mut shown = app.conversation.as_ref().unwrap().session.clone();
        app.handle_message(loaded(&shown));
        screen(&mut app, 80, 6);
        let row_of = |shown: &SessionRow| {
            let mut row = row(session(1, "The lantern at the gate", 3), None, &[]);
            row.session = shown.clone();
            row
        };
        let same = listing(&mut app, vec![row_of(&shown)], &[]);
        assert!(app.handle_message(same).is_none());
        let top = screen(&mut app, 80, 6);

        shown.turns += 1;
        let grown = listing(&mut app, vec![row_of(&shown)], &[]);
        let asked = app.handle_message(grown);
        assert!(matches!(asked, Some(AppEffect::Open(session)) if session == shown));
        app.handle_message(loaded(&shown));
        let after = screen(&mut app, 80, 6);
        let body = |screen: &str| screen.lines().skip(2).collect::<Vec<_>>().join("\n");
        assert_eq!(body(&after), body(&top), "the line at the top stays");
        press(&mut app, KeyCode::Char('G'), KeyModifiers::NONE);
        let last = format!("Question {}", shown.turns - 1);
        assert!(screen(&mut app, 80, 6).contains(&last));
    }
}
