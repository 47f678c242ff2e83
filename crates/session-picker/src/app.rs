//! The state of the picker, and what each key does to it. Nothing is drawn, read or searched here.

use crate::action::{ActionTarget, PickerAction};
use crate::app_effect::AppEffect;
use crate::conversation::{ConversationView, ReadingState};
use crate::deferred_keys::DeferredKeys;
use crate::list::RowList;
use crate::message::{AppMessage, ReadBytes};
use crate::overlay::{Overlay, OverlayStep};
use crate::preview_pane::PreviewPane;
use crate::query_line::{QueryLine, note_cut_paste};
use crate::text_blocks::SearchDirection;
use crate::text_lines::CallDetail;
use crate::text_pane::{SearchState, TextPane};
use crate::worker::{LoadedTurns, TurnsRequest};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use session_query::FilterValues;

const SEARCHING: &str = "searching…";
const NOTHING_LISTED: &str = "nothing is listed";
const NOT_FOUND: &str = "not found";
const NOT_FOUND_IN_SHOWN: &str = "not found in what is shown; t shows calls in full";

mod list_keys;

/// The whole state of the picker.
pub(crate) struct App {
    pub(crate) query: QueryLine,
    pub(crate) list: RowList,
    /// `None` until they were read.
    pub(crate) values: Option<FilterValues>,
    pub(crate) preview: Option<PreviewPane>,
    pub(crate) conversation: Option<ConversationView>,
    /// The help or the form over all that.
    pub(crate) overlay: Option<Overlay>,
    /// The note of the last action, until the next key.
    pub(crate) note: Option<String>,
    /// Files that a refresh has still to read; `None` before the first has ended.
    pub(crate) files_left: Option<usize>,
    /// How far the refresh that runs has read.
    pub(crate) reading: Option<ReadBytes>,
    /// The folder's project alone.
    pub(crate) this_project: bool,
    /// The area in which the preview was drawn last, for the mouse.
    pub(crate) preview_area: Rect,
    /// The turn that was asked for last.
    requested_preview: Option<TurnsRequest>,
    deferred: DeferredKeys,
}

impl App {
    /// Begins with a query.
    pub(crate) fn new(query: &str) -> Self {
        Self {
            query: QueryLine::new(query),
            list: RowList::default(),
            values: None,
            preview: None,
            conversation: None,
            overlay: None,
            note: None,
            files_left: None,
            reading: None,
            this_project: false,
            preview_area: Rect::default(),
            requested_preview: None,
            deferred: DeferredKeys::default(),
        }
    }

    /// Takes what a thread found out.
    pub(crate) fn handle_message(&mut self, message: AppMessage) -> Option<AppEffect> {
        match message {
            AppMessage::Input(event) => return self.handle_event(&event),
            AppMessage::ListReady(listing) => {
                self.list.set_answer(*listing);
                let deferred = self.handle_deferred();
                return deferred.or_else(|| self.reopen_grown_conversation());
            }
            AppMessage::Values(values) => {
                self.values = Some(*values);
                return self.handle_deferred();
            }
            AppMessage::Loaded(loaded) => return self.show_loaded_turns(*loaded),
            AppMessage::ListFailed(reason) => {
                self.list.set_failure(reason);
                return self.handle_deferred();
            }
            AppMessage::TurnsFailed(reason) => self.show_load_failure(reason),
            AppMessage::Note(note) => self.note = Some(note),
            AppMessage::Reading(read) => self.reading = Some(read),
            AppMessage::Refreshed { files_left } => {
                if self.files_left == Some(0) {
                    self.list.keep_first_row();
                }
                self.files_left = files_left;
                self.reading = None;
                return Some(AppEffect::Prepare);
            }
            AppMessage::Prepared => {
                if self.files_left.is_some() {
                    self.list.note_refresh();
                }
                return Some(AppEffect::Search);
            }
        }
        None
    }

    /// Gives back the keys that waited for the rows that are there now.
    fn handle_deferred(&mut self) -> Option<AppEffect> {
        let is_due = !self.list.is_outdated() && !self.deferred.is_empty();
        is_due.then(|| AppEffect::Handle(self.deferred.take_events()))
    }

    /// Returns the turn that the preview has to show, once.
    pub(crate) fn request_preview(&mut self) -> Option<TurnsRequest> {
        let row = self
            .list
            .selected_row()
            .filter(|_| self.conversation.is_none())?;
        let wanted = Some(TurnsRequest {
            session: row.session.clone(),
            turn: Some(row.turn_index()),
        });
        if self.requested_preview == wanted {
            return None;
        }
        self.requested_preview.clone_from(&wanted);
        wanted
    }

    /// Takes turns that were read: of the preview, or of the conversation.
    fn show_loaded_turns(&mut self, loaded: LoadedTurns) -> Option<AppEffect> {
        let LoadedTurns {
            request: TurnsRequest { session, turn },
            exchanges,
        } = loaded;
        match (&mut self.conversation, turn) {
            (Some(conversation), None) if conversation.session.id == session.id => {
                if exchanges.is_empty() && session.turns > 0 {
                    self.close_conversation();
                    self.note = Some("its turns are no longer in the index".into());
                    return Some(AppEffect::Search);
                }
                conversation.set_exchanges(exchanges);
            }
            (_, Some(turn)) => {
                self.preview = Some(PreviewPane::new(session, turn, exchanges));
            }
            _ => {}
        }
        None
    }

    fn show_load_failure(&mut self, reason: String) {
        self.note = Some(reason);
        if let Some(conversation) = &mut self.conversation {
            conversation.reading = ReadingState::Failed;
        }
    }

    /// Lays the preview out for a pane, opened at the first word that matches.
    pub(crate) fn lay_out_preview(&mut self, columns: usize, height: usize) {
        if let Some(preview) = &mut self.preview {
            preview.lay_out(columns, height, &self.list.terms);
        }
    }

    /// Returns the text in which a match is looked for, or its matches are counted.
    fn searched_pane(&mut self) -> Option<&mut TextPane> {
        let pane = match (&mut self.conversation, &mut self.preview) {
            (Some(conversation), _) => &mut conversation.pane,
            (None, Some(preview)) => &mut preview.pane,
            (None, None) => return None,
        };
        pane.is_busy().then_some(pane)
    }

    /// Goes on for a moment to look for a match that is far away, or to count the matches. Returns false where there is
    /// nothing to do.
    pub(crate) fn continue_search(&mut self) -> bool {
        let Some(pane) = self.searched_pane() else {
            return false;
        };
        if !pane.is_searching() {
            self.continue_count();
            return true;
        }
        let state = pane.continue_search();
        if self.note.as_deref() == Some(SEARCHING) {
            self.note = self.note_search(state);
        }
        true
    }

    /// Goes on to count the matches of the conversation, and notes which one was found once all are counted.
    fn continue_count(&mut self) {
        let conversation = self.conversation.as_mut();
        if let Some(number) = conversation.and_then(|c| c.pane.continue_count()) {
            let around = self.note.take();
            let around = around.map_or(String::new(), |note| format!(", {note}"));
            self.note = Some(format!("{number}{around}"));
        }
    }

    /// Returns the note on a search for a match. A match that is not found may be in the hidden part of a call.
    fn note_search(&self, state: SearchState) -> Option<String> {
        let conversation = self.conversation.as_ref();
        let note = match state {
            SearchState::Found => return None,
            SearchState::Running => SEARCHING,
            SearchState::FoundAround(SearchDirection::Forwards) => "from the beginning again",
            SearchState::FoundAround(SearchDirection::Backwards) => "from the end again",
            SearchState::NotFound if conversation.is_some_and(|c| c.calls != CallDetail::Full) => {
                NOT_FOUND_IN_SHOWN
            }
            SearchState::NotFound => NOT_FOUND,
        };
        Some(note.to_owned())
    }

    /// Handles an event.
    pub(crate) fn handle_event(&mut self, event: &Event) -> Option<AppEffect> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let key = replace_leave_key(*key);
                self.handle_key(key, &Event::Key(key))
            }
            Event::Mouse(mouse) => self.handle_mouse(*mouse),
            Event::Paste(text) => self.handle_paste(event, text),
            _ => None,
        }
    }

    /// Pastes into the line that is typed in, if there is one.
    fn handle_paste(&mut self, event: &Event, text: &str) -> Option<AppEffect> {
        let mut effect = None;
        match (&mut self.overlay, &mut self.conversation) {
            (Some(Overlay::Form(form)), _) => form.edit(event),
            (None, Some(conversation)) if conversation.is_typing => {
                conversation.edit_search(event);
            }
            (Some(Overlay::Help { .. }), _) | (None, Some(_)) => return None,
            (None, None) if self.list.is_outdated() && self.deferred.has_action() => {
                self.deferred.push(event.clone());
                return None;
            }
            (None, None) => effect = self.edit_query(event),
        }
        self.note = note_cut_paste(text);
        effect
    }

    fn handle_key(&mut self, key: KeyEvent, event: &Event) -> Option<AppEffect> {
        self.note = None;
        if let Some(pane) = self.searched_pane() {
            pane.stop_searching();
        }
        if let (KeyModifiers::CONTROL, KeyCode::Char(letter)) = (key.modifiers, key.code) {
            match letter {
                'c' => return Some(AppEffect::Quit),
                'l' => return Some(AppEffect::Redraw),
                'z' => return Some(AppEffect::Suspend),
                _ => {}
            }
        }
        if self.overlay.is_some() {
            return self.handle_overlay_key(key.code, event);
        }
        let is_early = self.conversation.is_none() && self.list.is_outdated();
        if is_early && self.deferred.must_defer(key) {
            self.deferred.push(event.clone());
            return None;
        }
        let opens_help = (key.modifiers, key.code) == (KeyModifiers::ALT, KeyCode::Char('h'));
        if key.code == KeyCode::F(1) || opens_help {
            self.open_help();
            return None;
        }
        match self.conversation {
            Some(_) => self.handle_conversation_key(key, event),
            None => self.handle_list_key(key, event),
        }
    }

    fn open_help(&mut self) {
        self.overlay = Some(Overlay::Help { offset: 0 });
    }

    fn handle_overlay_key(&mut self, code: KeyCode, event: &Event) -> Option<AppEffect> {
        let step = self.overlay.as_mut()?.handle_key(code, event);
        let closed = match step {
            OverlayStep::Open => None,
            OverlayStep::Closed | OverlayStep::Done => self.overlay.take(),
        };
        match closed? {
            Overlay::Form(form) if step == OverlayStep::Done => Some(AppEffect::Save(form)),
            Overlay::Form(_) | Overlay::Help { .. } => None,
        }
    }

    fn handle_conversation_key(&mut self, key: KeyEvent, event: &Event) -> Option<AppEffect> {
        let conversation = self.conversation.as_mut()?;
        let searched = match key.code {
            code if conversation.is_typing => conversation.handle_search_key(code, event),
            // Ctrl-E and the like are no actions.
            KeyCode::Char(letter) if key.modifiers.contains(KeyModifiers::CONTROL) => {
                conversation.scroll_by_control_letter(letter);
                None
            }
            KeyCode::Esc | KeyCode::Char('q') => {
                self.close_conversation();
                None
            }
            KeyCode::Char('h' | '?') => {
                self.open_help();
                None
            }
            KeyCode::Char(letter) => match PickerAction::from_key_letter(letter) {
                Some(action) => return self.start_action(action),
                None => conversation.handle_scroll_key(key.code),
            },
            code => conversation.handle_scroll_key(code),
        };
        self.note = searched.and_then(|state| self.note_search(state));
        self.continue_count();
        None
    }

    /// Goes back to the list. The preview is asked for again: it may have given way to the conversation.
    fn close_conversation(&mut self) {
        self.conversation = None;
        self.requested_preview = None;
    }

    /// Asks for all turns of the open conversation where the list knows a later state of its session. A match that
    /// is being looked for comes first.
    fn reopen_grown_conversation(&mut self) -> Option<AppEffect> {
        let conversation = self.conversation.as_mut()?;
        let session = self.list.find_session(conversation.session.id)?;
        conversation
            .grow_to(session)
            .then(|| AppEffect::Open(session.clone()))
    }

    fn edit_query(&mut self, event: &Event) -> Option<AppEffect> {
        self.query.handle_event(event).then(|| self.reset_list())
    }

    fn reset_list(&mut self) -> AppEffect {
        self.deferred.clear();
        self.list.reset();
        AppEffect::Search
    }

    /// Returns the session and turn that actions are about; where there is none notes that.
    fn action_target(&mut self) -> Option<ActionTarget> {
        if let Some(conversation) = &self.conversation {
            return Some(ActionTarget {
                session: conversation.session.clone(),
                turn: conversation.turn(),
            });
        }
        let Some(row) = self.list.selected_row() else {
            self.note = Some(NOTHING_LISTED.into());
            return None;
        };
        Some(ActionTarget {
            session: row.session.clone(),
            turn: row.turn_index(),
        })
    }

    fn start_action(&mut self, action: PickerAction) -> Option<AppEffect> {
        Some(AppEffect::Act(action, self.action_target()?))
    }

    fn open_conversation(&mut self) -> Option<AppEffect> {
        let ActionTarget { session, turn } = self.action_target()?;
        let preview = self.preview.as_ref();
        let known = preview.map_or(&[][..], |preview| preview.exchanges_of(&session, turn));
        let known = known.to_vec();
        let terms = self.list.terms.clone();
        self.conversation = Some(ConversationView::new(session.clone(), turn, terms, known));
        Some(AppEffect::Open(session))
    }

    fn handle_mouse(&mut self, mouse: MouseEvent) -> Option<AppEffect> {
        let position = Position::new(mouse.column, mouse.row);
        let lines = match mouse.kind {
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::Down(MouseButton::Left) => return self.handle_click(position),
            _ => return None,
        };
        match &mut self.conversation {
            _ if self.overlay.is_some() => {}
            Some(conversation) => conversation.pane.scroll_by(lines),
            None if self.preview_area.contains(position) => return self.scroll_preview(lines),
            None => return self.move_selection(lines.signum()),
        }
        None
    }

    /// Closes the help; else selects the row that is clicked, and opens the one that is selected.
    fn handle_click(&mut self, position: Position) -> Option<AppEffect> {
        if let Some(Overlay::Help { .. }) = self.overlay {
            self.overlay = None;
            return None;
        }
        if self.conversation.is_some() || self.overlay.is_some() {
            return None;
        }
        let at = self.list.row_at(position)?;
        if at == self.list.selected {
            self.open_conversation()
        } else {
            self.list.selected = at;
            None
        }
    }
}

/// Returns Esc in the place of Ctrl-G, by which fzf and Emacs leave.
fn replace_leave_key(key: KeyEvent) -> KeyEvent {
    match (key.modifiers, key.code) {
        (KeyModifiers::CONTROL, KeyCode::Char('g')) => KeyCode::Esc.into(),
        _ => key,
    }
}

#[cfg(test)]
mod tests;
