//! The form of a memory that is saved from a turn.

use crate::action::ActionTarget;
use crate::memory_destination::MemoryDestination;
use crate::overlay::OverlayStep;
use crate::query_line;
use crossterm::event::{Event, KeyCode};
use session_display::sanitize_line;
use tui_input::Input;

/// A memory as it is typed.
#[derive(Debug, Clone)]
pub(crate) struct MemoryForm {
    /// The turn that it is saved from.
    pub(crate) target: ActionTarget,
    pub(crate) destination: MemoryDestination,
    topic: Input,
    info: Input,
    is_in_info: bool,
}

/// A field of the form.
pub(crate) struct FormField<'a> {
    pub(crate) name: &'static str,
    pub(crate) input: &'a Input,
    /// True for the field in which the user types.
    pub(crate) is_active: bool,
}

impl MemoryForm {
    pub(crate) fn new(target: ActionTarget, destination: MemoryDestination) -> Self {
        Self {
            topic: Input::new(session_display::session_title(&target.session)),
            info: Input::default(),
            is_in_info: true,
            target,
            destination,
        }
    }

    /// Returns the topic.
    pub(crate) fn topic(&self) -> String {
        sanitize_line(self.topic.value())
    }

    /// Returns what is to be remembered.
    pub(crate) fn info(&self) -> String {
        sanitize_line(self.info.value())
    }

    /// Returns the fields in the order in which they are drawn.
    pub(crate) fn fields(&self) -> [FormField<'_>; 2] {
        [
            FormField {
                name: "topic",
                input: &self.topic,
                is_active: !self.is_in_info,
            },
            FormField {
                name: "remember",
                input: &self.info,
                is_active: self.is_in_info,
            },
        ]
    }

    /// Returns true if both fields hold something.
    pub(crate) fn is_complete(&self) -> bool {
        !self.topic().is_empty() && !self.info().is_empty()
    }

    pub(crate) fn handle_key(&mut self, code: KeyCode, event: &Event) -> OverlayStep {
        match code {
            KeyCode::Esc => OverlayStep::Closed,
            KeyCode::Enter if self.is_complete() => OverlayStep::Done,
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Up | KeyCode::Down | KeyCode::Enter => {
                self.is_in_info = !self.is_in_info;
                OverlayStep::Open
            }
            _ => {
                self.edit(event);
                OverlayStep::Open
            }
        }
    }

    /// Edits the field that is typed in by a key or by what is pasted.
    pub(crate) fn edit(&mut self, event: &Event) {
        let input = if self.is_in_info {
            &mut self.info
        } else {
            &mut self.topic
        };
        query_line::edit_input(input, event);
    }
}
