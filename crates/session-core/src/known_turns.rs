//! Whether the known turns of a session stay where it is read again.

/// Says what becomes of the turns that are known of a session, where more of it are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownTurns {
    /// They stay: the turns to come follow them.
    Keep,
    /// The turns to come replace them: equal ones keep their numbers.
    Replace,
    /// The turns to come replace them, and the others are withdrawn: they only held prompts that waited.
    Retract,
}

impl KnownTurns {
    /// Returns true if the turns to come replace those that are known.
    pub fn are_replaced(self) -> bool {
        self != Self::Keep
    }
}
