//! The messages of a session, wherever they are kept, and the turns that they make.

use super::message::StoredMessage;
use super::turns::TurnBuilder;
use crate::IndexedSpan;
use crate::session_storage::{ALL_RECORDS, SessionStorage, StoredSession, TurnVisitor};
use crate::storage_error::{SkippedCounts, StorageError};
use session_core::{ReadDetail, SessionMeta, TurnSpan};
use std::ops::ControlFlow;

/// Where messages go, one at a time.
pub(super) type MessageVisitor<'a> = dyn FnMut(StoredMessage) -> ControlFlow<()> + 'a;

/// A database, or a tree of JSON files.
pub(super) trait MessageStorage {
    /// Lists all sessions, in any order.
    fn list_sessions(
        &self,
        skipped: &mut SkippedCounts,
    ) -> Result<Vec<StoredSession>, StorageError>;

    /// Returns the id of the first message of a session that the user undid
    /// (`session.revert`): it and those after it stay until the next prompt.
    fn find_reverted(&self, session: &str) -> Option<String>;

    /// Passes the messages of a session whose ordinals lie in `span` to `visit`, in order, until that breaks off.
    fn visit_messages(
        &self,
        session: &str,
        span: TurnSpan,
        detail: ReadDetail,
        skipped: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> Result<(), StorageError>;
}

/// Sessions whose turns are made of messages.
pub(super) struct MessageSessions<S>(pub S);

impl<S: MessageStorage> SessionStorage for MessageSessions<S> {
    fn list_sessions(
        &self,
        skipped: &mut SkippedCounts,
    ) -> Result<Vec<StoredSession>, StorageError> {
        self.0.list_sessions(skipped)
    }

    fn visit_turns(
        &self,
        session: &SessionMeta,
        shown: Option<IndexedSpan>,
        skipped: &mut SkippedCounts,
        visit: &mut TurnVisitor<'_>,
    ) -> Result<(), StorageError> {
        let (first, span, detail) = match shown {
            None => (0, ALL_RECORDS, ReadDetail::Index),
            Some(turn) => (turn.index, turn.span, ReadDetail::Full),
        };
        let mut turns = TurnBuilder::new(first, session.parent.is_some(), detail);
        if shown.is_some() {
            turns = turns.reverted(self.0.find_reverted(&session.id));
        }
        let mut flow = ControlFlow::Continue(());
        let read = self
            .0
            .visit_messages(&session.id, span, detail, skipped, &mut |mut message| {
                message.resolve_files(session.cwd.as_deref());
                flow = turns
                    .push(message)
                    .map_or(ControlFlow::Continue(()), &mut *visit);
                flow
            });
        // Of a turn that will be read to its end later, the index may hold more.
        let is_broken_off = read.as_ref().is_err_and(StorageError::is_transient);
        if !is_broken_off && let (ControlFlow::Continue(()), Some(last)) = (flow, turns.finish()) {
            let _: ControlFlow<()> = visit(last);
        }
        read
    }
}
