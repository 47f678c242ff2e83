//! Directories of memories: one in a project, and one in the user's home.

use crate::content::memory::MemoryScope;
use crate::error::{MemoryError, Result};
use serde::{Deserialize, Serialize};
use session_files::{AGENT_DIRECTORY, Dir, Project, resolve_links};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The directory of memories below it, apart from code such as skills.
const DATA: &str = "data/session-search/memories";

/// The directories that are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StorageLocation {
    /// The project's, where there is one, and the global one.
    #[default]
    ProjectFirst,
    /// The project's alone.
    ProjectOnly,
    /// The global one alone.
    GlobalOnly,
}

/// A directory of memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryDirectory {
    /// The owner of the memories.
    pub scope: MemoryScope,
    /// The directory that holds `active`, `archive` and so on.
    pub path: PathBuf,
    /// The project, beneath whose root files are opened.
    project: Option<Project>,
    /// The roots from which paths of the project may be named, those of worktrees before the roots that hold them.
    roots: Vec<PathBuf>,
}

impl MemoryDirectory {
    /// Returns the roots of the project whose memories these are: that of the checkout that it was opened from, and that
    /// of the main one. None for the user's own.
    pub(crate) fn project_roots(&self) -> &[PathBuf] {
        &self.roots
    }

    fn in_project(project: &Project, opened_from: &Project) -> Self {
        let mut roots = vec![opened_from.root().to_owned(), opened_from.main_root()];
        roots.sort_by_key(|root| Reverse(root.components().count()));
        roots.dedup();
        Self {
            scope: MemoryScope::Project,
            path: project.root().join(relative_path()),
            project: Some(project.clone()),
            roots,
        }
    }

    /// Returns the directory of a project; in a worktree without one of its own that of the main checkout, which
    /// stays when the worktree is removed.
    fn of_project(project: &Project, home: &Path) -> Self {
        let own = Self::in_project(project, project);
        let main_root = project.main_root();
        if main_root == project.root() || own.path.exists() {
            return own;
        }
        let main = Project::find_owned(&main_root, home);
        let main = main.filter(|main| main.identity() == project.identity());
        main.map_or(own, |main| Self::in_project(&main, project))
    }

    fn in_home(home: &Path) -> Self {
        Self {
            scope: MemoryScope::Global,
            path: home.join(relative_path()),
            project: None,
            roots: Vec::new(),
        }
    }

    /// Opens the directory; `None` if there is none. Symbolic links are followed in the user's
    /// home, never in a project.
    ///
    /// # Errors
    /// When it cannot be opened, or a link leads to it in a project.
    pub(crate) fn open(&self) -> Result<Option<Dir>> {
        match &self.project {
            Some(project) => Ok(project.open()?.directory(&relative_path())?),
            None => Ok(Dir::open_existing(&self.path)?),
        }
    }

    /// Opens the directory, and creates it where there is none.
    ///
    /// # Errors
    /// As [`MemoryDirectory::open`], and when it cannot be created.
    pub(crate) fn create(&self) -> Result<Dir> {
        Ok(match &self.project {
            Some(project) => project.open()?.create_directory(&relative_path())?,
            None => Dir::create(&self.path)?,
        })
    }

    /// Returns the path that identifies the directory on this machine, shared by all worktrees of a
    /// repository.
    pub(crate) fn identity(&self) -> PathBuf {
        match &self.project {
            Some(project) => project.identity().join(relative_path()),
            None => resolve_links(&self.path),
        }
    }
}

/// Returns the path of a directory of memories below a project's root, or below the home.
pub(crate) fn relative_path() -> PathBuf {
    Path::new(AGENT_DIRECTORY).join(DATA)
}

/// Returns true if a project has a directory of memories, or its main checkout has one for it.
pub fn has_memories(project: &Project, home: &Path) -> bool {
    MemoryDirectory::of_project(project, home).path.is_dir()
}

/// Returns the directory of agents' settings below a project's root.
pub fn settings_directory() -> &'static Path {
    Path::new(AGENT_DIRECTORY)
}

/// Returns the directories that memories are read from; new ones are saved in the first.
///
/// # Errors
/// [`MemoryError::NoProject`] where only a project's is wanted and there is no project.
pub fn memory_directories(
    project: Option<&Project>,
    home: &Path,
    location: StorageLocation,
) -> Result<Vec<MemoryDirectory>> {
    let global = MemoryDirectory::in_home(home);
    let project = project.map(|project| MemoryDirectory::of_project(project, home));
    match (location, project) {
        (StorageLocation::ProjectOnly, None) => Err(MemoryError::NoProject),
        (StorageLocation::ProjectOnly, Some(project)) => Ok(vec![project]),
        (StorageLocation::ProjectFirst, Some(project)) => Ok(vec![project, global]),
        (StorageLocation::ProjectFirst, None) | (StorageLocation::GlobalOnly, _) => {
            Ok(vec![global])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_follow_the_storage_location() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join(".git")).unwrap();
        let home = Path::new("/h");
        let project = Project::find(folder.path(), home).unwrap();
        let scopes = |project: Option<&Project>, location| {
            let directories = memory_directories(project, home, location);
            directories
                .map(|p| p.iter().map(|p| p.scope).collect::<Vec<_>>())
                .ok()
        };
        use MemoryScope::{Global, Project as OfProject};
        let project = project.as_ref();
        assert_eq!(
            scopes(project, StorageLocation::ProjectFirst),
            Some(vec![OfProject, Global])
        );
        assert_eq!(
            scopes(None, StorageLocation::ProjectFirst),
            Some(vec![Global])
        );
        assert_eq!(
            scopes(project, StorageLocation::ProjectOnly),
            Some(vec![OfProject])
        );
        assert_eq!(scopes(None, StorageLocation::ProjectOnly), None);
        assert_eq!(
            scopes(project, StorageLocation::GlobalOnly),
            Some(vec![Global])
        );
        let global = &memory_directories(project, home, StorageLocation::GlobalOnly).unwrap()[0];
        assert_eq!(
            global.path,
            Path::new("/h/.claude/data/session-search/memories")
        );
    }

    /// Settings are often kept in a repository that is the home directory itself.
    #[test]
    fn a_home_that_is_a_repository_is_no_project() {
        let folder = tempfile::tempdir().unwrap();
        let home = resolve_links(folder.path());
        for directory in [".git", "notes", "plans/.claude", "app/.git", "app/src"] {
            fs_err::create_dir_all(home.join(directory)).unwrap();
        }
        let first = |from: &str| {
            let project = Project::find(&home.join(from), &home).unwrap();
            let directories =
                memory_directories(project.as_ref(), &home, StorageLocation::ProjectFirst);
            let first = directories.unwrap().remove(0);
            (first.scope, first.path)
        };
        let path = |at: &str| home.join(at).join(relative_path());
        for (from, scope, at) in [
            ("", MemoryScope::Global, ""),
            ("notes", MemoryScope::Global, ""),
            ("plans", MemoryScope::Project, "plans"),
            ("app/src", MemoryScope::Project, "app"),
        ] {
            assert_eq!(first(from), (scope, path(at)), "{from}");
        }
    }
}
