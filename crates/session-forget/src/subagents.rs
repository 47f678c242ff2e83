//! Subagents whose session is excluded and is not in the index.

use crate::error::ForgetError;
use crate::exclusions::Exclusions;
use session_store::{FileId, SessionRow, Writer};
use std::collections::HashSet;

impl Exclusions {
    /// Has the histories of subagents read again whose session is not in the index: only a reader of both finds out whether
    /// it is in an excluded project.
    pub(crate) fn reread_orphans(
        &self,
        writer: &mut Writer,
        sessions: &[SessionRow],
    ) -> Result<(), ForgetError> {
        if !self.has_project_rules() {
            return Ok(());
        }
        let known = sessions.iter().map(|row| (&*row.source, &*row.uid));
        let known: HashSet<(&str, &str)> = known.collect();
        let is_orphan = |row: &&SessionRow| {
            let parent = row.parent.as_deref();
            parent.is_some_and(|parent| !known.contains(&(&*row.source, parent)))
        };
        for row in sessions.iter().filter(is_orphan) {
            writer.delete_cursor(row.file)?;
        }
        Ok(())
    }

    /// Deletes from an index a subagent of this file that its reader found to be one of an excluded session; returns true
    /// where it was there. The caller commits.
    ///
    /// # Errors
    /// When the index fails.
    pub fn delete_subagent(
        &self,
        writer: &mut Writer,
        file: FileId,
        source: &str,
        id: &str,
    ) -> Result<bool, ForgetError> {
        let index = writer.reader()?;
        // Each refresh meets those that grow; reading all sessions for them would take long.
        if !index.files_of_session(source, id)?.contains(&file) {
            return Ok(false);
        }
        let sessions = index.sessions()?;
        let mut stored = sessions.iter();
        let stored = stored.find(|row| row.file == file && row.uid == id);
        let Some(row) = stored else {
            return Ok(false);
        };
        if self.keeps_session(index, row)? {
            return Ok(false);
        }
        let root = index.root().to_owned();
        writer.delete_session(row.id)?;
        session_store::delete_query_cache(&root)?;
        Ok(true)
    }
}
