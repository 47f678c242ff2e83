//! Actions on a session or a turn.

use session_core::TurnAddress;
use session_display::sanitize_line;
use session_store::SessionRow;

/// The action of a letter: with Alt in the list, alone in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PickerAction {
    Resume,
    Fork,
    CopyCommand,
    CopyText,
    CopyId,
    Export,
    SaveMemory,
}

/// The turn that an action is about, and its session.
#[derive(Debug, Clone)]
pub(crate) struct ActionTarget {
    pub(crate) session: SessionRow,
    /// From 0.
    pub(crate) turn: u32,
}

impl ActionTarget {
    /// Returns the address of the turn, made printable.
    pub(crate) fn address(&self) -> TurnAddress {
        TurnAddress::new(sanitize_line(&self.session.uid), self.turn)
    }
}

impl PickerAction {
    /// All of them, with their letters and what is said of them.
    pub(crate) const ALL: [(Self, char, &'static str); 7] = [
        (Self::Resume, 'r', "resume in its folder"),
        (Self::Fork, 'f', "fork: resume as a new session"),
        (Self::CopyCommand, 'c', "copy the command that resumes"),
        (Self::CopyText, 'y', "copy the text of the turn"),
        (Self::CopyId, 'i', "copy the id"),
        (Self::Export, 'e', "export to a page in this folder"),
        (Self::SaveMemory, 'm', "save a memory from the turn"),
    ];

    pub(crate) fn from_key_letter(letter: char) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, own, _)| *own == letter);
        found.map(|(action, ..)| *action)
    }
}
