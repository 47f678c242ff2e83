//! Where memories lie: in a project, and beside the user's own settings.

use crate::error::{MemoryError, Result};
use crate::memory::Scope;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The folder that marks a project, and that holds the data of tools.
const MARK: &str = ".claude";
/// The folder that marks a project where there is no other mark.
const REPOSITORY: &str = ".git";
/// Where the data of this tool lies below the mark. Code, as a skill, never does.
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
}

/// The root of the project that a folder belongs to: the nearest folder above it,
/// or itself, with `.claude`, else with `.git`. The home folder is none: its `.claude` is
/// the user's own.
pub fn project_root(from: &Path, home: &Path) -> Option<PathBuf> {
    let real = |path: &Path| fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (from, home) = (real(from), real(home));
    let marked = |mark: &str| {
        let mut folders = from.ancestors().take_while(|folder| *folder != home);
        folders.find(|folder| folder.join(mark).exists())
    };
    marked(MARK)
        .or_else(|| marked(REPOSITORY))
        .map(Path::to_owned)
}

/// The folder of a project that holds what tools keep there.
pub fn settings_folder(root: &Path) -> PathBuf {
    root.join(MARK)
}

/// The places to look in, the one to save in first.
///
/// # Errors
/// [`MemoryError::NoProject`] where only a project's place is wanted.
pub fn places(root: Option<&Path>, home: &Path, location: Location) -> Result<Vec<Place>> {
    let place = |scope: Scope, root: &Path| Place {
        scope,
        folder: root.join(MARK).join(DATA),
    };
    let global = place(Scope::Global, home);
    let project = root.map(|root| place(Scope::Project, root));
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
    fn a_root_is_found_by_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs_err::canonicalize(folder.path()).unwrap();
        let make = |path: &str| fs_err::create_dir_all(home.join(path)).unwrap();
        for path in [".claude", "a/.git/x", "a/b/c", "d/.claude", "d/e/.git", "f"] {
            make(path);
        }
        let root = |from: &str| {
            let found = project_root(&home.join(from), &home);
            found.map(|root| {
                root.strip_prefix(&home)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
        };
        assert_eq!(root("a/b/c").as_deref(), Some("a"));
        assert_eq!(root("d/e").as_deref(), Some("d"));
        assert_eq!(root("f"), None);
        assert_eq!(root(""), None);
    }

    #[test]
    fn places_follow_the_location() {
        let (root, home) = (Path::new("/p"), Path::new("/h"));
        let scopes = |root: Option<&Path>, location| {
            let places = places(root, home, location);
            places
                .map(|p| p.iter().map(|p| p.scope).collect::<Vec<_>>())
                .ok()
        };
        use Scope::{Global, Project};
        assert_eq!(
            scopes(Some(root), Location::ProjectFirst),
            Some(vec![Project, Global])
        );
        assert_eq!(scopes(None, Location::ProjectFirst), Some(vec![Global]));
        assert_eq!(
            scopes(Some(root), Location::ProjectOnly),
            Some(vec![Project])
        );
        assert_eq!(scopes(None, Location::ProjectOnly), None);
        assert_eq!(scopes(Some(root), Location::GlobalOnly), Some(vec![Global]));
        let folder = &places(Some(root), home, Location::ProjectFirst).unwrap()[0].folder;
        assert_eq!(folder, Path::new("/p/.claude/data/session-search/memories"));
    }
}
