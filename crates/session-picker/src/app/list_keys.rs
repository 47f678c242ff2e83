//! The keys of the list.

use super::App;
use crate::action::PickerAction;
use crate::app_effect::AppEffect;
use crate::text_blocks::SearchDirection;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use session_query::{FilterField, FilterValues};
use session_search::Level;

const SWITCH_HINT: &str = "behind a space Tab switches between sessions and turns";

impl App {
    pub(super) fn handle_list_key(&mut self, key: KeyEvent, event: &Event) -> Option<AppEffect> {
        let (alt, control) = (KeyModifiers::ALT, KeyModifiers::CONTROL);
        let page = self.list.page_rows();
        match (key.modifiers, key.code) {
            (_, KeyCode::Esc) => Some(self.undo_completion_or_quit()),
            (_, KeyCode::Enter) => self.open_conversation(),
            (_, KeyCode::Tab) => self.complete_or_switch_level(event, SearchDirection::Forwards),
            (_, KeyCode::BackTab) => {
                self.complete_or_switch_level(event, SearchDirection::Backwards)
            }
            (KeyModifiers::SHIFT, KeyCode::Up) => self.scroll_preview(-1),
            (KeyModifiers::SHIFT, KeyCode::Down) => self.scroll_preview(1),
            (KeyModifiers::SHIFT, KeyCode::PageUp) => self.scroll_preview(-self.preview_page()),
            (KeyModifiers::SHIFT, KeyCode::PageDown) => self.scroll_preview(self.preview_page()),
            (_, KeyCode::Up) => self.move_selection(-1),
            (_, KeyCode::Down) => self.move_selection(1),
            (_, KeyCode::PageUp) => self.move_selection(-page),
            (_, KeyCode::PageDown) => self.move_selection(page),
            (modifiers, KeyCode::Home) if self.moves_list(modifiers) => {
                self.move_selection(isize::MIN)
            }
            (modifiers, KeyCode::End) if self.moves_list(modifiers) => {
                self.move_selection(isize::MAX)
            }
            // As in fzf, which has no key that deletes to the end of the line.
            (modifiers, KeyCode::Char('k' | 'p')) if modifiers == control => {
                self.move_selection(-1)
            }
            (modifiers, KeyCode::Char('j' | 'n')) if modifiers == control => self.move_selection(1),
            (modifiers, KeyCode::Char('p')) if modifiers == alt => self.toggle_project(),
            (modifiers, KeyCode::Char(letter)) if modifiers == alt => {
                match PickerAction::from_key_letter(letter) {
                    Some(action) => self.start_action(action),
                    None => self.edit_query(event),
                }
            }
            _ => self.edit_query(event),
        }
    }

    /// Returns true if Home and End move in the list: there is no text in which they would, or Ctrl is held.
    fn moves_list(&self, modifiers: KeyModifiers) -> bool {
        self.query.text().is_empty() || modifiers.contains(KeyModifiers::CONTROL)
    }

    /// Closes the candidates of a filter, or the picker where there are none.
    fn undo_completion_or_quit(&mut self) -> AppEffect {
        if self.query.undo_completion() {
            self.reset_list()
        } else {
            AppEffect::Quit
        }
    }

    /// Completes a filter, or goes from sessions to turns and back where none is being typed.
    fn complete_or_switch_level(
        &mut self,
        event: &Event,
        direction: SearchDirection,
    ) -> Option<AppEffect> {
        let open = self.query.open_filter();
        let is_file = matches!(&open, Some(open) if open.field == FilterField::File);
        if self.values.is_none() && self.query.may_be_in_filter() && !is_file {
            self.deferred.push(event.clone());
            return None;
        }
        let none = FilterValues::default();
        let values = self.values.as_ref().unwrap_or(&none);
        if !self.query.complete_filter(values, direction) {
            if let Some(open) = open {
                let reason = match open.field {
                    FilterField::File => "names of files are not completed".to_owned(),
                    _ => format!("nothing completes `{}:{}` further", open.name, open.value),
                };
                self.note = Some(format!("{reason}; {SWITCH_HINT}"));
                return None;
            }
            self.list.level = match self.list.level {
                Level::Session => Level::Turn,
                Level::Turn => Level::Session,
            };
        }
        Some(self.reset_list())
    }

    fn toggle_project(&mut self) -> Option<AppEffect> {
        self.this_project = !self.this_project;
        Some(self.reset_list())
    }

    pub(super) fn move_selection(&mut self, rows: isize) -> Option<AppEffect> {
        self.list.move_by(rows).then_some(AppEffect::Search)
    }

    pub(super) fn scroll_preview(&mut self, lines: isize) -> Option<AppEffect> {
        self.preview.as_mut()?.pane.scroll_by(lines);
        None
    }

    /// Returns the lines of a page of the preview.
    fn preview_page(&self) -> isize {
        let preview = self.preview.as_ref();
        preview.map_or(0, |preview| preview.pane.page_lines())
    }
}
