//! Subagents of an excluded project that work in a directory elsewhere.

use crate::listed_histories::ListedFile;
use crate::read_policy::ReadPolicy;
use session_core::{KnownTurns, SessionMeta, Turn};
use session_sources::{Cursor, Location, Sink, Warning};
use std::ops::ControlFlow;

/// Whether the session that a subagent's file belongs to is in an excluded project: read once a file, and only where the
/// rules name projects.
#[derive(Debug, Default)]
pub(crate) struct ParentSession {
    is_excluded: Option<bool>,
}

impl ParentSession {
    /// Returns true for a subagent whose session is excluded by its project.
    pub(crate) fn is_excluded(
        &mut self,
        file: &ListedFile,
        session: &SessionMeta,
        policy: &ReadPolicy,
    ) -> bool {
        let exclusions = &policy.exclusions;
        if session.parent.is_none() || !exclusions.has_project_rules() {
            return false;
        }
        *self.is_excluded.get_or_insert_with(|| {
            let parent = read_parent(file);
            parent.is_some_and(|mut parent| {
                policy.redactor.redact_session(&mut parent);
                exclusions.excludes_session(file.source.name(), &parent)
            })
        })
    }
}

/// Reads what the beginning of the file of a subagent's parent tells of its session.
fn read_parent(file: &ListedFile) -> Option<SessionMeta> {
    let mut sink = FirstSession::default();
    let location = Location {
        path: file.source.parent_file(&file.location)?,
        stamp: file.location.stamp,
        path_session: session_sources::PathSession {
            session: file.location.path_session.parent.clone(),
            parent: None,
        },
        continuations: Vec::new(),
    };
    file.source.read(&location, None, &mut sink);
    sink.session
}

/// Takes the session that comes first, and stops.
#[derive(Default)]
struct FirstSession {
    session: Option<SessionMeta>,
}

impl Sink for FirstSession {
    fn session(&mut self, meta: &SessionMeta, _: KnownTurns) -> ControlFlow<()> {
        self.session = Some(meta.clone());
        ControlFlow::Break(())
    }

    fn turn(&mut self, _: Turn) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn checkpoint(&mut self, _: Cursor) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn report_gone_session(&mut self, _: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn receive_foreign_title(&mut self, _: &str, _: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn warning(&mut self, _: Warning) {}
}
