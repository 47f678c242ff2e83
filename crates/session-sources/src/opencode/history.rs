//! The messages of a session, wherever they are kept, and the turns that they make.

use super::message::StoredMessage;
use super::turns::TurnBuilder;
use crate::session_storage::{SessionStorage, StoredSession, StoredTurnRange, TurnVisitor};
use crate::storage_error::{SkippedCounts, StorageError};
use session_core::{ReadDetail, SessionMeta, TurnSpan};
use std::ops::ControlFlow;

/// Where messages go, one at a time.
pub(super) type MessageVisitor<'a> = dyn FnMut(StoredMessage) -> ControlFlow<()> + 'a;

/// A database, or a tree of JSON files.
pub(super) trait MessageStorage {
    /// All sessions, in any order.
    fn sessions(&self, faults: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError>;

    /// Id of the first message of a session that the user undid
    /// (`session.revert`): it and those after it stay until the next prompt.
    fn reverted_from(&self, session: &str) -> Option<String>;

    /// The messages of a session whose ordinals lie in `span`, in order.
    fn messages(
        &self,
        session: &str,
        span: TurnSpan,
        detail: ReadDetail,
        faults: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> Result<(), StorageError>;
}

/// Sessions whose turns are made of messages.
pub(super) struct MessageSessions<S>(pub S);

impl<S: MessageStorage> SessionStorage for MessageSessions<S> {
    fn sessions(&self, skipped: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError> {
        self.0.sessions(skipped)
    }

    fn turns(
        &self,
        session: &SessionMeta,
        range: StoredTurnRange,
        detail: ReadDetail,
        skipped: &mut SkippedCounts,
        visit: &mut TurnVisitor<'_>,
    ) -> Result<(), StorageError> {
        let mut turns = TurnBuilder::new(range.first, session.parent.is_some(), detail);
        if detail == ReadDetail::Full {
            turns = turns.reverted(self.0.reverted_from(&session.id));
        }
        let mut flow = ControlFlow::Continue(());
        let read = self.0.messages(
            &session.id,
            range.span,
            detail,
            skipped,
            &mut |mut message| {
                message.resolve_files(session.cwd.as_deref());
                flow = turns
                    .push(message)
                    .map_or(ControlFlow::Continue(()), &mut *visit);
                flow
            },
        );
        if let (ControlFlow::Continue(()), Some(last)) = (flow, turns.finish()) {
            let _: ControlFlow<()> = visit(last);
        }
        read
    }
}
