//! The state of the picker, and what each key does to it. Nothing is drawn, read or searched here.

use crate::action::{Action, ActionTarget};
use crate::conversation::{Conversation, Reading};
use crate::deferred_keys::DeferredKeys;
use crate::list::RowList;
use crate::marked::Marked;
use crate::memory_form::{FormStep, MemoryForm};
use crate::query_line::QueryLine;
use crate::text_blocks::LinePosition;
use crate::text_lines::CallDetail;
use crate::text_pane::{SearchState, TextPane};
use crate::worker::{LoadedTurns, Message, TurnsQuestion};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use session_query::FilterValues;
use session_search::Level;
use session_store::SessionRow;

/// Work that is done outside of the state.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Ask for the list again.
    Search,
    /// Prepare the index for the next list.
    Prepare,
    /// Read the whole session.
    Open(SessionRow),
    /// Handle these events now, in their order.
    Handle(Vec<Event>),
    /// Do something with a turn or its session.
    Act(Action, ActionTarget),
    /// Save a memory.
    Save(MemoryForm),
    /// Stop until continued.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// End without a session.
    Quit,
}

/// Lines by which PgUp and PgDn scroll the help: those of a small terminal.
const HELP_PAGE_LINES: usize = 7;
const SEARCHING: &str = "searching…";
const NOT_FOUND: &str = "not found";
const NOT_FOUND_IN_SHOWN: &str = "not found in what is shown; t shows calls in full";

/// The turn beside the list.
pub(crate) struct PreviewPane {
    pub(crate) session: SessionRow,
    turn: u32,
    pub(crate) pane: TextPane,
}

/// The whole state.
pub(crate) struct App {
    pub(crate) query: QueryLine,
    pub(crate) list: RowList,
    /// `None` until they were read.
    pub(crate) values: Option<FilterValues>,
    pub(crate) preview: Option<PreviewPane>,
    pub(crate) conversation: Option<Conversation>,
    pub(crate) form: Option<MemoryForm>,
    pub(crate) shows_help: bool,
    /// The first line of the help that is drawn.
    pub(crate) help_offset: usize,
    /// The note of the last action, until the next key.
    pub(crate) note: Option<String>,
    /// Files that a refresh has still to read; `None` before the first has ended.
    pub(crate) files_left: Option<usize>,
    /// The folder's project alone.
    pub(crate) this_project: bool,
    /// The area in which the preview was drawn last, for the mouse.
    pub(crate) preview_area: Rect,
    /// The turn that was asked for last.
    asked: Option<(SessionRow, u32)>,
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
            form: None,
            shows_help: false,
            help_offset: 0,
            note: None,
            files_left: None,
            this_project: false,
            preview_area: Rect::default(),
            asked: None,
            deferred: DeferredKeys::default(),
        }
    }

    /// Takes what a thread found out.
    pub(crate) fn receive(&mut self, message: Message) -> Option<Effect> {
        match message {
            Message::Input(event) => return self.handle(&event),
            Message::Listed(listing) => {
                self.list.receive(*listing);
                return self.handle_deferred();
            }
            Message::Values(values) => {
                self.values = Some(*values);
                return self.handle_deferred();
            }
            Message::Loaded(loaded) => return self.load(*loaded),
            Message::Unlisted(reason) => {
                self.list.fail(reason);
                return self.handle_deferred();
            }
            Message::Unread(reason) => self.fail_to_load(reason),
            Message::Noted(note) => self.note = Some(note),
            Message::Refreshed { files_left } => {
                self.files_left = files_left;
                return Some(Effect::Prepare);
            }
            Message::Prepared => return Some(Effect::Search),
            Message::Copy { note, .. } => self.note = Some(note),
            Message::Done(_) | Message::TerminalLost(_) | Message::Panicked(_) => {}
            #[cfg(unix)]
            Message::Signal(_) => {}
        }
        None
    }

    /// Gives back the keys that waited for the rows that are there now.
    fn handle_deferred(&mut self) -> Option<Effect> {
        let is_due = !self.list.is_outdated() && !self.deferred.is_empty();
        is_due.then(|| Effect::Handle(self.deferred.take()))
    }

    /// Returns the turn that the preview has to show, once.
    pub(crate) fn wanted_preview(&mut self) -> Option<TurnsQuestion> {
        let row = self.list.row().filter(|_| self.conversation.is_none())?;
        let (session, turn) = (row.session.clone(), row.turn_index());
        let wanted = Some((session.clone(), turn));
        if self.asked == wanted {
            return None;
        }
        self.asked = wanted;
        Some(TurnsQuestion {
            session,
            turn: Some(turn),
        })
    }

    /// Takes turns that were read: of the preview, or of the conversation.
    fn load(&mut self, loaded: LoadedTurns) -> Option<Effect> {
        let LoadedTurns {
            question: TurnsQuestion { session, turn },
            exchanges,
        } = loaded;
        match (&mut self.conversation, turn) {
            (Some(conversation), None) if conversation.session.id == session.id => {
                if exchanges.is_empty() && session.turns > 0 {
                    self.close_conversation();
                    self.note = Some("its turns are no longer in the index".into());
                    return Some(Effect::Search);
                }
                conversation.load(exchanges);
            }
            (_, Some(turn)) => {
                self.preview = Some(PreviewPane {
                    turn,
                    pane: TextPane::new(exchanges, session.turns),
                    session,
                });
            }
            _ => {}
        }
        None
    }

    fn fail_to_load(&mut self, reason: String) {
        self.note = Some(reason);
        if let Some(conversation) = &mut self.conversation {
            conversation.reading = Reading::Failed;
        }
    }

    /// Lays the preview out for a pane, opened at the first word that matches.
    pub(crate) fn lay_out_preview(&mut self, columns: usize, height: usize) {
        let Some(PreviewPane { pane, .. }) = &mut self.preview else {
            return;
        };
        pane.lay_out(columns, height, CallDetail::Short);
        let marked = Marked::Terms(self.list.terms.clone());
        if pane.marked != marked {
            pane.marked = marked;
            pane.open_at_match(LinePosition::default()..pane.text.end());
        }
    }

    /// Returns the text in which a match is looked for.
    fn searched_pane(&mut self) -> Option<&mut TextPane> {
        let pane = match (&mut self.conversation, &mut self.preview) {
            (Some(conversation), _) => &mut conversation.pane,
            (None, Some(preview)) => &mut preview.pane,
            (None, None) => return None,
        };
        pane.is_searching().then_some(pane)
    }

    /// Goes on for a moment to look for a match that is far away. Returns false where none is looked for.
    pub(crate) fn go_on_searching(&mut self) -> bool {
        let Some(pane) = self.searched_pane() else {
            return false;
        };
        let state = pane.go_on_searching();
        if self.note.as_deref() == Some(SEARCHING) {
            self.note = match state {
                SearchState::Running => return true,
                SearchState::Found => None,
                SearchState::NotFound => Some(self.not_found().into()),
            };
        }
        true
    }

    /// Returns the note that a text is not found, which may be in what is not shown of calls.
    fn not_found(&self) -> &'static str {
        let conversation = self.conversation.as_ref();
        match conversation.is_some_and(|conversation| conversation.calls != CallDetail::Full) {
            true => NOT_FOUND_IN_SHOWN,
            false => NOT_FOUND,
        }
    }

    /// Handles an event.
    pub(crate) fn handle(&mut self, event: &Event) -> Option<Effect> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(*key, event),
            Event::Mouse(mouse) => self.mouse(*mouse),
            Event::Paste(_) => self.paste(event),
            _ => None,
        }
    }

    /// Pastes into the line that is typed in, if there is one.
    fn paste(&mut self, event: &Event) -> Option<Effect> {
        match (&mut self.form, &mut self.conversation) {
            _ if self.shows_help => {}
            (Some(form), _) => form.edit(event),
            (None, Some(conversation)) => conversation.paste(event),
            (None, None) if self.list.is_outdated() && self.deferred.has_action() => {
                self.deferred.push(event.clone());
            }
            (None, None) => return self.edit_query(event),
        }
        None
    }

    fn key(&mut self, key: KeyEvent, event: &Event) -> Option<Effect> {
        self.note = None;
        if let Some(pane) = self.searched_pane() {
            pane.stop_searching();
        }
        if let (KeyModifiers::CONTROL, KeyCode::Char(letter)) = (key.modifiers, key.code) {
            match letter {
                'c' => return Some(Effect::Quit),
                'l' => return Some(Effect::Redraw),
                'z' => return Some(Effect::Suspend),
                _ => {}
            }
        }
        if self.shows_help {
            self.help_key(key.code);
            return None;
        }
        if self.form.is_some() {
            return self.form_key(key.code, event);
        }
        let is_early = self.conversation.is_none() && self.list.is_outdated();
        if is_early && self.deferred.must_wait(key) {
            self.deferred.push(event.clone());
            return None;
        }
        let opens_help = (key.modifiers, key.code) == (KeyModifiers::ALT, KeyCode::Char('h'));
        if key.code == KeyCode::F(1) || opens_help {
            self.open_help();
            return None;
        }
        match self.conversation {
            Some(_) => self.conversation_key(key, event),
            None => self.list_key(key, event),
        }
    }

    fn open_help(&mut self) {
        (self.shows_help, self.help_offset) = (true, 0);
    }

    /// Scrolls the help, or closes it. Where it ends is known when it is drawn.
    fn help_key(&mut self, code: KeyCode) {
        let offset = self.help_offset;
        self.help_offset = match code {
            KeyCode::Up => offset.saturating_sub(1),
            KeyCode::Down => offset.saturating_add(1),
            KeyCode::PageUp => offset.saturating_sub(HELP_PAGE_LINES),
            KeyCode::PageDown => offset.saturating_add(HELP_PAGE_LINES),
            KeyCode::Home => 0,
            KeyCode::End => usize::MAX,
            _ => {
                self.shows_help = false;
                0
            }
        };
    }

    fn form_key(&mut self, code: KeyCode, event: &Event) -> Option<Effect> {
        match self.form.as_mut()?.handle(code, event) {
            FormStep::Open => None,
            FormStep::Closed => {
                self.form = None;
                None
            }
            FormStep::Done => self.form.take().map(Effect::Save),
        }
    }

    fn list_key(&mut self, key: KeyEvent, event: &Event) -> Option<Effect> {
        let (alt, control) = (KeyModifiers::ALT, KeyModifiers::CONTROL);
        let page = self.list.page();
        match (key.modifiers, key.code) {
            (_, KeyCode::Esc) => Some(Effect::Quit),
            (_, KeyCode::Enter) => self.open(),
            (_, KeyCode::Tab | KeyCode::BackTab) => self.tab(),
            (KeyModifiers::SHIFT, KeyCode::Up) => self.scroll_preview(-1),
            (KeyModifiers::SHIFT, KeyCode::Down) => self.scroll_preview(1),
            (_, KeyCode::Up) => self.select(-1),
            (_, KeyCode::Down) => self.select(1),
            (_, KeyCode::PageUp) => self.select(-page),
            (_, KeyCode::PageDown) => self.select(page),
            (modifiers, KeyCode::Char('p')) if modifiers == control => self.select(-1),
            (modifiers, KeyCode::Char('n')) if modifiers == control => self.select(1),
            (modifiers, KeyCode::Char('p')) if modifiers == alt => self.toggle_project(),
            (modifiers, KeyCode::Char(letter)) if modifiers == alt => {
                match Action::from_letter(letter) {
                    Some(action) => self.act(action),
                    None => self.edit_query(event),
                }
            }
            _ => self.edit_query(event),
        }
    }

    fn conversation_key(&mut self, key: KeyEvent, event: &Event) -> Option<Effect> {
        let conversation = self.conversation.as_mut()?;
        let is_found = match key.code {
            code if conversation.is_typing => conversation.type_search(code, event),
            // What scrolls in other programs, as Ctrl-F, is not to fork here.
            KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::CONTROL) => true,
            KeyCode::Esc | KeyCode::Char('q') => {
                self.close_conversation();
                true
            }
            KeyCode::Char('h' | '?') => {
                self.open_help();
                true
            }
            KeyCode::Char(letter) => match Action::from_letter(letter) {
                Some(action) => return self.act(action),
                None => conversation.scroll_key(key.code),
            },
            code => conversation.scroll_key(code),
        };
        if !is_found {
            self.note = Some(self.not_found().into());
        } else if self.searched_pane().is_some() {
            self.note = Some(SEARCHING.into());
        }
        None
    }

    /// Goes back to the list. The preview is asked for again: it may have given way to the conversation.
    fn close_conversation(&mut self) {
        self.conversation = None;
        self.asked = None;
    }

    fn edit_query(&mut self, event: &Event) -> Option<Effect> {
        self.query.handle(event).then(|| self.list_anew())
    }

    /// Completes a filter, or goes from sessions to turns and back.
    fn tab(&mut self) -> Option<Effect> {
        let none = FilterValues::default();
        if self.values.is_none() && self.query.may_be_in_filter() {
            self.deferred.push(Event::Key(KeyCode::Tab.into()));
            return None;
        }
        if !self.query.complete(self.values.as_ref().unwrap_or(&none)) {
            self.list.level = match self.list.level {
                Level::Session => Level::Turn,
                Level::Turn => Level::Session,
            };
        }
        Some(self.list_anew())
    }

    fn toggle_project(&mut self) -> Option<Effect> {
        self.this_project = !self.this_project;
        Some(self.list_anew())
    }

    fn list_anew(&mut self) -> Effect {
        self.deferred.clear();
        self.list.begin();
        Effect::Search
    }

    fn select(&mut self, rows: isize) -> Option<Effect> {
        self.list.move_by(rows).then_some(Effect::Search)
    }

    fn scroll_preview(&mut self, lines: isize) -> Option<Effect> {
        self.preview.as_mut()?.pane.scroll_by(lines);
        None
    }

    /// Returns the session and turn that actions are about.
    fn target(&self) -> Option<ActionTarget> {
        if let Some(conversation) = &self.conversation {
            return Some(ActionTarget {
                session: conversation.session.clone(),
                turn: conversation.turn(),
            });
        }
        let row = self.list.row()?;
        Some(ActionTarget {
            session: row.session.clone(),
            turn: row.turn_index(),
        })
    }

    fn act(&mut self, action: Action) -> Option<Effect> {
        let target = self.target()?;
        if action == Action::SaveMemory {
            self.form = Some(MemoryForm::new(&target));
            return None;
        }
        Some(Effect::Act(action, target))
    }

    fn open(&mut self) -> Option<Effect> {
        let ActionTarget { session, turn } = self.target()?;
        let shown = self.preview.as_ref();
        let shown = shown.filter(|p| p.session.id == session.id && p.turn == turn);
        let known = shown.map_or(Vec::new(), |preview| preview.pane.text.exchanges().to_vec());
        let terms = self.list.terms.clone();
        self.conversation = Some(Conversation::new(session.clone(), turn, terms, known));
        Some(Effect::Open(session))
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Option<Effect> {
        let position = Position::new(mouse.column, mouse.row);
        let lines = match mouse.kind {
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::Down(MouseButton::Left) => return self.click(position),
            _ => return None,
        };
        match &mut self.conversation {
            _ if self.form.is_some() || self.shows_help => {}
            Some(conversation) => conversation.scroll_by(lines),
            None if self.preview_area.contains(position) => return self.scroll_preview(lines),
            None => return self.select(lines.signum()),
        }
        None
    }

    /// Selects the row that is clicked; opens the one that is selected.
    fn click(&mut self, position: Position) -> Option<Effect> {
        if self.conversation.is_some() || self.form.is_some() || self.shows_help {
            self.shows_help = false;
            return None;
        }
        let at = self.list.row_at(position)?;
        match at == self.list.selected {
            true => self.open(),
            false => {
                self.list.selected = at;
                None
            }
        }
    }
}
