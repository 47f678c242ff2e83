//! Where memories lie: in a project, and beside the user's own settings.

use crate::error::{MemoryError, Result};
use crate::memory::Scope;
use serde::{Deserialize, Serialize};
use session_files::{Dir, Project};
use std::path::{Path, PathBuf};

/// The directory that holds the data of agents' tools, in a project and in the home directory.
const AGENT_DIRECTORY: &str = ".claude";
/// Where memories lie below it. Code, as a skill, never does.
const DATA: &str = "data/session-search/memories";

/// Which of the two places are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Location {
    /// The project's, where there is one; what is global is found, too.
    #[default]
    ProjectFirst,
    /// The project's alone.
    ProjectOnly,
    /// What is global alone.
    GlobalOnly,
}

/// A folder of memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose.
    pub scope: Scope,
    /// The folder that holds `active`, `archive` and so on.
    pub folder: PathBuf,
    /// The project, whose files are opened beneath its root.
    project: Option<Project>,
}

impl Place {
    fn of_project(project: &Project) -> Self {
        Self {
            scope: Scope::Project,
            folder: project.root().join(relative()),
            project: Some(project.clone()),
        }
    }

    fn global(home: &Path) -> Self {
        Self {
            scope: Scope::Global,
            folder: home.join(relative()),
            project: None,
        }
    }

    /// Opens the folder; `None` where there is none. The user's own may be reached by links, a
    /// project's is not.
    ///
    /// # Errors
    /// When it cannot be opened, or a link leads to it in a project.
    pub(crate) fn open(&self) -> Result<Option<Dir>> {
        match &self.project {
            Some(project) => Ok(project.open()?.directory(&relative())?),
            None => Ok(Dir::open_existing(&self.folder)?),
        }
    }

    /// The same, made if need be.
    ///
    /// # Errors
    /// As [`Place::open`], and when it cannot be made.
    pub(crate) fn create(&self) -> Result<Dir> {
        Ok(match &self.project {
            Some(project) => project.open()?.create_directory(&relative())?,
            None => Dir::create(&self.folder)?,
        })
    }

    /// What names the folder on this machine. All worktrees of a repository share it.
    pub(crate) fn identity(&self) -> PathBuf {
        match &self.project {
            Some(project) => project.identity().join(relative()),
            None => fs_err::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone()),
        }
    }
}

fn relative() -> PathBuf {
    Path::new(AGENT_DIRECTORY).join(DATA)
}

/// The folder of a project that holds what agents' tools keep there, below its root.
pub fn settings_folder() -> &'static Path {
    Path::new(AGENT_DIRECTORY)
}

/// The places to look in, the one to save in first.
///
/// # Errors
/// [`MemoryError::NoProject`] where only a project's place is wanted.
pub fn places(project: Option<&Project>, home: &Path, location: Location) -> Result<Vec<Place>> {
    let global = Place::global(home);
    let project = project.map(Place::of_project);
    match (location, project) {
        (Location::ProjectOnly, None) => Err(MemoryError::NoProject),
        (Location::ProjectOnly, Some(project)) => Ok(vec![project]),
        (Location::ProjectFirst, Some(project)) => Ok(vec![project, global]),
        (Location::ProjectFirst, None) | (Location::GlobalOnly, _) => Ok(vec![global]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_location() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join(".git")).unwrap();
        let home = Path::new("/h");
        let project = Project::find(folder.path(), home).unwrap();
        let scopes = |project: Option<&Project>, location| {
            let places = places(project, home, location);
            places
                .map(|p| p.iter().map(|p| p.scope).collect::<Vec<_>>())
                .ok()
        };
        use Scope::{Global, Project as OfProject};
        let project = project.as_ref();
        assert_eq!(
            scopes(project, Location::ProjectFirst),
            Some(vec![OfProject, Global])
        );
        assert_eq!(scopes(None, Location::ProjectFirst), Some(vec![Global]));
        assert_eq!(
            scopes(project, Location::ProjectOnly),
            Some(vec![OfProject])
        );
        assert_eq!(scopes(None, Location::ProjectOnly), None);
        assert_eq!(scopes(project, Location::GlobalOnly), Some(vec![Global]));
        let global = &places(project, home, Location::GlobalOnly).unwrap()[0];
        assert_eq!(
            global.folder,
            Path::new("/h/.claude/data/session-search/memories")
        );
    }
}
