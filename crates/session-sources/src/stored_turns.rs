//! Turns of a session that is stored as a list of records.

use crate::IndexedSpan;
use crate::session_storage::TurnVisitor;
use crate::turn_assembler::{TurnAssembler, TurnDetail, TurnProgress};
use crate::turn_writer::TurnWriter;
use session_core::{SessionMeta, TurnSpan};
use std::ops::ControlFlow;

/// Builds the turns of a session from its records, and passes each on when it has ended. Spans count
/// records.
pub(crate) struct StoredTurns<'v, 'f> {
    pub session: SessionMeta,
    turns: TurnAssembler,
    visit: &'v mut TurnVisitor<'f>,
}

impl<'v, 'f> StoredTurns<'v, 'f> {
    /// Begins with the first turn of a session, or with the one that is shown, in full.
    pub(crate) fn new(
        session: &SessionMeta,
        shown: Option<IndexedSpan>,
        visit: &'v mut TurnVisitor<'f>,
    ) -> Self {
        let progress = TurnProgress {
            next: shown.map_or(0, |turn| turn.index),
            ..TurnProgress::default()
        };
        let detail = match shown {
            None => TurnDetail::Index,
            Some(_) => TurnDetail::Alone,
        };
        Self {
            session: session.clone(),
            turns: TurnAssembler::new(progress, detail),
            visit,
        }
    }

    /// Takes the record at this ordinal: `push` passes its events to the writer.
    pub(crate) fn record(
        &mut self,
        ordinal: u64,
        push: impl FnOnce(&mut TurnWriter<'_>),
    ) -> ControlFlow<()> {
        let span = TurnSpan {
            start: ordinal,
            end: ordinal + 1,
        };
        push(&mut TurnWriter::new(
            &mut self.turns,
            &mut self.session,
            span,
        ));
        let mut ended = self.turns.take_closed().into_iter();
        ended.try_for_each(&mut *self.visit)
    }

    /// Passes on the last turn. Returns the number of turns of the session so far.
    pub(crate) fn finish(mut self) -> u32 {
        if let Some(turn) = self.turns.flush() {
            // After the last turn nothing is left to break off.
            let _ = (self.visit)(turn);
        }
        self.turns.progress.next
    }
}
