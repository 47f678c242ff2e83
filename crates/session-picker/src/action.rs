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
    /// All of them, in the order of the help.
    pub(crate) const ALL: [Self; 7] = [
        Self::Resume,
        Self::Fork,
        Self::CopyCommand,
        Self::CopyText,
        Self::CopyId,
        Self::Export,
        Self::SaveMemory,
    ];

    /// Returns the letter of its key.
    pub(crate) fn key_letter(self) -> char {
        match self {
            Self::Resume => 'r',
            Self::Fork => 's',
            Self::CopyCommand => 'c',
            Self::CopyText => 'y',
            Self::CopyId => 'i',
            Self::Export => 'e',
            Self::SaveMemory => 'm',
        }
    }

    /// Describes it for the help.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Resume => "resume in its folder",
            Self::Fork => "split off (fork): resume as a new session",
            Self::CopyCommand => "copy the command that resumes",
            Self::CopyText => "copy the text of the turn",
            Self::CopyId => "copy the id",
            Self::Export => "export to a page in this folder",
            Self::SaveMemory => "save a memory from the turn",
        }
    }

    pub(crate) fn from_key_letter(letter: char) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|action| action.key_letter() == letter)
    }
}
