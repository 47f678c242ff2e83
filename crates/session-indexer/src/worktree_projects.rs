//! Projects that an earlier version took from the name of a folder of worktrees alone: of a worktree in `~/.worktrees` that
//! was the home folder.

use session_sources::{project_root, root_by_name};
use session_store::{Reader, SessionRow, StoreError, Writer};

/// Key of the index's settings under which it notes that no such project is left.
const SETTING: &str = "worktree_projects";

/// Returns true if no project of the index is taken from a name alone.
pub(crate) fn has_worktree_projects(index: &Reader) -> Result<bool, StoreError> {
    Ok(index.setting(SETTING)?.is_some())
}

/// Corrects the projects of worktrees, once. Returns true if one changed. The histories are read again: their cursors have the
/// projects, too.
pub(crate) fn correct_worktree_projects(writer: &mut Writer) -> Result<bool, StoreError> {
    if has_worktree_projects(writer.reader()?)? {
        return Ok(false);
    }
    let mut sessions = writer.reader()?.sessions()?;
    sessions.retain(has_other_project);
    for session in &sessions {
        let project = session.cwd.as_deref().and_then(project_root);
        writer.set_project(session.id, project.as_deref())?;
        writer.delete_cursor(session.file)?;
    }
    writer.set_setting(SETTING, "1")?;
    Ok(!sessions.is_empty())
}

/// Returns true if the name of a folder gave a session its project, and the disk tells another one.
fn has_other_project(session: &SessionRow) -> bool {
    let cwd = session.cwd.as_deref().unwrap_or_default();
    let named = root_by_name(cwd).filter(|named| session.project.as_ref() == Some(named));
    named.is_some() && project_root(cwd) != named
}
