//! The work for which the state of the picker asks.

use crate::action::{ActionTarget, PickerAction};
use crate::memory_form::MemoryForm;
use crossterm::event::Event;
use session_store::SessionRow;

/// Work that a key or a message asks for, done outside of the state of the picker.
#[derive(Debug)]
pub(crate) enum AppEffect {
    /// Requests the list again.
    Search,
    /// Prepares the index for the next list.
    Prepare,
    /// Reads the whole session.
    Open(SessionRow),
    /// Handles these events now, in their order.
    Handle(Vec<Event>),
    /// Runs an action on a turn or its session.
    Act(PickerAction, ActionTarget),
    /// Saves a memory.
    Save(Box<MemoryForm>),
    /// Stops until continued.
    Suspend,
    /// Draws everything anew.
    Redraw,
    /// Ends without a session.
    Quit,
}
