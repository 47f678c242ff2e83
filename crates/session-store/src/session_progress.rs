//! The writer's notes on a session while its turns come.

use crate::copies::OwnerRank;
use crate::id::SessionId;
use crate::new_session::NewSession;
use crate::replacement::SessionReplacement;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// The sessions to which the writer wrote last: turns come session by session.
#[derive(Default)]
pub(crate) struct SessionProgress {
    /// The session that was inserted last.
    pub(crate) new_session: NewSession,
    /// The session whose turns are being replaced.
    pub(crate) replacing: Option<SessionReplacement>,
    /// The title that the session had before.
    pub(crate) replaced_title: Option<String>,
    /// The session that [`Writer::note_changed`](crate::Writer) has noted last.
    pub(crate) noted_session: Cell<Option<SessionId>>,
    /// Ranks that were queried since a session was written or deleted.
    pub(crate) owner_ranks: RefCell<FxHashMap<SessionId, OwnerRank>>,
}
