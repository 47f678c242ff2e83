//! Sessions that come back to an index, since rules keep out less than in an earlier version of the program.

use crate::error::IndexError;
use crate::outcome::RefreshOutcome;
use session_forget::Exclusions;
use session_store::Writer;
use std::collections::{BTreeSet, HashSet};

/// The sessions that an index held before histories were read again that an earlier version kept out.
pub(crate) struct ReturningSessions {
    known: HashSet<String>,
}

impl ReturningSessions {
    /// Notes what the index holds; `None` if no rule keeps out less than before.
    pub(crate) fn begin(
        exclusions: &Exclusions,
        writer: &mut Writer,
    ) -> Result<Option<Self>, IndexError> {
        let index = writer.reader()?;
        if !exclusions.are_narrowed_in(index)? {
            return Ok(None);
        }
        let sessions = index.sessions()?.into_iter();
        Ok(Some(Self {
            known: sessions.map(|session| session.uid).collect(),
        }))
    }

    /// Adds to the outcome what came back. Once all histories are read, nothing does any more.
    pub(crate) fn finish(
        self,
        exclusions: &Exclusions,
        writer: &mut Writer,
        outcome: &mut RefreshOutcome,
    ) -> Result<(), IndexError> {
        let index = writer.reader()?;
        let mut projects = BTreeSet::new();
        for session in index.sessions()? {
            if self.known.contains(&session.uid) || !exclusions.once_excluded(index, &session)? {
                continue;
            }
            outcome.returned_sessions += 1;
            projects.extend(session.project.or(session.cwd));
        }
        outcome.returned_projects = projects.into_iter().collect();
        if outcome.files_left == 0 {
            Exclusions::clear_narrowed(writer)?;
        }
        Ok(())
    }
}
