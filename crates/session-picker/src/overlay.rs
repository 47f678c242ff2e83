//! The help or the form over the list or the conversation.

use crate::memory_form::MemoryForm;
use crossterm::event::{Event, KeyCode};

/// Lines by which PgUp and PgDn scroll the help: those of a small terminal.
const HELP_PAGE_LINES: usize = 7;

/// A box over everything else, which takes the keys.
#[derive(Debug)]
pub(crate) enum Overlay {
    /// The keys and what they do.
    Help {
        /// The first line that is drawn. Where the last one is, is known when it is drawn.
        offset: usize,
    },
    /// The form of a memory.
    Form(Box<MemoryForm>),
}

/// The effect of a key on what is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OverlayStep {
    /// It is still open.
    Open,
    /// It was given up.
    Closed,
    /// It is to be saved.
    Done,
}

impl Overlay {
    /// Scrolls the help, or edits the form; other keys close it.
    pub(crate) fn handle_key(&mut self, code: KeyCode, event: &Event) -> OverlayStep {
        match self {
            Self::Form(form) => form.handle_key(code, event),
            Self::Help { offset } => match scroll_help(*offset, code) {
                Some(scrolled) => {
                    *offset = scrolled;
                    OverlayStep::Open
                }
                None => OverlayStep::Closed,
            },
        }
    }
}

/// Returns the line to which a key scrolls the help; `None` for another key.
fn scroll_help(offset: usize, code: KeyCode) -> Option<usize> {
    Some(match code {
        KeyCode::Up => offset.saturating_sub(1),
        KeyCode::Down => offset.saturating_add(1),
        KeyCode::PageUp => offset.saturating_sub(HELP_PAGE_LINES),
        KeyCode::PageDown => offset.saturating_add(HELP_PAGE_LINES),
        KeyCode::Home => 0,
        KeyCode::End => usize::MAX,
        _ => return None,
    })
}
