//! Keeps facts of the session that was inserted last, so that the database is not asked for them.

use crate::id::{SessionId, TurnId};

/// The session that was inserted last. Where a history is read for the first time, all of its turns follow, and
/// each look-up saved is a tenth of what it takes to store a turn.
#[derive(Debug, Default)]
pub(crate) struct NewSession {
    session: Option<SessionId>,
    /// All its turns have an index below.
    end: u32,
    /// The index of a turn that is no copy.
    own_turn: Option<u32>,
    /// Its turns by index, while they are as they were added and none is a copy.
    turns: Vec<TurnId>,
    /// A turn is a copy, was changed, or is missing before another.
    is_changed: bool,
    has_first_prompt: bool,
}

impl NewSession {
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session: Some(session),
            ..Self::default()
        }
    }

    fn is_for(&self, session: SessionId) -> bool {
        self.session == Some(session)
    }

    /// Returns true for a session that has no turn yet, and so nothing that is derived from one.
    pub(crate) fn is_without_turns(&self, session: SessionId) -> bool {
        self.is_for(session) && self.end == 0
    }

    /// Returns true for a turn that is not stored yet.
    pub(crate) fn is_beyond(&self, session: SessionId, index: u32) -> bool {
        self.is_for(session) && index >= self.end
    }

    /// Returns true if the title is indexed with a turn before.
    pub(crate) fn is_titled_before(&self, session: SessionId, index: u32) -> bool {
        self.is_for(session) && self.own_turn.is_some_and(|own| own < index)
    }

    pub(crate) fn has_first_prompt(&self, session: SessionId) -> bool {
        self.is_for(session) && self.has_first_prompt
    }

    pub(crate) fn note_turn(
        &mut self,
        session: SessionId,
        index: u32,
        turn: TurnId,
        is_copy: bool,
    ) {
        if self.is_for(session) {
            self.end = self.end.max(index + 1);
            self.own_turn = self.own_turn.or((!is_copy).then_some(index));
            self.is_changed |= is_copy || index as usize != self.turns.len();
            if !self.is_changed {
                self.turns.push(turn);
            }
        }
    }

    /// Notes that a turn of a session is another one than was added.
    pub(crate) fn note_change(&mut self, session: SessionId) {
        self.is_changed |= self.is_for(session);
    }

    /// Returns the turns by index, where all are as they were added and none is a copy.
    pub(crate) fn unchanged_turns(&self, session: SessionId) -> Option<&[TurnId]> {
        (self.is_for(session) && !self.is_changed).then_some(&self.turns)
    }

    pub(crate) fn note_first_prompt(&mut self, session: SessionId) {
        self.has_first_prompt |= self.is_for(session);
    }

    /// Notes that words of some turn were deleted: another one may have the title.
    pub(crate) fn forget_title(&mut self) {
        self.own_turn = None;
    }
}
