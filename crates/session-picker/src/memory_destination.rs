//! The project that a memory is saved for.

use crate::error::PickerError;
use session_config::current_directory;
use session_display::shorten_home;
use session_memory::MemoryScope;
use session_project_memories::{ProjectMemories, ProjectMemoriesError};
use session_store::SessionRow;
use std::path::PathBuf;

/// The folder whose memories a new one joins, as the form of a memory names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemoryDestination {
    pub(crate) folder: PathBuf,
    /// The root of its project, or all projects.
    pub(crate) name: String,
    /// The session's own folder is not on this machine: the current one stands for it.
    pub(crate) is_substitute: bool,
}

impl MemoryDestination {
    /// Finds the folder of a session or, where that is gone, the current one.
    ///
    /// # Errors
    /// When the configuration allows no memories there, or the project is not read.
    pub(crate) fn find(session: &SessionRow) -> Result<Self, PickerError> {
        let own = session.cwd.as_deref().map(PathBuf::from);
        let existing = own.clone().filter(|folder| folder.is_dir());
        let is_substitute = own.is_some() && existing.is_none();
        let folder = match existing {
            Some(folder) => folder,
            None => current_directory().map_err(ProjectMemoriesError::from)?,
        };
        let memories = ProjectMemories::for_directory(&folder)?;
        memories.require_enabled()?;
        memories.require_owned_project()?;
        Ok(Self {
            name: describe_scope(&memories),
            folder,
            is_substitute,
        })
    }
}

/// Names the project of which a new memory becomes one, or all of them.
fn describe_scope(memories: &ProjectMemories) -> String {
    let first = memories.store.directories().first();
    let is_global = first.is_none_or(|directory| directory.scope == MemoryScope::Global);
    let project = memories.project.as_ref().filter(|_| !is_global);
    let root = project.map(|project| shorten_home(project.root(), &memories.home.env.home));
    root.unwrap_or_else(|| "all projects".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_gone_is_substituted_and_that_is_known() {
        let find = |cwd: Option<&str>| {
            let session = SessionRow {
                cwd: cwd.map(str::to_owned),
                ..SessionRow::default()
            };
            MemoryDestination::find(&session).unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("harbour");
        fs_err::create_dir_all(project.join(".git")).unwrap();
        let own = find(project.to_str());
        assert!(
            own.name.ends_with("harbour") && !own.is_substitute,
            "{own:?}"
        );
        assert_eq!(own.folder, project);
        let here = current_directory().unwrap();
        let gone = find(Some("/gone/cipher-box"));
        assert!(gone.is_substitute && gone.folder == here, "{gone:?}");
        assert!(!find(None).is_substitute);
    }
}
